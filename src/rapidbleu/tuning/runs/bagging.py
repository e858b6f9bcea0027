"""Bagging (Breiman 1996): runs of a method on many bags of segments, and the mean of weights."""

from __future__ import annotations

import math

from rapidbleu._lib.checks import check_count, check_type
from rapidbleu._lib.lazy import np
from rapidbleu.parallel import check_progress, check_threads
from rapidbleu.tuning.checks import check_vector
from rapidbleu.tuning.nbest import FEWEST, NBestList, choose_sparse, counted, draw_counts, repeated
from rapidbleu.tuning.runs.running import find_method, is_ours, run_all, run_method
from rapidbleu.tuning.search.mert import mert
from rapidbleu.tuning.search.shared import TuningResult, check_tunable, normalized

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rapidbleu.typing import FloatArray, IntArray, Method, Progress, Vector

OPTIONS_OF_MERT = {"restarts": 3}  # unless others are given
AGGREGATES = ("mean", "median", "mbr")


class BaggedResult(TuningResult):
    """Weights of all bags together.

    Attributes
    ----------
    bag_weights : float64 array of shape (n_bags, n_features)
        Normalized so that their absolute values add up to 1.
    counts : int64 array of shape (n_bags, n_segments)
        How often each bag has each segment.
    out_of_bag : float
        The score of the corpus in which each segment's hypothesis is chosen by the bags that do
        not have the segment: an estimate for other text. nan if some segment is in all bags. With
        the aggregate "mbr": by the mean of their weights if all bags agree best with their mean,
        else by the one of them that agrees best with them.

    Notes
    -----
    The history has a dict for each bag: bag, score (of the bag with its own weights).
    """

    def __init__(
        self,
        *args: Any,
        bag_weights: FloatArray,
        counts: IntArray,
        out_of_bag: float,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.bag_weights = bag_weights
        self.counts = counts
        self.out_of_bag = out_of_bag


class Bagged:
    """A method on bags of segments, made by `bagged`; called like the method.

    Attributes
    ----------
    method : str
    bags : int
    aggregate : str
    options : dict
        Of the method.
    """

    tells_progress = True

    def __init__(
        self, method: Any, bags: int, aggregate: str, threads: int, options: dict[str, Any]
    ) -> None:
        self._run, self.method = find_method(method)
        self.bags = check_count("bags", bags, 2)
        if aggregate not in AGGREGATES:
            raise ValueError(
                f"aggregate: expected one of {', '.join(AGGREGATES)}, got {aggregate!r}"
            )
        self.aggregate = aggregate
        self.threads = check_threads(threads)
        self.options = {**OPTIONS_OF_MERT, **options} if self._run is mert else options

    def __repr__(self) -> str:
        shown = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"bagged({self.method!r}, {self.bags}, aggregate={self.aggregate!r}{shown})"

    def __call__(
        self,
        nbest: NBestList,
        start: Vector | None = None,
        *,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> BaggedResult:
        """Tune weights on all bags; parameters, result and errors are those of `tune`."""
        check_progress(progress)
        check_type("nbest", nbest, NBestList)
        if nbest.n_segments < FEWEST:
            raise ValueError(f"nbest: expected at least {FEWEST} segments, got {nbest.n_segments}")
        check_tunable(nbest)
        check_count("seed", seed, 0, math.inf)
        begin = {} if start is None else {"start": check_vector(start, nbest.names, "start")}
        counts = draw_counts(nbest.n_segments, self.bags, seed)
        found = np.full((self.bags, nbest.n_features), np.nan)
        scores = np.full(self.bags, np.nan)
        lists = [counted(nbest, own) for own in counts]

        def run(bag: int, stop: list[BaseException], end_step: Callable[[], None]) -> None:
            own = lists[bag] if is_ours(self._run) else repeated(nbest, counts[bag])
            weights = run_method(self._run, own, stop, seed=seed + bag, **begin, **self.options)
            found[bag] = normalized(weights, "l1")
            scores[bag] = lists[bag].evaluate(found[bag])
            end_step()

        done, interrupted = run_all(run, self.bags, self.threads, progress)
        chosen = aggregated(nbest, found[done], self.aggregate)
        history = [{"bag": bag, "score": float(scores[bag])} for bag in done]
        return BaggedResult(
            chosen, nbest.names, float(nbest.evaluate(chosen)), f"bagged {self.method}", history,
            interrupted, bag_weights=found[done], counts=counts[done],
            out_of_bag=out_of_bag(nbest, found[done], counts[done], self.aggregate),
        )  # fmt: skip


def bagged(
    method: Method | Callable[..., TuningResult | Vector],
    bags: int = 20,
    *,
    aggregate: str = "mean",
    threads: int = 1,
    **options: Any,
) -> Bagged:
    """Return a method that runs another one on bags of segments, and takes the mean of the weights.

    Parameters
    ----------
    method : {"mert", "pro", "mira", "risk"} or callable
        Called as ``method(bag, seed=seed, **options)``, with ``weights=weights`` if there are some;
        returns a `TuningResult`, or weights.
    bags : int
        How many; each has as many segments as the list, drawn with replacement.
    aggregate : {"mean", "median", "mbr"}
        Of the weights of the bags, each scaled to a sum of absolute values of 1. "mbr" (minimum
        Bayes risk): of these vectors and their mean, the one that chooses the same hypothesis as a
        bag in the most segments of the list, summed over all bags.
    threads : int
        Over bags; 0: all cores. The result is the same.
    **options
        Of the method; "mert" has 3 restarts by default.

    Returns
    -------
    Bagged
        To be called as ``found(nbest, weights=None, *, seed=0, progress=None)``; returns a
        `BaggedResult`.

    Raises
    ------
    TypeError, ValueError
        If an argument is wrong.

    Notes
    -----
    Bags for this package's methods share all arrays with the list, and pass over segments that
    were not drawn. A callable of the caller's own gets a list with copies of the drawn segments,
    one for each thread at a time.

    References
    ----------
    Breiman 1996, Bagging Predictors.

    Examples
    --------
    >>> import numpy as np
    >>> from rapidbleu import SegmentScores
    >>> from rapidbleu.tuning import NBestList
    >>> rng, comet = np.random.default_rng(0), SegmentScores("COMET")
    >>> quality = rng.normal(size=400)
    >>> features = np.stack([quality + rng.normal(size=400), rng.normal(size=400)], axis=1)
    >>> nbest = NBestList(features, comet.stats(quality), np.arange(0, 401, 10), metric=comet)
    >>> found = bagged("mert", bags=5)(nbest)
    >>> found.score > nbest.evaluate([0.5, 0.5])
    True
    """
    return Bagged(method, bags, aggregate, threads, options)


def tune(
    nbest: NBestList,
    start: Vector | None = None,
    *,
    seed: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> BaggedResult:
    """Tune weights that hold on other text: the mean of those of 20 bags, tuned for minimum risk.

    Parameters
    ----------
    nbest : NBestList
        At least 10 segments, with dense or sparse features; the metric may be any. Some segment
        must have hypotheses whose features differ, and some segment hypotheses whose statistics
        differ.
    start : float array of shape (n_features,), or dict of names to numbers, optional
        The direction of the start; without it the search starts where all hypotheses of a segment
        are alike, and ends about as well.
    seed : int
        Of the bags, and of the first one's run; the result depends on nothing else, threads
        included.
    threads : int
        Over bags; 0: all cores.
    progress : callable, optional
        Called with the bags done and all of them, one call at a time.

    Returns
    -------
    BaggedResult
        Its `out_of_bag` is an estimate of the score on other text, which its `score` is not. After
        Ctrl-C, of the bags that are done.

    Raises
    ------
    ImportError
        If SciPy is not installed.
    TypeError, ValueError
        If an argument is wrong, before anything is tuned.
    KeyboardInterrupt
        If Ctrl-C comes before a bag is done.

    Notes
    -----
    This is ``bagged("risk")(nbest, weights, seed=seed)``. The rule by which it was chosen: of the
    methods of ``python -m bench generalisation`` that are below `mert` with 20 restarts on none of
    the lists, the one whose weights score best on segments that were not tuned on; of several that
    differ by less than a standard error, the fastest.

    References
    ----------
    See `bagged` and `risk`.

    Examples
    --------
    >>> import numpy as np
    >>> from rapidbleu import SegmentScores
    >>> from rapidbleu.tuning import NBestList, tune
    >>> rng, comet = np.random.default_rng(0), SegmentScores("COMET")
    >>> quality = rng.normal(size=400)
    >>> features = np.stack([quality + rng.normal(size=400), rng.normal(size=400)], axis=1)
    >>> nbest = NBestList(features, comet.stats(quality), np.arange(0, 401, 10), metric=comet)
    >>> found = tune(nbest)
    >>> round(found.score, 2), round(found.out_of_bag, 2)
    (1.13, 1.1)
    """
    return bagged("risk", threads=threads)(nbest, start, seed=seed, progress=progress)


def aggregated(nbest: NBestList, weights: FloatArray, aggregate: str) -> FloatArray:
    """Return one vector of weights for those of bags: their "mean", "median", or most agreed one.

    It is normalized so that its absolute values add up to 1, if those of the bags do.

    Examples
    --------
    >>> import numpy as np
    >>> from rapidbleu import SegmentScores
    >>> comet = SegmentScores()
    >>> nbest = NBestList([[1.0, 0.0], [0.0, 1.0]], comet.stats([0.5, 0.25]), [0, 2], metric=comet)
    >>> bags = np.array([[0.75, 0.25], [0.25, 0.75], [0.0, 1.0]])
    >>> aggregated(nbest, bags, "median"), aggregated(nbest, bags, "mbr")
    (array([0.25, 0.75]), array([0.25, 0.75]))
    """
    if aggregate == "mbr":
        most: FloatArray = _with_mean(weights)[_most_agreed(nbest, weights)]
        return most
    together = np.mean if aggregate == "mean" else np.median
    return normalized(together(weights, axis=0), "l1")


def _with_mean(weights: FloatArray) -> FloatArray:
    """Return weights of bags, and after them their mean."""
    return np.vstack([weights, normalized(weights.mean(axis=0), "l1")])


def _most_agreed(nbest: NBestList, weights: FloatArray) -> int:
    """Return which bag, or at last their mean, chooses what most bags choose; the first of equals.

    That is minimum Bayes risk: a segment in which two vectors of weights choose differently is a
    loss of 1, and the result has the least loss against all bags.
    """
    chosen = nbest._choose(_with_mean(weights))
    votes = np.bincount(chosen[:-1].ravel(), minlength=len(nbest))  # bags, for each hypothesis
    return int(votes[chosen].sum(axis=1).argmax())


def out_of_bag(nbest: NBestList, weights: FloatArray, counts: IntArray, aggregate: str) -> float:
    """Return the score of hypotheses that are chosen by the bags without their segment.

    With "mbr", bags choose by their mean if all of them agree best with it; otherwise a segment is
    chosen by the bag without it that agrees best with those without it. nan if some segment is in
    all bags.
    """
    without = counts == 0
    if not without.any(axis=0).all():
        return float("nan")
    if aggregate == "mbr" and _most_agreed(nbest, weights) < len(weights):
        chosen = nbest._choose(weights)
        same = np.stack([(chosen == own).sum(axis=1) for own in chosen])  # segments, of two bags
        agreement = np.where(without, same @ without, -1)
        rows: IntArray = chosen[agreement.argmax(axis=0), np.arange(nbest.n_segments)]
    else:
        together = np.median if aggregate == "median" else np.mean
        rows = best_of_each(nbest, [together(weights[bags], axis=0) for bags in without.T])
    total = nbest.stats[rows].sum(axis=0, dtype=np.int64)
    return float(nbest.metric.score_rows(total[np.newaxis])[0])


def best_of_each(nbest: NBestList, vectors: list[FloatArray]) -> IntArray:
    """Return the row that each segment chooses by weights of its own, as `NBestList.best` does."""
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
