from typing import Self, final

from typing_extensions import disjoint_base

from rapidbleu._core.kernel import Kernel

@disjoint_base
class Scratch:
    def __new__(cls, kernel: Kernel) -> Self: ...

@final
class ScratchPool:
    def __new__(cls, kernel: Kernel) -> Self: ...
