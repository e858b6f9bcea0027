from array import array
from collections.abc import Sequence
from typing import Any, Self

from typing_extensions import disjoint_base

from rapidbleu._core.input.arrow import TextColumn
from rapidbleu._core.input.lines import LineReader

def parse_number(text: bytes, /) -> float | None: ...
def format_rows(values: Any, n_columns: int, rows: Any = None, columns: Any = None, /) -> bytes: ...
def is_label(token: bytes, /) -> bool: ...
def read_layout(text: bytes, /) -> tuple[list[str], list[tuple[bytes, int]]]: ...

@disjoint_base
class FeatureNames:
    names: tuple[str, ...]
    sparse_names: list[str]
    def __new__(cls, names: Sequence[str], labels: Sequence[tuple[bytes, int]] = (), /) -> Self: ...

@disjoint_base
class FeatureValues:
    reader: LineReader
    names: FeatureNames
    n_rows: int
    def __new__(cls, reader: LineReader, names: FeatureNames, /) -> Self: ...
    def sparse(self) -> tuple[array[int], array[int], array[float]]: ...

@disjoint_base
class NBestLines:
    reader: LineReader
    features: FeatureValues | None
    def __new__(cls, reader: LineReader, n_segments: int, checks_text: bool = True, /) -> Self: ...
    def read_names(self) -> FeatureNames | None: ...
    def read(self, segments: Any, features: Any, texts: TextColumn, /) -> int: ...

def find_runs(segments: Any, /) -> tuple[array[int], array[int]]: ...

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
