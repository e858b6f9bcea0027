"""CIDEr-D (Vedantam et al. 2015) on lists of tokens; a score is ten times a mean of cosines."""

import math
from collections import Counter
from collections.abc import Sequence

from reference.counting import Ngram, Tokens, ngrams

Vector = dict[Ngram, float]


def segments_with(references: Sequence[Sequence[Tokens]], max_order: int) -> Counter[Ngram]:
    found: Counter[Ngram] = Counter()
    for several in references:
        orders = range(1, max_order + 1)
        found.update({ngram for text in several for n in orders for ngram in ngrams(text, n)})
    return found


def vector(tokens: Tokens, n: int, found: Counter[Ngram], n_segments: int) -> Vector:
    """Weight the count of each n-gram by ln(segments / segments with it, at least 1)."""
    return {
        ngram: count * (math.log(n_segments) - math.log(max(1, found[ngram])))
        for ngram, count in ngrams(tokens, n).items()
    }


def likeness(ours: Vector, theirs: Vector) -> float:
    """Return the cosine; in the product each of our values is clipped to theirs."""
    product = sum(min(value, theirs.get(g, 0.0)) * theirs.get(g, 0.0) for g, value in ours.items())
    lengths = 1.0
    for values in (ours.values(), theirs.values()):
        lengths *= math.sqrt(sum(value**2 for value in values))
    return product / lengths if lengths else product


def cider(
    hypotheses: Sequence[Tokens],
    references: Sequence[Sequence[Tokens]],
    max_order: int = 4,
    sigma: float = 6.0,
    information: Sequence[Sequence[Tokens]] | None = None,
) -> list[float]:
    weighing = references if information is None else information
    found = segments_with(weighing, max_order)
    scores = []
    for hypothesis, several in zip(hypotheses, references, strict=True):
        total = 0.0
        for reference in several:
            # The length is the number of word pairs.
            apart = max(0, len(hypothesis) - 1) - max(0, len(reference) - 1)
            near = math.exp(-(apart**2) / (2 * sigma**2))
            for n in range(1, max_order + 1):
                ours, theirs = (
                    vector(text, n, found, len(weighing)) for text in (hypothesis, reference)
                )
                total += likeness(ours, theirs) * near
        scores.append(10 * total / max_order / len(several))
    return scores
