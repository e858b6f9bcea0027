"""Argument checks: integers, flags, seeds, levels, types, sequences."""

from __future__ import annotations

import operator
import os
import sys

from rapidbleu._lib.handing import is_ours
from rapidbleu._lib.loader import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


MOST = sys.maxsize // 8
LAYOUTS = ("stream", "segment")


class Named(dict[str, "Any"]):
    """A dict by names whose KeyError lists the known names.

    >>> Named(BLEU=1, TER=2)["bleu"]
    Traceback (most recent call last):
        ...
    KeyError: "expected one of BLEU, TER; got 'bleu'"
    """

    def __missing__(self, name: object) -> Any:
        raise KeyError(f"expected one of {', '.join(map(str, self))}; got {name!r}")


def check_type(where: str, value: object, kind: type) -> None:
    """Refuse an argument of another class; errors name it `where`.

    >>> check_type("name", 5, str)
    Traceback (most recent call last):
    ...
    TypeError: name: expected str; got int
    """
    if not isinstance(value, kind):
        raise TypeError(f"{where}: expected {kind.__name__}; got {type(value).__name__}")


def check_count(what: str, value: Any, least: int, most: float = MOST) -> int:
    """Return an integer within limits; errors name it `what`.

    By default `most` is the maximum number of 64-bit items in an array. A bool is refused.

    >>> check_count("n", 1000, 1)
    1000
    """
    try:
        number = operator.index(value)
    except TypeError as error:
        if not is_ours(error):
            raise
        number = None
    if number is None or isinstance(value, bool):
        raise TypeError(f"{what}: expected int; got {type(value).__name__}")
    if number < least:
        raise ValueError(f"{what}: expected at least {least}; got {number}")
    if number > most:
        raise ValueError(f"{what}: expected at most {most}; got {number}")
    return number


def check_flag(what: str, value: Any) -> bool:
    """Return a flag: True, False, 0 or 1, from Python or NumPy.

    >>> check_flag("lowercase", 1)
    True
    """
    if isinstance(value, bool):
        return value
    dtype = getattr(value, "dtype", None)
    scalar = isinstance(value, int) if dtype is None else dtype.kind in "bui" and not value.shape
    if not (scalar and value in (0, 1)):
        shown = value if isinstance(value, str | int) else type(value).__name__
        raise TypeError(f"{what}: expected True or False; got {shown!r}")
    return bool(value)


def check_seed(seed: int | None) -> int | None:
    """Return a seed: a nonnegative integer or None.

    >>> check_seed(0)
    0
    """
    return None if seed is None else check_count("seed", seed, 0, float("inf"))


def seed_or_fresh(seed: int | None) -> int:
    """Return a checked seed, or for None a new one of 32 random bits that a result can report.

    >>> seed_or_fresh(7), seed_or_fresh(None) < 2**32
    (7, True)
    """
    checked = check_seed(seed)
    return int.from_bytes(os.urandom(4), "little") if checked is None else checked


def check_real(where: str, number: Any) -> None:
    """Refuse an argument that is not a real number.

    >>> check_real("epsilon", "1")
    Traceback (most recent call last):
    ...
    TypeError: epsilon: expected a number; got str
    """
    if isinstance(number, bool) or not hasattr(number, "__float__"):
        raise TypeError(f"{where}: expected a number; got {type(number).__name__}")


def check_level(level: float, where: str = "level") -> float:
    """Return a level between 0 and 1.

    >>> check_level(0.95)
    0.95
    """
    check_real(where, level)
    if not 0 < level < 1:
        raise ValueError(f"{where}: expected a number between 0 and 1; got {level}")
    return float(level)


def check_layout(layout: str) -> str:
    """Return a layout of references; refuse unknown ones."""
    if layout not in LAYOUTS:
        raise ValueError(f"layout: expected one of {', '.join(LAYOUTS)}; got {layout!r}")
    return layout


def check_lengths(items: Any, name: str, others: Any, of: str) -> None:
    """Raise ValueError unless an argument has as many elements as another one.

    >>> check_lengths(["a"], "targets", ["a", "b"], "predictions")
    Traceback (most recent call last):
    ValueError: targets: expected 2, as many as predictions; got 1
    """
    if len(items) != len(others):
        raise ValueError(f"{name}: expected {len(others)}, as many as {of}; got {len(items)}")


# Items of a column converted per call, during which no other thread runs. The number is small, so
# that most lists among them are freed before the garbage collector treats them as long-lived.
SLICE = 256


def is_ordered(source: Any) -> bool:
    """Return whether an object has ordered items, unlike texts, sets, mappings and tables.

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
    """Return whether an object exports Arrow data."""
    return hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__")


def items_of(source: Any, where: str, expected: str) -> list[Any]:
    """Return the items of a sequence, an iterator, a NumPy array, a series or an Arrow array.

    Missing values of pandas and Arrow become None, as do masked items, and nan in NumPy arrays of
    objects. Items of list columns become tuples, because the garbage collector untracks tuples of
    texts, but not lists. Errors name the argument `where` and its items `expected`; TypeError if
    the items have no order, or the source is a single str.

    >>> items_of(("a", "b"), "names", "names")
    ['a', 'b']
    >>> items_of("ab", "names", "names")
    Traceback (most recent call last):
        ...
    TypeError: names: expected a sequence of names; got a single str
    """
    if not is_ordered(source):
        got = "a single str" if isinstance(source, str) else type(source).__name__
        raise TypeError(f"{where}: expected a sequence of {expected}; got {got}")
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
    """Return a function that converts a slice of a column to a list; None to iterate instead."""
    if hasattr(source, "slice"):
        for name in ("to_pylist", "to_list"):  # Arrow's, polars'
            if hasattr(source, name):
                return lambda begin: getattr(source.slice(begin, SLICE), name)()
    if getattr(getattr(source, "dtype", None), "kind", None) == "U":  # NumPy's fixed-width texts
        return lambda begin: source[begin : begin + SLICE].tolist()
    return None
