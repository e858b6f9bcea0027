"""Orders of words, one permutation after the other: Callison-Burch et al. 2006, section 3.1."""

from collections import Counter
from itertools import pairwise, permutations

from reference import bleu

Words = list[str]


def blocks(words: Words, references: list[Words], sites: str) -> list[Words]:
    """Cut the words at each bigram mismatch."""
    if not words:
        return []
    left = {
        pair: max(list(pairwise(reference)).count(pair) for reference in references)
        for pair in pairwise(words)
    }
    found = [[words[0]]]
    for one, other in pairwise(words):
        matches = left[one, other] > 0
        if sites == "printed":
            left[one, other] -= 1
        if matches:
            found[-1].append(other)
        else:
            found.append([other])
    return found


def orders(parts: list[Words]) -> list[Words]:
    """Return all orders of the blocks, including orders of equal text."""
    return [[word for part in order for word in part] for order in permutations(parts)]


def rows(parts: list[Words], references: list[Words]) -> Counter[tuple[int, ...]]:
    return Counter(tuple(bleu.segment_stats(order, references)) for order in orders(parts))


def verdicts(
    words: Words, counted: Counter[tuple[int, ...]], references: list[Words]
) -> tuple[int, int, int]:
    """Return the numbers of orders that score the same, higher and lower."""

    def score(row: tuple[int, ...]) -> float:
        return round(bleu.score_from_stats(row, effective_order=True).score, 9)

    own = score(tuple(bleu.segment_stats(words, references)))
    found = Counter[int]()
    for row, count in counted.items():
        found[(score(row) > own) - (score(row) < own)] += count
    return found[0], found[1], found[-1]
