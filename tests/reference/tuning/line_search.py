"""Line search by its definition: exact fractions, every line against every other."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import fsum

Lines = Sequence[tuple[Fraction, Fraction]]


def best_line(lines: Lines, x: Fraction) -> int:
    """Return the first of the highest lines (intercept, slope) at x."""
    heights = [a + b * x for a, b in lines]
    return heights.index(max(heights))


def crossings(lines: Lines) -> list[Fraction]:
    return sorted(
        {(a - c) / (d - b) for i, (a, b) in enumerate(lines) for c, d in lines[:i] if b != d}
    )


def points_between(places: Sequence[Fraction]) -> list[Fraction]:
    """Return a point in each interval, and one beyond either end."""
    if not places:
        return [Fraction(0)]
    return [places[0] - 1, *((a + b) / 2 for a, b in pairwise(places)), places[-1] + 1]


def landscape(
    segments: Sequence[Lines],
    rows: Sequence[Sequence[Sequence[int]]],
    score: Callable[[list[int]], float],
) -> tuple[list[Fraction], list[float]]:
    """Return all boundaries between best lines of a segment, and the scores between them.

    A point counts as a boundary if the best line of a segment differs on both sides, unless both
    have the same lines there.
    """
    places = sorted({x for lines in segments for x in crossings(lines)})
    chosen = [[best_line(lines, x) for lines in segments] for x in points_between(places)]
    kept = [x for x, (a, b) in zip(places, pairwise(chosen), strict=True) if a != b]
    scores = []
    for x in points_between(kept):
        best = [best_line(lines, x) for lines in segments]
        picked = [own[k] for own, k in zip(rows, best, strict=True)]
        scores.append(score([sum(column) for column in zip(*picked, strict=True)]))
    return kept, scores


def smoothed(scores: Sequence[float], kind: str, window: int, *, lower: bool) -> list[float]:
    """Return the mean or the worst score of each interval and its neighbours, rounded once."""
    found = []
    for i in range(len(scores)):
        several = scores[max(0, i - window) : i + window + 1]
        worst = max(several) if lower else min(several)
        found.append(fsum(several) / len(several) if kind == "mean" else worst)
    return found
