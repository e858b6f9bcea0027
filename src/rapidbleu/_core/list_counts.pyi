from collections.abc import Sequence
from typing import Any, Self

from typing_extensions import disjoint_base

@disjoint_base
class ListCounter:
    def __new__(cls) -> Self: ...
    def bleu(
        self, list_of_references: Sequence[Any], hypotheses: Sequence[Any], max_order: int
    ) -> tuple[int, int, list[int], list[int]] | None: ...
    def gleu(
        self,
        list_of_references: Sequence[Any],
        hypotheses: Sequence[Any],
        min_order: int,
        max_order: int,
    ) -> tuple[int, int] | None: ...
