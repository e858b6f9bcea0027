"""Warnings where a figure has no value, or says little."""

from rapidbleu.meta.scores.checks import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from rapidbleu.meta.figures.groups import Groups
    from rapidbleu.meta.scores.table import SystemScores
    from rapidbleu.typing import FloatArray

    _Tell = Callable[[str], None]

FEW_SYSTEMS = 10


def silence(message: str) -> None:
    """Drop a message."""


def about_systems(n: int, figure: str, tell: "_Tell") -> None:
    """Tell if systems are few."""
    if n < FEW_SYSTEMS:
        tell(f"{figure}: {counted(n, 'system')}, fewer than {FEW_SYSTEMS}, say little")


def about_missing(scores: "SystemScores", where: str, tell: "_Tell") -> None:
    """Tell of systems without a score."""
    import numpy as np

    for i in np.flatnonzero(np.isnan(scores.values).all(axis=1)).tolist():
        tell(f"{where}: system {scores.name(i)!r} has no score")


def about_value(
    value: float, figure: str, groups: "Groups", metric: "FloatArray", where: str, tell: "_Tell"
) -> None:
    """Tell if there is no value, and why."""
    if value == value:
        return
    if len(groups.human) < 2:
        reason = f"expected two scores that both sides have, got {len(groups.human)}"
    elif (groups.human == groups.human[0]).all():
        reason = "all human scores are the same"
    elif (metric == metric[0]).all():
        reason = f"all scores of {where} are the same"
    elif figure == "kendall_like":
        reason = "no two human scores are far enough apart"
    else:
        reason = "no segment or system has two different scores on both sides"
    tell(f"{figure}: no value, as {reason}")


def about_ties(epsilon: float, widest: float, where: str, tell: "_Tell") -> None:
    """Tell if the best threshold calls everything a tie."""
    if epsilon >= widest:
        tell(
            f"accuracy_eq: the best threshold of {where}, {epsilon:.4g}, calls all pairs ties; "
            f"the figure is the share of human ties"
        )
