"""N-grams weighted by their tokens: BLEU so weighted, and CodeBLEU's match."""

import math
from collections.abc import Hashable, Mapping, Sequence

from reference.counting import Ngram, Tokens, largest_counts, ngrams

Weights = Mapping[Hashable, float]


def weighted_row(
    hypothesis: Tokens,
    references: Sequence[Tokens],
    weights: Weights,
    default: float,
    max_order: int,
) -> list[float]:
    """Return [hyp_len, ref_len, matched 1, total 1, ..], clipped counts times token weights."""

    def weigh(counts: Mapping[Ngram, int]) -> float:
        return math.fsum(
            count * sum(weights.get(token, default) for token in ngram)
            for ngram, count in counts.items()
        )

    n_hyp = len(hypothesis)
    closest = min((len(each) for each in references), key=lambda k: (abs(k - n_hyp), k))
    row: list[float] = [n_hyp, closest]
    for n in range(1, max_order + 1):
        ours = ngrams(hypothesis, n)
        row += [weigh(ours & largest_counts(references, n)), weigh(ours)]
    return row


def weighted_score(row: Sequence[float]) -> float:
    """Return brevity penalty times geometric mean of the precisions; 0 if one of them is 0."""
    matched, totals = row[2::2], row[3::2]
    if not all(matched):
        return 0.0
    logs = [math.log(m / t) for m, t in zip(matched, totals, strict=True)]
    return math.exp(min(0.0, 1 - row[1] / row[0]) + sum(logs) / len(logs))


def match_row(
    hypothesis: Tokens, references: Sequence[Tokens], weights: Weights, default: float
) -> list[float]:
    """Return [hyp_len, 1, matched 1, total 1, ..] of one to four tokens of all references.

    Single tokens are weighted; each reference adds at least 1 to a total.
    """
    row: list[float] = [len(hypothesis), 1] + [0] * 8
    for reference in references:
        for n in range(1, 5):
            ours, total = ngrams(hypothesis, n), 0.0
            for ngram, count in ngrams(reference, n).items():
                weight = weights.get(ngram[0], default) if n == 1 else 1
                row[2 * n] += min(count, ours[ngram]) * weight
                total += count * weight
            row[2 * n + 1] += max(1, total)
    return row


def match_score(row: Sequence[float]) -> float:
    """Return the geometric mean of the recalls, in which no match counts as a tenth.

    CodeBLEU uses 2, the length of a pair of tokens and weights, as the length of a reference.
    """
    matched, totals = row[2::2], row[3::2]
    if not matched[0]:
        return 0.0
    logs = [math.log((m or 0.1) / t) for m, t in zip(matched, totals, strict=True)]
    return math.exp(min(0.0, 1 - 2 * row[1] / row[0]) + sum(logs) / 4)
