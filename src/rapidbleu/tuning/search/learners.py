"""What learners have in common: the list as they see it, their options and their start."""

from rapidbleu._core.tuning.learners import LearnerRows
from rapidbleu.counts import check_type
from rapidbleu.tuning.lists.checks import check_vector
from rapidbleu.tuning.lists.nbest import NBestList

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.typing import FloatArray, Vector


def make_learner_rows(nbest: "NBestList") -> LearnerRows:
    """Return the rows of a list for a learner, dense or sparse; dense ones are not copied.

    Raises
    ------
    ValueError
        If a sparse list has 2**31 features or more.
    """
    import numpy as np

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


def start_weights(nbest: "NBestList", weights: "Vector | None") -> "FloatArray":
    """Return a copy of the weights a learner starts with, or zeros for None."""
    import numpy as np

    check_type("nbest", nbest, NBestList)
    if weights is None:
        return np.zeros(nbest.n_features)
    return check_vector(weights, nbest.names)
