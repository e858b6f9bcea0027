"""Z-scores of judges and means of their scores, by the definitions."""

from statistics import fmean, stdev


def z_scores(judges: list[str], scores: list[float]) -> list[float]:
    found = []
    for judge, score in zip(judges, scores, strict=True):
        own = [s for j, s in zip(judges, scores, strict=True) if j == judge]
        found.append((score - fmean(own)) / stdev(own))
    return found


def cell_means(
    systems: list[str], segments: list[str], scores: list[float]
) -> dict[tuple[str, str], float]:
    cells: dict[tuple[str, str], list[float]] = {}
    for system, segment, score in zip(systems, segments, scores, strict=True):
        cells.setdefault((system, segment), []).append(score)
    return {cell: fmean(found) for cell, found in cells.items()}
