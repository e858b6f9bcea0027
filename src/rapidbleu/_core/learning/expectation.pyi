from typing import Self

from typing_extensions import disjoint_base

from rapidbleu._core.tuning.learners import LearnerRows
from rapidbleu._core.tuning.line_search import FeatureColumns

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
