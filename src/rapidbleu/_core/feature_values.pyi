from array import array
from typing import Self

from typing_extensions import disjoint_base

from rapidbleu._core.feature_names import FeatureNames
from rapidbleu._core.line_reader import LineReader

@disjoint_base
class FeatureValues:
    reader: LineReader
    names: FeatureNames
    n_rows: int
    def __new__(cls, reader: LineReader, names: FeatureNames) -> Self: ...
    def sparse(self) -> tuple[array[int], array[int], array[float]]: ...
