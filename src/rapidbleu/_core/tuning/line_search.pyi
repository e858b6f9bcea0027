from typing import Self, final

from typing_extensions import disjoint_base

from rapidbleu._core.metrics.kernel import Kernel

@final
class FeatureColumns:
    def __new__(cls, features: object, offsets: object, rounded: object, exact: object) -> Self: ...
    @property
    def n_segments(self) -> int: ...
    @property
    def n_features(self) -> int: ...

def padded(offsets: object) -> int: ...

@final
class WeightPoint:
    def __new__(cls, columns: FeatureColumns, counts: object = None) -> Self: ...
    @property
    def columns(self) -> FeatureColumns: ...
    def place(self, weights: object, stop: object = None, single: bool = False) -> None: ...
    def move(self, direction: object, x: float, stop: object = None) -> None: ...

@final
class Chooser:
    def __new__(cls, columns: FeatureColumns) -> Self: ...
    @property
    def columns(self) -> FeatureColumns: ...
    def choose(
        self,
        weights: object,
        chosen: object,
        begin: int,
        end: int,
        stop: list[BaseException] | None = None,
    ) -> None: ...
    def add_up(
        self,
        weights: object,
        stats: object,
        totals: object,
        begin: int,
        end: int,
        stop: list[BaseException] | None = None,
        counts: object = None,
    ) -> None: ...

@disjoint_base
class Landscape:
    def __new__(cls, kernel: Kernel, rows: object, use_simd: bool = True) -> Self: ...
    @property
    def n_boundaries(self) -> int: ...
    def survey(
        self,
        point: WeightPoint,
        direction: object,
        low: float = ...,
        high: float = ...,
        closest: float = 0.0,
        stop: object = None,
    ) -> int: ...
    def copy_to(self, boundaries: object, scores: object) -> None: ...
    def best_interval(
        self,
        low: float = ...,
        high: float = ...,
        smoothing: str = "none",
        window: int = 0,
        slope: float = 0.0,
        curvature: float = 0.0,
        moses: bool = False,
        stop: object = None,
    ) -> tuple[float, float, float, float, float, float]: ...
