from typing import Any, Self

from typing_extensions import disjoint_base

from rapidbleu._core.input.lines import LineReader
from rapidbleu._core.moses.nbest_files import FeatureNames, FeatureValues

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
    def __new__(cls, reader: LineReader, kind: str, /) -> Self: ...
    def next_block(self) -> bool: ...
    def read_features(self, names: FeatureNames, n: int, out: Any, /) -> None: ...
    def read_counts(self, n: int, out: Any, /) -> None: ...

def unique_rows(
    features: Any,
    stats: Any,
    offsets: Any,
    order: Any,
    counts: Any,
    tags: Any = None,
    /,
) -> None: ...
