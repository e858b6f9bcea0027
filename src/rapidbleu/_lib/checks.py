"""Checks of arguments of simple kinds: whole numbers, flags, seeds, levels, objects of a class."""

from __future__ import annotations

import operator
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST = sys.maxsize // 8
LAYOUTS = ("stream", "segment")


def check_type(where: str, value: object, kind: type) -> None:
    """Refuse an argument of another class; `where` names it in errors.

    Examples
    --------
    >>> check_type("name", 5, str)
    Traceback (most recent call last):
    ...
    TypeError: name: expected str, got int
    """
    if not isinstance(value, kind):
        raise TypeError(f"{where}: expected {kind.__name__}, got {type(value).__name__}")


def check_count(what: str, value: Any, least: int, most: float = MOST) -> int:
    """Return an integer that is neither too small nor too large.

    Parameters
    ----------
    what : str
        Names the argument in errors.
    value : object with ``__index__``, not bool
    least : int
    most : float
        By default how many numbers of 64 bits an array can have.

    Examples
    --------
    >>> check_count("n", 1000, 1)
    1000
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise TypeError(f"{what}: expected int, got {type(value).__name__}")
    if number < least:
        raise ValueError(f"{what}: expected at least {least}, got {number}")
    if number > most:
        raise ValueError(f"{what}: expected at most {most}, got {number}")
    return number


def check_flag(what: str, value: Any) -> bool:
    """Return a flag: True, False, 0 or 1, of Python or of NumPy.

    Examples
    --------
    >>> check_flag("lowercase", 1)
    True
    """
    if isinstance(value, bool):
        return value
    dtype = getattr(value, "dtype", None)
    scalar = isinstance(value, int) if dtype is None else dtype.kind in "bui" and not value.shape
    if not (scalar and value in (0, 1)):
        shown = value if isinstance(value, str | int) else type(value).__name__
        raise TypeError(f"{what}: expected True or False, got {shown!r}")
    return bool(value)


def check_seed(seed: int | None) -> int | None:
    """Return a seed, which is an integer from 0 on, or None.

    Examples
    --------
    >>> check_seed(0)
    0
    """
    return None if seed is None else check_count("seed", seed, 0, float("inf"))


def check_level(level: float, where: str = "level") -> float:
    """Return a level between 0 and 1.

    Examples
    --------
    >>> check_level(0.95)
    0.95
    """
    if isinstance(level, bool) or not hasattr(level, "__float__"):
        raise TypeError(f"{where}: expected a number, got {type(level).__name__}")
    if not 0 < level < 1:
        raise ValueError(f"{where}: expected a number between 0 and 1, got {level}")
    return float(level)


def check_layout(layout: str) -> str:
    """Return the layout of references, if it is one."""
    if layout not in LAYOUTS:
        raise ValueError(f"layout: expected one of {', '.join(LAYOUTS)}; got {layout!r}")
    return layout
