from typing import Self

from typing_extensions import disjoint_base

@disjoint_base
class Memo:
    def __new__(cls, n_tables: int) -> Self: ...
