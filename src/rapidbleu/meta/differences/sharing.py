"""The scores by which two metrics can be compared: those that both have."""

from rapidbleu.meta.scores.table import SystemScores

NAMES = ("one", "other")


def shared(metrics: "list[SystemScores]") -> "list[SystemScores]":
    """Return metrics without scores that one of them lacks.

    Metrics that have a score of each system, or segments of their own, keep what they have.
    """
    import numpy as np

    if len({own.values.shape for own in metrics}) > 1:
        return metrics
    there = ~np.isnan(sum(own.values for own in metrics))
    return [SystemScores(np.where(there, own.values, np.nan), own.systems) for own in metrics]
