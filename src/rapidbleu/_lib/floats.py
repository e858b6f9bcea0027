"""Floating-point helpers: exact means, p-values, numbers of decimals, and values for JSON."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

SIGNIFICANT = 0.05  # p-values up to this are marked with a star
DIGITS = 2  # decimals of scores in percent
FINE_DIGITS = 4  # decimals of scores within [-1, 1]


def exact_mean(numbers: list[float]) -> float:
    """Return the mean of finite numbers, computed exactly and rounded once.

    >>> exact_mean([0.1] * 10)
    0.1
    """
    from math import fsum

    parts: list[float] = []  # with the exact sum of the numbers
    while rest := fsum([*numbers, *[-part for part in parts]]):
        if not abs(rest) < float("inf"):
            raise ValueError(f"scores: expected finite numbers; got a sum of {rest}")
        parts.append(rest)
    ratios = [part.as_integer_ratio() for part in parts]
    common = max([below for _, below in ratios], default=1)
    return sum([above * (common // below) for above, below in ratios]) / (common * len(numbers))


def shortest(number: float) -> str:
    """Return a short text that reads back as the same number: six digits if these suffice.

    >>> shortest(2.0), shortest(2.0000001), shortest(1e6), shortest(1 / 3)
    ('2', '2.0000001', '1e+06', '0.3333333333333333')
    """
    text = f"{number:g}"
    return text if float(text) == number else repr(float(number)).removesuffix(".0")


def finite(value: Any) -> Any:
    """Return a value for JSON: lists for arrays, None for each infinite or nan number.

    >>> finite([1.5, float("nan")])
    [1.5, None]
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {key: finite(each) for key, each in value.items()}
    if isinstance(value, list):
        return [finite(each) for each in value]
    return None if isinstance(value, float) and not abs(value) < float("inf") else value


def p_text(p: float, least: float, digits: int = 4) -> str:
    """Return a p-value as text: as an upper bound, rounded up, if it is at most `least` and not 1.

    >>> p_text(0.0234, 0.001), p_text(1 / 24_001, 1 / 24_001), p_text(0.00499, 0.00499, 3)
    ('0.0234', '≤0.0001', '≤0.005')
    """
    if p > least or p >= 1:
        return f"{p:.{digits}f}"
    from math import ceil

    scale = 10**digits
    bound = ceil(round(p * scale, 6)) / scale
    return f"≤{bound:.{digits}f}"


def digits_of(scores: Iterable[float], usual: int = DIGITS) -> int:
    """Return the number of decimals for a metric's scores: four if all are within [-1, 1].

    If all are 0, their scale is unknown, and `usual` applies.

    >>> digits_of([0.8634, 0.8591]), digits_of([26.6, 0.5]), digits_of([26.6], 1)
    (4, 2, 1)
    """
    sizes = [abs(score) for score in scores]
    return FINE_DIGITS if any(sizes) and not any(size > 1 for size in sizes) else usual
