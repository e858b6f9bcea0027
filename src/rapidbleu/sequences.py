"""Sequences of any kind as lists; a str is no sequence here, nor is a set."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def is_ordered(source: "Any") -> bool:
    """Return whether something has items in an order: a text, a set, a mapping or a table has none.

    Examples
    --------
    >>> [is_ordered(source) for source in ([], (), range(2), iter([]), "ab", {1, 2}, {1: 2}, 5)]
    [True, True, True, True, False, False, False, False]
    """
    if isinstance(source, list | tuple):
        return True
    from collections.abc import Mapping

    return (
        hasattr(source, "__iter__")
        and not isinstance(source, str | bytes | bytearray | memoryview)
        and not isinstance(source, set | frozenset | Mapping)
        and not hasattr(source, "columns")
        and getattr(source, "ndim", 1) > 0
    )


def items_of(source: "Any", where: str, expected: str) -> "list[Any]":
    """Return the items of a sequence, an iterator, a NumPy array, a series or an Arrow array.

    Parameters
    ----------
    source : iterable in an order
        Values that a pandas series or an Arrow array lacks become None.
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
    if hasattr(source, "to_pylist"):
        items: list[Any] = source.to_pylist()
        return items
    if hasattr(source, "isna"):
        pairs = zip(source, source.isna(), strict=True)
        return [None if missing else item for item, missing in pairs]
    return list(source)
