from collections.abc import Sequence
from typing import Self

from typing_extensions import disjoint_base

def is_label(token: bytes) -> bool: ...
def read_layout(text: bytes) -> tuple[list[str], list[tuple[bytes, int]]]: ...
@disjoint_base
class FeatureNames:
    names: tuple[str, ...]
    sparse_names: list[str]
    def __new__(cls, names: Sequence[str], labels: Sequence[tuple[bytes, int]] = ()) -> Self: ...
