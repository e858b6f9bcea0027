"""Occurrences of n-grams in lists of tokens, shared by the n-gram metrics."""

from collections import Counter
from collections.abc import Hashable, Sequence

Tokens = Sequence[Hashable]
Ngram = tuple[Hashable, ...]


def ngrams(tokens: Tokens, n: int) -> Counter[Ngram]:
    """Count the n-grams of order `n`, in the order of first occurrence."""
    return Counter(zip(*(tokens[i:] for i in range(n)), strict=False))


def largest_counts(references: Sequence[Tokens], n: int) -> Counter[Ngram]:
    """Return each n-gram's maximum count in any reference."""
    largest: Counter[Ngram] = Counter()
    for reference in references:
        largest |= ngrams(reference, n)
    return largest


def n_ngrams(length: int, n: int) -> int:
    """Return the number of n-grams of order `n` in a text of `length` tokens."""
    return max(0, length - n + 1)
