from typing import Self

from typing_extensions import disjoint_base

@disjoint_base
class Repeats:
    def __new__(cls, n_texts: int, n_stats: int, copy: bool) -> Self: ...
