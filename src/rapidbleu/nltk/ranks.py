"""Ranks of words: what NLTK's RIBES computes of the places of aligned words."""

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from math import comb
from typing import Any

__all__ = [
    "count_ascending",
    "find_increasing_sequences",
    "kendall_tau",
    "position_of_ngram",
    "spearman_rho",
]


def position_of_ngram(ngram: tuple[Any, ...], sentence: Sequence[Any]) -> int | None:
    """Return where an n-gram is first in a sentence, or None.

    Examples
    --------
    >>> position_of_ngram(("the", "cat"), ["see", "the", "cat"])
    1
    """
    n = len(ngram)
    for i in range(len(sentence) - n + 1):
        if tuple(sentence[i : i + n]) == ngram:
            return i
    return None


def find_increasing_sequences(worder: Iterable[int]) -> Iterator[tuple[int, ...]]:
    """Yield the runs of at least two places, each one more than the one before.

    Examples
    --------
    >>> list(find_increasing_sequences([7, 8, 9, 10, 6, 0, 1]))
    [(7, 8, 9, 10), (0, 1)]
    """
    run: list[int] = []
    for place in worder:
        if run and place != run[-1] + 1:
            if len(run) > 1:
                yield tuple(run)
            run = []
        run.append(place)
    if len(run) > 1:
        yield tuple(run)


def count_ascending(worder: Sequence[int]) -> int:
    """Return how many pairs of places come in the same order.

    Examples
    --------
    >>> count_ascending([2, 1, 0, 3])
    3
    """
    before: list[int] = []
    pairs = 0
    for place in worder:
        pairs += bisect_left(before, place)
        insort(before, place)
    return pairs


def kendall_tau(worder: Sequence[int], normalize: bool = True) -> float:
    """Return Kendall's tau of places: how many pairs ascend.

    Parameters
    ----------
    worder : sequence of int
    normalize : bool
        From 0 to 1, and not from -1 to 1.

    Examples
    --------
    >>> kendall_tau([2, 1, 0, 3])
    0.5
    """
    n = len(worder)
    tau: float = 2 * count_ascending(worder) / (n * (n - 1) // 2) - 1 if n > 1 else -1
    return (tau + 1) / 2 if normalize else tau


def spearman_rho(worder: Sequence[int], normalize: bool = True) -> float:
    """Return Spearman's rho of places: how far they are from where they should be.

    Parameters
    ----------
    worder : sequence of int
    normalize : bool
        From 0 to 1, and not from -1 to 1.

    Raises
    ------
    ZeroDivisionError
        If there are fewer than two places.

    Examples
    --------
    >>> round(spearman_rho([7, 8, 9, 10, 6, 0, 1, 2, 3, 4, 5]), 3)
    0.205
    """
    squares = sum((place - i) ** 2 for i, place in enumerate(worder))
    rho = 1 - squares / comb(len(worder) + 1, 3)
    return (rho + 1) / 2 if normalize else rho
