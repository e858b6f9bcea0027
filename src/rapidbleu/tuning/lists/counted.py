"""Lists that say how often each segment counts, and what they stand for: lists of copies.

A bag of segments that were drawn with replacement has some of them several times, and a third of
them not at all. A counted list has the scores of one with a copy of a segment for each time, to the
last bit, and `mert`, `mira` and `pro` find the same weights there, `risk` nearly the same, its
units being those of all segments. But it has no copies, and segments that count 0 times are passed
over.
"""

from rapidbleu.tuning.lists.checks import check_counts
from rapidbleu.tuning.lists.nbest import NBestList
from rapidbleu.tuning.lists.segments import rows_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.typing import IntArray


def counted(nbest: NBestList, counts: "IntArray") -> NBestList:
    """Return a list in which each segment counts so many times; it shares all arrays.

    Parameters
    ----------
    nbest : NBestList
    counts : int64 array of shape (n_segments,)
        None below 0, one at least above.

    Returns
    -------
    NBestList
        Of as many segments as `nbest`, for scores and for this package's methods of tuning; not
        for merging, saving or taking a part.

    Raises
    ------
    ValueError
        If the counts are not as described, or sums of statistics would be over 2**60.

    Notes
    -----
    Looks at the statistics once.

    Examples
    --------
    >>> import numpy as np
    >>> from rapidbleu import MeanScore
    >>> comet = MeanScore()
    >>> nbest = NBestList([[1.0], [2.0]], comet.rows([0.5, 0.25]), [0, 1, 2], metric=comet)
    >>> counted(nbest, np.array([3, 1])).evaluate([1.0])
    0.4375
    """
    own = check_counts(counts, nbest.stats, nbest.offsets)
    found = object.__new__(NBestList)
    vars(found).update(vars(nbest))
    if not nbest.is_sparse:
        found._columns, found._chooser = nbest.columns(), nbest._make_chooser()
    found._counts = own
    return found


def repeated(nbest: NBestList, counts: "IntArray") -> NBestList:
    """Return a list with copies of the segments instead of counts.

    Parameters
    ----------
    nbest : NBestList
    counts : int64 array of shape (n_segments,)
        How many copies of each; those of one segment follow each other.

    Examples
    --------
    >>> import numpy as np
    >>> from rapidbleu import MeanScore
    >>> comet = MeanScore()
    >>> nbest = NBestList([[1.0], [2.0]], comet.rows([0.5, 0.25]), [0, 1, 2], metric=comet)
    >>> repeated(nbest, np.array([2, 0])).features.tolist()
    [[1.0], [1.0]]
    """
    import numpy as np

    rows, offsets = rows_of(nbest.offsets, np.repeat(np.arange(nbest.n_segments), counts))
    return NBestList(
        nbest.features[rows], nbest.stats[rows], offsets, metric=nbest.metric, names=nbest.names
    )


def counts_of(nbest: NBestList) -> "IntArray":
    """Return how often each segment of a list counts, be it a counted list or not.

    Examples
    --------
    >>> from rapidbleu import MeanScore
    >>> comet = MeanScore()
    >>> nbest = NBestList([[1.0], [2.0]], comet.rows([0.5, 0.25]), [0, 1, 2], metric=comet)
    >>> counts_of(nbest)
    array([1, 1])
    """
    import numpy as np

    return np.ones(nbest.n_segments, np.int64) if nbest._counts is None else nbest._counts


def copies_of(nbest: NBestList) -> "IntArray":
    """Return the segments in their order, each as often as it counts.

    Examples
    --------
    >>> import numpy as np
    >>> from rapidbleu import MeanScore
    >>> comet = MeanScore()
    >>> nbest = NBestList([[1.0], [2.0]], comet.rows([0.5, 0.25]), [0, 1, 2], metric=comet)
    >>> copies_of(nbest), copies_of(counted(nbest, np.array([3, 1])))
    (array([0, 1]), array([0, 0, 0, 1]))
    """
    import numpy as np

    return np.repeat(np.arange(nbest.n_segments, dtype=np.int64), counts_of(nbest))
