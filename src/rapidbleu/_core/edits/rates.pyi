from typing import Self

from rapidbleu._core.metrics.kernel import Kernel

class EditKernel(Kernel):
    def __new__(cls, text_only: bool, /) -> Self: ...

class PositionKernel(Kernel):
    def __new__(cls, of_corpus: bool, /) -> Self: ...
    @property
    def of_corpus(self) -> bool: ...

class JumpKernel(Kernel):
    def __new__(cls) -> Self: ...
