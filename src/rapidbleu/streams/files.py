"""Binary files, plain or compressed by gzip, bzip2, xz or zstd.

On reading, the first bytes of a file determine its compression, on writing, its ending. isal reads
gzip data if it is installed, otherwise zlib.

A file may consist of several members. Other data after a member is refused: the standard library
takes it for the end of bzip2 and xz files, so damage to the second member would lose half a corpus.
Zeros may pad gzip members, and in multiples of four xz streams.
"""

from __future__ import annotations

import io
import os
import re
import sys
from contextlib import contextmanager, suppress
from importlib import import_module

from rapidbleu._core.input.lines import LineReader
from rapidbleu._lib.files import NamedFile, replacing
from rapidbleu._lib.loader import load
from rapidbleu.parallel import Teller, check_progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, BinaryIO

    from rapidbleu._types import Path, Progress

# Modules by ending, and first bytes of files
COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma", ".zst": "zstd"}
MAGIC = {
    ".gz": b"\x1f\x8b",
    ".bz2": b"BZh",
    ".xz": b"\xfd7zXZ\0",
    ".zst": b"\x28\xb5\x2f\xfd",
}

# Tables by the endings of their names: how the first line begins, and the format.
TABLES = {
    ".jsonl": (rb"(\xef\xbb\xbf)?\s*[{\[]", "JSON lines"),
    ".ndjson": (rb"(\xef\xbb\xbf)?\s*[{\[]", "JSON lines"),
    ".json": (rb"\s*[{\[]", "JSON"),
    ".tsv": (rb"[^\n]*\t", "tab-separated values"),
    ".csv": (rb"[^\n]*,", "comma-separated values"),
    ".parquet": (b"PAR1", "Parquet"),
} | dict.fromkeys((".arrow", ".ipc", ".feather"), (rb"ARROW1|\xff{4}|FEA1", "Arrow"))

DECOMPRESSORS = {"bz2": "BZ2Decompressor", "lzma": "LZMADecompressor", "zstd": "ZstdDecompressor"}
_PADDING = {".gz": 1, ".xz": 4}  # the number of zeros after a member is a multiple of this
_GZIP = 31  # maximum window, with gzip's header and checksums
_CHUNK = 1 << 17  # bytes read at a time
_PIECE = 1 << 18  # bytes decompressed at a time: still in the cache when they are copied


def file_name(path: Path) -> str:
    """Return the name of a file in errors.

    >>> file_name(b"run1.nbest".decode())
    'run1.nbest'
    """
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def ending_of(name: str) -> str:
    """Return the ending of a file in lower case, without the ending of its compression.

    >>> ending_of("scores.TSV.gz")
    '.tsv'
    """
    return os.path.splitext(unpacked(name.lower()))[1]


def unpacked(name: str) -> str:
    """Return the name of a file without the ending of its compression."""
    for ending in COMPRESSIONS:
        name = name.removesuffix(ending)
    return name


def open_packed(path: Path, ending: str) -> io.BufferedReader:
    """Open a compressed file; `ending` is a key of `COMPRESSIONS`, errors are as in `Unpacked`."""
    file = NamedFile(path, "rb")
    try:
        return io.BufferedReader(Unpacked(file, ending, file_name(path)), _CHUNK)
    except BaseException:
        file.close()
        raise


def open_reader(
    path: Path, on_read: Callable[[int], object] | None = None, *, by_name: bool = False
) -> LineReader:
    """Open a file for reading, decompressing it as needed; use it in a with statement.

    `on_read` is called with the number of bytes of each read. `by_name` refuses a file whose ending
    claims a compression that it does not have.
    """
    name = file_name(path)
    file: Any = io.BufferedReader(NamedFile(path, "rb", on_read=on_read), _CHUNK)
    try:
        start = file.peek(8)
        for ending, magic in MAGIC.items():
            if start.startswith(magic):
                file = Unpacked(file, ending, name)
                break
        else:
            if by_name and (ending := os.path.splitext(name)[1]) in COMPRESSIONS:
                raise ValueError(f"{name}: expected a file compressed as {ending}; got another one")
        return LineReader(file, name)
    except BaseException:
        file.close()
        raise


class FilesTeller(Teller):
    """Progress reporter, called with the number of bytes read; ignores files of unknown size."""

    def __init__(self, progress: Progress, paths: Sequence[Path]) -> None:
        total = 0
        for path in paths:
            with suppress(OSError):  # raised again when the file is opened
                total += os.path.getsize(path)
        super().__init__(progress, total)


