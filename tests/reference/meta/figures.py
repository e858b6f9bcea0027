"""Figures of agreement by their definitions: every pair, every group, one after the other.

Scores are [system][segment], None if missing. Pairs far apart: Macháček & Bojar 2014; tau_23,
accuracy and the best threshold: Deutsch et al. 2023; soft accuracy: Thompson et al. 2024.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from math import sqrt
from statistics import fmean

Matrix = Sequence[Sequence[float | None]]
Pairs = list[tuple[float, float]]
OneFigure = Callable[[Pairs], float | None]


def groups(human: Matrix, metric: Matrix, by: str) -> list[Pairs]:
    n_systems, n_segments = len(human), len(human[0])

    def kept(cells: Sequence[tuple[int, int]]) -> Pairs:
        both = [(human[i][j], metric[i][j]) for i, j in cells]
        return [(h, m) for h, m in both if h is not None and m is not None]

    rows = [[(i, j) for j in range(n_segments)] for i in range(n_systems)]
    columns = [[(i, j) for i in range(n_systems)] for j in range(n_segments)]
    if by == "segment":
        return [kept(column) for column in columns]
    if by == "system":
        return [kept(row) for row in rows]
    return [kept([cell for row in rows for cell in row])]


def pearson(pairs: Pairs) -> float | None:
    xs, ys = [h for h, _ in pairs], [m for _, m in pairs]
    if len(set(xs)) < 2 or len(set(ys)) < 2:
        return None
    x_mean, y_mean = fmean(xs), fmean(ys)
    product = sum((x - x_mean) * (y - y_mean) for x, y in pairs)
    x_square, y_square = (sum((v - m) ** 2 for v in vs) for vs, m in ((xs, x_mean), (ys, y_mean)))
    return product / sqrt(x_square * y_square)


def ranks(values: Sequence[float]) -> list[float]:
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2
        for value in values
    ]


def spearman(pairs: Pairs) -> float | None:
    xs, ys = ranks([h for h, _ in pairs]), ranks([m for _, m in pairs])
    return pearson(list(zip(xs, ys, strict=True)))


def sign(x: float) -> int:
    return (x > 0) - (x < 0)


class Counts:
    """Pairs of scores by their order in human scores and in the metric."""

    def __init__(self, pairs: Pairs, epsilon: float = 0.0) -> None:
        self.n = self.concordant = self.discordant = 0
        self.human = self.metric = self.both = 0
        for (h, m), (other_h, other_m) in combinations(pairs, 2):
            people, machine = sign(h - other_h), sign(m - other_m)
            if abs(m - other_m) <= epsilon:
                machine = 0
            self.n += 1
            self.both += people == machine == 0
            self.human += people == 0 != machine
            self.metric += machine == 0 != people
            self.concordant += people * machine == 1
            self.discordant += people * machine == -1


def kendall(pairs: Pairs, epsilon: float = 0.0) -> float | None:
    c = Counts(pairs, epsilon)
    below = (c.n - c.human - c.both) * (c.n - c.metric - c.both)
    return (c.concordant - c.discordant) / sqrt(below) if below else None


def kendall_c(pairs: Pairs) -> float | None:
    c = Counts(pairs)
    classes = min(len({h for h, _ in pairs}), len({m for _, m in pairs}))
    if classes < 2:
        return None
    return 2 * (c.concordant - c.discordant) / (len(pairs) ** 2 * (classes - 1) / classes)


def tau_23(pairs: Pairs, epsilon: float = 0.0) -> float | None:
    c = Counts(pairs, epsilon)
    return (c.concordant + c.both - c.discordant - c.human - c.metric) / c.n


def accuracy(pairs: Pairs, epsilon: float = 0.0) -> float | None:
    c = Counts(pairs, epsilon)
    return (c.concordant + c.both) / c.n


def mean_of(found: Sequence[float | None]) -> float | None:
    values = [value for value in found if value is not None]
    return fmean(values) if values else None


def averaged(figure: OneFigure, human: Matrix, metric: Matrix, by: str) -> float | None:
    """Return the mean over groups of two or more in which the figure is defined."""
    return mean_of([figure(pairs) for pairs in groups(human, metric, by) if len(pairs) > 1])


def far_pairs(human: Matrix, metric: Matrix, by: str, least: float) -> float | None:
    """Compare, as the shared task does, only pairs far apart in human scores, without ties."""
    right = wrong = 0
    for pairs in groups(human, metric, by):
        for (h, m), (other_h, other_m) in combinations(pairs, 2):
            if abs(h - other_h) >= least:
                if sign(h - other_h) * sign(m - other_m) > 0:
                    right += 1
                else:
                    wrong += 1
    return (right - wrong) / (right + wrong) if right + wrong else None


def best_accuracy(human: Matrix, metric: Matrix, by: str) -> tuple[float, float]:
    """Return the highest mean accuracy over all thresholds, and the lowest that reaches it."""
    differences = {0.0} | {
        abs(m - other_m)
        for pairs in groups(human, metric, by)
        for (_, m), (_, other_m) in combinations(pairs, 2)
    }
    found = []
    for epsilon in sorted(differences):
        value = averaged(lambda pairs, e=epsilon: accuracy(pairs, e), human, metric, by)  # type: ignore[misc]
        assert value is not None
        found.append((value, epsilon))
    best = max(value for value, _ in found)
    return best, min(epsilon for value, epsilon in found if value > best - 1e-12)


STATISTICS: dict[str, OneFigure] = {
    "pearson": pearson,
    "r2": lambda pairs: None if (r := pearson(pairs)) is None else r * r,
    "spearman": spearman,
    "kendall": kendall,
    "kendall_c": kendall_c,
    "tau23": tau_23,
    "accuracy": accuracy,
}


def soft_accuracy(human: Matrix, metric: Matrix, signs: Sequence[Sequence[float]]) -> float:
    """Return 1 - mean difference of the p-values of pairs of systems, with given signs."""

    def p(scores: Matrix, i: int, j: int) -> float:
        own = [a - b for a, b in zip(scores[i], scores[j], strict=True)]  # type: ignore[operator]
        sums = [sum(s * d for s, d in zip(row, own, strict=True)) for row in signs]
        return sum(value >= sum(own) - 1e-9 for value in sums) / len(signs)

    pairs = list(combinations(range(len(human)), 2))
    return 1 - fmean(abs(p(human, i, j) - p(metric, i, j)) for i, j in pairs)
