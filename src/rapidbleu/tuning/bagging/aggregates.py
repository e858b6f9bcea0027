"""One vector of weights from those of all bags, and what bags say of segments that they lack."""

from rapidbleu.tuning.bagging.bags import best_of_each, choices
from rapidbleu.tuning.lists.nbest import NBestList
from rapidbleu.tuning.result import normalized

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.typing import FloatArray, IntArray

AGGREGATES = ("mean", "median", "mbr")


def aggregated(nbest: NBestList, weights: "FloatArray", aggregate: str) -> "FloatArray":
    """Return one vector of weights from those of bags.

    Parameters
    ----------
    nbest : NBestList
    weights : float64 array of shape (n_bags, n_features)
    aggregate : {"mean", "median", "mbr"}
        "mbr" is what `most_agreed` finds.

    Returns
    -------
    float64 array of shape (n_features,)
        Normalized so that its absolute values add up to 1, if those of the bags do.

    Examples
    --------
    >>> import numpy as np
    >>> from rapidbleu import MeanScore
    >>> comet = MeanScore()
    >>> nbest = NBestList([[1.0, 0.0], [0.0, 1.0]], comet.rows([0.5, 0.25]), [0, 2], metric=comet)
    >>> bags = np.array([[0.75, 0.25], [0.25, 0.75], [0.0, 1.0]])
    >>> aggregated(nbest, bags, "median"), aggregated(nbest, bags, "mbr")
    (array([0.25, 0.75]), array([0.25, 0.75]))
    """
    import numpy as np

    if aggregate == "mbr":
        candidates = _with_mean(weights)
        found: FloatArray = candidates[most_agreed(nbest, candidates)]
        return found
    together = np.mean if aggregate == "mean" else np.median
    return normalized(together(weights, axis=0), "l1")


def most_agreed(nbest: NBestList, candidates: "FloatArray") -> int:
    """Return which vector chooses what most bags choose, of equal ones the first.

    That is minimum Bayes risk: a segment in which two vectors of weights choose differently is a
    loss of 1, and the vector found has the least loss against all bags.

    Parameters
    ----------
    nbest : NBestList
    candidates : float64 array of shape (n_bags + 1, n_features)
        The last one is of no bag.

    Notes
    -----
    One evaluation of all candidates, and time linear in them and the segments.
    """
    import numpy as np

    chosen = choices(nbest, candidates)
    votes = np.bincount(chosen[:-1].ravel(), minlength=len(nbest))  # bags, for each hypothesis
    return int(votes[chosen].sum(axis=1).argmax())


def out_of_bag(
    nbest: NBestList, weights: "FloatArray", counts: "IntArray", aggregate: str
) -> float:
    """Return the score of hypotheses that are chosen by the bags without their segment.

    Parameters
    ----------
    nbest : NBestList
    weights : float64 array of shape (n_bags, n_features)
    counts : int64 array of shape (n_bags, n_segments)
    aggregate : {"mean", "median", "mbr"}
        Of the weights of the bags without a segment. "mbr" is "mean" if all bags agree best with
        their mean; otherwise a segment is chosen by the bag that agrees best with those without
        it, of which it is one.

    Returns
    -------
    float
        nan if some segment is in all bags.
    """
    import numpy as np

    without = counts == 0
    if not without.any(axis=0).all():
        return float("nan")
    if aggregate == "mbr" and most_agreed(nbest, _with_mean(weights)) < len(weights):
        chosen = _chosen_by_agreement(nbest, weights, without)
    else:
        together = np.median if aggregate == "median" else np.mean
        chosen = best_of_each(nbest, [together(weights[bags], axis=0) for bags in without.T])
    total = nbest.stats[chosen].sum(axis=0, dtype=np.int64)
    return float(nbest.metric.score_rows(total[np.newaxis])[0])


def _with_mean(weights: "FloatArray") -> "FloatArray":
    """Return weights of bags and their mean behind them."""
    import numpy as np

    return np.vstack([weights, normalized(weights.mean(axis=0), "l1")])


def _chosen_by_agreement(
    nbest: NBestList, weights: "FloatArray", without: "IntArray"
) -> "IntArray":
    """Return the row that each segment's bag chooses: of those without it the most agreed one."""
    import numpy as np

    chosen = choices(nbest, weights)
    same = np.stack([(chosen == own).sum(axis=1) for own in chosen])  # segments, of each two bags
    agreement = np.where(without, same @ without, -1)
    rows: IntArray = chosen[agreement.argmax(axis=0), np.arange(nbest.n_segments)]
    return rows
