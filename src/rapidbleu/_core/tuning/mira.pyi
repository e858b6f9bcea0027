from typing import Self

from typing_extensions import disjoint_base

from rapidbleu._core.metrics.kernel import Kernel

@disjoint_base
class LearnerRows:
    def __new__(
        cls,
        features: object,
        columns: object,
        starts: object,
        stats: object,
        offsets: object,
        n_features: int,
        n_stats: int,
        /,
    ) -> Self: ...
    @property
    def n(self) -> int: ...
    @property
    def n_segments(self) -> int: ...
    @property
    def n_features(self) -> int: ...
    @property
    def n_stats(self) -> int: ...
    def choose(self, weights: object, chosen: object, counts: object = None, /) -> None: ...

@disjoint_base
class Mira:
    def __new__(
        cls,
        kernel: Kernel,
        rows: LearnerRows,
        weights: object,
        background: object,
        unit: int,
        length_column: int,
        factor: float,
        step_limit: float,
        decay: float,
        safe_hope: bool,
        model_background: bool,
        /,
    ) -> Self: ...
    @property
    def n_steps(self) -> int: ...
    def epoch(self, order: object, /) -> tuple[int, float]: ...
    def average(self, out: object, /) -> None: ...

@disjoint_base
class MosesMira:
    def __new__(
        cls,
        rows: LearnerRows,
        weights: object,
        n_dense: int,
        step_limit: float,
        decay: float,
        safe_hope: bool,
        model_background: bool,
        /,
    ) -> Self: ...
    def epoch(self, order: object, /) -> tuple[int, float]: ...
    def average(self, out: object, /) -> None: ...
    def score(self) -> float: ...
