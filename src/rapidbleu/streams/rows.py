"""Rows of a table that follow each other, and where they are."""

from __future__ import annotations

from rapidbleu._lib.loader import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

LISTS = ("+l", "+L", "+vl", "+vL")  # Arrow's formats; those of fixed size begin with +w


class Rows:
    """Rows of a table that follow each other.

    Parameters
    ----------
    columns : mapping of str to Arrow column or sequence
    length : int
    table : str
        What errors call the table, or a part of it.
    first : int
        Number of the first row within that.
    lines : bool
        The number is that of a line, and counted from 1.
    lists : set of str
        Arrow columns whose items are lists.
    """

    def __init__(
        self, columns: Mapping[str, Any], length: int, table: str, first: int,
        lines: bool = False, lists: frozenset[str] = frozenset(),
    ) -> None:  # fmt: skip
        self.columns = columns
        self.table = table
        self.first = first
        self._length = length
        self._lines = lines
        self._lists = lists

    def __len__(self) -> int:
        return self._length

    def where(self, name: str) -> str:
        """Return what errors call a column."""
        return f"{self.table}, column {name!r}"

    def place(self, i: int, name: str | None = None) -> str:
        """Return what errors call a row, or an item of a column."""
        number = f"line {self.first + i + 1}" if self._lines else f"row {self.first + i}"
        return f"{self.table}, {number}" + (f", column {name!r}" if name is not None else "")

    def is_lists(self, name: str) -> bool:
        """Return whether the items of a column are lists: what its first one is, if any."""
        column = self.columns[name]
        if is_arrow(column):
            return name in self._lists
        first = next((item for item in column if item is not None), "")
        return not isinstance(first, str)


def arrow_rows(source: Any, names: tuple[str, ...], table: str, first: int = 0) -> Iterator[Rows]:
    """Yield the batches of an Arrow table or stream."""
    BatchReader = load("rapidbleu._core.output.batches", "BatchReader")
    if hasattr(source, "read_next_batch"):  # of pyarrow, which knows how long buffers are
        for part in _read(source, table):
            yield from arrow_rows(part, names, table, first)
            first += part.num_rows
        return
    reader = BatchReader(source, table)
    indices = {name: index_of(name, reader.names, table) for name in names}
    lists = frozenset(
        name for name, i in indices.items()
        if reader.formats[i] in LISTS or reader.formats[i].startswith("+w")
    )  # fmt: skip
    for batch in reader:
        columns = {name: batch.column(i) for name, i in indices.items()}
        yield Rows(columns, len(batch), table, first, lists=lists)
        first += len(batch)


def _read(reader: Any, table: str) -> Iterator[Any]:
    """Yield the batches of a reader of pyarrow, or one of no rows, which has the names."""
    batch = reader.schema.empty_table()
    while batch is not None:
        yield batch
        try:
            batch = next(reader, None)
        except MemoryError:
            raise
        except Exception as error:
            raise ValueError(f"{table}: the Arrow stream failed: {error}") from error


def index_of(name: str, names: tuple[str, ...], table: str) -> int:
    """Return the place of a column."""
    if names.count(name) != 1:
        there = ", ".join(map(repr, names)) or "none"
        expected = "one column" if name in names else "a column"
        raise ValueError(f"{table}: expected {expected} {name!r}, there are {there}")
    return names.index(name)


def is_arrow(source: Any) -> bool:
    """Return whether something exports Arrow data."""
    return hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__")
