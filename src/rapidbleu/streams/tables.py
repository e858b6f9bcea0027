"""Tables read in batches: files, Arrow data, lazy frames, data sets, mappings of columns.

Files are Parquet, Arrow IPC, TSV, CSV and JSON lines. `scan` selects the columns of
hypotheses and references.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from itertools import islice

from rapidbleu._core.input.columns import Column, ReferenceColumns
from rapidbleu._lib.checks import is_arrow, items_of
from rapidbleu._lib.loader import load, np
from rapidbleu.streams.batches import MOST, MOST_SIZE, ROWS, FileRange
from rapidbleu.streams.files import (
    csv_rows,
    ending_of,
    file_name,
    header_of,
    lines_of,
    open_reader,
    rows_below,
)
from rapidbleu.streams.files import (
    is_table as is_table,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from rapidbleu._core.input.arrow import BatchColumn
    from rapidbleu._core.input.lines import LineReader
    from rapidbleu._types import Items, Layout, Path, Tables
    from rapidbleu.streams.batches import _Batch

# Arrow formats of lists (of fixed-size ones up to the colon), texts and numbers
LISTS = ("+l", "+L", "+vl", "+vL", "+w")
TEXTS = ("u", "U", "vu")
NUMBERS = tuple("cCsSiIlLefg")
NOTHING = "n"

BUFFER = 1 << 18  # bytes of a Parquet file read at a time

IPC_FILE = b"ARROW1"  # first bytes of a file with a footer
IPC_END = b"\xff\xff\xff\xff\0\0\0\0"  # last bytes of a stream


class Rows:
    """Consecutive rows of a table.

    `columns` contains Arrow columns or sequences by name. In errors, `table` names the table or
    part, and `first` is the index of the first row there, or the line number with `lines`. A list
    of `lines` contains the location of each row.
    """

    def __init__(
        self,
        columns: Mapping[str, Any],
        length: int,
        table: str,
        first: int,
        lines: bool | list[str] = False,
    ) -> None:
        self.columns = columns
        self.table = table
        self.first = first
        self._length = length
        self._lines = lines

    def __len__(self) -> int:
        return self._length

    def where(self, name: str) -> str:
        """Return the name of a column in errors."""
        return f"{self.table}, column {name!r}"

    def place(self, i: int, name: str | None = None) -> str:
        """Return the name of a row, or of an item of a column, in errors."""
        if isinstance(self._lines, list):
            where = self._lines[i]
        else:
            number = f"line {self.first + i + 1}" if self._lines else f"row {self.first + i}"
            where = f"{self.table}, {number}"
        return where + (f", column {name!r}" if name is not None else "")

    def is_lists(self, name: str) -> bool:
        """Return whether the items of a column are lists, judged by the first one."""
        column = self.columns[name]
        if is_arrow(column):
            return getattr(column, "format", "").startswith(LISTS)
        first = next((item for item in column if item is not None), "")
        return not isinstance(first, str)

    def values(self, name: str) -> Any:
        """Return a column: an array of numbers, with nan for null, or else a list."""
        from rapidbleu._core.input.arrow import TextColumn, import_column

        column = self.columns[name]
        if isinstance(column, TextColumn):
            return column.to_list()
        if not is_arrow(column):
            return column
        parts = _arrow_columns(column, self.where(name))
        form = parts[0].format if parts else ""
        if form == NOTHING:
            return np.full(sum(map(len, parts)), np.nan)
        if form in NUMBERS:
            return self._numbers(name, parts)
        items: list[Any] = []
        for part in parts:
            items += iter(import_column(part, self.where(name), self.places(name, len(items))))
        return items

    def objects(self, name: str) -> Any:
        """Return the items of a column of any type as Python's."""
        is_other = is_arrow(self.columns[name]) and not hasattr(self.columns[name], "to_list")
        return self.array(name).to_pylist() if is_other else self.values(name)

    def array(self, name: str) -> Any:
        """Return a column as a pyarrow array that shares the memory of Arrow data.

        TypeError or ValueError if pyarrow refuses the items, or Arrow data is malformed.
        """
        from rapidbleu._core.input.arrow import import_column

        pyarrow = import_module("pyarrow")
        column = self.columns[name]
        arrays = []
        first = 0
        try:
            if not is_arrow(column):
                return pyarrow.array(column)
            for part in _arrow_columns(column, self.where(name)):
                if part.format in TEXTS:  # to name the row
                    import_column(part, self.where(name), self.places(name, first))
                arrays.append(pyarrow.array(part))
                arrays[-1].validate(full=True)
                first += len(part)
        except pyarrow.ArrowException as error:  # does not name the row
            kind = type(error) if isinstance(error, TypeError | ValueError) else ValueError
            raise kind(f"{self.place(first, name)}, or later: {error}") from None
        return arrays[0] if len(arrays) == 1 else pyarrow.concat_arrays(arrays)

    def _numbers(self, name: str, parts: list[BatchColumn]) -> Any:
        """Return Arrow numbers, plain or dictionary-encoded, as an array."""
        library = arrow_library()
        if library.__name__ == "polars":
            return np.concatenate([library.Series(part).to_numpy() for part in parts])
        array = self.array(name)
        if library.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        return np.array(array.to_numpy(zero_copy_only=False))  # a view would hold the whole batch

    def places(self, name: str, first: int = 0) -> Callable[[int], str]:
        """Return the function that names items of a column part that begins with row `first`."""
        return lambda i: self.place(first + i, name)


