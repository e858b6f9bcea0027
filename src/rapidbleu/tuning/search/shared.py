"""Parts shared by the tuning methods: result, start, learner rows, solver, and a list check."""

from __future__ import annotations

from dataclasses import dataclass

from rapidbleu._core.tuning.mira import LearnerRows
from rapidbleu._lib.checks import check_type
from rapidbleu._lib.floats import finite
from rapidbleu._lib.loader import load, np
from rapidbleu.tuning.checks import check_vector
from rapidbleu.tuning.nbest import NBestList

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rapidbleu._types import FloatArray, IntArray, Norm, Vector

SHOWN = 12  # weights in a representation
BLOCK = 1 << 16  # numbers compared at a time; if sparse, with two megabytes of copies


@dataclass(eq=False, repr=False)
class TuningResult:
    """Tuned weights with their score and history.

    Attributes
    ----------
    weights : float64 array of shape (n_features,)
    names : tuple of str
        Feature names.
    score : float
        Score of the tuned list with these weights, as in `NBestList.evaluate`.
    method : str
    history : list of dict
        One per step or epoch.
    interrupted : bool
        Whether Ctrl-C stopped the tuning; the weights are the best until then.
    seed : int or None
        Seed; None if nothing was drawn.

    Examples
    --------
    >>> from rapidbleu.tuning import NBestList, mira
    >>> nbest = NBestList.from_lists([["a b c d", "a b c e"]], [[0, 1], [1, 0]], [["a b c e"]])
    >>> found = mira(nbest, [0, 1])
    >>> found.method, found.names, found.weights.shape
    ('mira', ('F0', 'F1'), (2,))
    """

    weights: FloatArray
    names: tuple[str, ...]
    score: float
    method: str
    history: list[dict[str, Any]]
    interrupted: bool = False
    seed: int | None = None

    def __post_init__(self) -> None:
        self.names = tuple(self.names)

    def to_dict(self) -> dict[str, Any]:
        """Return all attributes as plain values, for JSON, which restores each number exactly.

        ``weights`` is a dict by feature name, arrays are lists, and None stands for nan.

        Examples
        --------
        >>> import numpy as np
        >>> found = TuningResult(np.array([0.5, -0.5]), ["lm", "length"], 30.0, "mert", [])
        >>> found.to_dict()["weights"], found.to_dict()["score"]
        ({'lm': 0.5, 'length': -0.5}, 30.0)
        """
        values = {key: finite(value) for key, value in vars(self).items() if key != "names"}
        return values | {"weights": dict(zip(self.names, self.weights.tolist(), strict=True))}

    def __repr__(self) -> str:
        lines = [f"{self.method}: {self.score:.4f}" + " (interrupted)" * self.interrupted]
        width = max(map(len, self.names[:SHOWN]), default=0)
        for name, weight in list(zip(self.names, self.weights, strict=True))[:SHOWN]:
            lines.append(f"  {name:{width}} {weight: .6g}")
        if len(self.names) > SHOWN:
            lines.append(f"  ... and {len(self.names) - SHOWN} more")
        return "\n".join(lines)


def normalized(weights: FloatArray, norm: Norm | None) -> FloatArray:
    """Return weights with a norm of 1, unless all are 0.

    >>> import numpy as np
    >>> normalized(np.array([3.0, -1.0]), "l1")
    array([ 0.75, -0.25])
    """
    length = 1.0 if norm is None else float(np.linalg.norm(weights, 1 if norm == "l1" else 2))
    return weights / length if length > 0 else weights


def start_weights(nbest: NBestList, weights: Vector | None) -> FloatArray:
    """Return a copy of the start weights of a learner; None becomes zeros."""
    check_type("nbest", nbest, NBestList)
    if weights is None:
        return np.zeros(nbest.n_features)
    return check_vector(weights, nbest.names, "start")


def make_learner_rows(nbest: NBestList) -> LearnerRows:
    """Return the rows of a list for a learner, without copying dense ones.

    Raises ValueError for a sparse list with 2**31 features or more.
    """
    features = nbest.features
    columns = None
    starts = None
    if nbest.is_sparse:
        if nbest.n_features >= 2**31:
            raise ValueError(f"features: expected less than 2**31; got {nbest.n_features}")
        columns = np.ascontiguousarray(features.indices, np.int32)
        starts = np.ascontiguousarray(features.indptr, np.int64)
        features = np.ascontiguousarray(features.data)
    return LearnerRows(
        features,
        columns,
        starts,
        nbest.stats,
        nbest.offsets,
        nbest.n_features,
        nbest.metric._kernel.n_stats,
    )


def find_solver(method: str) -> Callable[..., Any]:
    """Return SciPy's `minimize`; `method` names the caller if SciPy is missing."""
    try:
        minimize: Callable[..., Any] = load("scipy.optimize", "minimize")
    except ImportError:
        raise ImportError(f'{method} needs SciPy: pip install "rapidbleu[tuning]"') from None
    return minimize


def check_tunable(nbest: NBestList, block: int = BLOCK) -> None:
    """Raise ValueError for a list in which weights cannot make a difference.

    In such a list every segment has a single hypothesis, or no features or no statistics differ
    within a segment. Adjacent hypotheses are compared, `block` numbers at a time, until two differ.

    >>> from rapidbleu import SegmentScores
    >>> comet = SegmentScores()
    >>> rows = comet.stats([0.5, 0.25, 0.75])
    >>> check_tunable(NBestList([[1.0], [2.0], [2.0]], rows, [0, 2, 3], metric=comet))
    >>> check_tunable(NBestList([[1.0], [1.0], [2.0]], rows, [0, 2, 3], metric=comet))
    Traceback (most recent call last):
    ...
    ValueError: nbest.features: expected some that differ within a segment; got none
    """
    if len(nbest) == nbest.n_segments:
        raise ValueError(
            "nbest: expected at least one segment with several hypotheses; got one hypothesis each"
        )
    if not _differ(nbest.features, nbest.offsets, block):
        raise ValueError("nbest.features: expected some that differ within a segment; got none")
    if not _differ(nbest.stats, nbest.offsets, block):
        raise ValueError("nbest.stats: expected some that differ within a segment; got none")


def _differ(rows: Any, offsets: IntArray, block: int) -> bool:
    """Return whether two rows of a segment differ; `rows` may be sparse."""
    n = rows.shape[0]
    follows = np.ones(n, bool)  # whether the row before is in the same segment
    follows[offsets[:-1]] = False
    step = max(1, block * n // max(1, rows.size))
    for begin in range(1, n, step):
        end = min(n, begin + step)
        changed = rows[begin:end] != rows[begin - 1 : end - 1]
        if changed[follows[begin:end]].sum() > 0:
            return True
    return False
