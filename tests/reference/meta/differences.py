"""Tests of differences, trial by trial, with given coins and draws.

Permutations and resamples: Deutsch et al. 2021; swapped verdicts: Deutsch et al. 2023, appendix;
Williams 1959 in the form of Graham & Baldwin 2014; ranks: Freitag et al. 2022.
"""

from collections.abc import Callable, Sequence
from itertools import combinations, product
from math import sqrt
from statistics import fmean, pstdev

from reference.meta.figures import Matrix, Pairs, groups, sign

Cell = tuple[int, int]
AllFigures = Callable[[Matrix, Matrix], float | None]


def cells_of_all(*sides: Matrix) -> list[Cell]:
    return [
        (i, j)
        for i in range(len(sides[0]))
        for j in range(len(sides[0][0]))
        if all(side[i][j] is not None for side in sides)
    ]


def standardized(scores: Matrix, cells: Sequence[Cell]) -> dict[Cell, float]:
    values = [float(scores[i][j]) for i, j in cells]  # type: ignore[arg-type]
    mean, deviation = fmean(values), pstdev(values)
    return {
        cell: (value - mean) / (deviation or 1.0) for cell, value in zip(cells, values, strict=True)
    }


def swapped(
    figure: AllFigures,
    human: Matrix,
    one: Matrix,
    other: Matrix,
    cells: Sequence[Cell],
    heads: Callable[[Cell], bool],
) -> float:
    """Return the difference of the figures of two hybrids."""
    a, b = standardized(one, cells), standardized(other, cells)
    shape = range(len(human)), range(len(one[0]))

    def hybrid(first: bool) -> Matrix:
        def score(cell: Cell) -> float | None:
            if cell not in a:
                return None
            return (a if heads(cell) == first else b)[cell]

        return [[score((i, j)) for j in shape[1]] for i in shape[0]]

    left, right = figure(human, hybrid(True)), figure(human, hybrid(False))
    assert left is not None and right is not None
    return left - right


def verdict(pair: tuple[tuple[float, float], tuple[float, float]], epsilon: float) -> bool:
    (h, m), (other_h, other_m) = pair
    ordered = 0 if abs(m - other_m) <= epsilon else sign(m - other_m)
    return ordered == sign(h - other_h)


def all_swapped_verdicts(
    human: Matrix, one: Matrix, other: Matrix, by: str, epsilons: tuple[float, float]
) -> tuple[float, list[float]]:
    """Return the difference of two accuracies, and the differences for every choice of coins."""

    def verdicts(metric: Matrix, epsilon: float) -> list[list[bool]]:
        found: list[Pairs] = groups(human, metric, by)
        return [[verdict(pair, epsilon) for pair in combinations(own, 2)] for own in found]

    both = zip(verdicts(one, epsilons[0]), verdicts(other, epsilons[1]), strict=True)
    weighed = [
        ((a - b) / len(first))
        for first, second in both
        if first
        for a, b in zip(first, second, strict=True)
    ]
    n_groups = sum(len(own) > 1 for own in groups(human, one, by))
    torn = [weight / n_groups for weight in weighed if weight]
    trials = [
        sum(s * w for s, w in zip(signs, torn, strict=True))
        for signs in product((1, -1), repeat=len(torn))
    ]
    return sum(torn), trials


def williams_t(r12: float, r13: float, r23: float, n: int) -> float:
    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    below = 2 * k * (n - 1) / (n - 3) + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
    return (r12 - r13) * sqrt((n - 1) * (1 + r23)) / sqrt(below)
