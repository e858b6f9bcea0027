"""Checks of the arguments of the tests."""

import math
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST = sys.maxsize // 8  # numbers of 64 bits that an array can have


def check_count(what: str, value: "Any", least: int, most: float = MOST) -> int:
    """Return an integer that is neither too small nor too large.

    Examples
    --------
    >>> check_count("n", 1000, 1)
    1000
    """
    import operator

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


def check_seed(seed: "Any") -> "int | None":
    """Return a seed, which is an integer from 0 on, or None.

    Examples
    --------
    >>> check_seed(0)
    0
    """
    return None if seed is None else check_count("seed", seed, 0, math.inf)


def check_level(level: "Any") -> float:
    """Return a level between 0 and 1.

    Examples
    --------
    >>> check_level(0.95)
    0.95
    """
    if isinstance(level, bool) or not hasattr(level, "__float__"):
        raise TypeError(f"level: expected a number, got {type(level).__name__}")
    if not 0 < level < 1:
        raise ValueError(f"level: expected a number between 0 and 1, got {level}")
    return float(level)
