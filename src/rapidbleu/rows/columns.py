"""The columns of a table of rows: ids, those that are kept, and one for each statistic."""

from rapidbleu.sequences import items_of
from rapidbleu.table import as_column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

ID = "id"
TEXT, INTEGER, REAL = "text", "int64", "float64"
TYPES = (TEXT, INTEGER, REAL)


def type_of(column: "Any") -> str:
    """Return what a column holds: "text", "int64" or "float64".

    Examples
    --------
    >>> type_of(["a", None])
    'text'
    """
    return TEXT if isinstance(column, list) else str(column.dtype)


def empty_column(kind: str) -> "Any":
    """Return a column without items.

    Examples
    --------
    >>> empty_column("text"), empty_column("int64")
    ([], array([], dtype=int64))
    """
    import numpy as np

    return [] if kind == TEXT else np.empty(0, kind)


def check_ids(
    ids: "Any", where: str = ID, place: "Callable[[int], str] | None" = None
) -> "Any":
    """Return ids as a column; refuse those that are neither texts nor integers, and repeated ones.

    `place` names one id in errors; ``where[i]`` otherwise.

    Examples
    --------
    >>> check_ids(["a", "b", "a"])
    Traceback (most recent call last):
    ...
    ValueError: id[2]: expected an id of its own, got 'a' again, as id[0]
    """
    column = as_column(ids, where, place)
    items = _items(column)
    name = place or (lambda i: f"{where}[{i}]")
    if type_of(column) == REAL:
        for i, item in enumerate(items):
            if item != item:
                raise TypeError(f"{name(i)}: expected a text or an integer, got None")
        raise TypeError(f"{where}: expected texts or integers, got float64")
    found = set(items)
    if len(found) < len(items) or None in found:
        _refuse_ids(items, name)
    return column


def _refuse_ids(items: "list[Any]", place: "Callable[[int], str]") -> None:
    """Name the first id that is missing, or comes again."""
    places: dict[Any, int] = {}
    for i, item in enumerate(items):
        if item is None:
            raise TypeError(f"{place(i)}: expected a text or an integer, got None")
        if places.setdefault(item, i) != i:
            raise ValueError(
                f"{place(i)}: expected an id of its own, got {item!r} again, as "
                f"{place(places[item])}"
            )


def check_kept(keep: "Mapping[str, Any] | None", statistics: "Sequence[str]") -> "dict[str, Any]":
    """Return columns by name; refuse names that others have, or that cannot be shown.

    Examples
    --------
    >>> check_kept({"lang": ["de", None]}, ["hyp_len"])
    {'lang': ['de', None]}
    >>> check_kept({"hyp_len": [1.5]}, ["hyp_len"])
    Traceback (most recent call last):
    ...
    ValueError: keep: expected other names than id and the statistics, got 'hyp_len'
    """
    if keep is None:
        return {}
    if not hasattr(keep, "items"):
        raise TypeError(f"keep: expected columns by name, got {type(keep).__name__}")
    columns = {}
    for name, values in keep.items():
        check_name(name, statistics)
        columns[name] = as_column(values, f"keep[{name!r}]")
    return columns


def check_name(name: "Any", statistics: "Sequence[str]") -> None:
    """Refuse the name of a column that is kept, if others have it, or it cannot be shown.

    Examples
    --------
    >>> check_name("two\\nlines", ["hyp_len"])
    Traceback (most recent call last):
    ...
    ValueError: keep: expected names that can be printed, got 'two\\nlines'
    """
    if not isinstance(name, str):
        raise TypeError(f"keep: expected names, got {type(name).__name__}")
    if not (name and name.isprintable()):
        raise ValueError(f"keep: expected names that can be printed, got {name!r}")
    if name == ID or name in statistics:
        raise ValueError(f"keep: expected other names than {ID} and the statistics, got {name!r}")


def join_columns(name: str, parts: "Sequence[Any]") -> "Any":
    """Return columns behind each other.

    Examples
    --------
    >>> join_columns("year", [as_column([2017, 2018], "a"), as_column([None], "b")])
    array([2017., 2018.,   nan])
    """
    import numpy as np

    if not any(isinstance(part, list) for part in parts):
        return as_column(np.concatenate(list(parts)), name)
    return as_column([item for part in parts for item in _items(part)], name)


def _items(column: "Any") -> "list[Any]":
    items: list[Any] = column if isinstance(column, list) else column.tolist()
    return items


def check_names(names: "Iterable[str]", where: str) -> tuple[str, ...]:
    """Return several names.

    Examples
    --------
    >>> check_names(["hyp.txt", "ref.txt"], "inputs")
    ('hyp.txt', 'ref.txt')
    """
    found = items_of(names, where, "names")
    for i, name in enumerate(found):
        if not isinstance(name, str):
            raise TypeError(f"{where}[{i}]: expected str, got {type(name).__name__}")
    return tuple(found)
