from typing import Self

from typing_extensions import disjoint_base

from rapidbleu._core.metrics.kernel import SegmentMeanKernel

class CharacterKernel(SegmentMeanKernel):
    def __new__(cls) -> Self: ...

@disjoint_base
class ExtendedKernel(SegmentMeanKernel):
    def __new__(
        cls, jump: float, coverage: float, deletion: float, insertion: float, /
    ) -> Self: ...
