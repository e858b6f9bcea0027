"""Segment files, plain and compressed, and standard input; systems with their references.

A segment is a line that ends with a line feed only, without trailing white space; tabs and carriage
returns within it are data. Tables are refused, or warned of where sacrebleu scores their lines;
byte order marks cause a warning.
"""

from __future__ import annotations

import codecs
import io
import os
import re
import sys
from contextlib import contextmanager, nullcontext
from itertools import zip_longest

from rapidbleu._lib.files import replacing_text
from rapidbleu._lib.frozen import NamedTuple
from rapidbleu._lib.logs import logger
from rapidbleu.cli.messages import CommandError, named, progress_callback, say
from rapidbleu.cli.options import WHOLE
from rapidbleu.streams.batches import NO_LIMIT, FileRange, ranges_of
from rapidbleu.streams.files import (
    COMPRESSIONS,
    TABLES,
    ending_of,
    file_name,
    open_packed,
    unpacked,
)
from rapidbleu.streams.tables import count_lines, count_rows, scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Action, Namespace, _ActionsContainer
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import Any, TextIO

    from rapidbleu._types import IntArray
    from rapidbleu.cli.options import Parser, Shard

WRONG_FIELDS = 17  # sacrebleu's exit status for lines with a wrong number of fields

# Options of --table, and of files of lines.
OF_TABLES = {"hyp", "id_column", "keep", "ref", "table_format"}
TABLE_FORMATS = ("tsv", "csv", "jsonl", "parquet", "arrow")
OF_FILES = {"encoding", "input", "num_refs", "refs", "test_set"}

STANDARD_INPUT = "standard input"
STDIN = ""  # in place of a path

# Metrics whose scores depend on all references, which must be read first.
INFORMED = {"NIST", "CIDErD"}

MARK = "\ufeff"  # the byte order mark, which UTF-8 does not need

readable = file_name  # an argument as UTF-8 in any locale; other bytes become escapes


class System(NamedTuple):
    """The output of a translation system, and its name."""

    name: str
    segments: list[str]


def is_standard_input(path: str) -> bool:
    """Return whether a path means standard input; an existing file can be called ``-`` as well."""
    return path == STDIN or (path == "-" and not os.path.exists(path))


def name_of_input(path: str) -> str:
    """Return the name of a file in messages, or standard input for ``-``."""
    return STANDARD_INPUT if is_standard_input(path) else readable(path)


def name_of_system(path: str) -> str:
    """Return the name of the system whose output is in a file: the name without its ending.

    >>> name_of_system("outputs/online-A.en.txt.gz")
    'online-A.en'
    """
    if is_standard_input(path):
        return STANDARD_INPUT
    return os.path.splitext(unpacked(os.path.basename(path)))[0]


def distinct_names(names: Sequence[str]) -> list[str] | None:
    """Return names of systems; None if two are equal or one is empty, so that paths are used."""
    filled = [readable(name) for name in names if name.strip()]
    return filled if len({*filled}) == len(names) else None


def read_file(path: str, encoding: str) -> list[str]:
    return list(_iter_lines(path, encoding))


def read_texts(path: str, encoding: str, refuse: bool = True, columns: bool = False) -> list[str]:
    """Read a file of segments, possibly with `columns`; refuse tables, or warn of them."""
    return list(iter_segments(path, encoding, refuse, columns))


def read_systems(paths: Sequence[str] | None, encoding: str, refuse: bool = True) -> list[System]:
    """Read a system from each file, or one from standard input without files."""
    return [
        System(name_of_input(path), read_texts(path, encoding, refuse))
        for path in ([STDIN] if paths is None else paths)
    ]


def read_references(
    paths: Sequence[str], num_refs: int, encoding: str, refuse: bool = True
) -> list[list[str]]:
    """Read a stream of references from each file, or `num_refs` from the columns of one file."""
    streams = [read_texts(path, encoding, refuse, num_refs != 1) for path in paths]
    if num_refs == 1:
        return streams
    rows = [line.split("\t", num_refs - 1) for line in streams[0]]
    for number, row in enumerate(rows, 1):
        if len(row) != num_refs:
            raise CommandError(
                f"{paths[0]}, line {number}: expected {num_refs} references separated by tabs; "
                f"got {len(row)}",
                WRONG_FIELDS,
            )
    return [[row[i] for row in rows] for i in range(num_refs)]


