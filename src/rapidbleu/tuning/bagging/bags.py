"""Bags of segments that are drawn with replacement, and what weights choose in them.

A bag for one of this package's methods is a counted list: it says how often each segment was drawn
and shares the rest with the whole list. A method of the caller's own gets copies of the segments.
"""

from rapidbleu.tuning.lists.nbest import NBestList, choose_sparse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.typing import FloatArray, IntArray


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


def choices(nbest: NBestList, vectors: "FloatArray") -> "IntArray":
    """Choose the hypotheses of all segments by several vectors of weights.

    Parameters
    ----------
    nbest : NBestList
    vectors : float64 array of shape (m, n_features)

    Returns
    -------
    int64 array of shape (m, n_segments)
        Numbers of rows; line i is what `NBestList.best` chooses with vector i.

    Examples
    --------
    >>> import numpy as np
    >>> from rapidbleu import MeanScore
    >>> comet = MeanScore()
    >>> features, rows = [[1.0], [2.0], [3.0], [4.0]], comet.rows([0.5, 0.25, 0.75, 0.0])
    >>> nbest = NBestList(features, rows, [0, 2, 4], metric=comet)
    >>> choices(nbest, np.array([[1.0], [-1.0]])).tolist()
    [[1, 3], [0, 2]]
    """
    import numpy as np

    if nbest.is_sparse:
        return np.stack([nbest.best(vector) for vector in vectors])
    chosen = np.empty((len(vectors), nbest.n_segments), np.int64)
    nbest._make_chooser().choose(vectors, chosen, 0, nbest.n_segments)
    return chosen
