"""Bagging: a method is run on many bags, and the weights are brought together."""

import math

from rapidbleu.counts import check_count
from rapidbleu.parallel import check_threads, in_parts
from rapidbleu.tuning.bagging.bags import best_of_each, draw_counts, repeated, weighed
from rapidbleu.tuning.lists.checks import check_vector
from rapidbleu.tuning.lists.nbest import NBestList
from rapidbleu.tuning.result import TuningResult, normalized
from rapidbleu.tuning.search.mert import mert
from rapidbleu.tuning.stability.instability import find_method
from rapidbleu.tuning.stability.runs import Runs, run_method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rapidbleu.typing import FloatArray, IntArray, Method, Progress, Vector

AGGREGATES = ("mean", "median")
FEWEST = 10  # segments
OPTIONS_OF_MERT = {"restarts": 3}  # unless others are given


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
        not have the segment: an estimate for other text. nan if some segment is in all bags.

    Notes
    -----
    The history has a dict for each bag: bag, score (of the bag with its own weights).
    """

    def __init__(
        self,
        *args: "Any",
        bag_weights: "FloatArray",
        counts: "IntArray",
        out_of_bag: float,
        **kwargs: "Any",
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
        self, method: "Any", bags: int, aggregate: str, threads: int, options: "dict[str, Any]"
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
        weights: "Vector | None" = None,
        *,
        seed: int = 0,
        progress: "Progress | None" = None,
    ) -> BaggedResult:
        """Tune weights on all bags.

        Parameters
        ----------
        nbest : NBestList
            At least 10 segments.
        weights : float array of shape (n_features,), or dict, optional
            Where the method starts.
        seed : int
            Of the bags, and of the first one's run.
        progress : callable, optional
            Called with the bags done and all of them, one call at a time.

        Returns
        -------
        BaggedResult
            After Ctrl-C, of the bags that are done.

        Raises
        ------
        TypeError, ValueError
            If an argument is wrong, before anything is tuned.
        KeyboardInterrupt
            If Ctrl-C comes before a bag is done.
        """
        import numpy as np

        if not isinstance(nbest, NBestList):
            raise TypeError(f"nbest: expected NBestList, got {type(nbest).__name__}")
        if nbest.n_segments < FEWEST:
            raise ValueError(f"nbest: expected at least {FEWEST} segments, got {nbest.n_segments}")
        check_count("seed", seed, 0, math.inf)
        start = {} if weights is None else {"weights": check_vector(weights, nbest.names)}
        counts = draw_counts(nbest.n_segments, self.bags, seed)
        found = np.full((self.bags, nbest.n_features), np.nan)
        scores = np.full(self.bags, np.nan)
        make = weighed if self._run is mert else repeated
        if make is weighed:
            nbest.columns()  # made once, before threads need them
        runs = Runs(progress, self.bags)

        def work(begin: int, end: int, stop: "list[BaseException]") -> None:
            for bag in range(begin, end):
                if stop:
                    return
                own = make(nbest, counts[bag])
                weights = run_method(
                    self._run, own, stop, seed=seed + bag, **start, **self.options
                )
                found[bag] = normalized(weights, "l1")
                scores[bag] = own.evaluate(found[bag])
                runs.end_one()

        interrupted = False
        try:
            in_parts(work, self.bags, self.threads, 1)
        except KeyboardInterrupt:
            if np.isnan(scores).all():
                raise
            interrupted = True
        done = np.flatnonzero(~np.isnan(scores))
        together = np.mean if self.aggregate == "mean" else np.median
        chosen = normalized(together(found[done], axis=0), "l1")
        history = [{"bag": bag, "score": float(scores[bag])} for bag in done.tolist()]
        return BaggedResult(
            chosen, nbest.names, float(nbest.evaluate(chosen)), f"bagged {self.method}", history,
            interrupted, bag_weights=found[done], counts=counts[done],
            out_of_bag=out_of_bag(nbest, found[done], counts[done], self.aggregate),
        )  # fmt: skip


def bagged(
    method: "Method | Callable[..., TuningResult | Vector]",
    bags: int = 20,
    *,
    aggregate: str = "mean",
    threads: int = 1,
    **options: "Any",
) -> Bagged:
    """Return a method that runs another one on bags of segments, and takes the mean of the weights.

    Parameters
    ----------
    method : {"mert", "pro", "mira", "risk"} or callable
        Called as ``method(bag, seed=seed, **options)``, with ``weights=weights`` if there are some;
        returns a `TuningResult`, or weights.
    bags : int
        How many; each has as many segments as the list, drawn with replacement.
    aggregate : {"mean", "median"}
        Of the weights of the bags, each scaled to a sum of absolute values of 1.
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
    A bag of "mert" has a copy of the statistics, and shares the features; other methods get copies
    of all. Each thread has one bag at a time.

    References
    ----------
    Breiman 1996, Bagging Predictors.

    Examples
    --------
    >>> import numpy as np
    >>> from rapidbleu import MeanScore
    >>> from rapidbleu.tuning import NBestList
    >>> rng, comet = np.random.default_rng(0), MeanScore("COMET")
    >>> quality = rng.normal(size=400)
    >>> features = np.stack([quality + rng.normal(size=400), rng.normal(size=400)], axis=1)
    >>> nbest = NBestList(features, comet.rows(quality), np.arange(0, 401, 10), metric=comet)
    >>> found = bagged("mert", bags=5)(nbest)
    >>> found.score > nbest.evaluate([0.5, 0.5])
    True
    """
    return Bagged(method, bags, aggregate, threads, options)


def out_of_bag(
    nbest: NBestList, weights: "FloatArray", counts: "IntArray", aggregate: str
) -> float:
    """Return the score of hypotheses that are chosen by the bags without their segment.

    Parameters
    ----------
    nbest : NBestList
    weights : float64 array of shape (n_bags, n_features)
    counts : int64 array of shape (n_bags, n_segments)
    aggregate : {"mean", "median"}

    Returns
    -------
    float
        nan if some segment is in all bags.

    """
    import numpy as np

    without = counts == 0
    if not without.any(axis=0).all():
        return float("nan")
    together = np.mean if aggregate == "mean" else np.median
    chosen = best_of_each(nbest, [together(weights[bags], axis=0) for bags in without.T])
    total = nbest.stats[chosen].sum(axis=0, dtype=np.int64)
    return float(nbest.metric.score_rows(total[np.newaxis])[0])
