"""Comparison of results with a peer's: their types and texts, within collections as well."""

from typing import Any


def typed(value: Any) -> Any:
    """Return a value that equals another value if types and texts are equal as well.

    >>> typed([1, 1.0, True]) == typed([1, 1, True])
    False
    """
    kind = type(value).__name__
    if isinstance(value, dict):
        return kind, [(typed(key), typed(item)) for key, item in value.items()]
    if isinstance(value, list | tuple):
        return kind, [typed(item) for item in value]
    if getattr(value, "ndim", 0):
        return kind, str(value.dtype), typed(value.tolist())
    return kind, repr(value)


def assert_identical(value: Any, expected: Any, about: Any = None) -> None:
    """Check that a result equals the expected one in values, types and texts."""
    pair = typed(value), typed(expected)
    assert pair[0] == pair[1], f"{about}: expected {pair[1]}; got {pair[0]}"
