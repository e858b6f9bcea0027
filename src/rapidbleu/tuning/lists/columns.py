"""Features as the searches read them, and the choices of weights from them."""

from rapidbleu.parallel import in_parts
from rapidbleu.tuning.lists.segments import rows_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu._core.tuning.line_search import Chooser, FeatureColumns
    from rapidbleu.typing import Array, FloatArray, IntArray

# Sums of features that one thread makes at least: a tenth of a millisecond of work.
PART = 200_000


def make_columns(features: "Any", offsets: "IntArray") -> "FeatureColumns":
    """Return features as columns, segments padded to full vectors.

    Those of a memory-mapped list go into a temporary file.
    """
    import numpy as np

    from rapidbleu._core.tuning.line_search import FeatureColumns, padded

    shape = (features.shape[1], padded(offsets))

    def allocate(dtype: type) -> "Array":
        if not isinstance(features, np.memmap):
            return np.empty(shape, dtype)
        import tempfile

        with tempfile.TemporaryFile() as file:
            return np.memmap(file, dtype, "w+", shape=shape)

    exact = allocate(np.float64) if features.dtype == np.float64 else None
    return FeatureColumns(features, offsets, allocate(np.float32), exact)


def chosen_totals(
    chooser: "Chooser", weights: "FloatArray", stats: "Array", counts: "IntArray | None",
    threads: int,
) -> "IntArray":  # fmt: skip
    """Return the summed statistics of what each vector of weights chooses: int64[m, n_stats].

    `counts` says how often each segment counts, if not once.
    """
    import numpy as np

    n_segments = chooser.columns.n_segments
    shape = len(weights), stats.shape[1]

    def work(begin: int, end: int, stop: list[BaseException]) -> "IntArray":
        totals = np.zeros(shape, np.int64)
        chooser.add_up(weights, stats, totals, begin, end, stop, counts)
        return totals

    least = max(1, PART * n_segments // max(1, len(stats) * len(weights)))
    sums: IntArray = np.sum(in_parts(work, n_segments, threads, least), axis=0)
    return sums


def sparse_totals(
    features: "Any", offsets: "IntArray", weights: "FloatArray", stats: "Array",
    counts: "IntArray | None",
) -> "IntArray":  # fmt: skip
    """Return what `chosen_totals` does, for sparse features."""
    import numpy as np

    if counts is not None:  # only those that count are multiplied by the weights
        segments = np.flatnonzero(counts)
        rows, offsets = rows_of(offsets, segments)
        features, stats, counts = features[rows], stats[rows], counts[segments]
    totals = np.empty((len(weights), stats.shape[1]), np.int64)
    for i, row in enumerate(weights):
        totals[i] = summed(stats[choose_sparse(features, offsets, row)], counts)
    return totals


def summed(rows: "Array", counts: "IntArray | None") -> "IntArray":
    """Return the sum of a row of statistics for each segment, each as often as it counts.

    Examples
    --------
    >>> import numpy as np
    >>> summed(np.array([[1, 2], [3, 4]]), np.array([1, 2]))
    array([ 7, 10])
    """
    import numpy as np

    if counts is None:
        return np.asarray(rows.sum(axis=0, dtype=np.int64))
    return np.asarray(counts @ rows)


def choose_sparse(features: "Any", offsets: "IntArray", weights: "FloatArray") -> "IntArray":
    """Return the row of each segment with the highest weighted sum of features, of equal the first.

    Examples
    --------
    >>> import numpy as np
    >>> features = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 0.0]])
    >>> choose_sparse(features, np.array([0, 2, 3]), np.array([1.0, 1.0]))
    array([0, 2])
    """
    import numpy as np

    scores = features.astype(np.float64, copy=False) @ weights
    bounds = offsets.astype(np.intp)
    tops = np.repeat(np.maximum.reduceat(scores, bounds[:-1]), np.diff(bounds))
    candidates = np.flatnonzero(scores == tops)
    first = np.searchsorted(candidates, offsets[:-1])
    return np.asarray(candidates[first], np.int64)