def _arrow_columns(column: Any, where: str) -> list[BatchColumn]:
    """Return the parts of an Arrow column of any type, with checked structs."""
    from rapidbleu._core.input.arrow import BatchColumn, BatchReader

    if isinstance(column, BatchColumn):
        return [column]
    return [batch.column(0) for batch in BatchReader(column, where, True)]


def arrow_library() -> Any:
    """Return pyarrow or polars, preferably the one that is already loaded."""
    find_spec = load("importlib.util", "find_spec")
    for name in sorted(("pyarrow", "polars"), key=lambda name: sys.modules.get(name) is None):
        if find_spec(name) is not None:
            return import_module(name)
    raise ImportError("Arrow data needs pyarrow: pip install pyarrow, or polars")


def arrow_rows(source: Any, names: tuple[str, ...], table: str, first: int = 0) -> Iterator[Rows]:
    BatchReader = load("rapidbleu._core.input.arrow", "BatchReader")
    if hasattr(source, "read_next_batch"):  # a reader of pyarrow, which knows buffer lengths
        for part in _read(source, table):
            yield from arrow_rows(part, names, table, first)
            first += part.num_rows
        return
    reader = BatchReader(source, table)
    indices = header_of(reader.names, names, table)
    for batch in reader:
        columns = {name: batch.column(indices[name]) for name in names}
        yield Rows(columns, len(batch), table, first)
        first += len(batch)


def _read(reader: Any, table: str) -> Iterator[Any]:
    """Yield an empty batch with the names, and the batches of a reader of pyarrow."""
    batch = reader.schema.empty_table()
    while batch is not None:
        yield batch
        try:
            batch = next(reader, None)
        except MemoryError:
            raise
        except Exception as error:
            raise ValueError(f"{table}: the Arrow stream failed: {error}") from error


def open_tables(source: Any, names: tuple[str, ...], most: int = MOST) -> Iterator[Rows]:
    """Yield the rows of a source of `scan`, with the named columns.

    `most` limits the rows per batch if this function reads them. TypeError or ValueError if the
    source is not a table, or lacks a column.
    """
    if isinstance(source, str | os.PathLike):
        source = [source]
    if isinstance(source, list | tuple) and all(isinstance(p, str | os.PathLike) for p in source):
        for path in source:
            yield from open_file(path, names, most)
    elif hasattr(source, "collect_batches"):
        frames = source.select(names).collect_batches(maintain_order=True)
        yield from _each(frames, names)
    elif hasattr(source, "with_format") and hasattr(source, "iter"):
        yield from _each(_hugging_face_batches(source, most), names)
    elif hasattr(source, "scanner"):
        yield from arrow_rows(_pyarrow_reader(source, names, most), names, "table")
    elif is_arrow(source):
        yield from arrow_rows(source, names, "table")
    elif hasattr(source, "__iter__") and not isinstance(source, dict):
        yield from _each(source, names)
    else:
        raise TypeError(
            "source: expected paths, an Arrow table or an iterable of tables; "
            f"got {type(source).__name__}"
        )


