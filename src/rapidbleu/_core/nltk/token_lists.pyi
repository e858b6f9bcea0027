from collections.abc import Callable, Iterable
from typing import Any, Self

from typing_extensions import disjoint_base

from rapidbleu._core.metrics.bleu import BleuKernel
from rapidbleu._core.metrics.kernel import Kernel
from rapidbleu._core.text.tokenize import Reader

@disjoint_base
class TokenLists:
    def __new__(cls) -> Self: ...

@disjoint_base
class ListCounter:
    def __new__(cls) -> Self: ...
    def sums(
        self, kernel: Kernel, list_of_references: Any, hypotheses: Any, /
    ) -> list[int] | None: ...
    def rows(
        self,
        kernel: Kernel,
        list_of_references: Any,
        hypotheses: Any,
        reader: Reader | None = None,
        /,
    ) -> list[list[int]] | None: ...
    def nist(
        self, list_of_references: Any, hypotheses: Any, n: int, /
    ) -> tuple[list[float], list[int], int, int] | None: ...
    def ribes(
        self, segments: list[tuple[Any, Any]], alpha: float, beta: float, most: Any, /
    ) -> list[float] | None: ...

class NltkCountsKernel(BleuKernel): ...

def nltk_counts(max_order: int, /) -> NltkCountsKernel: ...

@disjoint_base
class SentenceBleu:
    def __new__(
        cls, counter: ListCounter, smoothing: Any, smallest: Callable[[int], float], /
    ) -> Self: ...
    def score(
        self, references: Any, hypothesis: Any, weights: Any, smoothing: Any, /
    ) -> float | None: ...

@disjoint_base
class Ratio:
    numerator: int
    denominator: int
    def __new__(cls, numerator: int, denominator: int, /) -> Self: ...
    def __float__(self) -> float: ...
    def __add__(self, other: Any) -> Any: ...
    def __radd__(self, other: Any) -> Any: ...
    def __mul__(self, value: Any, /) -> Any: ...
    def __rmul__(self, other: Any) -> Any: ...
    def __truediv__(self, other: Any) -> Any: ...
    def __rtruediv__(self, other: Any) -> Any: ...
    def __pow__(self, value: int, mod: None = None, /) -> Ratio: ...
    def __rpow__(self, value: Any, mod: None = None, /) -> Any: ...

@disjoint_base
class NistSums:
    def __new__(cls) -> Self: ...

def count_pairs(
    hypothesis: Iterable[Any],
    reference: Iterable[Any],
    preprocess: Callable[[Any], Any],
    find_words: Callable[[Any, Any], tuple[dict[Any, Any], dict[Any, frozenset[Any]]]],
    stemmer: Any,
    wordnet: Any,
    /,
) -> tuple[int, int, int, int]: ...
