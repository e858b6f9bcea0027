"""Plain and compressed files and standard input, as lists of segments.

A segment is a line, ended by a line feed and by nothing else, without the white space at its end.
Tabs and carriage returns within it are data.
"""

import io
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

from rapidbleu.cli.messages import CommandError
from rapidbleu.cli.starts import check_mark, check_table
from rapidbleu.streams.files import COMPRESSIONS, file_name, open_packed

WRONG_FIELDS = 17  # sacrebleu's exit status for lines with a wrong number of fields

STANDARD_INPUT = "standard input"

readable = file_name  # an argument as UTF-8, whatever the locale says; other bytes as escapes


class System(NamedTuple):
    """The output of a translation system, and what to call it."""

    name: str
    segments: list[str]


def read_systems(paths: Sequence[str] | None, encoding: str, refuse: bool = True) -> list[System]:
    """Read a system from each file, or one from standard input if there are no files.

    Tables are refused, or warned of.
    """
    if paths is None:
        data = _read_bytes("-", True)
        return [System(STANDARD_INPUT, _texts(STANDARD_INPUT, data, encoding))]
    systems = []
    for path in paths:
        data = _read_bytes(path, _is_standard_input(path))
        check_table(readable(path), data, refuse)
        systems.append(System(readable(path), _texts(path, data, encoding)))
    return systems


def name_of_system(path: str) -> str:
    """Return what the output in a file is called: the file without its ending.

    Examples
    --------
    >>> name_of_system("outputs/online-A.en.txt.gz")
    'online-A.en'
    """
    name = os.path.basename(path)
    for ending in COMPRESSIONS:
        name = name.removesuffix(ending)
    return os.path.splitext(name)[0]


def read_file(path: str, encoding: str) -> list[str]:
    """Read the segments of a file."""
    return _segments(path, _read_bytes(path), encoding)


def read_texts(path: str, encoding: str, refuse: bool = True, columns: bool = False) -> list[str]:
    """Read a file of segments, which may have `columns`; refuse tables, or warn of them."""
    data = _read_bytes(path)
    check_table(readable(path), data, refuse, columns)
    return _texts(path, data, encoding)


def _texts(name: str, data: bytes, encoding: str) -> list[str]:
    """Return the segments of a file; warn of a byte order mark, which is one more character."""
    lines = _segments(name, data, encoding)
    if lines:
        check_mark(readable(name), lines[0])
    return lines


def check_start(path: str, refuse: bool) -> None:
    """Look at the start of a file of UTF-8 that is read later."""
    start = _start_of(path)
    check_table(readable(path), start, refuse)
    check_mark(readable(path), start.decode("utf-8", "replace"))


def _start_of(path: str) -> bytes:
    """Return the first bytes of a regular file; none of a pipe."""
    if not os.path.isfile(path):
        return b""
    try:
        with _opened(path) as file:
            start: bytes = file.read(1 << 12)
    except Exception:  # reading all of it raises a proper error
        return b""
    return start


def read_references(
    paths: Sequence[str], num_refs: int, encoding: str, refuse: bool = True
) -> list[list[str]]:
    """Read a stream of references from each file, or `num_refs` from the columns of one."""
    streams = [read_texts(path, encoding, refuse, num_refs != 1) for path in paths]
    return streams if num_refs == 1 else _columns(paths[0], streams[0], num_refs)


def check_lengths(lengths: Iterable[tuple[str, int]]) -> None:
    """Refuse files with different numbers of segments."""
    named = list(lengths)
    if len({length for _, length in named}) > 1:
        listed = ", ".join(f"{name} has {length}" for name, length in named)
        raise CommandError(f"numbers of segments differ: {listed}")