def _hugging_face_batches(source: Any, most: int) -> Iterator[Any]:
    """Return batches of a Hugging Face data set, as Arrow tables unless it transforms its rows."""
    form = getattr(source, "format", None)
    if form is None or form["type"] != "custom":
        source = source.with_format("arrow")  # a new data set of the same rows
    batches: Iterator[Any] = source.iter(most)
    return batches


def _pyarrow_reader(source: Any, names: tuple[str, ...], most: int) -> Any:
    """Return a reader of some columns of a pyarrow data set."""
    header_of(source.schema.names, names, "table")
    return source.scanner(
        columns=list(names), batch_size=most, batch_readahead=1, fragment_readahead=1
    ).to_reader()


def _each(tables: Any, names: tuple[str, ...]) -> Iterator[Rows]:
    """Yield the rows of several tables, numbered consecutively."""
    done = 0
    for k, table in enumerate(tables):
        if is_arrow(table):
            for rows in arrow_rows(table, names, "table", done):
                yield rows
                done += len(rows)
            continue
        columns = _mapping(table, names, k)
        n = len(columns[names[0]])
        for name, column in columns.items():
            if len(column) != n:
                raise ValueError(
                    f"batch {k}: numbers of rows differ: {names[0]!r} has {n}, "
                    f"{name!r} has {len(column)}"
                )
        yield Rows(columns, n, "table", done)
        done += n


def _mapping(table: Any, names: tuple[str, ...], k: int) -> dict[str, Any]:
    """Return the columns of a batch, which is a mapping or a tuple of columns."""
    if hasattr(table, "keys"):
        known = tuple(table.keys())
        indices = header_of(known, names, f"batch {k}")
        columns = {name: table[known[indices[name]]] for name in names}
    elif isinstance(table, tuple) and len(table) == len(names):
        columns = dict(zip(names, table, strict=True))
    else:
        got = f"{len(table)} items" if isinstance(table, tuple) else type(table).__name__
        raise TypeError(
            f"batch {k}: expected an Arrow table, a mapping of columns or a tuple of "
            f"{len(names)} columns; got {got}"
        )
    return {
        name: column if is_arrow(column) else items_of(column, f"batch {k}[{name!r}]", "items")
        for name, column in columns.items()
    }


def format_of(path: Path) -> str:
    """Return the format of a file, a key of `FORMATS`.

    >>> format_of("pairs.TSV.gz")
    '.tsv'
    """
    name = file_name(path)
    ending = ending_of(name)
    if ending not in FORMATS:
        raise ValueError(f"{name}: expected a file that ends in one of {', '.join(FORMATS)}")
    return ending


def open_file(path: Path, names: tuple[str, ...], most: int = MOST) -> Iterator[Rows]:
    """Yield the rows of a file, or of a range of it, up to `most` at a time.

    ValueError if the ending is unknown or the file does not have that format; ImportError if a
    required library is not installed.
    """
    span = path if isinstance(path, FileRange) else FileRange(path)
    ending = format_of(span)
    read = FORMATS[ending]
    if read in (_parquet, _ipc) and load("importlib.util").find_spec("pyarrow") is None:
        raise ImportError(
            f'{span.path}: Parquet and Arrow files need pip install "rapidbleu[parquet]"'
        )
    yield from read(span, file_name(span), names, most)


