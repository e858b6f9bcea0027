"""N-best lists of several runs as one, by the definition."""

from collections.abc import Sequence
from typing import Any

Segment = list[tuple[tuple[float, ...], tuple[int, ...], Any]]


def merge(lists: Sequence[dict[int, Segment]]) -> dict[int, Segment]:
    """Return hypotheses (features, stats, text) by segment id, without duplicates in a segment."""
    merged: dict[int, Segment] = {}
    for one in lists:
        for number, hypotheses in one.items():
            own = merged.setdefault(number, [])
            for features, stats, text in hypotheses:
                if not any(features == seen[0] and stats == seen[1] for seen in own):
                    own.append((features, stats, text))
    return merged
