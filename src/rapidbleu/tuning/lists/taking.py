"""A part of an n-best list: some of its segments."""

from rapidbleu.tuning.lists.nbest import NBestList
from rapidbleu.tuning.lists.segments import rows_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.typing import IntArray


def taken(nbest: NBestList, segments: "IntArray") -> NBestList:
    """Return the list of some segments, in this order.

    Parameters
    ----------
    nbest : NBestList
    segments : int64 array
        Places of segments, each at most once.

    Returns
    -------
    NBestList
        Features and statistics are copied.

    Examples
    --------
    >>> import numpy as np
    >>> from rapidbleu import MeanScore
    >>> comet = MeanScore()
    >>> features, rows = [[1.0], [2.0], [3.0]], comet.rows([0.5, 0.25, 0.75])
    >>> nbest = NBestList(features, rows, [0, 2, 3], metric=comet)
    >>> taken(nbest, np.array([1])).features
    array([[3.]])
    """
    rows, offsets = rows_of(nbest.offsets, segments)
    texts = nbest.hypotheses
    return NBestList(
        nbest.features[rows], nbest.stats[rows], offsets, metric=nbest.metric, names=nbest.names,
        hypotheses=None if texts is None else [texts[i] for i in rows.tolist()],
        ids=nbest.ids[segments],
    )  # fmt: skip
