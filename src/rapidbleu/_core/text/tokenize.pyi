from collections.abc import Callable, Sequence
from typing import Any, Self

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

@disjoint_base
class PreparedReferences:
    @property
    def length(self) -> int: ...
    @property
    def num_refs(self) -> int: ...
    @property
    def is_text(self) -> bool: ...
    @property
    def n_tokens(self) -> int: ...
    def __len__(self) -> int: ...
    def __sizeof__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

def restore(
    length: int,
    num_refs: int,
    kind: int,
    first: bytes,
    first_token: bytes,
    first_long: bytes,
    lo: bytes,
    hi: bytes,
    longs: bytes,
    text: bytes,
) -> PreparedReferences: ...

@disjoint_base
class Reader:
    def __new__(
        cls,
        scanner: TextScanner | None,
        rule: Callable[[str], Any],
        lowercase: bool,
        on_lost_text: Callable[[str], None] | None = None,
        pad: int | None = None,
        end: int | None = None,
    ) -> Self: ...
    @property
    def scanner(self) -> TextScanner | None: ...
    @property
    def rule(self) -> Callable[[str], Any]: ...
    @property
    def lowercase(self) -> bool: ...
