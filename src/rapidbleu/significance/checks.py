"""Checks of the arguments of the tests."""

import math

from rapidbleu.counts import check_count


def check_seed(seed: "int | None") -> "int | None":
    """Return a seed, which is an integer from 0 on, or None.

    Examples
    --------
    >>> check_seed(0)
    0
    """
    return None if seed is None else check_count("seed", seed, 0, math.inf)


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
