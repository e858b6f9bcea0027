"""Pearson's r of BLEU and people for each set of references, all by hand."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import sqrt

from reference import bleu

Words = list[str]


def pearson(one: Sequence[float], other: Sequence[float]) -> float:
    """Pearson's r."""
    mean, mean_other = sum(one) / len(one), sum(other) / len(other)
    up = sum((a - mean) * (b - mean_other) for a, b in zip(one, other, strict=True))
    squares = sum((a - mean) ** 2 for a in one), sum((b - mean_other) ** 2 for b in other)
    return up / sqrt(squares[0] * squares[1])


def effects(
    systems: Mapping[str, list[Words]],
    references: Mapping[str, list[Words]],
    human: Mapping[str, float],
) -> dict[tuple[str, ...], float]:
    """Pearson's r of corpus BLEU for each set; a system that is in the set is left out."""
    found = {}
    for size in range(1, len(references) + 1):
        for names in combinations(references, size):
            own = [name for name in systems if name not in names]
            scores = []
            for name in own:
                rows = [
                    bleu.segment_stats(words, [references[each][i] for each in names])
                    for i, words in enumerate(systems[name])
                ]
                scores.append(bleu.score_from_stats(bleu.corpus_stats(rows)).score)
            found[names] = pearson([human[name] for name in own], scores)
    return found
