"""The scores by which two metrics can be compared: those that both have."""

from rapidbleu.meta.scores.table import SystemScores

NAMES = ("one", "other")


def shared(
    human: SystemScores, metrics: "list[SystemScores]", by: str
) -> "tuple[SystemScores, list[SystemScores]]":
    """Return scores without those that one of the metrics lacks, or people do.

    With means, people have segments of their own, and so may metrics, of which all scores count
    then.
    """
    import numpy as np

    if len({own.values.shape for own in metrics}) > 1:
        return human, metrics
    there = ~np.isnan(sum(own.values for own in metrics))
    if by != "means":
        there &= ~np.isnan(human.values)
        human = SystemScores(np.where(there, human.values, np.nan), human.systems)
    kept = [SystemScores(np.where(there, own.values, np.nan), own.systems) for own in metrics]
    return human, kept
