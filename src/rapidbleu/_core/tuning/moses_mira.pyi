from typing import Self

from typing_extensions import disjoint_base

from rapidbleu._core.tuning.learners import LearnerRows

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
