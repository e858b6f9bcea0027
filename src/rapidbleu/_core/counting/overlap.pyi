from typing import Self

from typing_extensions import disjoint_base

from rapidbleu._core.metrics.kernel import Kernel

@disjoint_base
class WordFKernel(Kernel):
    def __new__(cls, beta: float, /) -> Self: ...
    @property
    def beta(self) -> float: ...

@disjoint_base
class GleuKernel(Kernel):
    def __new__(cls, min_order: int, max_order: int, /) -> Self: ...
    @property
    def min_order(self) -> int: ...
    @property
    def max_order(self) -> int: ...

@disjoint_base
class CorrectionKernel(Kernel):
    def __new__(cls, max_order: int, smooth: bool, /) -> Self: ...
    @property
    def max_order(self) -> int: ...
    @property
    def smooth(self) -> bool: ...
