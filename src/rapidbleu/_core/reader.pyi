from collections.abc import Callable
from typing import Any, Self

from typing_extensions import disjoint_base

from rapidbleu._core.scanner import TextScanner

@disjoint_base
class Reader:
    def __new__(
        cls, scanner: TextScanner | None, rule: Callable[[str], Any], lowercase: bool
    ) -> Self: ...
    @property
    def scanner(self) -> TextScanner | None: ...
    @property
    def rule(self) -> Callable[[str], Any]: ...
    @property
    def lowercase(self) -> bool: ...
