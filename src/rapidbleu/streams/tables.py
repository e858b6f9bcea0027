"""Tables of any kind, some rows at a time: Arrow data, lazy frames, mappings of columns, files."""

import os

from rapidbleu.loading.loader import load
from rapidbleu.streams.feeds import MOST, is_arrow
from rapidbleu.streams.rows import Rows, arrow_rows, index_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def open_tables(source: "Any", names: "tuple[str, ...]") -> "Iterator[Rows]":
    """Yield the rows of a source with the columns of these names.

    Parameters
    ----------
    source : path, list of paths, Arrow table or stream, lazy frame, data set, or iterable of tables
    names : tuple of str

    Raises
    ------
    TypeError, ValueError
        If it is no table, or lacks a column.
    """
    if isinstance(source, str | os.PathLike):
        source = [source]
    if isinstance(source, list | tuple) and all(isinstance(p, str | os.PathLike) for p in source):
        open_file = load("rapidbleu.streams.formats", "open_file")
        for path in source:
            yield from open_file(path, names)
    elif hasattr(source, "collect_batches"):
        frames = source.select(names).collect_batches(maintain_order=True)
        yield from _each(frames, names)
    elif hasattr(source, "with_format") and hasattr(source, "iter"):
        yield from _each(_hugging_face_batches(source), names)
    elif hasattr(source, "scanner"):
        yield from arrow_rows(_pyarrow_reader(source, names), names, "table")
    elif is_arrow(source):
        yield from arrow_rows(source, names, "table")
    elif hasattr(source, "__iter__") and not isinstance(source, dict):
        yield from _each(source, names)
    else:
        raise TypeError(
            "source: expected paths, an Arrow table or an iterable of tables, "
            f"got {type(source).__name__}"
        )


def _hugging_face_batches(source: "Any") -> "Iterator[Any]":
    """Return batches of a data set of Hugging Face, as Arrow tables unless it transforms its rows.

    `with_format` makes another data set of the same rows, and leaves this one as it is.
    """
    own = getattr(source, "format", None)
    if own is None or own["type"] != "custom":
        source = source.with_format("arrow")
    batches: Iterator[Any] = source.iter(MOST)
    return batches


def _pyarrow_reader(source: "Any", names: "tuple[str, ...]") -> "Any":
    """Return a reader of some columns of a data set of pyarrow."""
    for name in names:
        index_of(name, tuple(source.schema.names), "table")
    return source.scanner(
        columns=list(names), batch_size=MOST, batch_readahead=1, fragment_readahead=1
    ).to_reader()


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
        own = {name: table[known[index_of(name, known, f"batch {k}")]] for name in names}
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
