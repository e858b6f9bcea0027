from rapidbleu._core.panels import Panels
from rapidbleu._core.stream import Stream

def resample(
    panels: Panels,
    source: Stream | object,
    place: int,
    n: int,
    totals: object,
    stop: list[BaseException] | None = None,
) -> int: ...
