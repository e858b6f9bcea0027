from typing import Self

from typing_extensions import disjoint_base

from rapidbleu._core.kernel import Kernel
from rapidbleu._core.weight_point import WeightPoint

@disjoint_base
class Landscape:
    def __new__(cls, kernel: Kernel, rows: object, use_simd: bool = True) -> Self: ...
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
