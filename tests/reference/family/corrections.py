"""GLEU for grammatical error correction (Napoles et al. 2015, 2016) on lists of tokens."""

import math
import random
from collections import Counter
from collections.abc import Sequence

from reference.counting import Tokens, n_ngrams, ngrams


def row(hypothesis: Tokens, source: Tokens, reference: Tokens, max_order: int = 4) -> list[int]:
    """Return [hyp_len, ref_len, correct 1, total 1, ..].

    N-grams that the hypothesis keeps from the source and that the reference lacks are subtracted
    from the matches.
    """
    counts = [len(hypothesis), len(reference)]
    for n in range(1, max_order + 1):
        ours, theirs = ngrams(hypothesis, n), ngrams(reference, n)
        to_correct = Counter({g: k for g, k in ngrams(source, n).items() if g not in theirs})
        counts.append(max(0, (ours & theirs).total() - (ours & to_correct).total()))
        counts.append(n_ngrams(len(hypothesis), n))
    return counts


def score(counts: Sequence[int], smooth: bool = False) -> float:
    """Return BLEU of a row: 0 if any entry is; with `smooth` every 0, even a length, becomes 1."""
    if smooth:
        counts = [number or 1 for number in counts]
    if 0 in counts:
        return 0.0
    logs = [math.log(counts[k] / counts[k + 1]) for k in range(2, len(counts), 2)]
    return math.exp(min(0, 1 - counts[1] / counts[0]) + sum(logs) / len(logs))


def best_row(
    hypothesis: Tokens, source: Tokens, references: Sequence[Tokens], max_order: int = 4
) -> list[int]:
    rows = [row(hypothesis, source, reference, max_order) for reference in references]
    return max(rows, key=lambda counts: score(counts, smooth=True))


def drawn_scores(
    hypotheses: Sequence[Tokens],
    sources: Sequence[Tokens],
    references: Sequence[Sequence[Tokens]],
    draws: int,
) -> list[float]:
    """Score a corpus with one randomly drawn reference per segment, as the authors do."""
    scores = []
    for k in range(draws):
        generator = random.Random(101 * k)
        sums = [0] * 10
        for hypothesis, source, several in zip(hypotheses, sources, references, strict=True):
            drawn = several[generator.randint(0, len(several) - 1)]
            own = row(hypothesis, source, drawn)
            sums = [a + b for a, b in zip(sums, own, strict=True)]
        scores.append(score(sums))
    return scores
