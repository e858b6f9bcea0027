from collections.abc import Callable
from typing import Any

def count_pairs(
    hyp: list[Any], ref: list[Any], find_words: Callable[[], Any], /
) -> tuple[int, int]: ...
def porter_stem(word: str, /) -> str: ...
