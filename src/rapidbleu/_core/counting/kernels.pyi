from typing import Self

from typing_extensions import disjoint_base

from rapidbleu._core.metrics.kernel import Kernel, SegmentMeanKernel
from rapidbleu._core.text.tokenize import PreparedReferences

@disjoint_base
class WordFKernel(Kernel):
    def __new__(cls, beta: float, /) -> Self: ...

@disjoint_base
class GleuKernel(Kernel):
    def __new__(cls, min_order: int, max_order: int, /) -> Self: ...

@disjoint_base
class CorrectionKernel(Kernel):
    def __new__(cls, max_order: int, smooth: bool, /) -> Self: ...

@disjoint_base
class NgramMemory: ...

@disjoint_base
class IdleNgrams: ...

@disjoint_base
class NgramCounts:
    def __new__(
        cls, texts: PreparedReferences, max_order: int, weights: str, idle: IdleNgrams | None, /
    ) -> Self: ...
    @property
    def weightless(self) -> bool: ...

@disjoint_base
class NistKernel(Kernel):
    def __new__(cls, max_order: int, information: NgramCounts | None, /) -> Self: ...

@disjoint_base
class CiderKernel(SegmentMeanKernel):
    def __new__(cls, max_order: int, sigma: float, rarity: NgramCounts | None, /) -> Self: ...

@disjoint_base
class TokenWeights:
    def __new__(cls, tokens: PreparedReferences, weights: object, default: float, /) -> Self: ...

@disjoint_base
class WeightedKernel(Kernel):
    def __new__(cls, max_order: int, weights: TokenWeights, /) -> Self: ...

@disjoint_base
class MatchKernel(Kernel):
    def __new__(cls, weights: TokenWeights, /) -> Self: ...