def read_candidates(path: Path, has_features: bool) -> Iterator[tuple[str, int, str, Any]]:
    """Yield the position, segment, text and features of each candidate in a table.

    Columns are `id`, the index of a segment, or any other text, which gets the next index; `hyp`, a
    text, or a list of all texts of the segment; `features`, an object for each text.
    """
    indices: dict[Any, int] = {}
    for rows in open_file(path, ("id", "hyp", *["features"] * has_features)):
        for i, (label, *cells) in enumerate(zip(*map(rows.objects, rows.columns), strict=True)):
            where = rows.place(i)
            is_text = isinstance(cells[0], str)
            columns = [[cell] for cell in cells] if is_text else cells
            lengths = {len(column) if isinstance(column, list) else 0 for column in columns}
            if len(lengths) > 1 or 0 in lengths or {*map(type, columns[0])} != {str}:
                raise ValueError(
                    f"{where}: expected text, or a list of texts, with as many features; got "
                    f"{', '.join(map(repr, cells))}"
                )
            if isinstance(label, str) and label.isdecimal():
                label = int(label)
            kind = type(next(iter(indices), label))
            is_known = type(label) is kind and kind in (int, str)
            if not is_known or (label in indices and not is_text):
                raise ValueError(
                    f"{where}, column 'id': expected an index or a text, once for a list; "
                    f"got {label!r}"
                )
            index = indices.setdefault(label, label if kind is int else len(indices))
            for text, *values in zip(*columns, strict=True):
                yield where, index, text, values[0] if values else None


def count_lines(path: Path) -> int:
    """Return the number of lines of a text file, compressed or not."""
    with open_reader(path, by_name=True) as reader:
        return reader.skip_lines()


def count_rows(path: Path) -> int:
    """Return the number of rows of a table file; errors as in `open_file`."""
    ending = format_of(path)
    name = file_name(path)
    if FORMATS[ending] in (_tsv, _json_lines):
        return max(0, count_lines(path) - (ending == ".tsv"))
    if ending != ".parquet":
        return sum(map(len, open_file(path, ())))
    with named(name), import_module("pyarrow.parquet").ParquetFile(path) as file:
        return int(file.metadata.num_rows)


def _parquet(span: FileRange, name: str, names: tuple[str, ...], most: int) -> Iterator[Rows]:
    from pyarrow import default_memory_pool, parquet

    with named(name), parquet.ParquetFile(span.path, pre_buffer=False, buffer_size=BUFFER) as file:
        header_of(file.schema_arrow.names, names, name)
        begin = span.begin
        end = span.end  # relative to the group
        for group in range(file.num_row_groups):
            n = file.metadata.row_group(group).num_rows
            if begin < n and end > 0:
                batches = file.iter_batches(
                    min(ROWS, most), row_groups=[group], columns=list(names), use_threads=False
                )
                for first, batch in _cut(batches, begin, end):
                    yield from arrow_rows(batch, names, f"{name}, row group {group}", first)
                default_memory_pool().release_unused()  # otherwise it retains 20 MB
            begin = max(0, begin - n)
            end = end - n


def _ipc(span: FileRange, name: str, names: tuple[str, ...], most: int) -> Iterator[Rows]:
    import pyarrow

    with named(name):
        is_stream = _is_ipc_stream(span)
        open_batches = pyarrow.ipc.open_stream if is_stream else pyarrow.ipc.open_file
        with pyarrow.OSFile(span.path) as file, open_batches(file) as reader:
            header_of(reader.schema.names, names, name)
            if is_stream:
                batches = _streamed(reader, file)
            else:
                batches = map(reader.get_batch, range(reader.num_record_batches))
            for first, batch in _cut(batches, span.begin, span.end):
                yield from arrow_rows(batch, names, name, first)


def _is_ipc_stream(path: Path) -> bool:
    """Return whether an Arrow file is a stream without footer; refuse one without end mark.

    Libraries read a stream cut between two batches as a shorter one.
    """
    with open(path, "rb") as file:
        start = file.read(8)
        if start.startswith(IPC_FILE):
            return False
        end = IPC_END if start.startswith(IPC_END[:4]) else IPC_END[4:]  # 4 bytes until 2019
        file.seek(max(0, os.fstat(file.fileno()).st_size - len(end)))
        if file.read() != end:
            raise ValueError("expected an Arrow file, or an Arrow stream up to the mark of its end")
    return True


