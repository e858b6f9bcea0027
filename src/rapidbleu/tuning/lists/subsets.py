"""Lists made of another one's segments: some of them, and bags in which a segment may be repeated.

A bag of segments that were drawn with replacement has some of them several times, and a third of
them not at all. A counted list stands for it without copies: it shares all arrays with the whole
list, knows how often each segment counts, and its segments that count 0 times are passed over. It
has the scores of a list of copies, to the last bit, and `mert`, `mira` and `pro` find the same
weights there, `risk` nearly the same, because its units are those of all segments.
"""

from __future__ import annotations

from rapidbleu._lib.lazy import np
from rapidbleu.tuning.lists.checks import check_counts
from rapidbleu.tuning.lists.nbest import NBestList
from rapidbleu.tuning.lists.segments import rows_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.typing import IntArray


# Segments that are worth resampling or dividing.
FEWEST = 10


def draw_counts(n_segments: int, bags: int, seed: int) -> IntArray:
    """Return how often each bag has each segment: as many draws as there are segments.

    Returns
    -------
    int64 array of shape (bags, n_segments)

    Examples
    --------
    >>> draw_counts(5, 2, 0).tolist()
    [[0, 2, 1, 1, 1], [4, 0, 0, 0, 1]]
    """
    generator = np.random.default_rng(seed)
    draws = generator.integers(n_segments, size=(bags, n_segments))
    return np.stack([np.bincount(own, minlength=n_segments) for own in draws])


def counted(nbest: NBestList, counts: IntArray) -> NBestList:
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


def repeated(nbest: NBestList, counts: IntArray) -> NBestList:
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
    rows, offsets = rows_of(nbest.offsets, np.repeat(np.arange(nbest.n_segments), counts))
    return NBestList(
        nbest.features[rows], nbest.stats[rows], offsets, metric=nbest.metric, names=nbest.names
    )


def counts_of(nbest: NBestList) -> IntArray:
    """Return how often each segment of a list counts, be it a counted list or not.

    Examples
    --------
    >>> from rapidbleu import MeanScore
    >>> comet = MeanScore()
    >>> nbest = NBestList([[1.0], [2.0]], comet.rows([0.5, 0.25]), [0, 1, 2], metric=comet)
    >>> counts_of(nbest)
    array([1, 1])
    """
    return np.ones(nbest.n_segments, np.int64) if nbest._counts is None else nbest._counts


def copies_of(nbest: NBestList) -> IntArray:
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
    return np.repeat(np.arange(nbest.n_segments, dtype=np.int64), counts_of(nbest))


def taken(nbest: NBestList, segments: IntArray) -> NBestList:
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
    features, stats, ids = nbest.features[rows], nbest.stats[rows], nbest.ids[segments]
    texts = nbest.hypotheses
    if texts is not None:
        texts = [texts[i] for i in rows.tolist()]
    if not nbest.is_sparse:
        return NBestList._made(features, stats, offsets, nbest.metric, nbest.names, ids, texts)
    return NBestList(
        features, stats, offsets, metric=nbest.metric, names=nbest.names, hypotheses=texts, ids=ids
    )
