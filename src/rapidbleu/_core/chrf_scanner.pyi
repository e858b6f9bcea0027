from collections.abc import Sequence
from typing import Self

from typing_extensions import disjoint_base

from rapidbleu._core.scanner import TextScanner

@disjoint_base
class ChrfScanner(TextScanner):
    def __new__(
        cls,
        ascii_classes: bytes,
        wide_classes: Sequence[tuple[int, int, int]],
        *,
        whitespace: bool,
        words: bool,
    ) -> Self: ...
