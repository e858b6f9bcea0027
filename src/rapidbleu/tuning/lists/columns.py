"""Features as the searches read them, and the choices of weights from them."""

from rapidbleu.parallel import in_parts

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
    chooser: "Chooser", weights: "FloatArray", stats: "Array", threads: int
) -> "IntArray":
    """Return the summed statistics of what each vector of weights chooses: int64[m, n_stats]."""
    import numpy as np

    n_segments = chooser.columns.n_segments
    shape = len(weights), stats.shape[1]

    def work(begin: int, end: int, stop: list[BaseException]) -> "IntArray":
        chooser.add_up(weights, stats, totals := np.zeros(shape, np.int64), begin, end, stop)
        return totals

    least = max(1, PART * n_segments // max(1, len(stats) * len(weights)))
    sums: IntArray = np.sum(in_parts(work, n_segments, threads, least), axis=0)
    return sums


def sparse_totals(
    features: "Any", offsets: "IntArray", weights: "FloatArray", stats: "Array"
) -> "IntArray":
    """Return what `chosen_totals` does, for sparse features."""
    import numpy as np

    totals = np.empty((len(weights), stats.shape[1]), np.int64)
    for i, row in enumerate(weights):
        totals[i] = stats[choose_sparse(features, offsets, row)].sum(axis=0)
    return totals


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

    scores = features.astype(np.float64) @ weights
    bounds = offsets.astype(np.intp)
    tops = np.repeat(np.maximum.reduceat(scores, bounds[:-1]), np.diff(bounds))
    candidates = np.flatnonzero(scores == tops)
    first = np.searchsorted(candidates, offsets[:-1])
    return np.asarray(candidates[first], np.int64)
