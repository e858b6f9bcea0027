from typing import Self

from typing_extensions import disjoint_base

from rapidbleu._core.metrics.kernel import Kernel
from rapidbleu._core.text.tokenize import PreparedReferences

@disjoint_base
class PairWork:
    def __new__(
        cls, kernel: Kernel, stop: list[BaseException] | None, tell: object = None, /
    ) -> Self: ...

@disjoint_base
class Pairs:
    def __new__(
        cls,
        kernel: Kernel,
        hyps: PreparedReferences,
        refs: PreparedReferences,
        least: int = 20,
        /,
    ) -> Self: ...
    @property
    def kernel(self) -> Kernel: ...
    def score(
        self,
        groups: object,
        begin: int,
        end: int,
        out: object,
        weights: object = None,
        stop: list[BaseException] | None = None,
        tell: object = None,
        /,
    ) -> None: ...
    def score_each(
        self,
        groups: object,
        begin: int,
        end: int,
        out: object,
        stop: list[BaseException] | None = None,
        tell: object = None,
        /,
    ) -> None: ...

@disjoint_base
class BleuPairs(Pairs): ...

@disjoint_base
class ChrfPairs(Pairs): ...

@disjoint_base
class LanePairs(Pairs): ...

@disjoint_base
class RougeLPairs(LanePairs): ...

class EditPairs(LanePairs): ...
