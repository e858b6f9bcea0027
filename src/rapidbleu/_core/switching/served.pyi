from collections.abc import Callable
from typing import Any, Self, final

from typing_extensions import disjoint_base

@final
class State:
    @property
    def holds(self) -> bool: ...
    @property
    def namespaces(self) -> list[tuple[Any, dict[str, Any], bool]]: ...
    def __new__(
        cls,
        holds: bool,
        namespaces: list[Any],
        functions: list[Any],
        objects: list[Any],
        missing: object,
        ignored: set[str],
    ) -> Self: ...
    def is_current(self) -> bool: ...

@final
class Guard:
    def __init__(self, look: Callable[[], State]) -> None: ...
    def __call__(self) -> bool: ...

@disjoint_base
class Served:
    answer: Any
    prepare: Any
    sort_error: Any
    recorder: Any
    clock: Any
    n_served: int
    n_handed_back: int
    def set_up(
        self, answer: Any, guard: Guard | None, depths: tuple[int, int], others: int, /
    ) -> None: ...
    def serve(self, /, *args: Any, **options: Any) -> Any: ...

def is_plain(value: object, depth: int, others: int = 0) -> bool: ...
def are_alike(own: object, other: object) -> bool: ...
