"""Sequences of any kind as lists; a str is no sequence here, nor is a set."""

from __future__ import annotations

from rapidbleu._lib.loader import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Items of a column that are made in one call, during which no other thread runs. They are few, so
# that most lists among them are gone before the garbage collector takes them for long-lived.
SLICE = 256


def is_ordered(source: Any) -> bool:
    """Return whether something has items in an order: a text, a set, a mapping or a table has none.

    Examples
    --------
    >>> [is_ordered(source) for source in ([], (), range(2), iter([]), "ab", {1, 2}, {1: 2}, 5)]
    [True, True, True, True, False, False, False, False]
    """
    if isinstance(source, list | tuple):
        return True
    Mapping = load("collections.abc", "Mapping")
    return (
        hasattr(source, "__iter__")
        and not isinstance(source, str | bytes | bytearray | memoryview)
        and not isinstance(source, set | frozenset | Mapping)
        and not hasattr(source, "columns")
        and getattr(source, "ndim", 1) > 0
    )


def is_arrow(source: Any) -> bool:
    """Return whether something exports Arrow data."""
    return hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__")


def items_of(source: Any, where: str, expected: str) -> list[Any]:
    """Return the items of a sequence, an iterator, a NumPy array, a series or an Arrow array.

    Parameters
    ----------
    source : iterable in an order
        Values that a pandas series or an Arrow array lacks become None, as do masked items and nan
        in a NumPy array of objects. The items of columns of lists are tuples: the garbage collector
        forgets tuples of texts, but not lists.
    where, expected : str
        The argument, and what it holds, in errors.

    Raises
    ------
    TypeError
        If the items have no order, or it is a single str.

    Examples
    --------
    >>> items_of(("a", "b"), "names", "names")
    ['a', 'b']
    >>> items_of("ab", "names", "names")
    Traceback (most recent call last):
        ...
    TypeError: names: expected a sequence of names, got a single str
    """
    if not is_ordered(source):
        got = "a single str" if isinstance(source, str) else type(source).__name__
        raise TypeError(f"{where}: expected a sequence of {expected}, got {got}")
    if isinstance(source, list | tuple):
        return list(source)
    if hasattr(source, "isna"):
        pairs = zip(source, source.isna(), strict=True)
        return [None if missing else item for item, missing in pairs]
    if hasattr(source, "mask") and hasattr(source, "filled"):
        return list(source.tolist())
    if getattr(getattr(source, "dtype", None), "kind", None) == "O":
        return [None if isinstance(item, float) and item != item else item for item in source]
    if hasattr(source, "to_pylist") and hasattr(source, "validate"):  # of pyarrow
        try:
            source.validate(full=True)
        except (LookupError, ValueError) as error:
            raise ValueError(f"{where}: malformed Arrow data: {error}") from None
    convert = _conversion(source)
    if convert is None:
        return list(source.to_pylist() if hasattr(source, "to_pylist") else source)
    return [
        tuple(item) if type(item) is list else item
        for begin in range(0, len(source), SLICE)
        for item in convert(begin)
    ]


def _conversion(source: Any) -> Callable[[int], list[Any]] | None:
    """Return what makes a slice of a column a list, or None if the column is to be iterated."""
    if hasattr(source, "slice"):
        for name in ("to_pylist", "to_list"):  # Arrow's, polars'
            if hasattr(source, name):
                return lambda begin: getattr(source.slice(begin, SLICE), name)()
    if getattr(getattr(source, "dtype", None), "kind", None) == "U":  # texts in NumPy's own form
        return lambda begin: source[begin : begin + SLICE].tolist()
    return None
