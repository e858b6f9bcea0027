from collections.abc import Callable
from typing import Any, Self

from typing_extensions import disjoint_base

@disjoint_base
class Column:
    def __new__(
        cls,
        source: object,
        where: str,
        *,
        optional: bool = False,
        place: Callable[[int], str] | None = None,
    ) -> Self: ...
    def __len__(self) -> int: ...
    def count_tokenized_periods(self, enough: int, /) -> int: ...

@disjoint_base
class ReferenceColumns:
    def __new__(
        cls,
        source: object,
        layout: str,
        where: str = "references",
        place: Callable[[int], str] | None = None,
        /,
    ) -> Self: ...
    @property
    def length(self) -> int: ...
    @property
    def num_refs(self) -> int: ...
    def __len__(self) -> int: ...

def __getattr__(name: str) -> Any: ...