def files_teller(progress: Progress | None, paths: Sequence[Path]) -> FilesTeller | None:
    """Return a `FilesTeller`; None without `progress`."""
    check_progress(progress)
    return None if progress is None else FilesTeller(progress, paths)


@contextmanager
def open_outputs(*paths: Path) -> Iterator[tuple[BinaryIO, ...]]:
    """Open files for writing, compressed if their names end in .gz, .bz2, .xz or .zst.

    They replace existing files once all are written; see `rapidbleu._lib.files`.
    """
    endings = [os.path.splitext(file_name(path))[1] for path in paths]
    libraries: list[Any] = [
        _library(COMPRESSIONS[ending], file_name(path)) if ending in COMPRESSIONS else None
        for ending, path in zip(endings, paths, strict=True)
    ]
    with replacing(*paths) as files:
        packers: list[Any] = []
        try:
            for path, ending, library, file in zip(paths, endings, libraries, files, strict=True):
                if ending == ".gz":  # its header contains the name of the file
                    packers.append(library.GzipFile(path, "wb", fileobj=file))
                elif library is not None:
                    packers.append(library.open(file, "wb"))
                else:
                    packers.append(file)
            yield tuple(packers)
            for packer, file in zip(packers, files, strict=True):
                if packer is not file:
                    packer.close()
        except BaseException:
            for packer in packers:
                with suppress(Exception):
                    packer.close()
            raise


def _library(module: str, name: str) -> Any:
    """Return the module of a compression; errors name the file `name`."""
    if module != "zstd":
        return load(module)
    try:
        return import_module(
            "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
        )
    except ImportError:
        raise ImportError(
            f'{name}: reading or writing .zst files needs pip install "rapidbleu[zstd]"'
        ) from None


class Unpacked(io.RawIOBase):
    """The contents of a compressed file, which is closed together with this one.

    `ending` is a key of `COMPRESSIONS`, `name` the file in errors, `chunk` the number of bytes per
    read. ImportError if the module is not installed; reading raises ValueError if the file is
    truncated, damaged or compressed differently.
    """

    def __init__(
        self, file: BinaryIO | io.FileIO, ending: str, name: str, chunk: int = _CHUNK
    ) -> None:
        self.file = file
        self.ending = ending
        self.name = name
        self.chunk = chunk
        # zstd has skippable frames with other first bytes
        self.start = MAGIC[ending] if ending != ".zst" else b""
        self.padding = _PADDING.get(ending, 0)
        self.new = _decompressors(COMPRESSIONS[ending], name)
        self.member = self.new()
        self.is_new = True  # the member has not received data
        self.left = b""  # bytes read but not decompressed

    def readable(self) -> bool:
        return True

    def readinto(self, view: Any) -> int:
        data = self._decompress(min(len(view), _PIECE))
        view[: len(data)] = data
        return len(data)

    def readall(self) -> bytes:
        return b"".join(iter(lambda: self._decompress(_CHUNK), b""))

    def close(self) -> None:
        self.left = b""
        self.member = None
        self.file.close()
        super().close()

    def _decompress(self, most: int) -> bytes:
        """Return up to `most` bytes, none at the end of the file."""
        while not self.member.eof or self._begin_member():
            at_end = False
            if not self.left and self.member.needs_input:
                self.left = self._read()
                at_end = not self.left
            packed = self.left
            self.left = b""
            start = packed[: len(self.start)]
            if self.is_new and start != self.start[: len(packed)]:
                raise ValueError(f"{self.name}: expected {self.ending} data; got {start!r}")
            try:
                data: bytes = self.member.decompress(packed, most)
            except MemoryError:
                raise
            except Exception:  # each library has its own error class
                raise ValueError(f"{self.name}: the compressed data is damaged") from None
            self.is_new = False
            if data:
                return data
            if at_end and not self.member.eof:
                raise ValueError(
                    f"{self.name}: the compressed file ended before its end was marked"
                )
        return b""

    def _begin_member(self) -> bool:
        """Skip padding and start the next member; return False at the end of the file."""
        n_zeros = 0
        left = self.member.unused_data or self._read()
        while self.padding and left.startswith(b"\0"):
            begun = left.lstrip(b"\0")
            n_zeros += len(left) - len(begun)
            left = begun or self._read()
        if n_zeros and n_zeros % self.padding:
            raise ValueError(
                f"{self.name}: expected padding of a multiple of {self.padding} bytes; "
                f"got {n_zeros}"
            )
        if left:
            self.left, self.member, self.is_new = left, self.new(), True
        return bool(left)

    def _read(self) -> bytes:
        return self.file.read(self.chunk) or b""


