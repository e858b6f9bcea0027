"""Changes to MERT that might improve its scores on held-out segments.

Each differs from MERT with 20 restarts in one thing: smoothing of scores, a penalty, starts of
climbs, the ends selected, or the directions searched.
"""

from collections.abc import Iterator
from functools import partial
from math import ceil
from typing import Any

import numpy as np

from bench.harness.corpora import Corpora
from bench.harness.measure import Case
from bench.lists import held_out
from bench.lists.held_out import BASE, RESTARTS, Methods, for_dense, with_features
from bench.lists.tuning_lists import TuningList
from rapidbleu.tuning import MertResult, NBestList, mert, tune

TOPIC = "cures"
# Factors of the squared distance from a start of length 1, with a spread of 1 for all features.
PENALTIES = (0.0, 0.1, 1.0, 10.0)
_SPLITS = 4  # 6 take half as long again and reduce standard errors by 3 percent
_MIN_GAIN = 0.01  # with a penalty, climbs would continue for ever smaller gains
_SAME = 1e-12  # as fraction of the largest variance: all hypotheses agree in such a direction


def cases(corpora: Corpora) -> Iterator[Case]:
    return held_out.cases(TOPIC, corpora, methods, checked, _SPLITS)


def methods(one: TuningList) -> Methods:
    smoothed = {
        f"{kind} of {2 * window + 1} intervals": partial(held_out.base, smooth=(kind, window))
        for kind in ("mean", "min")
        for window in (3, 10, 30)
    }
    cures = {
        BASE: held_out.base,
        **smoothed,
        "penalty by out-of-bag score": penalized,
        "starts from 20 bags": from_bags,
        "mean of all ends": mean_of_ends,
        "mean of the best third of ends": partial(mean_of_ends, share=1 / 3),
        "along eigenvectors": along_eigenvectors,
        "along axes and eigenvectors": along_both,
    }
    return for_dense(cures, one)


def checked(one: TuningList) -> Methods:
    """Return the cures whose weights do not result from one climb in the original features."""
    cures = {"mean of ends": mean_of_ends, "along both": along_both}
    return for_dense({name: partial(cure, restarts=2) for name, cure in cures.items()}, one)


def penalized(nbest: NBestList, start: Any, seed: int) -> Any:
    """Subtract the penalty with which bags score best on segments outside of them."""
    scales = spread(nbest)
    scaled = with_features(nbest, nbest.features / scales)
    start = start * scales
    start /= np.linalg.norm(start)
    sign = 1 if nbest.metric.higher_is_better else -1
    scores = []
    for penalty in PENALTIES:
        found = tune(
            scaled, start, "mert", 10, restarts=0, penalty=penalty, min_gain=_MIN_GAIN, seed=seed
        )
        scores.append(sign * found.out_of_bag)
    penalty = PENALTIES[int(np.argmax(scores))]
    found = held_out.base(scaled, start, penalty=penalty, min_gain=_MIN_GAIN, seed=seed)
    return found.weights / scales


def from_bags(nbest: NBestList, start: Any, seed: int) -> MertResult:
    found = tune(nbest, start, method="mert", bags=20, restarts=0, seed=seed)
    return mert(nbest, found.bag_weights, restarts=0, seed=seed)


def mean_of_ends(
    nbest: NBestList, start: Any, seed: int, share: float = 1.0, restarts: int = RESTARTS
) -> Any:
    """Average the weights at the ends of the best climbs, each scaled to an L1 norm of 1."""
    climbs = mert(nbest, start, restarts=restarts, seed=seed).starts
    climbs.sort(key=lambda climb: climb["objective"], reverse=True)
    return np.mean([climb["weights"] for climb in climbs[: ceil(share * len(climbs))]], axis=0)


def along_eigenvectors(nbest: NBestList, start: Any, seed: int) -> Any:
    """Search along the eigenvectors of the covariance of features.

    Scaling them to a variance of 1 would change nothing: a line has no unit, and random starts are
    drawn by the spread anyway.
    """
    axes = eigenvectors(nbest)
    turned = with_features(nbest, nbest.features @ axes)
    return axes @ held_out.base(turned, start @ axes, seed=seed).weights


def along_both(nbest: NBestList, start: Any, seed: int, restarts: int = RESTARTS) -> Any:
    """Search along axes and eigenvectors, from the starts of `mert`.

    Sums along eigenvectors are additional features, whose weights start at 0.
    """
    axes = eigenvectors(nbest)
    doubled = with_features(nbest, np.hstack([nbest.features, nbest.features @ axes]))
    start, widths = (
        np.concatenate([part, np.zeros(axes.shape[1])]) for part in (start, 1 / spread(nbest))
    )
    ranges = np.outer(widths, [-1.0, 1.0])
    found = mert(doubled, start, restarts=restarts, ranges=ranges, seed=seed).weights
    return found[: len(axes)] + axes @ found[len(axes) :]


def spread(nbest: NBestList) -> Any:
    """Return the standard deviation of each feature within segments; 1 if it is 0."""
    found = np.sqrt(np.diag(covariance(nbest)))
    return np.where(found > 0, found, 1.0)


def eigenvectors(nbest: NBestList) -> Any:
    """Return eigenvectors of the covariance in columns, without directions of no variance."""
    variances, axes = np.linalg.eigh(covariance(nbest))
    return axes[:, variances > _SAME * variances[-1]]


def covariance(nbest: NBestList) -> Any:
    """Return the mean over segments of the covariance of features within a segment."""
    sizes = np.diff(nbest.offsets)
    features = nbest.features.astype(np.float64)
    means = np.add.reduceat(features, nbest.offsets[:-1]) / sizes[:, np.newaxis]
    features -= np.repeat(means, sizes, axis=0)
    features /= np.sqrt(np.repeat(sizes, sizes))[:, np.newaxis]
    return features.T @ features / nbest.n_segments
