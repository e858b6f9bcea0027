from typing import Self

from typing_extensions import disjoint_base

from rapidbleu._core.metrics.kernel import Kernel, SegmentMeanKernel

MEASURES: dict[str, int]

@disjoint_base
class RougeKernel(SegmentMeanKernel): ...

@disjoint_base
class RougeNKernel(RougeKernel):
    def __new__(cls, measure: str, beta: float, pooled: bool, order: int, /) -> Self: ...

@disjoint_base
class RougeLKernel(RougeKernel):
    def __new__(cls, measure: str, beta: float, pooled: bool, by_sentence: bool, /) -> Self: ...

@disjoint_base
class RougeWKernel(RougeKernel):
    def __new__(
        cls, measure: str, beta: float, pooled: bool, weight: float, by_perl: bool, /
    ) -> Self: ...

@disjoint_base
class RougeSKernel(RougeKernel):
    def __new__(
        cls, measure: str, beta: float, pooled: bool, gap: int, unigrams: bool, by_perl: bool, /
    ) -> Self: ...

@disjoint_base
class OverlapKernel(Kernel):
    def __new__(cls, rouge: RougeKernel, rest: OverlapKernel | None = None, /) -> Self: ...

@disjoint_base
class GtmKernel(Kernel):
    def __new__(cls, exponent: float, /) -> Self: ...

@disjoint_base
class RibesKernel(SegmentMeanKernel):
    def __new__(cls, alpha: float, beta: float, /) -> Self: ...

@disjoint_base
class SkipKernel(SegmentMeanKernel):
    def __new__(
        cls, max_order: int, decay: float, beta: float, weights: tuple[float, ...], /
    ) -> Self: ...
