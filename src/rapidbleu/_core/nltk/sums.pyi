from collections.abc import Callable, Sequence
from typing import Any, Self

from typing_extensions import disjoint_base

@disjoint_base
class ListTables:
    def __new__(cls) -> Self: ...

@disjoint_base
class ListCounter:
    def __new__(cls) -> Self: ...
    def bleu(
        self, list_of_references: Sequence[Any], hypotheses: Sequence[Any], max_order: int, /,
    ) -> tuple[int, int, list[int], list[int]] | None: ...
    def gleu(
        self,
        list_of_references: Sequence[Any],
        hypotheses: Sequence[Any],
        min_order: int,
        max_order: int, /,
    ) -> tuple[int, int] | None: ...
    def sentence_gleu(
        self, references: Any, hypothesis: Any, min_order: Any, max_order: Any, /,
    ) -> tuple[int, int] | None: ...

@disjoint_base
class SentenceBleu:
    def __new__(
        cls, counter: ListCounter, smoothing: Any, smallest: Callable[[int], float], /,
    ) -> Self: ...
    def score(
        self, references: Any, hypothesis: Any, weights: Any, smoothing: Any, /,
    ) -> float | None: ...

def chrf_sums(
    references: Any,
    hypotheses: Any,
    min_order: int,
    max_order: int,
    factor: float,
    one_more: float,
    ignore_space: bool, /,
) -> list[float] | None: ...

def count_orders(pairs: Sequence[tuple[Any, ...]], /) -> list[tuple[int, int]] | None: ...