def read_weights(path: str) -> dict[str, float]:
    """Read token weights: a token, a tab and a number per line, in UTF-8."""
    weights: dict[str, float] = {}
    for number, line in enumerate(read_file(path, "utf-8"), 1):
        token, _, weight = line.partition("\t")
        try:
            weights[token] = float(weight)
        except ValueError:
            raise CommandError(
                f"{path}, line {number}: expected a token, a tab and a number; got {line!r}"
            ) from None
    return weights


def iter_segments(
    path: str, encoding: str, refuse: bool = True, columns: bool = False
) -> Iterator[str]:
    """Yield the segments of a file, or of standard input for ``-``."""
    name = name_of_input(path)
    check_table(name, _start_of(path), refuse, columns)
    for number, line in enumerate(_iter_lines(path, encoding)):
        if not number:
            check_mark(name, line)
        yield line


def _iter_lines(path: str, encoding: str) -> Iterator[str]:
    name = name_of_input(path)
    number = 0
    with _opened(path) as file:
        try:
            text = io.TextIOWrapper(file, encoding, newline="\n")
        except (LookupError, ValueError) as error:
            raise _undecodable(name, encoding, error) from None
        try:
            for line in text:
                yield line.rstrip()
                number += 1
        except UnicodeError as error:
            raise _undecodable(name, encoding, error, number) from None
        finally:
            text.detach()


def check_lengths(lengths: Iterable[tuple[str, int]]) -> None:
    """Refuse files with different numbers of segments."""
    files = list(lengths)
    if len({length for _, length in files}) > 1:
        listed = ", ".join(f"{name} has {length}" for name, length in files)
        raise CommandError(f"numbers of segments differ: {listed}")


@contextmanager
def _opened(path: str) -> Iterator[Any]:
    """Open a file, decompressed by its ending, or standard input, which stays open."""
    standard = is_standard_input(path)
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
        raise CommandError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    with opened as file:
        try:
            yield file
        except OSError as error:
            name = STANDARD_INPUT if standard else path
            raise CommandError(f"{name}: {error.strerror or error}") from None


def _undecodable(name: str, encoding: str, error: Exception, n_lines: int = 0) -> CommandError:
    """Return the error for undecodable bytes, which follow `n_lines` lines."""
    if not isinstance(error, UnicodeDecodeError):
        return CommandError(f"{name}: cannot decode as {encoding}: {error}")
    before = bytes(error.object[: error.start]).decode(encoding, "replace")
    return CommandError(
        f"{name}, line {n_lines + before.count(chr(10)) + 1}: cannot decode byte "
        f"0x{error.object[error.start]:02x} as {encoding}: {error.reason}"
    )


def check_table(name: str, data: bytes, refuse: bool, columns: bool = False) -> None:
    """Refuse a table, or warn of it, where each line must be a segment."""
    ending = ending_of(name)
    start, what = TABLES.get(ending, (b"", ""))
    if not what or not re.match(start, data) or (columns and ending in (".tsv", ".csv")):
        return
    message = f"{name}: expected a segment on each line; got {what}"
    if ending != ".json":
        message += "; --table reads tables"
    if refuse:
        raise CommandError(message)
    logger().warning("%s", f"{message}; its lines are scored as they are")


def check_mark(name: str, line: str) -> None:
    """Warn of a byte order mark at the start of the first line."""
    if line.startswith(MARK):
        logger().warning(
            "%s: begins with a byte order mark, which is scored as a character; "
            "-e utf-8-sig reads files without it",
            name,
        )


def _start_of(path: str) -> bytes:
    """Return the first bytes of a regular file; none for a pipe."""
    if not os.path.isfile(path):
        return b""
    try:
        with _opened(path) as file:
            start: bytes = file.read(1 << 12)
    except Exception:  # raised again when the file is read
        return b""
    return start


class Corpus(NamedTuple):
    """Systems, streams of references, and external scores.

    `given` contains the systems' rows of statistics: `SegmentScores` rows for metrics of
    ``--scores``, or the rows of ``--stats``, without segments and references.
    """

    systems: list[System]
    references: list[list[str]]
    given: dict[str, list[IntArray]]
    first: int = 0  # index of the first segment

    @property
    def n_segments(self) -> int:
        """Number of segments; 0 if whole files are not read yet."""
        for rows in self.given.values():
            return len(rows[0])
        references: Any = next(iter(self.references), None)  # none if the systems contain them
        if isinstance(references, FileRange) and references.end < NO_LIMIT:
            return references.end - references.begin
        return len(references) if isinstance(references, list) else 0