def _streamed(reader: Any, file: Any) -> Iterator[Any]:
    """Yield the batches of an Arrow stream; refuse data after its end."""
    yield from reader
    if file.tell() != file.size():
        raise ValueError("expected one Arrow stream; got more data after its end")


def _cut(batches: Iterable[Any], begin: int, end: int) -> Iterator[tuple[int, Any]]:
    """Yield the pyarrow batches within a range, each with the index of its first row."""
    first = 0
    for batch in batches:
        low = max(begin - first, 0)
        high = min(end - first, batch.num_rows)
        if low < high:
            yield first + low, batch.slice(low, high - low)
        first += batch.num_rows
        if first >= end:
            return


@contextmanager
def named(name: str) -> Iterator[None]:
    """Prefix errors of a library with the name of the file."""
    try:
        yield
    except OSError as error:
        if type(error) is OSError and error.errno is None:
            raise ValueError(f"{name}: {error}") from None
        error.filename = error.filename or name  # which libraries leave out
        raise
    except ValueError as error:
        if str(error).startswith(name):
            raise
        raise ValueError(f"{name}: {error}") from None
    except BaseException as error:  # panics of Rust in polars are not Exceptions
        if type(error).__module__.startswith(("polars", "pyarrow", "pyo3_runtime")):
            raise ValueError(f"{name}: {error}") from None
        raise


def _line_batches(
    reader: LineReader,
    header: int,
    span: FileRange,
    most: int,
    read: Callable[..., list[Any]],
) -> Iterator[tuple[int, list[Any]]]:
    """Yield the index of the first line after a header, if any, and the columns of each batch."""
    reader.skip_lines(span.begin)
    while True:
        first = reader.line
        n = min(most, ROWS, span.end + header - first)
        columns = read(most_lines=n, most_bytes=MOST_SIZE)
        if reader.line == first:
            return
        yield first, columns


def _tsv(span: FileRange, name: str, names: tuple[str, ...], most: int) -> Iterator[Rows]:
    """Yield the rows of a tab-separated file with names in the first line."""
    from rapidbleu._core.input.lines import read_fields

    with open_reader(span.path, by_name=True) as reader:
        line = reader.read_line() or b""
        header = line.decode("utf-8-sig", "replace").rstrip("\r").split("\t")
        at = header_of(header, names, name)
        indices = sorted({at[column] for column in names})
        read = partial(read_fields, reader, indices, len(header))
        for first, fields in _line_batches(reader, 1, span, most, read):
            columns = {column: fields[indices.index(at[column])] for column in names}
            yield Rows(columns, len(fields[0]), name, first, lines=True)


def _csv(span: FileRange, name: str, names: tuple[str, ...], most: int) -> Iterator[Rows]:
    """Yield the rows of a file in the form of RFC 4180, with names in the first line."""
    rows = rows_below(csv_rows(lines_of(span.path), name, strict=True), name, names)
    kept = islice(rows, span.begin, min(span.end, sys.maxsize))
    while batch := list(islice(kept, min(most, ROWS))):
        cells = zip(*(cells for _, cells in batch), strict=True)
        columns = dict(zip(names, map(list, cells), strict=False))
        yield Rows(columns, len(batch), name, 0, [place for place, _ in batch])


class _Objects(Rows):
    """Rows of JSON lines, of whose values pyarrow finds the type, also if all are text."""

    def array(self, name: str) -> Any:
        self.columns = {**self.columns, name: self.values(name)}
        return super().array(name)


def _json_lines(span: FileRange, name: str, names: tuple[str, ...], most: int) -> Iterator[Rows]:
    """Yield the rows of a file with one JSON object per line."""
    from rapidbleu._core.input.lines import read_objects

    decode = load("json", "JSONDecoder")().raw_decode
    with open_reader(span.path, by_name=True) as reader:

        def parse(line: bytes) -> list[Any]:
            entries = _parsed(line, decode, name, reader.line)
            try:
                return [entries[key] for key in names]
            except KeyError:
                missing = [key for key in names if key not in entries][:1]
                header_of([*entries], missing, f"{name}, line {reader.line}")
                raise

        keys = [key.encode("utf-8", "surrogatepass") for key in names]
        read = partial(read_objects, reader, keys, parse)
        for first, columns in _line_batches(reader, 0, span, most, read):
            table = dict(zip(names, columns, strict=True))
            yield _Objects(table, reader.line - first, name, first, lines=True)


