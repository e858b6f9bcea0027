from typing import Any, Self

from typing_extensions import disjoint_base

from rapidbleu._core.metrics.kernel import Kernel, SegmentMeanKernel

class EditKernel(Kernel):
    def __new__(cls, text_only: bool, /) -> Self: ...

@disjoint_base
class PositionKernel(Kernel):
    def __new__(cls, of_corpus: bool, /) -> Self: ...

class JumpKernel(Kernel):
    def __new__(cls) -> Self: ...

class CharacterKernel(SegmentMeanKernel):
    def __new__(cls) -> Self: ...

@disjoint_base
class ExtendedKernel(SegmentMeanKernel):
    def __new__(
        cls, jump: float, coverage: float, deletion: float, insertion: float, /
    ) -> Self: ...

def has_only_blanks(texts: list[Any] | tuple[Any, ...], /) -> bool: ...
def trace_edits(hyp: object, ref: object, large: int = ..., /) -> bytes: ...
