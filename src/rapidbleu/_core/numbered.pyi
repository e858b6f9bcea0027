from typing import Self

from typing_extensions import disjoint_base

@disjoint_base
class Numbered:
    def __new__(cls) -> Self: ...
