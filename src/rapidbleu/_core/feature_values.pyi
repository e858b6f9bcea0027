from array import array
from typing import Self

from typing_extensions import disjoint_base

from rapidbleu._core.feature_names import FeatureNames
from rapidbleu._core.slabs import Slab

@disjoint_base
class FeatureValues:
    slab: Slab
    names: FeatureNames
    n_rows: int
    def __new__(cls, slab: Slab, names: FeatureNames) -> Self: ...
    def sparse(self) -> tuple[array[int], array[int], array[float]]: ...
