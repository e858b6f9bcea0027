"""What learns as Moses' kbmira does: its list without equal hypotheses, and its scores."""

from rapidbleu._core.metrics.bleu import BleuKernel
from rapidbleu._core.tuning.moses_mira import MosesMira
from rapidbleu.tuning.lists.merging import without_duplicates
from rapidbleu.tuning.lists.nbest import NBestList
from rapidbleu.tuning.lists.segments import spread
from rapidbleu.tuning.moses.stats_writing import count_dense
from rapidbleu.tuning.search.learners import make_learner_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rapidbleu.typing import FloatArray


def moses_learner(
    nbest: NBestList, weights: "FloatArray", *options: "Any"
) -> "tuple[MosesMira, Callable[[FloatArray], float]]":
    """Return what learns from the list, and a function that scores its mean.

    Parameters
    ----------
    nbest : NBestList
        Whose metric is BLEU.
    weights : float64 array of shape (n_features,)
    *options
        The last ones of `MosesMira`.
    """
    if not isinstance(nbest.metric._kernel, BleuKernel):
        raise ValueError(
            f"nbest: expected BLEU with moses_compat, got {type(nbest.metric).__name__}"
        )
    own = _without_equal_features(nbest)
    learner = MosesMira(make_learner_rows(own), weights, count_dense(own), *options)
    return learner, lambda mean: 100 * learner.score()


def _without_equal_features(nbest: NBestList) -> NBestList:
    """Return the list in single precision, each segment without features that it has already."""
    import numpy as np

    features, stats = nbest.features.astype(np.float32, copy=False), np.asarray(nbest.stats)
    segments = spread(np.arange(nbest.n_segments), nbest.offsets)
    kept = without_duplicates(segments, features, np.zeros((len(stats), 1), np.int64))
    if len(kept) == len(stats) and nbest.features.dtype == np.float32:
        return nbest
    offsets = np.searchsorted(segments[kept], np.arange(nbest.n_segments + 1))
    return NBestList(
        features[kept], stats[kept], offsets, metric=nbest.metric, names=nbest.names
    )