def _parsed(
    line: bytes, decode: Callable[[str], tuple[Any, int]], name: str, number: int
) -> dict[str, Any]:
    """Return the JSON object in a line, without detecting its encoding as `json.loads` does."""
    try:
        try:
            text = line.decode()
            entries, end = decode(text)
        except ValueError:  # possibly a byte order mark, or half of a surrogate pair
            end = -1
        if end < 0 or end != len(text):
            entries = load("json").loads(line)
    except ValueError as error:
        raise ValueError(f"{name}, line {number}: no JSON: {error}") from None
    except RecursionError:
        raise ValueError(f"{name}, line {number}: expected JSON of few levels") from None
    if not isinstance(entries, dict):
        got = type(entries).__name__
        raise ValueError(f"{name}, line {number}: expected an object; got {got}")
    return entries


FORMATS: dict[str, Callable[[FileRange, str, tuple[str, ...], int], Iterator[Rows]]] = {
    ".parquet": _parquet,
    ".arrow": _ipc,
    ".ipc": _ipc,
    ".feather": _ipc,
    ".tsv": _tsv,
    ".csv": _csv,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
}


class Scan:
    """Hypotheses and references that corpus calls read in batches; created by `scan`.

    Attributes
    ----------
    id_column : str or None
        Column of the ids.
    keep : tuple of str
        Columns kept alongside statistics.
    least : int
        Minimum number of segments; 1 because a corpus is not empty.
    most : int
        Maximum number of rows per batch.

    Examples
    --------
    >>> from rapidbleu import TER, scan
    >>> batches = [{"hyp": ["It rained."], "ref": ["It rained."]}]
    >>> TER().corpus_score(scan(batches)).score
    0.0
    """

    least = 1
    most = MOST

    def __init__(
        self,
        source: Any,
        hyp: str,
        refs: tuple[str, ...],
        id_column: str | None = None,
        keep: tuple[str, ...] = (),
    ) -> None:
        self._source = source
        self._hyp = hyp
        self._refs = refs
        self.id_column = id_column
        self.keep = keep

    def __repr__(self) -> str:
        return f"<Scan of {self._hyp!r} against {', '.join(map(repr, self._refs))}>"

    @property
    def labels(self) -> tuple[str, ...]:
        """Columns in addition to the texts: the ids, if any, and the columns of `keep`."""
        return self.keep if self.id_column is None else (self.id_column, *self.keep)

    def rows(self) -> Iterator[Rows]:
        """Yield the tables of the source, with the selected columns."""
        names = dict.fromkeys((self._hyp, *self._refs, *self.labels))
        yield from open_tables(self._source, tuple(names), self.most)

    def batches(self, references: None = None) -> Iterator[_Batch]:
        """Yield checked hypotheses and references; `references` must be None."""
        _check_alone(references)
        n = 0
        for rows in self.rows():
            if len(rows):
                yield self.read(rows)
                n += len(rows)
        if n < self.least:
            raise ValueError("hypotheses: expected at least one segment; got none")

    def read(self, rows: Rows) -> _Batch:
        """Return the checked hypotheses and references of a table."""
        hyps = _column(rows, self._hyp)
        name = self._refs[0]
        if len(self._refs) == 1 and rows.is_lists(name):
            where = rows.where(name)
            refs = ReferenceColumns(rows.columns[name], "segment", where, rows.places(name))
        else:
            streams = [_column(rows, name, optional=True) for name in self._refs]
            where = f"{rows.table}, references"
            refs = ReferenceColumns(streams, "stream", where, rows.place)
        return hyps, refs, rows

    def gathered(self, references: None = None) -> tuple[Any, Any, Layout, list[Rows]]:
        """Return all hypotheses and their references as lists, and the tables."""
        _check_alone(references)
        hyps: list[Any] = []
        refs: list[Any] = []
        tables = []
        for *_, rows in self.batches(references):
            tables.append(rows)
            hyps += rows.values(self._hyp)
            columns = [rows.values(name) for name in self._refs]
            if len(columns) == 1 and rows.is_lists(self._refs[0]):
                refs += columns[0]
            else:
                refs += zip(*columns, strict=True)
        return hyps, refs, "segment", tables


