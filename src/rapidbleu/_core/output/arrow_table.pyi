from typing import Any, Self, final

@final
class ArrowTable:
    def __new__(
        cls, length: int, columns: list[tuple[bytes, bytes, int, list[Any]]], /
    ) -> Self: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...
