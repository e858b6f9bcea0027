"""Whether there is anything to tune: lists on which all weights score alike are refused."""

from rapidbleu.tuning.lists.nbest import NBestList

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu.typing import IntArray

# Segments that are worth resampling or dividing.
FEWEST = 10

# Numbers that are compared together; of sparse features, two megabytes of copies.
BLOCK = 1 << 16


def check_tunable(nbest: NBestList) -> None:
    """Refuse a list whose hypotheses leave weights no choice that matters.

    Parameters
    ----------
    nbest : NBestList
        Dense or sparse; how often its segments count does not matter.

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
    if not _differ(nbest.features, nbest.offsets):
        raise ValueError(
            "features: expected one at least that differs within a segment, got none"
        )
    if not _differ(nbest.stats, nbest.offsets):
        raise ValueError(
            "stats: expected a segment at least whose hypotheses differ, got equal ones in each"
        )


def _differ(rows: "Any", offsets: "IntArray") -> bool:
    """Return whether two rows of some segment differ; they may be those of a sparse matrix."""
    import numpy as np

    n = rows.shape[0]
    follows = np.ones(n, bool)  # another row of its segment
    follows[offsets[:-1]] = False
    step = max(1, BLOCK * n // max(1, rows.size))
    for begin in range(1, n, step):
        end = min(n, begin + step)
        changed = rows[begin:end] != rows[begin - 1 : end - 1]
        if changed[follows[begin:end]].sum() > 0:
            return True
    return False
