from typing import Self

from typing_extensions import disjoint_base

from rapidbleu._core.metrics.kernel import Kernel, SegmentMeanKernel
from rapidbleu._core.text.tokenize import PreparedReferences

@disjoint_base
class NgramCounts:
    def __new__(cls, texts: PreparedReferences, max_order: int, weights: str, /) -> Self: ...
    @property
    def weightless(self) -> bool: ...

@disjoint_base
class NistKernel(Kernel):
    def __new__(cls, max_order: int, information: NgramCounts | None, /) -> Self: ...
    @property
    def max_order(self) -> int: ...
    @property
    def information(self) -> NgramCounts | None: ...

@disjoint_base
class CiderKernel(SegmentMeanKernel):
    def __new__(cls, max_order: int, sigma: float, rarity: NgramCounts | None, /) -> Self: ...
    @property
    def max_order(self) -> int: ...
    @property
    def sigma(self) -> float: ...
    @property
    def rarity(self) -> NgramCounts | None: ...

@disjoint_base
class TokenWeights:
    def __new__(
        cls, tokens: PreparedReferences, weights: object, default: float, /
    ) -> Self: ...

@disjoint_base
class WeightedKernel(Kernel):
    def __new__(cls, max_order: int, weights: TokenWeights, /) -> Self: ...
    @property
    def max_order(self) -> int: ...
    @property
    def weights(self) -> TokenWeights: ...

@disjoint_base
class MatchKernel(Kernel):
    def __new__(cls, weights: TokenWeights, /) -> Self: ...
    @property
    def weights(self) -> TokenWeights: ...