def check_files(args: Namespace, with_baseline: bool = False) -> None:
    """Refuse conflicting files and names; drop a repeated baseline."""
    if args.num_refs != 1 and len(args.refs) > 1:
        raise CommandError(
            f"-nr/--num-refs splits a single file of references; got {len(args.refs)} files"
        )
    if args.names is not None:
        _check_names(args.names, len(args.input or [""]))
    elif args.input is not None:
        if with_baseline and (baseline := args.input[0]) in args.input[1:]:
            args.input = [baseline, *(path for path in args.input if path != baseline)]
            if not args.quiet:
                say(f"{baseline}: it is the baseline, and not compared with itself")
        for i, path in enumerate(args.input):
            if path in args.input[:i]:
                raise CommandError(
                    f"{path}: given twice; systems are told apart by their file names, or by "
                    "--names"
                )


def _check_names(names: list[str], n_systems: int) -> None:
    if len(names) != n_systems:
        raise CommandError(f"--names: expected {n_systems}, as many as systems; got {len(names)}")
    for i, name in enumerate(names):
        if not name.strip():
            raise CommandError(f"--names: expected a name for system {i + 1}; got {name!r}")
        if name in names[:i]:
            raise CommandError(f"--names: expected each name once; got {name!r} again")


def read_corpus(
    args: Namespace, refuse: bool = True, streams: list[list[str]] | None = None
) -> Corpus:
    """Read systems, and references unless a test set supplies `streams`."""
    if args.table is not None:
        return _read_columns(args)
    names = args.refs if streams is None else [args.test_set]
    if streams is None:
        streams = read_references(args.refs, args.num_refs, args.encoding, refuse)
    files = [STDIN] if args.input is None else args.input
    systems: list[System] = []
    with progress_callback("files read", args.quiet) as bar:
        for path in files:
            systems += read_systems([path], args.encoding, refuse)
            if bar is not None:
                bar(len(systems), len(files))
    for system in systems:
        if not system.segments:
            missing = "; name the file of a system with -i/--input"
            raise CommandError(
                f"{system.name}: no segments{missing if system.name == STANDARD_INPUT else ''}"
            )
    lengths = [(system.name, len(system.segments)) for system in systems]
    check_lengths([*lengths, *zip(names, map(len, streams), strict=False)])
    if args.names is not None:
        systems = [
            system._replace(name=readable(name))
            for system, name in zip(systems, args.names, strict=True)
        ]
    return Corpus(systems, streams, {})


def add_table(parser: _ActionsContainer) -> Action:
    """Add the options for texts in tables; return the first one."""
    table = parser.add_argument(
        "--table",
        nargs="+",
        metavar="FILE",
        help="tables with the texts: .parquet, .arrow, .tsv, .csv, .jsonl; -: standard input",
    )
    parser.add_argument(
        "--table-format",
        choices=TABLE_FORMATS,
        metavar="FORM",
        help=f"format of standard input or pipes in --table: {', '.join(TABLE_FORMATS)}",
    )
    parser.add_argument(
        "--hyp",
        nargs="+",
        metavar="COLUMN",
        help="column of --table for each system (default: hyp)",
    )
    parser.add_argument(
        "--ref",
        nargs="+",
        action="extend",
        metavar="COLUMN",
        help="columns of --table with references or lists of them (default: ref)",
    )
    return table


def take_table(parser: Parser, args: Namespace) -> None:
    """Replace the files of systems and references by the columns of ``--table``."""
    wrong = OF_FILES
    message = "not with --table, whose columns --hyp and --ref name"
    if args.table is None:
        wrong = OF_TABLES
        message = "a column of --table; files are for -i/--input and -r/--refs"
    for action in parser._actions:
        value: Any = vars(args).get(action.dest)
        if action.dest in wrong and value and value != parser.get_default(action.dest):
            parser.error(f"{'/'.join(action.option_strings) or value[0]}: {message}")
    if args.table is not None:
        _store_pipes(args)
        args.input = args.hyp or ["hyp"]
        args.refs = args.ref or ["ref"]
        args.names = getattr(args, "names", None) or args.input


def _store_pipes(args: Namespace) -> None:
    """Replace pipes in ``--table`` by temporary files, because tables are read several times.

    The files exist as long as the options.
    """
    pipes = [
        path
        for path in args.table
        if is_standard_input(path) or (os.path.exists(path) and not os.path.isfile(path))
    ]
    if args.table_format is None:
        if any(map(is_standard_input, pipes)):
            raise CommandError("--table -: expected the format as well, with --table-format")
        return
    if not pipes:
        raise CommandError(
            "--table-format: expected - or a pipe as --table; the ending of a file is its format"
        )
    from shutil import copyfileobj
    from tempfile import mkstemp
    from weakref import finalize

    for path in dict.fromkeys(pipes):
        number, stored = mkstemp(f".{args.table_format}")
        finalize(args, _remove, stored)
        named[stored] = name_of_input(path)
        with open(number, "wb") as file, _opened(path) as source:
            copyfileobj(source, file)
        args.table = [stored if each == path else each for each in args.table]


