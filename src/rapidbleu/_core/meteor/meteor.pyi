from collections.abc import Callable, Collection, Sequence
from typing import Self

from typing_extensions import disjoint_base

from rapidbleu._core.metrics.kernel import Kernel
from rapidbleu._core.text.tokenize import TextScanner

MODULES: dict[str, int]
COLUMNS: tuple[str, ...]

@disjoint_base
class PhraseTable:
    def __new__(cls) -> Self: ...
    def read(self, lines: bytes, /) -> None: ...
    def close(self) -> None: ...
    def __len__(self) -> int: ...

@disjoint_base
class WordKnowledge:
    def __new__(
        cls,
        stem: Callable[[str], str] | None,
        function_words: frozenset[str],
        synonyms: Callable[[str], Collection[int]] | None,
        of_bytes: bool = False,
        /,
    ) -> Self: ...

@disjoint_base
class MeteorKernel(Kernel):
    def __new__(
        cls,
        parameters: Sequence[float],
        weights: Sequence[float],
        modules: Sequence[str],
        knowledge: WordKnowledge | None,
        phrases: PhraseTable | None,
        perfect_is_whole: bool,
        perfect_in_sums: bool,
        /,
    ) -> Self: ...
    matches: list[tuple[int, int, int, int, int]] | None

@disjoint_base
class MeteorScanner(TextScanner):
    def __new__(cls, language: str, prefixes: dict[str, bool], /) -> Self: ...
    def tokens(self, text: str, /) -> list[str]: ...
