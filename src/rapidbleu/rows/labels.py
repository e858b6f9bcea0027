"""Ids and other columns of tables of rows: validation, joining, and reading from scans."""

from __future__ import annotations

from contextlib import contextmanager
from importlib import import_module

from rapidbleu._lib.checks import check_type, items_of
from rapidbleu._lib.loader import np
from rapidbleu.table import as_column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from rapidbleu._types import IntArray
    from rapidbleu.streams.tables import Rows


ID = "id"
TEXT = "text"
INTEGER = "int64"
REAL = "float64"
TYPES = (TEXT, INTEGER, REAL)


def type_of(column: Any) -> str:
    """Return the type of a column: "text", "int64" or "float64".

    >>> type_of(["a", None])
    'text'
    """
    return TEXT if isinstance(column, list) else str(column.dtype)


def empty_column(kind: str) -> Any:
    """Return a column without items.

    >>> empty_column("text"), empty_column("int64")
    ([], array([], dtype=int64))
    """
    return [] if kind == TEXT else np.empty(0, kind)


def check_ids(ids: Any, where: str = "ids", place: Callable[[int], str] | None = None) -> Any:
    """Return ids as a column; refuse repeated ids, and any types but text and integers.

    `place` names one id in errors, by default ``where[i]``.

    >>> check_ids(["a", "b", "a"])
    Traceback (most recent call last):
    ...
    ValueError: ids[2]: expected an id of its own; got 'a' again, as ids[0]
    """
    column = as_column(ids, where, place)
    items = _items(column)
    distinct = set(items)
    is_real = type_of(column) == REAL
    if len(distinct) == len(items) and None not in distinct and not is_real:
        return column
    name = place or (lambda i: f"{where}[{i}]")
    seen: dict[Any, int] = {}
    for i, item in enumerate(items):
        if item is None or item != item:
            raise TypeError(f"{name(i)}: expected a text or an integer; got None")
        if seen.setdefault(item, i) != i and not is_real:
            raise ValueError(
                f"{name(i)}: expected an id of its own; got {item!r} again, as {name(seen[item])}"
            )
    if is_real:
        raise TypeError(f"{where}: expected texts or integers; got float64")
    return column


def check_kept(keep: Mapping[str, Any] | None, statistics: Sequence[str]) -> dict[str, Any]:
    """Return columns by name; refuse names that are in use or cannot be printed.

    >>> check_kept({"lang": ["de", None]}, ["hyp_len"])
    {'lang': ['de', None]}
    >>> check_kept({"hyp_len": [1.5]}, ["hyp_len"])
    Traceback (most recent call last):
    ...
    ValueError: keep: expected other names than id and the statistics; got 'hyp_len'
    """
    if keep is None:
        return {}
    if not hasattr(keep, "items"):
        raise TypeError(f"keep: expected columns by name; got {type(keep).__name__}")
    columns = {}
    for name, values in keep.items():
        check_name(name, statistics)
        columns[name] = as_column(values, f"keep[{name!r}]")
    return columns


def check_name(name: Any, statistics: Sequence[str]) -> None:
    """Refuse the name of a kept column if it is in use or cannot be printed.

    >>> check_name("two\\nlines", ["hyp_len"])
    Traceback (most recent call last):
    ...
    ValueError: keep: expected names that can be printed; got 'two\\nlines'
    """
    if not isinstance(name, str):
        raise TypeError(f"keep: expected names; got {type(name).__name__}")
    if not (name and name.isprintable()):
        raise ValueError(f"keep: expected names that can be printed; got {name!r}")
    if name == ID or name in statistics:
        raise ValueError(f"keep: expected other names than {ID} and the statistics; got {name!r}")


def join_columns(name: str, parts: Sequence[Any]) -> Any:
    """Return the concatenation of columns.

    >>> join_columns("year", [as_column([2017, 2018], "a"), as_column([None], "b")])
    array([2017., 2018.,   nan])
    """
    if not any(isinstance(part, list) for part in parts):
        return as_column(np.concatenate(list(parts)), name)
    return as_column([item for part in parts for item in _items(part)], name)


def _items(column: Any) -> list[Any]:
    items: list[Any] = column if isinstance(column, list) else column.tolist()
    return items


def check_names(names: Iterable[str], where: str) -> tuple[str, ...]:
    """Return the names as a tuple.

    >>> check_names(["hyp.txt", "ref.txt"], "inputs")
    ('hyp.txt', 'ref.txt')
    """
    checked = items_of(names, where, "names")
    for i, name in enumerate(checked):
        check_type(f"{where}[{i}]", name, str)
    return tuple(checked)


def labels_of(source: Any, statistics: Sequence[str]) -> tuple[str | None, tuple[str, ...]]:
    """Return the names of the id column and kept columns of a scan; none for other sources.

    >>> from rapidbleu import scan
    >>> labels_of(scan([], id_column="seg", keep="lang"), ["edits"])
    ('seg', ('lang',))
    >>> labels_of(scan([], keep="edits"), ["edits"])
    Traceback (most recent call last):
    ...
    ValueError: keep: expected other names than id and the statistics; got 'edits'
    """
    keep: tuple[str, ...] = getattr(source, "keep", ())
    for i, name in enumerate(keep):
        check_name(name, statistics)
        if name in keep[:i]:
            raise ValueError(f"keep: expected each name once; got {name!r} again")
    return getattr(source, "id_column", None), keep


def read_labels(tables: list[Rows], id: str | None, keep: Sequence[str]) -> dict[str, Any]:
    """Return the `ids` and `keep` of a `StatsTable` for consecutive tables."""
    columns = {name: _joined(name, [_column(rows, name) for rows in tables]) for name in keep}
    ids = None if id is None else _joined(id, [_column(rows, id, check_ids) for rows in tables])
    return {"ids": ids, "keep": columns}


def join_labels(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Join the results of `read_labels` for the parts of a table."""
    ids = [part["ids"] for part in parts]
    keep = parts[0]["keep"]
    return {
        "ids": None if ids[0] is None else _joined(ID, ids),
        "keep": {name: _joined(name, [part["keep"][name] for part in parts]) for name in keep},
    }


def _joined(name: str, parts: list[Any]) -> Any:
    return parts[0] if len(parts) == 1 else join_columns(name, parts)


@contextmanager
def naming_rows(tables: list[Rows]) -> Iterator[None]:
    """Prefix errors with the first row of a batch."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if not tables:
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"from {tables[0].place(0)} on: {error}") from None


def _column(rows: Rows, name: str, check: Callable[..., Any] = as_column) -> Any:
    return check(rows.values(name), rows.where(name), rows.places(name))


def stats_batch(columns: dict[str, Any], rows: IntArray, statistics: Sequence[str]) -> Any:
    """Return a pyarrow record batch of arrays by name and of rows of statistics."""
    pyarrow = import_module("pyarrow")
    columns |= {name: pyarrow.array(rows[:, j]) for j, name in enumerate(statistics)}
    return pyarrow.RecordBatch.from_pydict(columns)


def named_arrays(tables: list[Rows], id: str | None, keep: Sequence[str]) -> dict[str, Any]:
    """Return ids and kept columns of any type as pyarrow arrays, by their new names."""
    names = {name: name for name in keep}
    if id is not None:
        names = {ID: id, **names}
    columns = {label: [rows.array(name) for rows in tables] for label, name in names.items()}
    return {
        label: arrays[0] if len(arrays) == 1 else import_module("pyarrow").concat_arrays(arrays)
        for label, arrays in columns.items()
    }
