"""What the metrics of n-grams have in common: how often each n-gram of a list of tokens occurs."""

from collections import Counter
from collections.abc import Hashable, Sequence

Tokens = Sequence[Hashable]
Ngram = tuple[Hashable, ...]


def ngrams(tokens: Tokens, n: int) -> Counter[Ngram]:
    """How often each n-gram of order `n` occurs in `tokens`, in the order of first occurrence."""
    return Counter(zip(*(tokens[i:] for i in range(n)), strict=False))


def largest_counts(references: Sequence[Tokens], n: int) -> Counter[Ngram]:
    """How often each n-gram occurs in that of the references which has most of it."""
    largest: Counter[Ngram] = Counter()
    for reference in references:
        largest |= ngrams(reference, n)
    return largest


def n_ngrams(length: int, n: int) -> int:
    """How many n-grams of order `n` a text of `length` tokens has."""
    return max(0, length - n + 1)
