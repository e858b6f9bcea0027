"""Columns in Parquet and Arrow IPC files, by pyarrow or else polars."""

import io
from importlib import import_module

from rapidbleu.rows.columns import INTEGER, REAL, TEXT, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO

    from rapidbleu.table import Table

MOST_EXACT = 2**53  # integers up to which floats are exact
GROUP = 1 << 16  # rows of a group in Parquet files: each group takes a kilobyte at the end of them


def find_library() -> str:
    """Return the name of the library that reads and writes files; ImportError without any."""
    from importlib.util import find_spec

    for name in ("pyarrow", "polars"):
        if find_spec(name) is not None:
            return name
    raise ImportError(
        "Parquet and Arrow files need pyarrow or polars: pip install 'rapidbleu[parquet]'"
    )


class PyarrowSink:
    """A file that pyarrow writes, batch after batch.

    Parameters
    ----------
    file : binary file
    is_parquet : bool
        Otherwise it is Arrow IPC.
    """

    def __init__(self, file: "Any", is_parquet: bool) -> None:
        self._file = file
        self._is_parquet = is_parquet
        self._writer: Any = None
        self._schema: Any = None  # of the first batch, and so of the file
        self._waiting: list[Any] = []

    def write(self, columns: "Table") -> None:
        """Write a batch of all columns, or keep it until there are rows for a group."""
        table = import_module("pyarrow").table(columns)
        if self._schema is None:
            self._schema = table.schema
        if self._writer is None and self._is_parquet:
            self._writer = import_module("pyarrow.parquet").ParquetWriter(self._file, table.schema)
        elif self._writer is None:
            self._writer = import_module("pyarrow.ipc").new_file(self._file, table.schema)
        if table.schema != self._schema:
            _check_whole(columns, self._schema)
            table = table.cast(self._schema, safe=False)
        self._waiting.append(table)
        if not self._is_parquet or sum(map(len, self._waiting)) >= GROUP:
            self._write_group()

    def _write_group(self) -> None:
        group = import_module("pyarrow").concat_tables(self._waiting)
        self._waiting.clear()
        self._writer.write_table(group)

    def close(self) -> None:
        """Write what is left, and what comes behind the batches."""
        if self._waiting:
            self._write_group()
        self._writer.close()

    def discard(self) -> None:
        """Let the writer go."""
        self._waiting.clear()
        self._writer = None


def _check_whole(columns: "Table", schema: "Any") -> None:
    """Refuse floats that are no integers where a file has integers or nulls."""
    import numpy as np

    for field in schema:
        column = columns[field.name]
        if str(field.type) != "int64" or type_of(column) != REAL:
            continue
        whole = (np.trunc(column) == column) & (abs(column) <= MOST_EXACT) | np.isnan(column)
        if not whole.all():
            got = column[int(whole.argmin())]
            raise ValueError(
                f"{field.name}: expected integers up to 2**53 or nulls, since batches before have "
                f"integers, got {got}; .npz takes both"
            )


class PolarsSink:
    """A file that polars writes, from all batches at once; see `PyarrowSink`."""

    def __init__(self, file: "Any", is_parquet: bool) -> None:
        self._file = file
        self._is_parquet = is_parquet
        self._frames: list[Any] = []

    def write(self, columns: "Table") -> None:
        """Keep a batch of all columns."""
        self._frames.append(columns.to_polars())

    def close(self) -> None:
        """Write the batches."""
        polars = import_module("polars")
        frame = polars.concat(self._frames, how="vertical_relaxed")
        data = io.BytesIO()
        if self._is_parquet:
            frame.write_parquet(data)
        else:  # with texts that all libraries read
            frame.write_ipc(data, compat_level=polars.CompatLevel.oldest())
        self._file.write(data.getbuffer())

    def discard(self) -> None:
        """Let the batches go."""
        self._frames.clear()


def make_sink(file: "Any", is_parquet: bool) -> "PyarrowSink | PolarsSink":
    """Return what writes columns to a file."""
    kind = PyarrowSink if find_library() == "pyarrow" else PolarsSink
    return kind(file, is_parquet)


def read_frame(file: "BinaryIO", is_parquet: bool, types: dict[str, str]) -> "dict[str, Any]":
    """Read columns of these types; ValueError if there are others."""
    if find_library() == "pyarrow":
        found = _read_pyarrow(file, is_parquet, types)
    else:
        found = _read_polars(file, is_parquet, types)
    if [(name, kind) for name, (kind, _) in found.items()] != list(types.items()):
        shown = ", ".join(f"{name} ({kind})" for name, (kind, _) in found.items())
        expected = ", ".join(f"{name} ({kind})" for name, kind in types.items())
        raise ValueError(f"expected columns {expected}, got {shown}")
    return {name: column for name, (_, column) in found.items()}


def _read_pyarrow(
    file: "BinaryIO", is_parquet: bool, types: dict[str, str]
) -> "dict[str, tuple[str, Any]]":
    """Return the type and the items of each column."""
    if is_parquet:
        table = import_module("pyarrow.parquet").ParquetFile(file).read()
    else:
        table = import_module("pyarrow.ipc").open_file(file).read_all()
    table.validate(full=True)  # pyarrow trusts offsets otherwise
    known = {"int64": INTEGER, "double": REAL, "string": TEXT, "large_string": TEXT}
    columns = {}
    for field, column in zip(table.schema, table.columns, strict=True):
        kind = known.get(str(field.type), str(field.type))
        if kind == INTEGER and types.get(field.name) == REAL:  # integers, of which some are missing
            kind, column = REAL, column.cast("double", safe=False)
        items = column.to_numpy() if kind in (INTEGER, REAL) else column.to_pylist()
        columns[field.name] = kind, _without_nulls(field.name, kind, items, column.null_count)
    return columns


def _read_polars(
    file: "BinaryIO", is_parquet: bool, types: dict[str, str]
) -> "dict[str, tuple[str, Any]]":
    """Return the type and the items of each column."""
    polars = import_module("polars")
    data = io.BytesIO(file.read())
    frame = polars.read_parquet(data) if is_parquet else polars.read_ipc(data)
    known = {"Int64": INTEGER, "Float64": REAL, "String": TEXT}
    columns = {}
    for column in frame.iter_columns():
        kind = known.get(str(column.dtype), str(column.dtype))
        if kind == INTEGER and types.get(column.name) == REAL:  # as above
            kind, column = REAL, column.cast(polars.Float64)
        items = column.to_numpy() if kind in (INTEGER, REAL) else column.to_list()
        columns[column.name] = kind, _without_nulls(column.name, kind, items, column.null_count())
    return columns


def _without_nulls(name: str, kind: str, items: "Any", n_nulls: int) -> "Any":
    if kind == INTEGER and n_nulls:
        raise ValueError(f"{name}: expected integers only, got {n_nulls} nulls")
    return items
