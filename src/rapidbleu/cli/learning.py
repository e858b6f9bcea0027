"""How Moses' learners name features: ``F<number>`` if dense, by name if sparse."""

import re

from rapidbleu.tuning import NBestList

DENSE = re.compile(r"[^_]*(_[0-9]+)?")  # LM0_0, _1, F2; labels of sparse features have a `_`


def count_dense(nbest: NBestList) -> int:
    """Return how many of the features are dense; these come first.

    Examples
    --------
    >>> import numpy as np
    >>> from rapidbleu import MeanScore
    >>> count_dense(NBestList(np.eye(2), MeanScore().rows([0, 1]), [0, 2], metric=MeanScore()))
    2
    """
    if not nbest.is_sparse:
        return nbest.n_features
    for i, name in enumerate(nbest.names):
        if not DENSE.fullmatch(name):
            return i
    return nbest.n_features


def feature_labels(nbest: NBestList, n_dense: int | None = None) -> list[str]:
    """Return what the features are called in the files of learners.

    Parameters
    ----------
    nbest : NBestList
    n_dense : int, optional
        How many are dense, if known.
    """
    if n_dense is None:
        n_dense = count_dense(nbest)
    return [*(f"F{i}" for i in range(n_dense)), *nbest.names[n_dense:]]
