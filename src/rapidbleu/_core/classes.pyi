from collections.abc import Sequence
from typing import Self

from typing_extensions import disjoint_base

@disjoint_base
class CharacterClasses:
    def __new__(
        cls, ascii_classes: bytes, wide_classes: Sequence[tuple[int, int, int]], rare: bytes
    ) -> Self: ...
