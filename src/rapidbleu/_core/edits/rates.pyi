from typing import Self

from typing_extensions import disjoint_base

from rapidbleu._core.metrics.kernel import Kernel

class EditKernel(Kernel):
    def __new__(cls, text_only: bool, /) -> Self: ...

@disjoint_base
class PositionKernel(Kernel):
    def __new__(cls, of_corpus: bool, /) -> Self: ...
    @property
    def of_corpus(self) -> bool: ...

class JumpKernel(Kernel):
    def __new__(cls) -> Self: ...

def trace_edits(hyp: object, ref: object, large: int = ..., /) -> bytes: ...
