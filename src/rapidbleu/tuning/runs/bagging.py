"""Bagging (Breiman 1996): runs of methods on bags of segments, and the mean of their weights.

Methods are passed by name or as callables, and run in threads.
"""

from __future__ import annotations

from _thread import allocate_lock
from dataclasses import dataclass

from rapidbleu._lib.checks import check_count, check_type, seed_or_fresh
from rapidbleu._lib.loader import np
from rapidbleu.parallel import check_progress, check_threads, in_parts
from rapidbleu.tuning.checks import check_vector
from rapidbleu.tuning.nbest import FEWEST, NBestList, choose_sparse, counted, draw_bags, repeated
from rapidbleu.tuning.search.mert import mert
from rapidbleu.tuning.search.mira import mira
from rapidbleu.tuning.search.pro import pro
from rapidbleu.tuning.search.risk import risk
from rapidbleu.tuning.search.shared import TuningResult, check_tunable, normalized

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Final, Literal, overload

    from rapidbleu._types import FloatArray, IntArray, Method, Progress, Vector, Weights
    from rapidbleu.tuning.search.mert import MertResult

# Methods of this package, which stop when `progress` raises and accept counted lists.
METHODS: dict[str, Callable[..., Any]] = {"mert": mert, "pro": pro, "mira": mira, "risk": risk}
BOTH: Final = "risk+mert"
NAMES: dict[str, Any] = {BOTH: None, **METHODS}
RESTARTS = 3  # of mert alone
AGGREGATES = ("mean", "median", "mbr")


@dataclass(eq=False, repr=False, kw_only=True)
class BaggedResult(TuningResult):
    """Combined weights of all bags.

    The history has a dict for each run: bag, method, score (of the bag with its own weights).

    Attributes
    ----------
    bag_weights : float64 array of shape (n_runs, n_features)
        Of each bag by each method, normalized to a sum of absolute values of 1.
    counts : int64 array of shape (n_runs, n_segments)
        1 for each segment in the bag of the run, 0 for each other one.
    out_of_bag : float
        Score of the corpus in which the bags without a segment choose its hypothesis: an estimate
        for other text. nan if some segment is in all bags, as after Ctrl-C. With the aggregate
        "mbr", by their mean if the bags agree best with the overall mean, else by the one that
        agrees best with them.

    Examples
    --------
    >>> from rapidbleu.tuning import NBestList
    >>> lists = [["a b c d", "a b c e"], ["f g", "f h"]] * 10
    >>> features = [[0, 1], [1, 0], [1, 1], [0, 2]] * 10
    >>> nbest = NBestList.from_lists(lists, features, [["a b c e", "f h"] * 10])
    >>> found = tune(nbest, [0, 1], bags=4, method="mert")
    >>> found.counts.shape, found.bag_weights.shape
    ((4, 20), (4, 2))
    """

    bag_weights: FloatArray
    counts: IntArray
    out_of_bag: float


if TYPE_CHECKING:

    @overload
    def tune(
        nbest: NBestList,
        start: Vector | None = None,
        method: Method | Literal["risk+mert"] | Callable[..., TuningResult | Vector] = BOTH,
        bags: int = 20,
        *,
        aggregate: str = "mean",
        seed: int | None = 12345,
        threads: int = 1,
        progress: Progress | None = None,
        **options: Any,
    ) -> BaggedResult: ...
    @overload
    def tune(
        nbest: NBestList,
        start: Weights | None = None,
        *,
        method: Literal["mert"],
        bags: None,
        seed: int | None = 12345,
        threads: int = 1,
        progress: Progress | None = None,
        **options: Any,
    ) -> MertResult: ...
    @overload
    def tune(
        nbest: NBestList,
        start: Vector | None = None,
        *,
        method: Literal["pro", "mira", "risk"] | Callable[..., TuningResult | Vector],
        bags: None,
        seed: int | None = 12345,
        threads: int = 1,
        progress: Progress | None = None,
        **options: Any,
    ) -> TuningResult: ...


