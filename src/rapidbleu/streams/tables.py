"""Tables of any kind, some rows at a time: Arrow data, lazy frames, mappings of columns, files."""

import os

from rapidbleu.streams.feeds import is_arrow

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
    unit : str
        What has that number, where it is no row: ``"line"``, which is counted from 1.
    lists : set of str
        Arrow columns whose items are lists.
    """

    def __init__(
        self, columns: "Mapping[str, Any]", length: int, table: str, first: int, unit: str = "",
        lists: "frozenset[str]" = frozenset(),
    ) -> None:  # fmt: skip
        self.columns = columns
        self.table = table
        self.first = first
        self._length = length
        self._unit = unit
        self._lists = lists

    def __len__(self) -> int:
        return self._length

    def where(self, name: str) -> str:
        """Return what errors call a column."""
        return f"{self.table}, column {name!r}"

    def place(self, name: str, i: int) -> str:
        """Return what errors call an item of a column."""
        if self._unit:
            return f"{self.table}, {self._unit} {self.first + i + 1}, column {name!r}"
        return f"{self.table}, row {self.first + i}, column {name!r}"

    def is_lists(self, name: str) -> bool:
        """Return whether the items of a column are lists: what its first one is, if any."""
        column = self.columns[name]
        if is_arrow(column):
            return name in self._lists
        return any(not isinstance(item, str) for item in column if item is not None)


def open_tables(source: "Any", names: "tuple[str, ...]") -> "Iterator[Rows]":
    """Yield the rows of a source with the columns of these names.

    Parameters
    ----------
    source : path, list of paths, Arrow table or stream, lazy frame, or iterable of tables
    names : tuple of str

    Raises
    ------
    TypeError, ValueError
        If it is no table, or lacks a column.
    """
    if isinstance(source, str | os.PathLike):
        source = [source]
    if isinstance(source, list | tuple) and all(isinstance(p, str | os.PathLike) for p in source):
        from rapidbleu.streams.formats import open_file

        for path in source:
            yield from open_file(path, names)
    elif hasattr(source, "collect_batches"):
        frames = source.select(names).collect_batches(maintain_order=True)
        yield from _each(frames, names)
    elif is_arrow(source):
        yield from arrow_rows(source, names, "table")
    elif hasattr(source, "__iter__") and not isinstance(source, dict):
        yield from _each(source, names)
    else:
        raise TypeError(
            "source: expected paths, an Arrow table or an iterable of tables, "
            f"got {type(source).__name__}"
        )


def arrow_rows(
    source: "Any", names: "tuple[str, ...]", table: str, first: int = 0
) -> "Iterator[Rows]":
    """Yield the batches of an Arrow table or stream."""
    from rapidbleu._core.output.batches import BatchReader

    reader = BatchReader(source, table)
    indices = {name: _index(name, reader.names, table) for name in names}
    lists = frozenset(
        name for name, i in indices.items()
        if reader.formats[i] in LISTS or reader.formats[i].startswith("+w")
    )  # fmt: skip
    for batch in reader:
        columns = {name: batch.column(i) for name, i in indices.items()}
        yield Rows(columns, len(batch), table, first, lists=lists)
        first += len(batch)


def _each(tables: "Any", names: "tuple[str, ...]") -> "Iterator[Rows]":
    """Yield the rows of several tables, numbered through."""
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


def _mapping(table: "Any", names: "tuple[str, ...]", k: int) -> "dict[str, Any]":
    """Return the columns of a batch that is a mapping of columns, or a tuple of them."""
    from rapidbleu.sequences import items_of

    if hasattr(table, "keys"):
        known = tuple(table.keys())
        own = {name: table[known[_index(name, known, f"batch {k}")]] for name in names}
    elif isinstance(table, tuple) and len(table) == len(names):
        own = dict(zip(names, table, strict=True))
    else:
        got = f"{len(table)} items" if isinstance(table, tuple) else type(table).__name__
        raise TypeError(
            f"batch {k}: expected an Arrow table, a mapping of columns or a tuple of "
            f"{len(names)} columns, got {got}"
        )
    return {
        name: column if is_arrow(column) else items_of(column, f"batch {k}[{name!r}]", "items")
        for name, column in own.items()
    }


def _index(name: str, names: "tuple[str, ...]", table: str) -> int:
    """Return the place of a column."""
    if names.count(name) != 1:
        there = ", ".join(map(repr, names)) or "none"
        expected = "one column" if name in names else "a column"
        raise ValueError(f"{table}: expected {expected} {name!r}, there are {there}")
    return names.index(name)
