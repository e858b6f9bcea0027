from typing import Self

from typing_extensions import disjoint_base

from rapidbleu._core.metrics.kernel import Kernel

@disjoint_base
class ChrfKernel(Kernel):
    def __new__(
        cls,
        char_order: int,
        word_order: int,
        factor: float,
        one_more: float,
        eps_smoothing: bool,
        /,
    ) -> Self: ...
