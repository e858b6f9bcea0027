from typing import Self

from typing_extensions import disjoint_base

from rapidbleu._core.metrics.kernel import Kernel
from rapidbleu._core.text.tokenize import PreparedReferences

@disjoint_base
class NgramCounts:
    def __new__(cls, texts: PreparedReferences, max_order: int, perl_zero: bool, /) -> Self: ...

@disjoint_base
class NistKernel(Kernel):
    def __new__(cls, max_order: int, information: NgramCounts | None, /) -> Self: ...
    @property
    def max_order(self) -> int: ...
    @property
    def information(self) -> NgramCounts | None: ...
