"""Scores that people and metrics both have, in the groups that a figure is averaged over."""

from rapidbleu.meta.scores.checks import counted, filled
from rapidbleu.meta.scores.matching import as_scores, matched
from rapidbleu.meta.scores.table import SystemScores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from rapidbleu.meta.scores.matching import _ScoreSource
    from rapidbleu.typing import Array, FloatArray, Items

    _SystemSource = _ScoreSource | Items[float] | Mapping[str, float]


class Groups:
    """Scores of people and of metrics, group after group.

    Parameters
    ----------
    human, metrics : float64 arrays of shape (n_systems, n_segments)
        nan: missing; a score that one side lacks counts on no side.
    by : {"none", "segment", "system"}

    Attributes
    ----------
    human : float64 array of shape (n,)
    metrics : list of float64 arrays of shape (n,)
    offsets : int64 array of shape (n_groups + 1,)
        Where groups begin; groups without a score are there too.
    systems, segments : int32 arrays of shape (n,)
        Of each score.

    Examples
    --------
    >>> import numpy as np
    >>> nan = float("nan")
    >>> human, metric = np.array([[1, 2, 3], [4, nan, 6]]), np.arange(6.0).reshape(2, 3)
    >>> groups = Groups(human, [metric], "segment")
    >>> groups.human, groups.metrics[0], groups.offsets
    (array([1., 4., 2., 3., 6.]), array([0., 3., 1., 2., 5.]), array([0, 2, 3, 5]))
    """

    def __init__(self, human: "FloatArray", metrics: "list[FloatArray]", by: str) -> None:
        import numpy as np

        there = ~np.isnan(human)
        for metric in metrics:
            there &= ~np.isnan(metric)
        if by == "segment":
            segments, systems = np.nonzero(there.T)
            sizes = there.sum(axis=0)
        else:
            systems, segments = np.nonzero(there)
            sizes = there.sum(axis=1) if by == "system" else np.array([len(systems)])
        self.human = human[systems, segments]
        self.metrics = [metric[systems, segments] for metric in metrics]
        self.offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.systems = systems.astype(np.int32)
        self.segments = segments.astype(np.int32)


def with_systems(source: "_SystemSource", where: str) -> SystemScores:
    """Return scores of segments, or a score for each system as scores of one segment.

    Examples
    --------
    >>> with_systems({"A": 26.5, "B": 28.25}, "metric")
    SystemScores(2 systems, 1 segment)
    """
    given: Any = source
    if hasattr(given, "items") and hasattr(given, "keys"):
        if all(map(_is_number, given.values())):
            return SystemScores(_column(list(given.values()), where), given)
    elif not isinstance(given, SystemScores) and _is_flat(given):
        return SystemScores(_column(given, where))
    return as_scores(given, where)


def _is_flat(source: "Any") -> bool:
    if hasattr(source, "ndim"):
        return bool(source.ndim == 1 and source.dtype != object)
    return isinstance(source, list | tuple) and all(map(_is_number, source))


def _is_number(value: "Any") -> bool:
    """Return whether something is a number; arrays, which have ``__float__`` too, are none."""
    return hasattr(value, "__float__") and getattr(value, "ndim", 0) == 0


def _column(source: "Any", where: str) -> "Array":
    import numpy as np

    column = np.asarray(filled(np.asanyarray(source)))
    if column.dtype.kind not in "iuf":
        raise TypeError(f"{where}: expected numbers, got {column.dtype}")
    return column.reshape(-1, 1)


def matched_systems(
    human: "_SystemSource", others: "dict[str, _SystemSource]"
) -> "tuple[SystemScores, list[SystemScores]]":
    """Return scores of the same systems, of which each may have segments of its own.

    Raises
    ------
    ValueError
        If systems are named on one side only, or their number differs.

    Examples
    --------
    >>> matched_systems({"A": [1, 2], "B": [3, 4]}, {"metric": {"B": 0.5, "A": 0.25}})[1][0].values
    array([[0.25],
           [0.5 ]])
    """
    wanted = with_systems(human, "human")
    placeholder = SystemScores(wanted.means().reshape(-1, 1), wanted.systems)
    found = []
    for where, source in others.items():
        own = with_systems(source, where)
        if own.values.shape[0] != wanted.values.shape[0] and not (own.systems and wanted.systems):
            raise ValueError(
                f"{where}: expected {counted(wanted.values.shape[0], 'system')}, as human has, "
                f"got {own.values.shape[0]}"
            )
        matched(placeholder, {where: SystemScores(own.means().reshape(-1, 1), own.systems)})
        found.append(own.of(wanted.systems) if own.systems and wanted.systems else own)
    return wanted, found
