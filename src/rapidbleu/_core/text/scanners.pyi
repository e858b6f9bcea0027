from collections.abc import Sequence
from typing import Self

from typing_extensions import disjoint_base

@disjoint_base
class CharacterClasses:
    def __new__(
        cls,
        ascii_classes: bytes,
        wide_classes: Sequence[tuple[int, int, int]],
        rare: bytes,
        /,
    ) -> Self: ...

@disjoint_base
class TextScanner: ...

@disjoint_base
class Scanner(TextScanner):
    def __new__(
        cls,
        ascii_classes: bytes,
        wide_classes: Sequence[tuple[int, int, int]],
        *,
        pad: bool = False,
        unescape: bool = False,
        strip: bool = False,
        lowercase: bool = False,
    ) -> Self: ...

@disjoint_base
class ChrfScanner(TextScanner):
    def __new__(
        cls,
        ascii_classes: bytes,
        wide_classes: Sequence[tuple[int, int, int]],
        *,
        whitespace: bool,
        words: bool,
        strip: bool = False,
    ) -> Self: ...

def simd_level() -> str: ...
