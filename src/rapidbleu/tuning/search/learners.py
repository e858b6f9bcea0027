"""Parts that learners share: their rows, start and solver, and a check that there is a choice."""

from __future__ import annotations

from rapidbleu._core.tuning.learners import LearnerRows
from rapidbleu._lib.checks import check_type
from rapidbleu._lib.lazy import np
from rapidbleu._lib.loader import load
from rapidbleu.tuning.lists.checks import check_vector
from rapidbleu.tuning.lists.nbest import NBestList

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rapidbleu.typing import FloatArray, IntArray, Vector

# Numbers that are compared together; of sparse features, two megabytes of copies.
BLOCK = 1 << 16


def make_learner_rows(nbest: NBestList) -> LearnerRows:
    """Return the rows of a list for a learner, dense or sparse; dense ones are not copied.

    Raises
    ------
    ValueError
        If a sparse list has 2**31 features or more.
    """
    features, columns, starts = nbest.features, None, None
    if nbest.is_sparse:
        if nbest.n_features >= 2**31:
            raise ValueError(f"features: expected less than 2**31, got {nbest.n_features}")
        columns = np.ascontiguousarray(features.indices, np.int32)
        starts = np.ascontiguousarray(features.indptr, np.int64)
        features = np.ascontiguousarray(features.data)
    return LearnerRows(
        features, columns, starts, nbest.stats, nbest.offsets, nbest.n_features,
        nbest.metric._kernel.n_stats,
    )  # fmt: skip


def start_weights(nbest: NBestList, weights: Vector | None) -> FloatArray:
    """Return a copy of the weights a learner starts with, or zeros for None."""
    check_type("nbest", nbest, NBestList)
    if weights is None:
        return np.zeros(nbest.n_features)
    return check_vector(weights, nbest.names)


def find_solver(method: str) -> Callable[..., Any]:
    """Return what minimizes functions, for a method that is named where there is none.

    Raises
    ------
    ImportError
        If SciPy is not installed.
    """
    try:
        minimize = load("scipy.optimize", "minimize")
    except ImportError:
        raise ImportError(f'{method} needs SciPy: pip install "rapidbleu[tuning]"') from None
    solver: Callable[..., Any] = minimize
    return solver


def check_tunable(nbest: NBestList, block: int = BLOCK) -> None:
    """Refuse a list whose hypotheses leave weights no choice that matters.

    Parameters
    ----------
    nbest : NBestList
        Dense or sparse; how often its segments count does not matter.
    block : int
        Numbers that are compared together.

    Raises
    ------
    ValueError
        If every segment has a single hypothesis, no feature differs within a segment, or no
        statistics do.

    Notes
    -----
    Compares each hypothesis with the one before it, a block of them at a time, until two differ;
    linear in the list if none do.

    Examples
    --------
    >>> from rapidbleu import MeanScore
    >>> comet = MeanScore()
    >>> rows = comet.rows([0.5, 0.25, 0.75])
    >>> check_tunable(NBestList([[1.0], [2.0], [2.0]], rows, [0, 2, 3], metric=comet))
    >>> check_tunable(NBestList([[1.0], [1.0], [2.0]], rows, [0, 2, 3], metric=comet))
    Traceback (most recent call last):
    ...
    ValueError: features: expected one at least that differs within a segment, got none
    """
    if len(nbest) == nbest.n_segments:
        raise ValueError(
            "nbest: expected a segment at least with several hypotheses, got one hypothesis in each"
        )
    if not _differ(nbest.features, nbest.offsets, block):
        raise ValueError("features: expected one at least that differs within a segment, got none")
    if not _differ(nbest.stats, nbest.offsets, block):
        raise ValueError(
            "stats: expected a segment at least whose hypotheses differ, got equal ones in each"
        )


def _differ(rows: Any, offsets: IntArray, block: int) -> bool:
    """Return whether two rows of some segment differ; they may be those of a sparse matrix."""
    n = rows.shape[0]
    follows = np.ones(n, bool)  # another row of its segment
    follows[offsets[:-1]] = False
    step = max(1, block * n // max(1, rows.size))
    for begin in range(1, n, step):
        end = min(n, begin + step)
        changed = rows[begin:end] != rows[begin - 1 : end - 1]
        if changed[follows[begin:end]].sum() > 0:
            return True
    return False
