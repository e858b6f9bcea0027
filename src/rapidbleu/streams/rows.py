"""Rows of a table that follow each other, and where they are."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec

from rapidbleu._lib.checks import is_arrow
from rapidbleu._lib.lazy import np
from rapidbleu._lib.loader import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from rapidbleu._core.input.tables import BatchColumn

# Arrow's formats: of lists, up to the colon of those of fixed size; of texts and of numbers
LISTS = ("+l", "+L", "+vl", "+vL", "+w")
TEXTS = ("u", "U", "vu")
NUMBERS = tuple("cCsSiIlLefg")
NOTHING = "n"


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
    """

    def __init__(
        self, columns: Mapping[str, Any], length: int, table: str, first: int,
        lines: bool = False,
    ) -> None:  # fmt: skip
        self.columns = columns
        self.table = table
        self.first = first
        self._length = length
        self._lines = lines

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
            return getattr(column, "format", "").startswith(LISTS)
        first = next((item for item in column if item is not None), "")
        return not isinstance(first, str)

    def values(self, name: str) -> Any:
        """Return the items of a column: an array of numbers, with nan for null, or else a list."""
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
            texts = import_column(part, self.where(name), self._places(name, len(items)))
            items += [texts[i] for i in range(len(texts))]
        return items

    def array(self, name: str) -> Any:
        """Return a column as an array of pyarrow, which shares the memory of Arrow data.

        Raises
        ------
        TypeError, ValueError
            If pyarrow refuses the items, or Arrow data are malformed.
        """
        from rapidbleu._core.input.arrow import import_column

        pyarrow = import_module("pyarrow")
        column, arrays, first = self.columns[name], [], 0
        try:
            if not is_arrow(column):
                return pyarrow.array(column)
            for part in _arrow_columns(column, self.where(name)):
                if part.format in TEXTS:  # to name the row
                    import_column(part, self.where(name), self._places(name, first))
                arrays.append(pyarrow.array(part))
                arrays[-1].validate(full=True)
                first += len(part)
        except pyarrow.ArrowException as error:  # without the place
            kind = type(error) if isinstance(error, TypeError | ValueError) else ValueError
            raise kind(f"{self.place(first, name)}, or later: {error}") from None
        return arrays[0] if len(arrays) == 1 else pyarrow.concat_arrays(arrays)

    def _numbers(self, name: str, parts: list[BatchColumn]) -> Any:
        """Return numbers of Arrow, plain or in a dictionary, as an array."""
        library = arrow_library()
        if library.__name__ == "polars":
            return np.concatenate([library.Series(part).to_numpy() for part in parts])
        array = self.array(name)
        if library.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        return np.array(array.to_numpy(zero_copy_only=False))  # a view would keep the whole batch

    def _places(self, name: str, first: int) -> Callable[[int], str]:
        """Return what names the items of a part of a column that begins with row `first`."""
        return lambda i: self.place(first + i, name)


def _arrow_columns(column: Any, where: str) -> list[BatchColumn]:
    """Return an Arrow column of any type in its parts, whose structs were checked."""
    from rapidbleu._core.input.tables import BatchColumn, BatchReader

    if isinstance(column, BatchColumn):
        return [column]
    return [batch.column(0) for batch in BatchReader(column, where, True)]


def arrow_library() -> Any:
    """Return pyarrow or polars, one that is loaded if there is a choice."""
    for name in sorted(("pyarrow", "polars"), key=lambda name: sys.modules.get(name) is None):
        if find_spec(name) is not None:
            return import_module(name)
    raise ImportError("Arrow data needs pyarrow: pip install pyarrow, or polars")


def arrow_rows(source: Any, names: tuple[str, ...], table: str, first: int = 0) -> Iterator[Rows]:
    """Yield the batches of an Arrow table or stream."""
    BatchReader = load("rapidbleu._core.input.tables", "BatchReader")
    if hasattr(source, "read_next_batch"):  # of pyarrow, which knows how long buffers are
        for part in _read(source, table):
            yield from arrow_rows(part, names, table, first)
            first += part.num_rows
        return
    reader = BatchReader(source, table)
    indices = {name: index_of(name, reader.names, table) for name in names}
    for batch in reader:
        columns = {name: batch.column(i) for name, i in indices.items()}
        yield Rows(columns, len(batch), table, first)
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
