"""Bags: n-best lists of segments that were drawn with replacement.

A bag of MERT shares all but the statistics with the list: these are multiplied by how often each
segment was drawn, so the sums are those of the drawn segments, and a segment that was not drawn
changes nothing. Learners that go from segment to segment get copies of the drawn ones.
"""

from rapidbleu.tuning.lists.columns import choose_sparse
from rapidbleu.tuning.lists.nbest import NBestList
from rapidbleu.tuning.lists.taking import rows_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.typing import Array, FloatArray, IntArray

MOST_INT32 = 2**31 - 1


def draw_counts(n_segments: int, bags: int, seed: int) -> "IntArray":
    """Return how often each bag has each segment: as many draws as there are segments.

    Returns
    -------
    int64 array of shape (bags, n_segments)

    Examples
    --------
    >>> draw_counts(5, 2, 0).tolist()
    [[0, 2, 1, 1, 1], [4, 0, 0, 0, 1]]
    """
    import numpy as np

    generator = np.random.default_rng(seed)
    draws = generator.integers(n_segments, size=(bags, n_segments))
    return np.stack([np.bincount(own, minlength=n_segments) for own in draws])


def weighed(nbest: NBestList, counts: "IntArray") -> NBestList:
    """Return a list whose sums count each segment as often as it was drawn; features are shared.

    Parameters
    ----------
    nbest : NBestList
        With dense features.
    counts : int64 array of shape (n_segments,)

    Examples
    --------
    >>> import numpy as np
    >>> from rapidbleu import MeanScore
    >>> comet = MeanScore()
    >>> nbest = NBestList([[1.0], [2.0]], comet.rows([0.5, 0.25]), [0, 1, 2], metric=comet)
    >>> weighed(nbest, np.array([3, 1])).evaluate([1.0])
    0.4375
    """
    import numpy as np

    found = object.__new__(NBestList)
    vars(found).update(vars(nbest))
    found._columns = nbest.columns()
    found._chooser = nbest._make_chooser()
    stats: Array = nbest.stats
    if int(stats.max()) * int(counts.max()) > MOST_INT32:
        stats = stats.astype(np.int64)
    factors = np.repeat(counts, np.diff(nbest.offsets)).astype(stats.dtype)
    found.stats = stats * factors[:, np.newaxis]
    return found


def repeated(nbest: NBestList, counts: "IntArray") -> NBestList:
    """Return a list of copies of the drawn segments.

    Parameters
    ----------
    nbest : NBestList
    counts : int64 array of shape (n_segments,)

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

    rows, offsets = rows_of(nbest, np.repeat(np.arange(nbest.n_segments), counts))
    return NBestList(
        nbest.features[rows], nbest.stats[rows], offsets, metric=nbest.metric, names=nbest.names
    )


def best_of_each(nbest: NBestList, vectors: "list[FloatArray]") -> "IntArray":
    """Choose each segment's hypothesis by weights of its own.

    Parameters
    ----------
    nbest : NBestList
    vectors : list of float64 arrays of shape (n_features,)
        For each segment.

    Returns
    -------
    int64 array of shape (n_segments,)
        Numbers of rows, those that `NBestList.best` chooses with the weights.

    Examples
    --------
    >>> import numpy as np
    >>> from rapidbleu import MeanScore
    >>> comet = MeanScore()
    >>> features, rows = [[1.0], [2.0], [3.0], [4.0]], comet.rows([0.5, 0.25, 0.75, 0.0])
    >>> nbest = NBestList(features, rows, [0, 2, 4], metric=comet)
    >>> best_of_each(nbest, [np.array([1.0]), np.array([-1.0])])
    array([1, 2])
    """
    import numpy as np

    chosen: IntArray = np.empty(nbest.n_segments, np.int64)
    if nbest.is_sparse:
        for i, vector in enumerate(vectors):
            begin, end = nbest.offsets[i : i + 2].tolist()
            ends = np.array([0, end - begin])
            chosen[i] = begin + choose_sparse(nbest.features[begin:end], ends, vector)[0]
        return chosen
    chooser = nbest._make_chooser()
    for i, vector in enumerate(vectors):
        chooser.choose(vector, chosen, i, i + 1)
    return chosen
