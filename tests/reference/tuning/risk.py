"""Expected statistics by their definition: over all possible selections."""

import math
from collections.abc import Sequence
from itertools import product

Rows = Sequence[Sequence[float]]


def probabilities(features: Rows, weights: Sequence[float]) -> list[float]:
    """Return probabilities of one segment's hypotheses, exponential in their weighted features."""
    sums = [math.fsum(x * w for x, w in zip(row, weights, strict=True)) for row in features]
    exponentials = [math.exp(one - max(sums)) for one in sums]
    total = math.fsum(exponentials)
    return [one / total for one in exponentials]


def expected_by_corpora(
    features: Sequence[Rows], stats: Sequence[Rows], weights: Sequence[float]
) -> list[float]:
    """Return the mean sum of statistics over all selections of a hypothesis per segment."""
    chances = [probabilities(rows, weights) for rows in features]
    terms: list[list[float]] = []
    for choice in product(*(range(len(rows)) for rows in stats)):
        chance = math.prod(own[i] for own, i in zip(chances, choice, strict=True))
        rows = [own[i] for own, i in zip(stats, choice, strict=True)]
        terms.append([chance * sum(column) for column in zip(*rows, strict=True)])
    return [math.fsum(column) for column in zip(*terms, strict=True)]


def expected(
    features: Sequence[Rows],
    stats: Sequence[Rows],
    weights: Sequence[float],
    counts: Sequence[int],
) -> list[float]:
    """Do the same segment by segment, with counts."""
    n_stats = len(stats[0][0])
    terms: list[list[float]] = [[] for _ in range(n_stats)]
    for rows, values, count in zip(features, stats, counts, strict=True):
        for chance, own in zip(probabilities(rows, weights), values, strict=True):
            for k in range(n_stats):
                terms[k].append(count * chance * own[k])
    return [math.fsum(column) for column in terms]


def slopes_and_variance(
    features: Sequence[Rows],
    stats: Sequence[Rows],
    weights: Sequence[float],
    counts: Sequence[int],
    prices: Sequence[float],
) -> tuple[list[float], float]:
    """Return the gradient of the worth of the expected statistics, and the variance of worths.

    The derivative of a probability p by a weight is p times its feature's excess over the mean.
    """
    slopes: list[list[float]] = [[] for _ in weights]
    variances: list[float] = []
    for rows, values, count in zip(features, stats, counts, strict=True):
        chances = probabilities(rows, weights)
        worths = [math.fsum(x * p for x, p in zip(own, prices, strict=True)) for own in values]
        mean_worth = math.fsum(p * x for p, x in zip(chances, worths, strict=True))
        for p, x in zip(chances, worths, strict=True):
            variances.append(count * p * (x - mean_worth) ** 2)
        for j, terms in enumerate(slopes):
            mean = math.fsum(p * row[j] for p, row in zip(chances, rows, strict=True))
            for p, row, worth in zip(chances, rows, worths, strict=True):
                terms.append(count * p * (row[j] - mean) * worth)
    return [math.fsum(terms) for terms in slopes], math.fsum(variances)


def bleu(totals: Sequence[float]) -> float:
    """Return BLEU in percent, without smoothing, of statistics that need not be integers."""
    hyp_len, ref_len, *counts = totals
    n = len(counts) // 2
    if min(counts) <= 0.0:
        return 0.0
    logs = [math.log(counts[k] / counts[n + k]) for k in range(n)]
    return 100.0 * math.exp(min(0.0, 1.0 - ref_len / hyp_len) + math.fsum(logs) / n)
