from typing import Any

from typing_extensions import disjoint_base

@disjoint_base
class Kernel:
    @property
    def n_stats(self) -> int: ...
    def describe(self, stats: list[int]) -> tuple[Any, ...]: ...
    def score_rows(self, rows: object, scores: object) -> None: ...