def _decompressors(module: str, name: str) -> Callable[[], Any]:
    """Return a constructor of decompressors for one member, with the interface of bz2's."""
    if module == "gzip":
        return _GzipMember
    decompressor: Callable[[], Any] = getattr(_library(module, name), DECOMPRESSORS[module])
    return decompressor


class _GzipMember:
    """Decompressor of one gzip member."""

    def __init__(self) -> None:
        try:
            zlib = import_module("isal.isal_zlib")
        except ImportError:
            zlib = import_module("zlib")
        self.member: Any = zlib.decompressobj(_GZIP)

    @property
    def eof(self) -> bool:
        return bool(self.member.eof)

    @property
    def needs_input(self) -> bool:
        return not self.member.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return bytes(self.member.unused_data)

    def decompress(self, data: bytes, most: int) -> bytes:
        return bytes(self.member.decompress(self.member.unconsumed_tail + data, most))


def is_table(path: Path) -> bool:
    """Return whether a file is a table, not an n-best list, by its ending and its first line."""
    ending = ending_of(file_name(path))
    if ending not in TABLES or ending == ".json":
        return False
    with open_reader(path) as reader:
        start = rb"(?!\s*\d+\s*\|\|\|)" + TABLES[ending][0]
        return re.match(start, reader.read_line() or b"") is not None


name_of = os.fsdecode  # how errors name a file


def lines_of(path: Path) -> Iterator[str]:
    """Yield the lines of a UTF-8 file, with line feeds, decompressed if its name ends like that.

    ValueError if it is not UTF-8, or is damaged, truncated or compressed in another way.
    """
    with open_reader(path, by_name=True) as reader:
        while (line := reader.read_line()) is not None:
            try:
                yield line.decode("utf-8-sig" if reader.line == 1 else "utf-8") + "\n"
            except UnicodeDecodeError as error:
                raise ValueError(
                    f"{reader.name}: expected UTF-8 after line {reader.line - 1}; "
                    f"got {error.reason}"
                ) from None


def placed_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the position of each line, as named in errors, and the line without its end."""
    name = name_of(path)
    for number, line in enumerate(lines_of(path), 1):
        yield f"{name}, line {number}", line.rstrip("\r\n")


def csv_rows(lines: Iterable[str], name: str, **form: Any) -> Iterator[tuple[str, list[str]]]:
    """Yield the position of each row, as named in errors, and its cells.

    `name` names the file in errors, `form` has options of `csv.reader`. ValueError if malformed.

    >>> list(csv_rows(["a,b", '"x, y",5'], "scores.csv"))
    [('scores.csv, line 1', ['a', 'b']), ('scores.csv, line 2', ['x, y', '5'])]
    """
    csv = load("csv")
    reader = csv.reader(lines, **form)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise ValueError(f"{name}, line {reader.line_num}: {error}") from None
        yield f"{name}, line {reader.line_num}", cells


def header_of(names: Sequence[str], wanted: Iterable[str], where: str) -> dict[str, int]:
    """Return the positions of columns in a header."""
    for name in wanted:
        n = names.count(name)
        if n != 1:
            got = f"{n} of them" if n else ", ".join(map(repr, names))
            raise ValueError(f"{where}: expected one column {name!r}; got {got or 'none'}")
    return {name: i for i, name in enumerate(names)}


def rows_below(
    rows: Iterator[tuple[str, list[str]]], title: str, wanted: tuple[str, ...]
) -> Iterator[tuple[str, list[str]]]:
    """Yield the position of each row that is not empty, and its cells in some columns."""
    where, header = next(rows, ("", None))
    if header is None:
        raise ValueError(f"{title}: expected a header; got an empty file")
    at = header_of(header, wanted, where)
    for where, cells in rows:
        if cells and len(cells) != len(header):
            raise ValueError(f"{where}: expected {len(header)} columns; got {len(cells)}")
        if cells:
            yield where, [cells[at[name]] for name in wanted]
