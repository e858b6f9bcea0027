from typing import Any

def chrf_sums(
    references: Any,
    hypotheses: Any,
    min_order: int,
    max_order: int,
    factor: float,
    one_more: float,
    ignore_space: bool,
) -> list[float] | None: ...
