from typing import Self

from rapidbleu._core.metrics.kernel import Kernel
from rapidbleu._core.text.tokenize import PreparedReferences

class NgramCounts:
    def __new__(cls, texts: PreparedReferences, max_order: int, perl_zero: bool, /) -> Self: ...

class NistKernel(Kernel):
    def __new__(cls, max_order: int, information: NgramCounts | None, /) -> Self: ...
    @property
    def max_order(self) -> int: ...
    @property
    def information(self) -> NgramCounts | None: ...
