from typing import Self

from typing_extensions import disjoint_base

from rapidbleu._core.tuning.line_search import FeatureColumns
from rapidbleu._core.tuning.mira import LearnerRows

def draw_pairs(
    scores: object,
    begin: int,
    end: int,
    bits: object,
    least: float,
    pairs: object,
    differences: object,
    /,
) -> int: ...
def subtract(
    rows: LearnerRows,
    pairs: object,
    values: object,
    columns: object,
    starts: object,
    /,
) -> int: ...

@disjoint_base
class LogisticLoss:
    def __new__(
        cls,
        values: object,
        columns: object,
        starts: object,
        n_features: int,
        penalty: float,
        /,
    ) -> Self: ...
    def __call__(self, weights: object, gradient: object) -> float: ...

@disjoint_base
class Expectation:
    def __new__(
        cls,
        columns: FeatureColumns | None,
        rows: LearnerRows,
        counts: object,
        /,
    ) -> Self: ...
    def expect(self, weights: object, totals: object, /) -> None: ...
    def gradient(self, prices: object, gradient: object, /) -> float: ...
    def spreads(self, out: object, /) -> None: ...
