from typing import Self

from typing_extensions import disjoint_base

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
    ) -> Self: ...
    @property
    def n(self) -> int: ...
    @property
    def n_segments(self) -> int: ...
    @property
    def n_features(self) -> int: ...
    @property
    def n_stats(self) -> int: ...
    def choose(self, weights: object, chosen: object) -> None: ...
