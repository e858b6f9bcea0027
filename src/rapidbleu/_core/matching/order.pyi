from typing import Self

from typing_extensions import disjoint_base

from rapidbleu._core.metrics.kernel import Kernel, SegmentMeanKernel

@disjoint_base
class GtmKernel(Kernel):
    def __new__(cls, exponent: float, /) -> Self: ...
    @property
    def exponent(self) -> float: ...

@disjoint_base
class RibesKernel(SegmentMeanKernel):
    def __new__(cls, alpha: float, beta: float, /) -> Self: ...
    @property
    def alpha(self) -> float: ...
    @property
    def beta(self) -> float: ...

@disjoint_base
class SkipKernel(SegmentMeanKernel):
    def __new__(cls, max_order: int, decay: float, /) -> Self: ...
    @property
    def max_order(self) -> int: ...
    @property
    def decay(self) -> float: ...
