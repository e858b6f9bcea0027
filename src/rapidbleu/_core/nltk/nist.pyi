from typing import Any, Self

from typing_extensions import disjoint_base

@disjoint_base
class Corpus:
    def __new__(cls) -> Self: ...

@disjoint_base
class Scratch:
    def __new__(cls, n: int, /) -> Self: ...

def nist_sums(
    list_of_references: Any, hypotheses: Any, n: int, /,
) -> tuple[list[float], list[int], int, int] | None: ...
