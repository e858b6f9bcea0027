from typing import Self

from typing_extensions import disjoint_base

from rapidbleu._core.metrics.kernel import Kernel, SegmentMeanKernel

MEASURES: dict[str, int]

@disjoint_base
class RougeKernel(SegmentMeanKernel):
    @property
    def beta(self) -> float: ...
    @property
    def pooled(self) -> bool: ...

@disjoint_base
class RougeNKernel(RougeKernel):
    def __new__(cls, measure: str, beta: float, pooled: bool, order: int, /) -> Self: ...
    @property
    def order(self) -> int: ...

@disjoint_base
class RougeLKernel(RougeKernel):
    def __new__(cls, measure: str, beta: float, pooled: bool, by_sentence: bool, /) -> Self: ...
    @property
    def by_sentence(self) -> bool: ...

@disjoint_base
class RougeWKernel(RougeKernel):
    def __new__(
        cls, measure: str, beta: float, pooled: bool, weight: float, by_perl: bool, /
    ) -> Self: ...
    @property
    def weight(self) -> float: ...
    @property
    def by_perl(self) -> bool: ...

@disjoint_base
class RougeSKernel(RougeKernel):
    def __new__(
        cls, measure: str, beta: float, pooled: bool, gap: int, unigrams: bool, by_perl: bool, /
    ) -> Self: ...
    @property
    def gap(self) -> int: ...
    @property
    def unigrams(self) -> bool: ...
    @property
    def by_perl(self) -> bool: ...

@disjoint_base
class OverlapKernel(Kernel):
    def __new__(cls, rouge: RougeKernel, /) -> Self: ...
    @property
    def rouge(self) -> RougeKernel: ...