def tune(
    nbest: NBestList,
    start: Weights | None = None,
    method: Method | Literal["risk+mert"] | Callable[..., TuningResult | Vector] = BOTH,
    bags: int | None = 20,
    *,
    aggregate: str = "mean",
    seed: int | None = 12345,
    threads: int = 1,
    progress: Progress | None = None,
    **options: Any,
) -> TuningResult:
    """Tune weights that generalize: the mean weights of 20 bags, tuned by `risk` and by `mert`.

    Bags for this package's methods share all arrays with the list and skip segments that were not
    drawn. Your callables receive lists of copied segments, one per thread at a time. Raises
    ImportError without SciPy ("risk", "pro"), KeyboardInterrupt before a bag is finished.

    Parameters
    ----------
    nbest : NBestList
        At least 10 segments, with dense or sparse features and any metric. Some segment must have
        hypotheses with different features, and some with different statistics.
    start : float array of shape (n_features,), or dict of names to numbers, optional
        Start of each run (default: the method's).
    method : {"risk+mert", "risk", "mert", "mira", "pro"} or callable
        Method to tune each bag. The default, both, is "risk" alone with sparse features, which
        `mert` cannot tune. A callable is called as ``method(bag, seed=seed, **options)``, with
        ``start=start`` if you pass it, and returns a `TuningResult` or weights.
    bags : int or None
        Number of bags. In rounds of three, each bag leaves out another random third of the
        segments, so that no segment is in all bags. None: one run of one method on the list.
    aggregate : {"mean", "median", "mbr"}
        Combination of the bags' weights, after scaling each to a sum of absolute values of 1. "mbr"
        (minimum Bayes risk): of these vectors and their mean, the one that agrees with the bags'
        choices in the most segments of the list, summed over bags.
    seed : int or None
        Seed for the bags and the first bag's run; None draws one, which the result reports. The
        result does not depend on `threads`.
    threads : int
        Number of threads over bags, 0 for all cores; without bags, `mert` uses them.
    progress : callable, optional
        Called with the runs done and the total, one call at a time.
    **options
        Options of the methods; each gets those it has. In bags, "mert" has 3 restarts by default
        if it is the only method, else none.

    Returns
    -------
    BaggedResult
        `out_of_bag` estimates the score on other text; `score` does not. After Ctrl-C, of the
        finished bags. Without bags, the method's `MertResult` or `TuningResult`.

    Notes
    -----
    `risk` generalizes better than `mert` on most lists and worse on some. Bags of both gain less
    than bags of `risk` at best, and lose less at worst: see docs/guides/tuning.md.

    References
    ----------
    Breiman 1996, Bagging Predictors; and see `risk`, `mert`, `mira` and `pro`.

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
    (1.14, 1.12)
    >>> tune(nbest, method="mert", bags=None, restarts=5).method
    'mert'
    """
    check_type("nbest", nbest, NBestList)
    chosen = [method]
    if method == BOTH:
        chosen = ["risk"] if nbest.is_sparse else ["risk", "mert"]
    runs = [find_method(each, methods=NAMES) for each in chosen]
    options_of = options_by_method(runs, options)
    run, name = runs[0]
    if bags is None:
        if len(runs) > 1:
            raise ValueError(f"method: expected one method with bags=None; got {method!r}")
        if aggregate != "mean":
            raise ValueError(f"aggregate: expected bags with it; got bags=None and {aggregate!r}")
        if run is mert:
            options["threads"] = threads
        check_threads(threads)
        if is_ours(run):
            options["progress"] = progress
        if start is not None:
            options["start"] = start
        return as_result(run(nbest, seed=seed_or_fresh(seed), **options), nbest, name)
    check_count("bags", bags, 2)
    if aggregate not in AGGREGATES:
        raise ValueError(f"aggregate: expected one of {', '.join(AGGREGATES)}; got {aggregate!r}")
    n_threads = check_threads(threads)
    check_progress(progress)
    if nbest.n_segments < FEWEST:
        raise ValueError(f"nbest: expected at least {FEWEST} segments; got {nbest.n_segments}")
    check_tunable(nbest)
    seed = seed_or_fresh(seed)
    for own_options, (function, _) in zip(options_of, runs, strict=True):
        if function is mert:
            own_options.setdefault("restarts", RESTARTS if len(runs) == 1 else 0)
    if start is not None:
        first = check_vector(start, nbest.names, "start")  # type: ignore[arg-type]
        options_of = [{**own_options, "start": first} for own_options in options_of]
    counts = draw_bags(nbest.n_segments, bags, seed)
    lists = [counted(nbest, of_bag) for of_bag in counts]
    n_runs = bags * len(runs)
    weights = np.full((n_runs, nbest.n_features), np.nan)
    scores = np.full(n_runs, np.nan)

    def tune_bag(i: int, stop: list[BaseException], end_step: Callable[[], None]) -> None:
        bag, k = divmod(i, len(runs))
        run = runs[k][0]
        drawn = lists[bag] if is_ours(run) else repeated(nbest, counts[bag])
        tuned = run_method(run, drawn, stop, seed=seed + bag, **options_of[k])
        weights[i] = normalized(tuned, "l1")
        scores[i] = lists[bag].evaluate(weights[i])
        end_step()

    done, interrupted = run_all(tune_bag, n_runs, n_threads, progress)
    weights = weights[done]
    counts = counts.repeat(len(runs), 0)[done]
    together = aggregated(nbest, weights, aggregate)
    history = [
        {"bag": i // len(runs), "method": runs[i % len(runs)][1], "score": float(scores[i])}
        for i in done
    ]
    return BaggedResult(
        together,
        nbest.names,
        float(nbest.evaluate(together)),
        f"bagged {'+'.join(name for _, name in runs)}",
        history,
        interrupted,
        seed,
        bag_weights=weights,
        counts=counts,
        out_of_bag=out_of_bag(nbest, weights, counts, aggregate),
    )


def find_method(
    method: str | Callable[..., Any],
    where: str = "method",
    methods: Mapping[str, Callable[..., Any]] = METHODS,
) -> tuple[Callable[..., Any], str]:
    """Return the function of a method and its name; `where` names the argument in errors."""
    if callable(method):
        function = getattr(method, "func", method)  # if it is a partial
        return method, getattr(function, "__name__", type(function).__name__)
    expected = f"{where}: expected one of {', '.join(methods)}, or a callable; got "
    if not isinstance(method, str):
        raise TypeError(f"{expected}{type(method).__name__}")
    if method not in methods:
        raise ValueError(f"{expected}{method!r}")
    return methods[method], method


def is_ours(method: Callable[..., Any]) -> bool:
    """Return whether a method, or the function of a `partial`, is one of this package."""
    return getattr(method, "func", method) in METHODS.values()


def as_result(outcome: TuningResult | Vector, nbest: NBestList, name: str) -> TuningResult:
    """Return a method's outcome as a TuningResult."""
    if isinstance(outcome, TuningResult):
        return outcome
    weights = check_vector(outcome, nbest.names, f"weights of {name}")
    return TuningResult(weights, nbest.names, nbest.evaluate(weights), name, [])


def run_method(
    method: Callable[..., Any], nbest: NBestList, stop: list[BaseException], **options: Any
) -> FloatArray:
    """Call a method with the list and the options, and return its weights.

    After `stop` gets an item, methods of this package stop within a climb or an epoch. Raises
    KeyboardInterrupt if the method was interrupted.
    """

    def watch(done: int, n: int) -> None:
        if stop:
            raise KeyboardInterrupt

    function = getattr(method, "func", method)
    if function in METHODS_AND_TUNE.values() and "progress" not in getattr(method, "keywords", {}):
        options["progress"] = watch
    outcome = method(nbest, **options)
    if not isinstance(outcome, TuningResult):
        return check_vector(outcome, nbest.names, f"weights of {find_method(method)[1]}")
    if outcome.interrupted:
        raise KeyboardInterrupt
    return outcome.weights


def run_all(
    run: Callable[[int, list[BaseException], Callable[[], None]], None],
    n: int,
    threads: int,
    progress: Progress | None,
    steps: int = 1,
) -> tuple[list[int], bool]:
    """Call ``run(i, stop, end_step)`` for each i below n, in threads.

    Each call runs `steps` steps and calls ``end_step()`` after each; `progress` is called with the
    steps done and the total, one call at a time. Returns the finished calls, ascending, and whether
    Ctrl-C stopped the rest; if none has finished, raises KeyboardInterrupt.

    >>> run_all(lambda i, stop, end_step: end_step(), 2, 1, print)
    1 2
    2 2
    ([0, 1], False)
    """
    lock = allocate_lock()
    n_steps = 0
    done: list[int] = []

    def end_step() -> None:
        nonlocal n_steps
        with lock:
            n_steps += 1
            if progress is not None:
                progress(n_steps, n * steps)

    def work(begin: int, end: int, stop: list[BaseException]) -> None:
        for i in range(begin, end):
            if stop:
                return
            run(i, stop, end_step)
            done.append(i)

    interrupted = False
    try:
        in_parts(work, n, threads, 1)
    except KeyboardInterrupt:
        if not done:
            raise
        interrupted = True
    return sorted(done), interrupted


METHODS_AND_TUNE: dict[str, Callable[..., Any]] = {**METHODS, "tune": tune}
OF_TUNE = ("nbest", "start", "seed", "threads", "progress")  # not options


def options_by_method(
    runs: list[tuple[Callable[..., Any], str]],
    options: dict[str, Any],
    taken: tuple[str, ...] = OF_TUNE,
) -> list[dict[str, Any]]:
    """Return the options that each of some methods has, a callable all of them.

    Raises TypeError for an option that none has, or that the caller has `taken`.

    >>> options_by_method([(METHODS["risk"], "risk")], {"restarts": 3})
    Traceback (most recent call last):
    ...
    TypeError: risk: expected options among callback, l2, max_steps, temperatures; got restarts
    """
    names_of = [
        _parameters(run).difference(taken) if run in METHODS.values() else {*options}
        for run, _ in runs
    ]
    known = set().union(*names_of)
    for option in options:
        if option not in known:
            raise TypeError(
                f"{'+'.join(name for _, name in runs)}: expected options among "
                f"{', '.join(sorted(known))}; got {option}"
            )
    return [{name: options[name] for name in options if name in names} for names in names_of]


def _parameters(function: Any) -> set[str]:
    code = function.__code__
    return {*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]}


