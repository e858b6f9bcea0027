from typing import Self

from typing_extensions import disjoint_base

from rapidbleu._core.kernel import Kernel

@disjoint_base
class MixtureKernel(Kernel):
    def __new__(cls, parts: list[Kernel], weights: list[float]) -> Self: ...
    @property
    def parts(self) -> tuple[Kernel, ...]: ...
