from typing import Self

from typing_extensions import disjoint_base

@disjoint_base
class Buffer:
    def __new__(cls, source: object, where: str, writable: bool = False) -> Self: ...
