"""Floating-point numbers: means without rounding, and what JSON can hold of them."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def exact_mean(numbers: list[float]) -> float:
    """Return the mean of finite numbers as if computed without rounding, then rounded.

    Examples
    --------
    >>> exact_mean([0.1] * 10)
    0.1
    """
    from math import fsum

    parts: list[float] = []  # whose sum is that of the numbers, to the last bit
    while rest := fsum([*numbers, *[-part for part in parts]]):
        if not abs(rest) < float("inf"):
            raise ValueError(f"scores: expected finite numbers, got a sum of {rest}")
        parts.append(rest)
    ratios = [part.as_integer_ratio() for part in parts]
    common = max([below for _, below in ratios], default=1)
    return sum([above * (common // below) for above, below in ratios]) / (common * len(numbers))


def finite(value: "Any") -> "Any":
    """Return a value for JSON: None for each number that is infinite or nan.

    Examples
    --------
    >>> finite([1.5, float("nan")])
    [1.5, None]
    """
    if isinstance(value, list):
        return [finite(each) for each in value]
    return None if isinstance(value, float) and not abs(value) < float("inf") else value
