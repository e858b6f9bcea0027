"""Selection of hypotheses by weights, by the definition."""

from collections.abc import Sequence
from itertools import pairwise


def weighted_sum(weights: Sequence[float], features: Sequence[float]) -> float:
    """Return the sum in double precision, from the first feature on."""
    score = 0.0
    for weight, value in zip(weights, features, strict=True):
        score += weight * value
    return score


def choose(
    weights: Sequence[float], features: Sequence[Sequence[float]], offsets: Sequence[int]
) -> list[int]:
    """Return the first row with the highest sum in each segment."""
    chosen = []
    for begin, end in pairwise(offsets):
        scores = [weighted_sum(weights, row) for row in features[begin:end]]
        chosen.append(begin + scores.index(max(scores)))
    return chosen
