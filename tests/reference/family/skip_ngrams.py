"""All common skip n-grams, weighted by their gaps, by the definition; on lists of tokens."""

from collections.abc import Hashable, Sequence
from itertools import combinations

Tokens = Sequence[Hashable]


def occurrences(text: Tokens, n: int) -> list[tuple[Tokens, int]]:
    """All n tokens in their order, as often as they occur, with how many are left out within."""
    return [
        ([text[place] for place in places], places[-1] - places[0] + 1 - n)
        for places in combinations(range(len(text)), n)
    ]


def common(hyp: Tokens, ref: Tokens, n: int, decay: float) -> float:
    """The sum of decay ** gaps over all pairs of occurrences of the same n tokens."""
    return sum(
        decay ** (gaps + others)
        for ngram, gaps in occurrences(hyp, n)
        for other, others in occurrences(ref, n)
        if ngram == other
    )


def segment(
    hyp: Tokens, refs: Sequence[Tokens], max_order: int = 4, decay: float = 0.5
) -> tuple[float, float, float]:
    """F, precision and recall with the reference of the greatest F, of equals the first.

    Each is the mean over the orders that one of the texts has; without any all are 0.
    """
    best = (0.0, 0.0, 0.0)
    for ref in refs:
        of_orders = []
        for n in range(1, max_order + 1):
            both, ours, theirs = (
                common(*pair, n, decay) for pair in ((hyp, ref), (hyp, hyp), (ref, ref))
            )
            if ours or theirs:
                of_orders.append(
                    (
                        2 * both / (ours + theirs),
                        both / ours if ours else 0.0,
                        both / theirs if theirs else 0.0,
                    )
                )
        if of_orders:
            f, p, r = (sum(column) / len(of_orders) for column in zip(*of_orders, strict=True))
            best = max(best, (f, p, r), key=lambda means: means[0])
    return best
