"""The two GLEUs: Google's (Wu et al. 2016) and that for correcting grammar (Napoles et al. 2015).

The second is the one that its authors revised in 2016; that of 2015 stands at the end. A token is
anything hashable. Scores are fractions of one.
"""

import math
import random
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from reference.counting import Ngram, Tokens, largest_counts, n_ngrams, ngrams

# Google's


def google_row(
    hypothesis: Tokens, references: Sequence[Tokens], min_order: int = 1, max_order: int = 4
) -> tuple[int, int]:
    """Matches of n-grams of all orders together, and how many the side that has more of them has.

    Of several references the first of those with the greatest ratio counts. A reference without
    n-grams does not count when the hypothesis has none either.
    """
    best = (0, 0)
    for reference in references:
        n_match = n_hyp = n_ref = 0
        for n in range(min_order, max_order + 1):
            ours, theirs = ngrams(hypothesis, n), ngrams(reference, n)
            n_match += (ours & theirs).total()
            n_hyp += ours.total()
            n_ref += theirs.total()
        n_all = max(n_hyp, n_ref)
        if n_all and (best[1] == 0 or n_match * best[1] > best[0] * n_all):
            best = (n_match, n_all)
    return best


def google_score(rows: Sequence[tuple[int, int]]) -> float:
    """The ratio of the sums: of a corpus, or of the one row of a segment."""
    n_match = sum(row[0] for row in rows)
    n_all = sum(row[1] for row in rows)
    return n_match / n_all if n_all else 0.0


# Of grammatical error correction, without tuning (2016)


class Spread(NamedTuple):
    """Mean, standard deviation and the ends of the normal interval of 95 % of some scores."""

    mean: float
    deviation: float
    low: float
    high: float


def correction_row(
    hypothesis: Tokens, source: Tokens, reference: Tokens, max_order: int = 4
) -> list[int]:
    """[hyp_len, ref_len, correct 1, total 1, correct 2, total 2, ..] of one of the references.

    N-grams which the hypothesis has kept from the source are taken off the matches where the
    reference does not have them at all.
    """
    row = [len(hypothesis), len(reference)]
    for n in range(1, max_order + 1):
        ours, theirs = ngrams(hypothesis, n), ngrams(reference, n)
        to_correct = Counter({g: k for g, k in ngrams(source, n).items() if g not in theirs})
        row.append(max(0, (ours & theirs).total() - (ours & to_correct).total()))
        row.append(n_ngrams(len(hypothesis), n))
    return row


def correction_score(row: Sequence[float], smooth: bool = False) -> float:
    """BLEU of a row: zero if anything in it is; with `smooth` every zero, even a length, is one."""
    if smooth:
        row = [number or 1 for number in row]
    if 0 in row:
        return 0.0
    hyp_len, ref_len = row[:2]
    logs = [math.log(row[k] / row[k + 1]) for k in range(2, len(row), 2)]
    # The authors divide by four whatever the greatest order.
    return math.exp(min(0, 1 - ref_len / hyp_len) + sum(logs) / 4)


def spread(scores: Sequence[float]) -> Spread:
    """What the authors print of the scores of several references or of several draws."""
    mean = sum(scores) / len(scores)
    deviation = math.sqrt(sum((score - mean) ** 2 for score in scores) / len(scores))
    half = 1.959963984540054 * deviation
    return Spread(mean, deviation, mean - half, mean + half)


def correction_of_segment(
    hypothesis: Tokens, source: Tokens, references: Sequence[Tokens], max_order: int = 4
) -> Spread:
    """The spread of the smoothed scores with each of the references: the mean is the score."""
    rows = [correction_row(hypothesis, source, each, max_order) for each in references]
    return spread([correction_score(row, smooth=True) for row in rows])


def draws(n_segments: int, n_refs: int, n_draws: int = 500) -> list[list[int]]:
    """Which reference of each segment every draw takes, as the authors' seeds have it."""
    drawn = []
    for k in range(n_draws):
        generator = random.Random(101 * k)
        drawn.append([generator.randint(0, n_refs - 1) for _ in range(n_segments)])
    return drawn


def correction_of_corpus(
    hypotheses: Sequence[Tokens],
    sources: Sequence[Tokens],
    references: Sequence[Sequence[Tokens]],
    max_order: int = 4,
    n_draws: int = 500,
) -> Spread:
    """The spread of the scores of a corpus over draws of a reference of each segment."""
    rows = [
        [correction_row(hypothesis, source, each, max_order) for each in several]
        for hypothesis, source, several in zip(hypotheses, sources, references, strict=True)
    ]
    scores = []
    for drawn in draws(len(rows), len(rows[0]), n_draws):
        chosen = [of_segment[k] for of_segment, k in zip(rows, drawn, strict=True)]
        scores.append(correction_score([sum(column) for column in zip(*chosen, strict=True)]))
    return spread(scores)


# As it was first published (2015)


def first_correction_row(
    hypothesis: Tokens, source: Tokens, references: Sequence[Tokens], weight: float = 0.0
) -> list[float]:
    """[ref_len, hyp_len, correct 1, total 1, ..] against all references together.

    N-grams that only references have count twice, those that only the source has are taken off
    with a weight. Of equally close lengths that of the first reference counts.
    """
    ref_lens = [len(reference) for reference in references]
    row: list[float] = [min(ref_lens, key=lambda k: abs(k - len(hypothesis))), len(hypothesis)]
    for n in range(1, 5):
        ours, of_source = ngrams(hypothesis, n), ngrams(source, n)
        theirs = largest_counts(references, n)
        inserted = (ours & _types_apart(theirs, of_source)).total()
        kept = (ours & _types_apart(of_source, theirs)).total()
        row.append(inserted + max((ours & theirs).total() - weight * kept, 0))
        row.append(inserted + n_ngrams(len(hypothesis), n))
    return row


def _types_apart(counts: Counter[Ngram], others: Counter[Ngram]) -> Counter[Ngram]:
    """The n-grams of the first that the second does not have, as often as the first has them."""
    return Counter({ngram: count for ngram, count in counts.items() if ngram not in others})