def _columns(path: str, lines: list[str], num_refs: int) -> list[list[str]]:
    rows = [line.split("\t", num_refs - 1) for line in lines]
    for number, row in enumerate(rows, 1):
        if len(row) != num_refs:
            raise CommandError(
                f"{path}, line {number}: expected {num_refs} references separated by tabs, "
                f"got {len(row)}",
                WRONG_FIELDS,
            )
    return [[row[i] for row in rows] for i in range(num_refs)]


def _segments(name: str, data: bytes, encoding: str) -> list[str]:
    """Decode the bytes of a file and split them into segments."""
    try:
        text = data.decode(encoding)
    except (LookupError, ValueError) as error:
        raise _undecodable(name, encoding, error) from None
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.rstrip() for line in lines]


def iter_segments(path: str, encoding: str) -> Iterator[str]:
    """Yield the segments of a file, or of standard input for ``-``, one after the other."""
    name = name_of_input(path)
    number = 0
    check_table(name, _start_of(path), True)
    with _opened(path, _is_standard_input(path)) as file:
        try:
            text = io.TextIOWrapper(file, encoding, newline="\n")
        except (LookupError, ValueError) as error:
            raise _undecodable(name, encoding, error) from None
        try:
            for line in text:
                if not number:
                    check_mark(name, line)
                yield line.rstrip()
                number += 1
        except UnicodeError as error:
            raise _undecodable(name, encoding, error, number) from None
        finally:
            text.detach()


def name_of_input(path: str) -> str:
    """Return what messages call a file, or standard input for ``-``."""
    return STANDARD_INPUT if _is_standard_input(path) else readable(path)


def read_weights(path: str) -> dict[str, float]:
    """Read the weights of tokens: a token, a tab and a number in each line, as UTF-8."""
    weights: dict[str, float] = {}
    for number, line in enumerate(read_file(path, "utf-8"), 1):
        token, _, weight = line.partition("\t")
        try:
            weights[token] = float(weight)
        except ValueError:
            raise CommandError(
                f"{path}, line {number}: expected a token, a tab and a number, got {line!r}"
            ) from None
    return weights


def _is_standard_input(path: str) -> bool:
    return path == "-" and not os.path.exists(path)


def _read_bytes(path: str, standard: bool = False) -> bytes:
    with _opened(path, standard) as file:
        data: bytes = file.read()
    return data


@contextmanager
def _opened(path: str, standard: bool = False) -> Iterator[Any]:
    """Open a file, decompressed if its name ends like that, or standard input, which stays open."""
    name = STANDARD_INPUT if standard else path
    ending = os.path.splitext(path)[1]
    try:
        if standard and sys.stdin is None:
            raise CommandError("standard input is closed")
        opened: Any
        if standard:
            opened = nullcontext(sys.stdin.buffer)
        elif ending in COMPRESSIONS:
            opened = open_packed(path, ending)
        else:
            opened = open(path, "rb")  # noqa: SIM115
    except (OSError, ValueError) as error:
        raise CommandError(f"{name}: {getattr(error, 'strerror', None) or error}") from None
    with opened as file:
        try:
            yield file
        except OSError as error:
            raise CommandError(f"{name}: {error.strerror or error}") from None


def _undecodable(name: str, encoding: str, error: Exception, n_lines: int = 0) -> CommandError:
    """Say what cannot be decoded; before the bytes of the error come some lines."""
    if not isinstance(error, UnicodeDecodeError):
        return CommandError(f"{name}: cannot decode as {encoding}: {error}")
    before = bytes(error.object[: error.start]).decode(encoding, "replace")
    return CommandError(
        f"{name}, line {n_lines + before.count(chr(10)) + 1}: cannot decode byte "
        f"0x{error.object[error.start]:02x} as {encoding}: {error.reason}"
    )


@contextmanager
def file_errors() -> Iterator[None]:
    """Say which file could not be opened, read or written."""
    try:
        yield
    except BrokenPipeError:  # the reader of the results closed its end
        raise
    except OSError as error:
        if error.filename is None:
            raise
        raise CommandError(f"{error.filename}: {error.strerror or error}") from None
