from typing import Self

from typing_extensions import disjoint_base

from rapidbleu._core.kernel import Kernel

@disjoint_base
class Workspace:
    def __new__(cls, kernel: Kernel) -> Self: ...
