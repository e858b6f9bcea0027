from collections.abc import Callable, Mapping
from typing import Any

def count_pairs(
    hyp: list[Any],
    ref: list[Any],
    find_words: Callable[[], tuple[Mapping[Any, Any], Mapping[Any, frozenset[Any]]]],
    /,
) -> tuple[int, int]: ...
def porter_stem(word: str, /) -> str: ...
