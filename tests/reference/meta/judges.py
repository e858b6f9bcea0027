"""Agreement of judges and their z-scores, from the definitions, pair by pair, in fractions.

Cohen 1960 and 1968, Fleiss 1971 (where the number of ratings differs, items weigh the same), and
Krippendorff 2011. Ratings are rows [judge][item], None: not judged.
"""

from fractions import Fraction
from statistics import fmean, stdev

Row = list[int | None]


def units(ratings: list[Row]) -> list[list[int]]:
    """The ratings of each item that has two or more."""
    columns = [[r for r in column if r is not None] for column in zip(*ratings, strict=True)]
    return [column for column in columns if len(column) > 1]


def cohen(one: Row, other: Row, power: int) -> Fraction:
    """`power` 0: a disagreement is 1; 1: the difference; 2: its square."""

    def distance(a: int, b: int) -> int:
        return int(a != b) if power == 0 else abs(a - b) ** power

    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
    observed = Fraction(sum(distance(a, b) for a, b in pairs), len(pairs))
    chance = Fraction(sum(distance(a, b) for a, _ in pairs for _, b in pairs), len(pairs) ** 2)
    return 1 - observed / chance


def fleiss(ratings: list[Row]) -> Fraction:
    items = units(ratings)
    agreement = Fraction(0)
    for item in items:
        n = len(item)
        same = sum(item[i] == item[j] for i in range(n) for j in range(n) if i != j)
        agreement += Fraction(same, n * (n - 1)) / len(items)
    chance = Fraction(0)
    for category in {r for item in items for r in item}:
        shares = [Fraction(item.count(category), len(item)) for item in items]
        chance += (sum(shares) / len(items)) ** 2
    return (agreement - chance) / (1 - chance)


def krippendorff(ratings: list[Row], scale: str) -> Fraction:
    """By the matrix of coincidences, and the scale's squared differences."""
    items = units(ratings)
    values = sorted({r for item in items for r in item})
    coincidences = {(c, k): Fraction(0) for c in values for k in values}
    for item in items:
        for i, c in enumerate(item):
            for j, k in enumerate(item):
                if i != j:
                    coincidences[c, k] += Fraction(1, len(item) - 1)
    totals = {c: sum(coincidences[c, k] for k in values) for c in values}
    n = sum(totals.values())

    def squared(c: int, k: int) -> Fraction:
        if scale == "nominal":
            return Fraction(c != k)
        if scale == "ordinal":
            low, high = min(c, k), max(c, k)
            between = sum((totals[g] for g in values if low <= g <= high), Fraction(0))
            return (between - (totals[c] + totals[k]) / 2) ** 2
        if scale == "interval":
            return Fraction((c - k) ** 2)
        return Fraction(c - k, c + k) ** 2 if c != k else Fraction(0)

    observed = sum(coincidences[c, k] * squared(c, k) for c in values for k in values)
    chance = sum(totals[c] * totals[k] * squared(c, k) for c in values for k in values) / (n - 1)
    return 1 - observed / chance


def z_scores(judges: list[str], scores: list[float]) -> list[float]:
    found = []
    for judge, score in zip(judges, scores, strict=True):
        own = [s for j, s in zip(judges, scores, strict=True) if j == judge]
        found.append((score - fmean(own)) / stdev(own))
    return found


def cell_means(
    systems: list[str], segments: list[str], scores: list[float]
) -> dict[tuple[str, str], float]:
    cells: dict[tuple[str, str], list[float]] = {}
    for system, segment, score in zip(systems, segments, scores, strict=True):
        cells.setdefault((system, segment), []).append(score)
    return {cell: fmean(found) for cell, found in cells.items()}
