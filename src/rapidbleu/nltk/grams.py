"""Tokens as NLTK takes them: read by the compiled core, or counted as tuples where it cannot.

The core reads sequences of hashable tokens that can be iterated again. Anything else (iterators,
tokens without a hash, orders below one) comes here, where each step looks at its input as often
and in the same order as NLTK does, so that results and errors are the same.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, TypeAlias

from rapidbleu._core.nltk.sums import ListCounter, nltk_counts

__all__ = ["COUNTER", "References", "Tokens", "count_grams", "grams", "sum_counts"]

Tokens: TypeAlias = Sequence[Hashable]  # a str is its characters
References: TypeAlias = Sequence[Tokens]

COUNTER = ListCounter()  # thread-safe; holds nothing but idle memory
MOST_ORDERS = 1000

_kernel = lru_cache(64)(nltk_counts)


def is_order(n: object, most: int = MOST_ORDERS) -> bool:
    """Whether the core counts n-grams of this order."""
    return type(n) is int and 1 <= n <= most


def sum_counts(
    list_of_references: Sequence[References], hypotheses: Sequence[Tokens], max_order: Any
) -> list[int] | None:
    """Sum up lengths, matches and n-grams of each order; None if the core cannot read them."""
    if not is_order(max_order):
        return None
    return COUNTER.sums(_kernel(max_order), list_of_references, hypotheses)


def grams(tokens: Iterable[Any], n: int) -> Iterator[tuple[Any, ...]]:
    """Yield the n-grams of a sequence in order, each a tuple."""
    rest = iter(tokens)
    window = deque(islice(rest, n), n)
    if len(window) == n:
        yield tuple(window)
    for token in rest:
        window.append(token)
        yield tuple(window)


def count_grams(tokens: Tokens, n: int) -> Counter[tuple[Any, ...]]:
    """Count each n-gram of a sequence that has a length."""
    return Counter(grams(tokens, n)) if len(tokens) >= n else Counter()
