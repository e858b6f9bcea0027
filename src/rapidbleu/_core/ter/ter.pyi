from typing import Self

from typing_extensions import disjoint_base

from rapidbleu._core.metrics.kernel import Kernel

@disjoint_base
class TerKernel(Kernel):
    def __new__(cls, n_targeted: int = ..., /) -> Self: ...
    def describe_in_order(
        self, rows: object, edits: int = 0, length: float = 0.0, /
    ) -> tuple[float, int, float]: ...

def trace_moves(hyp: object, ref: object, /) -> tuple[list[tuple[int, int, int]], bytes]: ...
