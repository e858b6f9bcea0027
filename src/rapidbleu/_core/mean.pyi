from typing import Self

from rapidbleu._core.kernel import Kernel

FRACTION_BITS: int

class MeanKernel(Kernel):
    def __new__(cls) -> Self: ...
