from collections.abc import Callable
from typing import Any

class State:
    holds: bool
    namespaces: list[tuple[Any, dict[str, Any], bool]]
    def __init__(
        self,
        holds: bool,
        namespaces: list[Any],
        functions: list[Any],
        objects: list[Any],
        missing: object,
        ignored: set[str],
        /,
    ) -> None: ...
    def is_current(self) -> bool: ...

class Guard:
    def __init__(self, look: Callable[[], State], /) -> None: ...
    def __call__(self) -> bool: ...

class Served:
    answer: Callable[..., Any] | None
    recorder: Callable[[Any, str | None, int], None] | None
    clock: Callable[[], int] | None
    n_served: int
    n_handed_back: int
    def set_up(
        self, answer: Any, guard: Guard | None, depths: tuple[int, int], others: int, /
    ) -> None: ...
    def serve(self, *args: Any, **options: Any) -> Any: ...

def is_plain(value: object, depth: int, others: int = 0, /) -> bool: ...
def are_alike(own: object, other: object, /) -> bool: ...
