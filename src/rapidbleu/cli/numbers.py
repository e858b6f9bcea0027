"""Types of options whose values are numbers of a range."""

import math
from argparse import ArgumentTypeError
from collections.abc import Callable


def at_least(minimum: int, maximum: float = math.inf) -> Callable[[str], int]:
    """Return the type of an option whose value is an integer from `minimum` to `maximum`.

    Examples
    --------
    >>> at_least(1)("12")
    12
    """
    expected = f">= {minimum}" if maximum == math.inf else f"from {minimum} to {maximum}"

    def convert(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = minimum - 1
        if not minimum <= number <= maximum:
            raise ArgumentTypeError(f"expected an integer {expected}, got {text!r}")
        return number

    return convert


def number_from(low: float, high: float = math.inf) -> Callable[[str], float]:
    """Return the type of an option whose value is a finite number from `low` to `high`.

    Examples
    --------
    >>> number_from(0, 1)("0.5")
    0.5
    """
    expected = f"of at least {low:g}" if high == math.inf else f"from {low:g} to {high:g}"
    return _number(expected, lambda number: low <= number <= high)


def number_above(low: float) -> Callable[[str], float]:
    """Return the type of an option whose value is a finite number greater than `low`."""
    return _number(f"above {low:g}", lambda number: number > low)


def number_between(low: float, high: float) -> Callable[[str], float]:
    """Return the type of an option whose value is a number between `low` and `high`, not of them.

    Examples
    --------
    >>> number_between(0, 1)("0.95")
    0.95
    """
    return _number(f"between {low:g} and {high:g}", lambda number: low < number < high)


def _number(expected: str, fits: Callable[[float], bool]) -> Callable[[str], float]:
    def convert(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not (math.isfinite(number) and fits(number)):
            raise ArgumentTypeError(f"expected a number {expected}, got {text!r}")
        return number

    return convert
