from collections.abc import Callable
from typing import Any, Self

from typing_extensions import disjoint_base

from rapidbleu._core.text.scanners import TextScanner

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
    ) -> Self: ...
    @property
    def scanner(self) -> TextScanner | None: ...
    @property
    def rule(self) -> Callable[[str], Any]: ...
    @property
    def lowercase(self) -> bool: ...
