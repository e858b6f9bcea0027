"""n-grams as tuples in a Counter: how counting is done where the compiled core cannot.

The core reads sequences of hashable tokens that can be iterated again.  Anything else (iterators,
tokens without a hash, orders below one) comes here, where each step looks at its input as often
and in the same order as NLTK does, so that results and errors are the same.
"""

from collections import Counter, deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from fractions import Fraction as _Fraction
from itertools import islice
from sys import version_info
from typing import Any, TypeAlias

from rapidbleu._core.nltk.sums import ListCounter

__all__ = [
    "COUNTER",
    "Fraction",
    "References",
    "Tokens",
    "count_grams",
    "grams",
    "grams_of_range",
    "is_order",
]

Tokens: TypeAlias = Sequence[Hashable]  # a str is its characters
References: TypeAlias = Sequence[Tokens]

COUNTER = ListCounter()  # thread-safe; holds nothing but idle memory
MOST_ORDERS = 1000
MOST_TOKENS = 256  # of a sequence whose n-grams of all orders are asked for

_TAKES_NORMALIZE = version_info < (3, 12)


class Fraction(_Fraction):
    """A fraction that keeps the numerator and denominator it was made with.

    Parameters
    ----------
    numerator, denominator : int
    _normalize : bool
        Whether `numerator` and `denominator` are those of the reduced fraction.

    Examples
    --------
    >>> Fraction(2, 4).numerator, float(Fraction(2, 4))
    (2, 0.5)
    """

    _normalize: bool = True  # of those that comparisons make
    _given: tuple[Any, Any]

    def __new__(
        cls, numerator: Any = 0, denominator: Any = None, _normalize: bool = False
    ) -> "Fraction":
        options = {"_normalize": _normalize} if _TAKES_NORMALIZE else {}
        self: Fraction = super().__new__(cls, numerator, denominator, **options)
        self._normalize = _normalize
        self._given = (numerator, denominator)
        return self

    @property
    def numerator(self) -> Any:
        """As given, unless normalized."""
        return super().numerator if self._normalize else self._given[0]

    @property
    def denominator(self) -> Any:
        """As given, unless normalized."""
        return super().denominator if self._normalize else self._given[1]


def is_order(n: object) -> bool:
    """Whether the core counts n-grams of this order."""
    return type(n) is int and 1 <= n <= MOST_ORDERS


def grams(tokens: Iterable[Any], n: int) -> Iterator[tuple[Any, ...]]:
    """The n-grams of a sequence in order, each a tuple."""
    rest = iter(tokens)
    window = deque(islice(rest, n), n)
    if len(window) == n:
        yield tuple(window)
    for token in rest:
        window.append(token)
        yield tuple(window)


def count_grams(tokens: Tokens, n: int) -> "Counter[tuple[Any, ...]]":
    """How often each n-gram occurs in a sequence that has a length."""
    return Counter(grams(tokens, n)) if len(tokens) >= n else Counter()


def grams_of_range(tokens: Iterable[Any], min_len: int, max_len: int) -> Iterator[tuple[Any, ...]]:
    """The n-grams of a range of orders; a `max_len` of -1 is the length of the sequence."""
    if max_len == -1:
        try:
            max_len = len(tokens)  # type: ignore[arg-type]
        except TypeError:
            tokens = list(tokens)
            max_len = len(tokens)
        if max_len > MOST_TOKENS:
            raise ValueError(
                f"max_len: expected the highest order for more than {MOST_TOKENS} tokens, "
                f"got -1 for {max_len}"
            )
    rest = iter(tokens)
    window = list(islice(rest, max_len))
    while window:
        for n in range(min_len, len(window) + 1):
            yield tuple(window[:n])
        window.extend(islice(rest, 1))
        del window[0]
