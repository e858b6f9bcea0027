from collections.abc import Callable
from typing import Any, Protocol, Self

from typing_extensions import disjoint_base

from rapidbleu._core.input.arrow import TextColumn

class _Readable(Protocol):
    def readinto(self, buffer: memoryview, /) -> int: ...
    def close(self) -> object: ...

@disjoint_base
class LineReader:
    name: str
    line: int
    def __new__(cls, file: _Readable, name: str, size: int = ..., /) -> Self: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...
    def read_line(self) -> bytes | None: ...
    def skip_lines(self, most: int = ...) -> int: ...

def read_texts(
    reader: LineReader,
    checks_text: bool = True,
    *,
    strips: bool = False,
    most_lines: int = ...,
    most_bytes: int = ...,
) -> TextColumn: ...
def read_fields(
    reader: LineReader,
    places: list[int],
    n_fields: int,
    *,
    most_lines: int = ...,
    most_bytes: int = ...,
) -> list[TextColumn]: ...
def read_objects(
    reader: LineReader,
    keys: list[bytes],
    parse: Callable[[bytes], list[Any]],
    *,
    most_lines: int = ...,
    most_bytes: int = ...,
) -> list[TextColumn | list[Any]]: ...