def _remove(path: str) -> None:
    os.remove(path)
    del named[path]


def tables_of_shard(paths: list[str], shard: Shard) -> tuple[list[Any], int, int]:
    """Return tables or ranges of them, the index of the first row, and the number of rows or 0."""
    if shard == WHOLE:
        return paths, 0, 0
    for path in paths:
        if os.path.exists(path) and not os.path.isfile(path):
            raise CommandError(
                f"--shard: expected files that can be read twice; got {readable(path)}"
            )
    lengths = list(map(count_rows, paths))
    begin, end = shard.range(sum(lengths))
    return ranges_of(paths, lengths, begin, end), begin, end - begin


def _read_columns(args: Namespace) -> Corpus:
    """Read systems and references from tables."""
    systems = []
    for name, hyp in zip(args.names, args.input, strict=True):
        hyps, refs, *_ = scan(args.table, hyp, args.refs).gathered()
        systems.append(System(name, hyps))
    return Corpus(systems, list(map(list, zip_longest(*refs))), {})


def count_segments(args: Namespace) -> int:
    """Return the number of segments of a streamed system; 0 if a file cannot be read twice."""
    files = args.table or args.input
    if not all(map(os.path.isfile, files)):
        return 0
    part: Shard = args.shard
    begin, end = part.range(sum(map(count_rows if args.table else count_lines, files)))
    return end - begin


def part_of(corpus: Corpus, kept: list[int]) -> Corpus:
    systems = [
        system._replace(segments=[system.segments[i] for i in kept]) for system in corpus.systems
    ]
    references = [[stream[i] for i in kept] for stream in corpus.references]
    given = {name: [own[kept] for own in rows] for name, rows in corpus.given.items()}
    return Corpus(systems, references, given)


def shard_of(corpus: Corpus, args: Namespace) -> Corpus:
    begin, end = args.shard.range(corpus.n_segments)
    return part_of(corpus, [*range(begin, end)])._replace(first=begin)


def streamed_corpus(args: Namespace, needs_all: bool = False, refuse: bool = True) -> Corpus | None:
    """Return a corpus of one system that is streamed from files in bounded memory.

    Return None if the metrics, the files or the command need the whole corpus at once.
    """
    needs_all = needs_all or any(own.kind in INFORMED for own in args.metrics)
    if args.table is not None and not needs_all:
        source, begin, _ = tables_of_shard(args.table, args.shard)
        scans: Any = [scan(source, hyp, args.refs, keep=args.by or ()) for hyp in args.input]
        return Corpus(list(map(System, args.names, scans)), [], {}, begin)
    if needs_all or args.num_refs != 1 or args.input is None or len(args.input) != 1:
        return None
    files = [*args.input, *args.refs]
    if not (_is_utf8(args.encoding) and all(map(os.path.isfile, files))):
        return None
    for path in files:
        name = readable(path)
        start = _start_of(path)
        check_table(name, start, refuse)
        check_mark(name, start.decode("utf-8", "replace"))
    begin = 0
    paths = [FileRange(path) for path in files]
    if args.shard != WHOLE:
        begin, paths = _ranges(files, args)
    segments: Any
    references: Any
    segments, *references = paths
    name = readable(args.names[0] if args.names else files[0])
    return Corpus([System(name, segments)], references, {}, begin)


def _ranges(files: list[str], args: Namespace) -> tuple[int, list[Any]]:
    """Return the number of the first segment of the shard, and its range in each file."""
    lengths = []
    with progress_callback("files counted", args.quiet) as bar:
        for path in files:
            lengths.append(count_lines(path))
            if bar is not None:
                bar(len(lengths), len(files))
    check_lengths((readable(path), n) for path, n in zip(files, lengths, strict=True))
    begin, end = args.shard.range(lengths[0])
    return begin, [FileRange(path, begin, end) for path in files]


def _is_utf8(encoding: str) -> bool:
    try:
        return codecs.lookup(encoding).name == "utf-8"
    except LookupError:  # reported by the function that reads the files
        return False


def output(path: str | None, out: TextIO) -> AbstractContextManager[TextIO]:
    """Open the file of ``-o/--output``, which is replaced on success; without one yield `out`."""
    return nullcontext(out) if path is None else replacing_text(path)
