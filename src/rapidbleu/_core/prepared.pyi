from typing import Any

from typing_extensions import disjoint_base

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