def scan(
    source: Tables,
    hyp: str = "hyp",
    refs: str | Items[str] = "ref",
    id_column: str | None = None,
    keep: str | Items[str] = (),
) -> Scan:
    """Select hypotheses and references in a table of any length, to be read in batches.

    Parameters
    ----------
    source : path, list of paths, Arrow table or stream, lazy frame, data set, or iterable of tables
        Files are Parquet (``.parquet``) and Arrow IPC (``.arrow``, ``.ipc``, ``.feather``), which
        need pyarrow (extra ``parquet``); TSV and CSV with names in the first line (``.tsv``,
        ``.csv``) and JSON lines (``.jsonl``, ``.ndjson``), which may be compressed (``.gz``,
        ``.bz2``, ``.xz``, ``.zst``). Several files are read in sequence. Arrow tables are objects
        with the C stream or data interface, such as a ``RecordBatchReader``, a polars or pandas
        frame, or a DuckDB relation. Data sets are from Hugging Face, streamed or not, or pyarrow.
        Iterables yield such tables, mappings of names to columns, or tuples of columns as below.
    hyp : str
        Column of the hypotheses.
    refs : str or sequence of str
        Columns of the references, one per stream; a single one may contain lists of references.
    id_column : str, optional
        Column of segment ids, text or integers, for `stats_table` and `save_stats`.
    keep : str or sequence of str
        More columns for these, of text, integers or floats.

    Returns
    -------
    Scan
        Replaces hypotheses and references in `corpus_score`, `corpus_stats`, `segment_stats`,
        `segment_scores`, `stats_table` and `save_stats`; reusable if the source is.

    Raises
    ------
    TypeError
        If a name is not a str. All else is checked on reading: a column that is missing or of
        another type, a null hypothesis, a truncated file. The message names file and position.

    Notes
    -----
    Only a few batches are in memory at a time. With two or more threads the next batch is read
    while the last one is scored. Metrics whose scores depend on all references (`NIST` and `CIDErD`
    without `information`) read the whole input first.

    Examples
    --------
    >>> from rapidbleu import CHRF, scan
    >>> def batches():
    ...     yield {"mt": ["It was raining."], "reference": ["It rained."]}
    ...     yield {"mt": ["He left.", "So did I."], "reference": ["He left.", "I did, too."]}
    >>> CHRF().corpus_score(scan(batches(), "mt", "reference"))
    chrF2 = 40.95
    """
    for where, name in ("hyp", hyp), ("id_column", id_column):
        if not isinstance(name, str) and not (where == "id_column" and name is None):
            raise TypeError(f"{where}: expected the name of a column; got {type(name).__name__}")
    streams = _names(refs, "refs")
    if not streams:
        raise ValueError("refs: expected at least one name of a column; got none")
    return Scan(source, hyp, streams, id_column, _names(keep, "keep"))


def _names(names: str | Items[str], where: str) -> tuple[str, ...]:
    columns = (names,) if isinstance(names, str) else tuple(items_of(names, where, "names"))
    for i, name in enumerate(columns):
        if not isinstance(name, str):
            raise TypeError(
                f"{where}[{i}]: expected the name of a column; got {type(name).__name__}"
            )
    return columns


def _check_alone(references: object) -> None:
    if references is not None:
        raise TypeError(
            "references: expected None beside a scan, which has its own; got "
            f"{type(references).__name__}"
        )


def _column(rows: Rows, name: str, optional: bool = False) -> Column:
    """Return the checked segments of a column."""
    return Column(rows.columns[name], rows.where(name), optional=optional, place=rows.places(name))
