from typing import Self

from typing_extensions import disjoint_base

from rapidbleu._core.text.scanners import TextScanner

@disjoint_base
class Lowercase:
    def __new__(cls) -> Self: ...

@disjoint_base
class MeteorScanner(TextScanner):
    def __new__(cls, language: str, prefixes: dict[str, bool], /) -> Self: ...
    def tokens(self, text: str, /) -> list[str]: ...
