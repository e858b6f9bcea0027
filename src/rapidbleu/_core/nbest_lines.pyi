from typing import Any, Self

from typing_extensions import disjoint_base

from rapidbleu._core.feature_names import FeatureNames
from rapidbleu._core.feature_values import FeatureValues
from rapidbleu._core.slabs import Slab
from rapidbleu._core.text_column import TextColumn

@disjoint_base
class NBestLines:
    slab: Slab
    features: FeatureValues | None
    def __new__(cls, slab: Slab, n_segments: int, checks_text: bool = True) -> Self: ...
    def read_names(self) -> FeatureNames | None: ...
    def read(self, segments: Any, features: Any, texts: TextColumn) -> int: ...

def read_texts(slab: Slab, checks_text: bool = True) -> TextColumn: ...
