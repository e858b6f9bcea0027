from typing import Self

from typing_extensions import disjoint_base

@disjoint_base
class Workspace:
    def __new__(cls, n_stats: int) -> Self: ...
