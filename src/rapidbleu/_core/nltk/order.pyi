from collections.abc import Sequence
from typing import Any

def count_orders(pairs: Sequence[tuple[Any, ...]], /) -> list[tuple[int, int]] | None: ...
