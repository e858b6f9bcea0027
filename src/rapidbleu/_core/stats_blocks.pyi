from typing import Any, Self

from typing_extensions import disjoint_base

from rapidbleu._core.feature_names import FeatureNames
from rapidbleu._core.feature_values import FeatureValues
from rapidbleu._core.line_reader import LineReader

@disjoint_base
class StatsBlocks:
    reader: LineReader
    features: FeatureValues | None
    segment: int
    n_rows: int
    n_columns: int
    n_left: int
    line: int
    is_binary: bool
    names: list[str]
    def __new__(cls, reader: LineReader, kind: str) -> Self: ...
    def next_block(self) -> bool: ...
    def read_features(self, names: FeatureNames, n: int, out: Any) -> None: ...
    def read_counts(self, n: int, out: Any) -> None: ...
