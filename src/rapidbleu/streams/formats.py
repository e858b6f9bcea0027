"""Files of tables: Parquet, Arrow IPC, tab-separated values and JSON lines, some rows at a time."""

from __future__ import annotations

import os
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec

from rapidbleu._lib.loader import load
from rapidbleu.streams.batches import MOST, MOST_SIZE, FileRange
from rapidbleu.streams.files import COMPRESSIONS, file_name, open_reader
from rapidbleu.streams.rows import Rows, arrow_rows, index_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from rapidbleu.typing import Path

ROWS = 1 << 13  # of a Parquet file that are decoded at a time; pyarrow's threads would hold more
BUFFER = 1 << 18  # bytes of it that are read at a time

IPC_FILE = b"ARROW1"  # the first bytes of a file with a footer
IPC_END = b"\xff\xff\xff\xff\0\0\0\0"  # the last ones of a stream


def format_of(path: Path) -> str:
    """Return the format of a file, a key of `FORMATS`.

    Examples
    --------
    >>> format_of("pairs.TSV.gz")
    '.tsv'
    """
    name = file_name(path)
    whole = name.lower()
    for ending in COMPRESSIONS:
        whole = whole.removesuffix(ending)
    ending = os.path.splitext(whole)[1]
    if ending not in FORMATS:
        raise ValueError(f"{name}: expected a file that ends in one of {', '.join(FORMATS)}")
    return ending


def open_file(path: Path, names: tuple[str, ...], most: int = MOST) -> Iterator[Rows]:
    """Yield the rows of a file, or of a range of it, up to `most` at a time.

    Raises
    ------
    ValueError
        If the ending of the name is not known, or the file does not have that format.
    ImportError
        If a library that it needs is not installed.
    """
    own = path if isinstance(path, FileRange) else FileRange(path)
    ending = format_of(own)
    read = FORMATS[ending]
    if read in (_parquet, _ipc) and find_spec("pyarrow") is None:
        raise ImportError(
            f'{own.path}: Parquet and Arrow files need pip install "rapidbleu[parquet]"'
        )
    yield from read(own, file_name(own), names, most)


def count_lines(path: Path) -> int:
    """Return the number of lines of a text file, compressed or not."""
    with open_reader(path, by_name=True) as reader:
        return reader.skip_lines()


def count_rows(path: Path) -> int:
    """Return the number of rows of a table that `scan` reads; errors as of `open_file`."""
    ending, name = format_of(path), file_name(path)
    if FORMATS[ending] in (_tsv, _json_lines):
        return max(0, count_lines(path) - (ending == ".tsv"))
    with named(name):
        if ending == ".parquet":
            with import_module("pyarrow.parquet").ParquetFile(path) as file:
                return int(file.metadata.num_rows)
        with _open_ipc(path) as (_, batches):
            return sum(batch.num_rows for batch in batches)


def _parquet(own: FileRange, name: str, names: tuple[str, ...], most: int) -> Iterator[Rows]:
    """Yield the rows of a Parquet file, by row group."""
    from pyarrow import default_memory_pool, parquet

    with named(name), parquet.ParquetFile(own.path, pre_buffer=False, buffer_size=BUFFER) as file:
        _check_columns(file.schema_arrow.names, names, name)
        begin, end = own.begin, own.end  # within the group
        for group in range(file.num_row_groups):
            n = file.metadata.row_group(group).num_rows
            if begin < n and end > 0:
                batches = file.iter_batches(
                    min(ROWS, most), row_groups=[group], columns=list(names), use_threads=False
                )
                for first, batch in _cut(batches, begin, end):
                    yield from arrow_rows(batch, names, f"{name}, row group {group}", first)
                    default_memory_pool().release_unused()  # of which it keeps 20 MB otherwise
            begin, end = max(0, begin - n), end - n


def _ipc(own: FileRange, name: str, names: tuple[str, ...], most: int) -> Iterator[Rows]:
    """Yield the rows of a file of Arrow's IPC formats."""
    with named(name), _open_ipc(own.path) as (known, batches):
        _check_columns(known, names, name)
        for first, batch in _cut(batches, own.begin, own.end):
            yield from arrow_rows(batch, names, name, first)


@contextmanager
def _open_ipc(path: Path) -> Iterator[tuple[list[str], Iterator[Any]]]:
    """Open a file of Arrow's IPC formats; give the names of the columns, and the batches."""
    import pyarrow

    is_stream = _is_ipc_stream(path)
    opened = pyarrow.ipc.open_stream if is_stream else pyarrow.ipc.open_file
    with pyarrow.OSFile(os.fspath(path)) as file, opened(file) as reader:
        if is_stream:
            yield reader.schema.names, _streamed(reader, file)
        else:
            yield reader.schema.names, map(reader.get_batch, range(reader.num_record_batches))


