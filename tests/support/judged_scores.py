"""Synthetic human and metric scores: with ties, with gaps, of all sizes."""

from collections.abc import Iterator
from typing import Any

import numpy as np

AVERAGES = ("none", "segment", "system")


def judged(
    seed: int, n_systems: int, n_segments: int, *, gaps: float = 0.0, digits: int = 2
) -> tuple[Any, Any]:
    """Return human scores of few values, and metric scores that agree with them somewhat."""
    rng = np.random.default_rng(seed)
    human = rng.integers(0, 8, (n_systems, n_segments)).astype(float)
    metric = (human / 4 + rng.normal(size=human.shape)).round(digits)
    for scores in (human, metric):
        scores[rng.random(scores.shape) < gaps] = np.nan
    return human, metric


def plain(scores: Any) -> list[list[float | None]]:
    """Convert to lists, with None for missing scores."""
    return [[None if x != x else float(x) for x in row] for row in scores]


def cases() -> Iterator[tuple[Any, Any]]:
    """Yield small and odd shapes, without ties and with many, whole and with gaps."""
    for seed, (n_systems, n_segments) in enumerate(
        [(2, 1), (1, 2), (2, 2), (3, 5), (5, 3), (7, 9), (12, 4), (4, 30)]
    ):
        for gaps in (0.0, 0.3):
            for digits in (0, 1, 8):
                yield judged(seed, n_systems, n_segments, gaps=gaps, digits=digits)
