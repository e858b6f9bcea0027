"""Files of tables, some rows at a time: Parquet, Arrow IPC, tab-separated values, JSON lines."""

import os
from contextlib import contextmanager

from rapidbleu.streams.feeds import MOST, MOST_SIZE
from rapidbleu.streams.rows import Rows, arrow_rows, index_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from rapidbleu.typing import Path

# Of Parquet files: what is read and decoded at a time. Threads of pyarrow's own would hold more.
ROWS = 1 << 13
BUFFER = 1 << 18  # bytes



def open_file(path: "Path", names: "tuple[str, ...]") -> "Iterator[Rows]":
    """Yield the rows of a file, whose format its name tells.

    Raises
    ------
    ValueError
        If the ending of the name is not known, or the file is not what it says.
    ImportError
        If a library is needed that is not installed.
    """
    from rapidbleu.streams.files import COMPRESSIONS, file_name

    name = file_name(path)
    whole = name.lower()
    for ending in COMPRESSIONS:
        whole = whole.removesuffix(ending)
    ending = os.path.splitext(whole)[1]
    if ending not in FORMATS:
        raise ValueError(f"{name}: expected a file that ends in one of {', '.join(FORMATS)}")
    yield from FORMATS[ending](path, name, names)


def _parquet(path: "Path", name: str, names: "tuple[str, ...]") -> "Iterator[Rows]":
    """Yield the rows of a Parquet file, by row group if pyarrow reads it."""
    try:
        from pyarrow import parquet
    except ImportError:
        yield from _polars("scan_parquet", path, name, names)
        return
    with _named(name), parquet.ParquetFile(path, pre_buffer=False, buffer_size=BUFFER) as file:
        _check_columns(file.schema_arrow.names, names, name)
        for group in range(file.num_row_groups):
            first, table = 0, f"{name}, row group {group}"
            batches = file.iter_batches(
                ROWS, row_groups=[group], columns=list(names), use_threads=False
            )
            for batch in batches:
                yield from arrow_rows(batch, names, table, first)
                first += batch.num_rows


def _ipc(path: "Path", name: str, names: "tuple[str, ...]") -> "Iterator[Rows]":
    """Yield the rows of a file of Arrow's IPC formats."""
    try:
        import pyarrow
    except ImportError:
        yield from _polars("scan_ipc", path, name, names)
        return
    with _named(name), pyarrow.OSFile(os.fspath(path)) as file:
        whole = file.read(6) == b"ARROW1"
        file.seek(0)
        if not whole:
            with pyarrow.ipc.open_stream(file) as stream:
                yield from arrow_rows(stream, names, name)
            return
        first = 0
        with pyarrow.ipc.open_file(file) as reader:
            for k in range(reader.num_record_batches):
                batch = reader.get_batch(k)
                yield from arrow_rows(batch, names, name, first)
                first += batch.num_rows


def _polars(scan: str, path: "Path", name: str, names: "tuple[str, ...]") -> "Iterator[Rows]":
    """Yield the rows of a file that polars reads."""
    try:
        import polars
    except ImportError:
        raise ImportError(
            f'{name}: Parquet and Arrow files need pip install "rapidbleu[parquet]"'
        ) from None
    first = 0
    with _named(name):
        frame = getattr(polars, scan)(path)
        _check_columns(frame.collect_schema().names(), names, name)
        for batch in frame.select(names).collect_batches(maintain_order=True, chunk_size=MOST):
            yield from arrow_rows(batch, names, name, first)
            first += batch.height


@contextmanager
def _named(name: str) -> "Iterator[None]":
    """Let errors of a library name the file."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise ValueError(f"{name}: {error}") from None
        raise
    except ValueError as error:
        if str(error).startswith(name):
            raise
        raise ValueError(f"{name}: {error}") from None
    except Exception as error:
        if type(error).__module__.startswith("polars"):
            raise ValueError(f"{name}: {error}") from None
        raise


def _check_columns(known: "list[str]", names: "tuple[str, ...]", where: str) -> None:
    for name in names:
        index_of(name, tuple(known), where)


def _tsv(path: "Path", name: str, names: "tuple[str, ...]") -> "Iterator[Rows]":
    """Yield the rows of a file with tabs between fields and names in the first line."""
    from rapidbleu._core.input.lines import read_fields
    from rapidbleu.streams.files import open_reader

    with open_reader(path, by_name=True) as reader:
        header = (reader.read_line() or b"").decode("utf-8", "replace").rstrip("\r").split("\t")
        _check_columns(header, names, name)
        places = sorted({header.index(own) for own in names})
        while True:
            first = reader.line
            fields = read_fields(
                reader, places, len(header), most_lines=MOST, most_bytes=MOST_SIZE
            )
            if not len(fields[0]):
                return
            columns = {own: fields[places.index(header.index(own))] for own in names}
            yield Rows(columns, len(fields[0]), name, first, lines=True)


def _json_lines(path: "Path", name: str, names: "tuple[str, ...]") -> "Iterator[Rows]":
    """Yield the rows of a file with a JSON object in each line."""
    import json

    from rapidbleu.streams.files import open_reader

    with open_reader(path, by_name=True) as reader:
        while True:
            first, size = reader.line, 0
            columns: dict[str, list[Any]] = {own: [] for own in names}
            while reader.line - first < MOST and size < MOST_SIZE:
                line = reader.read_line()
                if line is None:
                    break
                size += len(line)
                try:
                    found = json.loads(line)
                except ValueError as error:
                    raise ValueError(f"{name}, line {reader.line}: no JSON: {error}") from None
                if not isinstance(found, dict):
                    raise ValueError(
                        f"{name}, line {reader.line}: expected an object, got "
                        f"{type(found).__name__}"
                    )
                for own, column in columns.items():
                    if own not in found:
                        raise ValueError(f"{name}, line {reader.line}: expected an entry {own!r}")
                    column.append(found[own])
            if reader.line == first:
                return
            yield Rows(columns, reader.line - first, name, first, lines=True)


FORMATS: "dict[str, Callable[[Path, str, tuple[str, ...]], Iterator[Rows]]]" = {
    ".parquet": _parquet, ".arrow": _ipc, ".ipc": _ipc, ".feather": _ipc,
    ".tsv": _tsv, ".jsonl": _json_lines, ".ndjson": _json_lines,
}  # fmt: skip
