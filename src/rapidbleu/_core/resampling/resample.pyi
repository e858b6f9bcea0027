from typing import final

from rapidbleu._core.input.columns import Column

@final
class Stream:
    def __new__(cls, state: int, increment: int, /) -> Stream: ...
    def draw(self, bound: int, out: object, place: int = 0, /) -> int: ...
    def skip(self, bound: int, n: int, place: int = 0, /) -> int: ...
    def copy(self, out: object, place: int = 0, /) -> None: ...

@final
class PackedRows:
    def __new__(
        cls, parts: list[object], n_segments: int, weighted: bool = False, /
    ) -> PackedRows: ...
    @property
    def n_columns(self) -> int: ...

def resample(
    packed: PackedRows,
    stream: Stream,
    place: int,
    n: int,
    totals: object,
    stop: list[BaseException] | None = None,
    n_drawn: int = 0,
    /,
) -> int: ...
def shuffle(
    packed: PackedRows,
    coins: object,
    n: int,
    totals: object,
    stop: list[BaseException] | None = None,
    /,
) -> None: ...
def add_weighted(
    packed: PackedRows,
    keys: object,
    seed: int,
    first: int,
    n: int,
    totals: object,
    stop: list[BaseException] | None = None,
    /,
) -> None: ...
def text_keys(texts: Column, keys: object, /) -> None: ...