def _is_ipc_stream(path: Path) -> bool:
    """Return whether an Arrow file is a stream, not one with a footer; refuse one without an end.

    For libraries, a stream that was cut between two batches is a shorter one.
    """
    with open(path, "rb") as file:
        start = file.read(8)
        if start.startswith(IPC_FILE):
            return False
        end = IPC_END if start.startswith(IPC_END[:4]) else IPC_END[4:]  # as it was until 2019
        file.seek(max(0, os.fstat(file.fileno()).st_size - len(end)))
        if file.read() != end:
            raise ValueError("expected an Arrow file, or an Arrow stream up to the mark of its end")
    return True


def _streamed(reader: Any, file: Any) -> Iterator[Any]:
    """Yield the batches of an Arrow stream, which nothing may follow."""
    yield from reader
    if file.tell() != file.size():
        raise ValueError("expected one Arrow stream, got more data behind its end")


def _cut(batches: Iterable[Any], begin: int, end: int) -> Iterator[tuple[int, Any]]:
    """Yield what of batches of pyarrow is in a range, with the number of its first row."""
    first = 0
    for batch in batches:
        low, high = max(begin - first, 0), min(end - first, batch.num_rows)
        if low < high:
            yield first + low, batch.slice(low, high - low)
        first += batch.num_rows
        if first >= end:
            return


@contextmanager
def named(name: str) -> Iterator[None]:
    """Let errors of a library name the file."""
    try:
        yield
    except OSError as error:
        if type(error) is OSError and error.errno is None:
            raise ValueError(f"{name}: {error}") from None
        raise
    except ValueError as error:
        if str(error).startswith(name):
            raise
        raise ValueError(f"{name}: {error}") from None
    except BaseException as error:  # as are those of Rust in polars
        if type(error).__module__.startswith(("polars", "pyarrow", "pyo3_runtime")):
            raise ValueError(f"{name}: {error}") from None
        raise


def _check_columns(known: list[str], names: tuple[str, ...], where: str) -> None:
    for name in names:
        index_of(name, tuple(known), where)


def _tsv(own: FileRange, name: str, names: tuple[str, ...], most: int) -> Iterator[Rows]:
    """Yield the rows of a file with tabs between fields and names in the first line."""
    from rapidbleu._core.input.lines import read_fields

    with open_reader(own.path, by_name=True) as reader:
        line = reader.read_line() or b""
        header = line.decode("utf-8-sig", "replace").rstrip("\r").split("\t")
        _check_columns(header, names, name)
        places = sorted({header.index(column) for column in names})
        reader.skip_lines(own.begin)
        while True:
            first = reader.line
            n = min(most, own.end - (first - 1))  # but the header
            fields = read_fields(reader, places, len(header), most_lines=n, most_bytes=MOST_SIZE)
            if not len(fields[0]):
                return
            columns = {column: fields[places.index(header.index(column))] for column in names}
            yield Rows(columns, len(fields[0]), name, first, lines=True)


def _json_lines(own: FileRange, name: str, names: tuple[str, ...], most: int) -> Iterator[Rows]:
    """Yield the rows of a file with a JSON object in each line."""
    decode = load("json", "JSONDecoder")().raw_decode
    with open_reader(own.path, by_name=True) as reader:
        reader.skip_lines(own.begin)
        while True:
            first, size = reader.line, 0
            end = min(first + most, own.end)
            columns: dict[str, list[Any]] = {column: [] for column in names}
            while reader.line < end and size < MOST_SIZE:
                line = reader.read_line()
                if line is None:
                    break
                size += len(line)
                entries = _parsed(line, decode, name, reader.line)
                for key, column in columns.items():
                    if key not in entries:
                        raise ValueError(f"{name}, line {reader.line}: expected an entry {key!r}")
                    column.append(entries[key])
            if reader.line == first:
                return
            yield Rows(columns, reader.line - first, name, first, lines=True)


def _parsed(
    line: bytes, decode: Callable[[str], tuple[Any, int]], name: str, number: int
) -> dict[str, Any]:
    """Return the object in a line of JSON; `json.loads` would look for its encoding first."""
    try:
        try:
            text = line.decode()
            entries, end = decode(text)
        except ValueError:  # or there is a byte order mark, or half of a surrogate pair
            end = -1
        if end < 0 or end != len(text):
            entries = load("json").loads(line)
    except ValueError as error:
        raise ValueError(f"{name}, line {number}: no JSON: {error}") from None
    except RecursionError:
        raise ValueError(f"{name}, line {number}: expected JSON of few levels") from None
    if not isinstance(entries, dict):
        got = type(entries).__name__
        raise ValueError(f"{name}, line {number}: expected an object, got {got}")
    return entries


FORMATS: dict[str, Callable[[FileRange, str, tuple[str, ...], int], Iterator[Rows]]] = {
    ".parquet": _parquet, ".arrow": _ipc, ".ipc": _ipc, ".feather": _ipc,
    ".tsv": _tsv, ".jsonl": _json_lines, ".ndjson": _json_lines,
}  # fmt: skip
