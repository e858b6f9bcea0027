from typing import Self, final

from rapidbleu._core.lines import FeatureColumns

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
    ) -> None: ...
