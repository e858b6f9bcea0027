"""Types of arguments and results; `rapidbleu.typing` exports those that callers need.

Never imported at run time, because `typing` takes longer to load than the package: modules import
it under TYPE_CHECKING.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Protocol, SupportsIndex, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from rapidbleu.references import References

T_co = TypeVar("T_co", covariant=True)


class Items(Protocol[T_co]):
    """A collection of ordered items: list, tuple, NumPy array, series; not a str.

    A str does not satisfy `__contains__` as declared here, because it accepts only str.
    """

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[T_co]: ...
    def __getitem__(self, index: int, /) -> T_co: ...
    def __contains__(self, item: object, /) -> bool: ...


class ArrowStream(Protocol):
    """A pyarrow table column, a polars series: anything with the Arrow C stream interface."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> object: ...


class ArrowArray(Protocol):
    """A pyarrow array: anything with the Arrow C data interface."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[object, object]: ...


class Scanned(Protocol):
    """A `rapidbleu.Scan`: hypotheses and references read in batches."""

    def batches(self, references: None = None) -> Iterator[Any]: ...


class RowTable(Protocol):
    """A `StatsTable`: rows of statistics with their metric."""

    def rows_for(self, metric: Any, where: str = ...) -> npt.NDArray[np.int64]: ...


Segment: TypeAlias = str | Items[str] | Items[SupportsIndex]

Texts: TypeAlias = Items[Segment] | ArrowStream | ArrowArray

Tables: TypeAlias = (
    str
    | PathLike[str]
    | Items[str | PathLike[str]]
    | ArrowStream
    | ArrowArray
    | (Iterable[ArrowStream | ArrowArray | Mapping[str, Texts] | tuple[Texts, ...]])
)
"""Files of tables, a table, or tables that follow each other."""

Stream: TypeAlias = Iterator[Segment | None] | PathLike[str]
"""Segments read lazily: an iterator, or a file of lines."""

Hypotheses: TypeAlias = Texts | Stream | Scanned | References

SegmentReferences: TypeAlias = Items[Segment]

ReferenceStreams: TypeAlias = (
    Items[Items[Segment | None] | ArrowStream | ArrowArray | Stream]
    | Iterator[SegmentReferences]
    | ArrowStream
    | ArrowArray
    | References
)

NBestHypotheses: TypeAlias = Items[Texts] | Texts

PairTexts: TypeAlias = Hypotheses
"""Texts to be scored in all pairs."""

Groups: TypeAlias = Items[Texts]
"""Texts of several problems."""

Array: TypeAlias = npt.NDArray[Any]

IntArray: TypeAlias = npt.NDArray[np.int64]
"""An array of int64: rows of statistics, choices."""

FloatArray: TypeAlias = npt.NDArray[np.float64]
"""An array of float64: scores."""

Integers: TypeAlias = Items[SupportsIndex]

IntRows: TypeAlias = Integers | Items[Integers] | RowTable
"""A row of statistics, or rows."""

Numbers: TypeAlias = Items[float] | Items[Items[float]]

Vector: TypeAlias = Items[float] | Mapping[str, float]

Weights: TypeAlias = Vector | Items[Items[float]]

Bounds: TypeAlias = Mapping[str, Items[float]] | Items[Items[float]]


class SparseMatrix(Protocol):
    """A sparse matrix of SciPy."""

    def tocsr(self) -> Any: ...


Features: TypeAlias = Items[Any] | SparseMatrix  # unions of rows and dicts fail inference
"""A row of numbers for each hypothesis, or numbers by name."""

Layout: TypeAlias = Literal["stream", "segment"]

EEDLanguage: TypeAlias = Literal["en", "ja"]
"""Languages for which EED prepares text."""

PERForm: TypeAlias = Literal["segments", "corpus"]
"""Where PER counts words: in each segment, or in the whole corpus."""

RougeMeasure: TypeAlias = Literal["f", "precision", "recall"]
"""The value that ROUGE reports."""

RougeReferences: TypeAlias = Literal["best", "pooled"]
"""The use of several references in ROUGE."""

SmoothMethod: TypeAlias = Literal[
    "exp", "floor", "add-k", "none", "nltk1", "nltk2", "nltk3", "nltk4", "nltk5", "nltk6", "nltk7"
]

BLEUMean: TypeAlias = Literal["geometric", "arithmetic"]

RefLen: TypeAlias = Literal["closest", "shortest", "longest", "average"]
"""The reference length in the brevity penalty."""

RowType: TypeAlias = (
    Literal["int64", "int32"] | type[np.int64 | np.int32] | np.dtype[np.int64] | np.dtype[np.int32]
)

Method: TypeAlias = Literal["mert", "pro", "mira", "risk"]

Framework: TypeAlias = Literal["trl", "verl", "openrlhf"]
"""Frameworks with reward functions."""

Norm: TypeAlias = Literal["l1", "l2"]
"""The norm that divides weights."""

Smoothing: TypeAlias = tuple[Literal["mean", "min"], int]
"""The smoothing of scores along a line, and its number of intervals."""

TokenizerName: TypeAlias = Literal[
    "none",
    "zh",
    "13a",
    "intl",
    "char",
    "ja-mecab",
    "ko-mecab",
    "spm",
    "flores101",
    "flores200",
    "spBLEU-1K",
]

TokenizerRule: TypeAlias = Callable[[str], Sequence[str]]

Path: TypeAlias = str | PathLike[str]

Progress: TypeAlias = Callable[[int, int], object]

StepCallback: TypeAlias = Callable[[dict[str, Any]], object]
"""A callback that receives an entry of the history."""
