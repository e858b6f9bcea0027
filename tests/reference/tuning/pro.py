"""Pairwise ranking of Hopkins & May (2011), section 3, with plain lists and sorting."""

import math
from collections.abc import Sequence


def sample(
    scores: Sequence[float], begin: int, end: int, bits: Sequence[int], least: float, most: int
) -> list[tuple[int, int]]:
    """Return pairs (better, worse) of a segment, from 64 random bits each, largest gap first."""
    drawn = []
    for word in bits:
        a = begin + ((word >> 32) * (end - begin) >> 32)
        b = begin + ((word & 0xFFFFFFFF) * (end - begin) >> 32)
        if scores[a] != scores[b] and abs(scores[a] - scores[b]) >= least:
            drawn.append((a, b) if scores[a] > scores[b] else (b, a))
    return sorted(drawn, key=lambda pair: scores[pair[1]] - scores[pair[0]])[:most]


def bleu_plus_one(row: Sequence[int], more_reference: int = 0) -> float:
    """Return BLEU+1 in percent (Lin & Och 2004): one is added to counts of orders above 1."""
    n = (len(row) - 2) // 2
    hyp_len, ref_len = row[0], row[1] + more_reference
    correct, total = row[2 : 2 + n], row[2 + n :]
    if hyp_len == 0 or correct[0] == 0:
        return 0.0
    logs = [math.log(correct[0] / total[0])]
    logs += [math.log((c + 1) / (t + 1)) for c, t in zip(correct[1:], total[1:], strict=True)]
    return 100 * math.exp(math.fsum(logs) / n + min(0.0, 1.0 - ref_len / hyp_len))


def logistic_loss(
    differences: Sequence[Sequence[float]], weights: Sequence[float], penalty: float
) -> tuple[float, list[float]]:
    """Return the loss of pairs and their mirror images, and its gradient; pairs count twice."""
    loss, gradient = 0.0, [0.0] * len(weights)
    for difference in differences:
        margin = 0.0
        for value, weight in zip(difference, weights, strict=True):
            margin += value * weight
        small = math.exp(-abs(margin))
        loss += 2.0 * (math.log1p(small) + max(0.0, -margin))
        rate = -2.0 * (small if margin > 0.0 else 1.0) / (1.0 + small)
        for j, value in enumerate(difference):
            gradient[j] += rate * value
    for j, weight in enumerate(weights):
        loss += 0.5 * penalty * weight * weight
        gradient[j] += penalty * weight
    return loss, gradient
