from rapidbleu._core.panels import Panels

def shuffle(
    panels: Panels,
    coins: object,
    n: int,
    totals: object,
    stop: list[BaseException] | None = None,
) -> None: ...
