from collections.abc import Sequence
from typing import Self

from typing_extensions import disjoint_base

from rapidbleu._core.metrics.kernel import Kernel

REF_LEN_POLICIES: dict[str, int]
SMOOTH_METHODS: dict[str, int]

@disjoint_base
class BleuKernel(Kernel):
    def __new__(
        cls,
        max_order: int,
        ref_len: str,
        smooth_method: str,
        smooth_value: float,
        effective_order: bool,
        weights: Sequence[float] | None,
        /,
    ) -> Self: ...
    @property
    def max_order(self) -> int: ...

class ArithmeticBleuKernel(BleuKernel): ...
class NltkBleuKernel(BleuKernel): ...

@disjoint_base
class LateAttributes: ...
