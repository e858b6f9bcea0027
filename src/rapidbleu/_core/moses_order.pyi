from typing import Any

def unique_rows(
    features: Any, stats: Any, offsets: Any, order: Any, counts: Any, tags: Any = None
) -> None: ...