def aggregated(nbest: NBestList, weights: FloatArray, aggregate: str) -> FloatArray:
    """Return one vector for the weights of all bags: their "mean", "median", or most agreed one.

    It is normalized to a sum of absolute values of 1, if the bags are.

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
    return np.vstack([weights, normalized(weights.mean(axis=0), "l1")])


def _most_agreed(nbest: NBestList, weights: FloatArray) -> int:
    """Return the index of the bag, or the mean at the end, that agrees most with all bags.

    This is minimum Bayes risk with a loss of 1 per segment chosen differently. Ties: the first.
    """
    chosen = nbest._choose(_with_mean(weights))
    of_bags = chosen[:-1].ravel().astype(np.intp)
    votes = np.bincount(of_bags, minlength=len(nbest))  # bags per hypothesis
    return int(votes[chosen].sum(axis=1).argmax())


def out_of_bag(nbest: NBestList, weights: FloatArray, counts: IntArray, aggregate: str) -> float:
    """Return the score of hypotheses chosen by the bags without their segment.

    See `BaggedResult.out_of_bag`.
    """
    without = counts == 0
    if not without.any(axis=0).all():
        return float("nan")
    if aggregate == "mbr" and _most_agreed(nbest, weights) < len(weights):
        chosen = nbest._choose(weights)
        same = np.stack([(chosen == row).sum(axis=1) for row in chosen])  # for each two bags
        agreement = np.where(without, same @ without, -1)
        rows: IntArray = chosen[agreement.argmax(axis=0), np.arange(nbest.n_segments)]
    else:
        together = np.median if aggregate == "median" else np.mean
        rows = best_of_each(nbest, [together(weights[bags], axis=0) for bags in without.T])
    total = nbest.stats[rows].sum(axis=0, dtype=np.int64)
    return float(nbest.metric.score_rows(total[np.newaxis])[0])


def best_of_each(nbest: NBestList, vectors: list[FloatArray]) -> IntArray:
    """Return the row that each segment chooses by its own weights, as in `NBestList.best`."""
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
