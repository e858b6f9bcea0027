from typing import Any, Self

from typing_extensions import disjoint_base

from rapidbleu._core.feature_names import FeatureNames
from rapidbleu._core.feature_values import FeatureValues
from rapidbleu._core.line_reader import LineReader
from rapidbleu._core.text_column import TextColumn

@disjoint_base
class NBestLines:
    reader: LineReader
    features: FeatureValues | None
    def __new__(cls, reader: LineReader, n_segments: int, checks_text: bool = True) -> Self: ...
    def read_names(self) -> FeatureNames | None: ...
    def read(self, segments: Any, features: Any, texts: TextColumn) -> int: ...

def read_texts(reader: LineReader, checks_text: bool = True) -> TextColumn: ...
