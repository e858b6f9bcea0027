from rapidbleu._core.packed_rows import PackedRows
from rapidbleu._core.stream import Stream

def resample(
    packed: PackedRows,
    source: Stream | object,
    place: int,
    n: int,
    totals: object,
    stop: list[BaseException] | None = None,
) -> int: ...
