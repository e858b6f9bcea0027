"""All common skip n-grams, weighted by their gaps, by the definition; on lists of tokens."""

from collections.abc import Hashable, Sequence
from itertools import combinations

Tokens = Sequence[Hashable]


def occurrences(text: Tokens, n: int) -> list[tuple[Tokens, int]]:
    """Return all ordered n tokens, with multiplicity, and the number of tokens skipped within."""
    return [
        ([text[place] for place in places], places[-1] - places[0] + 1 - n)
        for places in combinations(range(len(text)), n)
    ]


def common(hyp: Tokens, ref: Tokens, n: int, decay: float) -> float:
    """Sum decay ** gaps over all pairs of occurrences of the same n tokens."""
    return sum(
        decay ** (gaps + others)
        for ngram, gaps in occurrences(hyp, n)
        for other, others in occurrences(ref, n)
        if ngram == other
    )


def share(part: float, whole: float) -> float:
    return min(part / whole, 1.0) if whole else 0.0


def f_of(both: float, ours: float, theirs: float, beta: float) -> float:
    """Return the weighted harmonic mean of unclipped precision and recall, at most 1."""
    if beta == float("inf"):
        return share(both, theirs)
    return share((1 + beta**2) * both, ours + beta**2 * theirs)


def segment(
    hyp: Tokens,
    refs: Sequence[Tokens],
    max_order: int = 4,
    decay: float = 0.5,
    beta: float = 1.0,
    weights: Sequence[float] | None = None,
) -> tuple[float, float, float]:
    """Return F, precision and recall with the reference of maximum F, the first on ties.

    Each is the weighted mean over the orders that one of the texts has; 0 without any, or without a
    weight.
    """
    best = (0.0, 0.0, 0.0)
    for ref in refs:
        of_orders = []
        for n in range(1, max_order + 1):
            both, ours, theirs = (
                common(*pair, n, decay) for pair in ((hyp, ref), (hyp, hyp), (ref, ref))
            )
            if ours or theirs:
                weight = 1.0 if weights is None else weights[n - 1]
                shares = f_of(both, ours, theirs, beta), share(both, ours), share(both, theirs)
                of_orders.append((weight, *(weight * own for own in shares)))
        if of_orders:
            total, *sums = (sum(column) for column in zip(*of_orders, strict=True))
            f, p, r = (own / total if total else 0.0 for own in sums)
            best = max(best, (f, p, r), key=lambda means: means[0])
    return best
