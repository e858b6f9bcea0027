from typing import Self

from typing_extensions import disjoint_base

from rapidbleu._core.kernel import Kernel
from rapidbleu._core.learner_rows import LearnerRows

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
    ) -> Self: ...
    @property
    def n_steps(self) -> int: ...
    def epoch(self, order: object) -> tuple[int, float]: ...
    def average(self, out: object) -> None: ...
