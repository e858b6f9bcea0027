from rapidbleu._core.packed_rows import PackedRows

def shuffle(
    packed: PackedRows,
    coins: object,
    n: int,
    totals: object,
    stop: list[BaseException] | None = None,
) -> None: ...
