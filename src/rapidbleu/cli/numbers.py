"""Types of options whose values are numbers of a range, or shards."""

import math
import re
from argparse import ArgumentTypeError
from collections.abc import Callable
from typing import NamedTuple


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


class Shard(NamedTuple):
    """One of equal parts of consecutive segments.

    Attributes
    ----------
    number : int
        From 1 on.
    of : int
        How many shards there are.

    Examples
    --------
    >>> str(Shard(3, 8)), Shard(3, 8).range(100)
    ('3/8', (25, 37))
    """

    number: int
    of: int

    def range(self, n: int) -> tuple[int, int]:
        """Return which of n segments it begins with, and which it ends before, counted from 0."""
        return n * (self.number - 1) // self.of, n * self.number // self.of

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


WHOLE = Shard(1, 1)


def shard(text: str) -> Shard:
    """Return the shard that an option names, as 3/8 does the third of eight.

    Examples
    --------
    >>> shard("3/8")
    Shard(number=3, of=8)
    """
    found = re.fullmatch("([0-9]{1,9})/([0-9]{1,9})", text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise ArgumentTypeError(f"expected I/N, from 1/N to N/N, such as 3/8, got {text!r}")
    return Shard(int(found[1]), int(found[2]))
