"""Bagging: a method is run on many bags, and the weights are brought together."""

import math

from rapidbleu.counts import check_count, check_type
from rapidbleu.parallel import check_progress, check_threads, in_parts
from rapidbleu.tuning.bagging.aggregates import AGGREGATES, aggregated, out_of_bag
from rapidbleu.tuning.lists.checks import check_vector
from rapidbleu.tuning.lists.nbest import NBestList
from rapidbleu.tuning.lists.subsets import FEWEST, counted, draw_counts, repeated
from rapidbleu.tuning.result import TuningResult, normalized
from rapidbleu.tuning.search.learners import check_tunable
from rapidbleu.tuning.search.mert import mert
from rapidbleu.tuning.stability.instability import find_method
from rapidbleu.tuning.stability.runs import Runs, is_ours, run_method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rapidbleu.typing import FloatArray, IntArray, Method, Progress, Vector

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
        not have the segment: an estimate for other text. nan if some segment is in all bags. With
        the aggregate "mbr": by the mean of their weights if all bags agree best with their mean,
        else by the one of them that agrees best with them.

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
            At least 10 segments; some segment must have hypotheses whose features differ, and some
            segment hypotheses whose statistics differ.
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

        check_progress(progress)
        check_type("nbest", nbest, NBestList)
        if nbest.n_segments < FEWEST:
            raise ValueError(f"nbest: expected at least {FEWEST} segments, got {nbest.n_segments}")
        check_tunable(nbest)
        check_count("seed", seed, 0, math.inf)
        start = {} if weights is None else {"weights": check_vector(weights, nbest.names)}
        counts = draw_counts(nbest.n_segments, self.bags, seed)
        found = np.full((self.bags, nbest.n_features), np.nan)
        scores = np.full(self.bags, np.nan)
        lists = [counted(nbest, own) for own in counts]
        runs = Runs(progress, self.bags)

        def work(begin: int, end: int, stop: "list[BaseException]") -> None:
            for bag in range(begin, end):
                if stop:
                    return
                own = lists[bag] if is_ours(self._run) else repeated(nbest, counts[bag])
                weights = run_method(
                    self._run, own, stop, seed=seed + bag, **start, **self.options
                )
                found[bag] = normalized(weights, "l1")
                scores[bag] = lists[bag].evaluate(found[bag])
                runs.end_one()

        interrupted = False
        try:
            in_parts(work, self.bags, self.threads, 1)
        except KeyboardInterrupt:
            if np.isnan(scores).all():
                raise
            interrupted = True
        done = np.flatnonzero(~np.isnan(scores))
        chosen = aggregated(nbest, found[done], self.aggregate)
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
