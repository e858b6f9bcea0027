from typing import Protocol, Self

from typing_extensions import disjoint_base

class _Readable(Protocol):
    def readinto(self, buffer: memoryview, /) -> int: ...

@disjoint_base
class Slab:
    name: str
    line: int
    def __new__(cls, file: _Readable, name: str, size: int = ...) -> Self: ...
    def read_line(self) -> bytes | None: ...
