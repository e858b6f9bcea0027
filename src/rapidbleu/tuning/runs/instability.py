"""Optimizer instability: the spread of the scores of many runs, and tests of a difference.

A score depends on the choice of segments and on where the optimizer ends. The standard deviation
over segments comes from the bootstrap, over runs from the runs. Stratified approximate
randomization compares systems: if two were equal, exchanging the hypotheses that all their runs
chose for a segment would not make the difference of their scores less likely.
"""

from __future__ import annotations

import math

from rapidbleu._lib.checks import check_count, check_type, seed_or_fresh
from rapidbleu._lib.floats import digits_of, finite
from rapidbleu._lib.loader import np
from rapidbleu.parallel import check_progress, part_of
from rapidbleu.table import plain_table
from rapidbleu.tuning.checks import check_weights
from rapidbleu.tuning.nbest import NBestList, check_alike
from rapidbleu.tuning.runs.bagging import (
    METHODS_AND_TUNE,
    as_result,
    find_method,
    options_by_method,
)
from rapidbleu.tuning.search.shared import TuningResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal

    from rapidbleu._types import Array, FloatArray, IntArray, Method, Progress, Vector, Weights
    from rapidbleu.score import RowScoring

SHOWN = 6  # runs in a representation
CHUNK = 1 << 20  # rows of statistics shuffled at a time


class Replicas:
    """Scores of an n-best list with the weights of several runs.

    Attributes
    ----------
    scores : float64 array of shape (n_runs,)
        In the unit of the metric.
    mean : float
    s_opt : float
        Sample standard deviation of the scores, due to the optimizer; NaN for a single run.
    s_sel : float
        Standard deviation of a score under resampling of segments, mean over runs, due to the
        choice of segments; NaN without resamples.
    stats : int64 array of shape (n_runs, n_segments, n_stats)
        Statistics of the chosen hypotheses.
    ids : int64 array of shape (n_segments,)
    best : int
        Run with the best score; ties go to the first.
    """

    def __init__(
        self, nbest: NBestList, weights: FloatArray, samples: int, random: np.random.Generator
    ) -> None:
        self.stats = np.stack([nbest.stats[nbest.best(run)] for run in weights]).astype(np.int64)
        self.ids = nbest.ids
        self.scores = nbest.metric.score_rows(self.stats.sum(axis=1))
        highest = nbest.metric.higher_is_better
        self.best = int(self.scores.argmax() if highest else self.scores.argmin())
        self.mean = float(self.scores.mean())
        self.s_opt = float(self.scores.std(ddof=1)) if len(self.scores) > 1 else math.nan
        self.s_sel = math.nan
        if samples:
            self.s_sel = selection_deviation(nbest.metric, self.stats, samples, random)

    def __repr__(self) -> str:
        digits = digits_of(self.scores.tolist())
        means = {"mean": self.mean, "s_opt": self.s_opt, "s_sel": self.s_sel}
        shown = [f"{name} {number:.{digits}f}" for name, number in means.items()]
        return f"<Replicas: {', '.join(shown)}, {len(self.scores)} runs>"


class RepeatedTuning:
    """Runs of a tuning method with different seeds.

    Attributes
    ----------
    results : list of TuningResult
        One per run.
    seeds : list of int
    method : str
    tune : Replicas
        The tuned list with the weights of each run; `mean`, `s_opt`, `s_sel`, `scores`.
    test : Replicas or None
        The same for the test list, if any.
    out_of_bag : float64 array of shape (n_runs,) or None
        The runs' `out_of_bag` scores, such as `tune` returns: estimates for other text, nan for
        runs without one; None if no run has one.
    baseline : Replicas or None
        The baseline, on the test list if any, else on the tuned one.
    difference : float or None
        Mean score minus the baseline's.
    p_value : float or None
        Probability of a difference at least as large between equal systems.
    interrupted : bool
        Whether Ctrl-C stopped the tuning after fewer runs, the last one interrupted.

    Examples
    --------
    >>> from rapidbleu.tuning import NBestList
    >>> lists = [["a b c d", "a b c e"], ["f g", "f h"]] * 10
    >>> features = [[0, 1], [1, 0], [1, 1], [0, 2]] * 10
    >>> nbest = NBestList.from_lists(lists, features, [["a b c e", "f h"] * 10])
    >>> from rapidbleu.tuning import tune_repeatedly
    >>> found = tune_repeatedly(nbest, "mert", n_runs=2)
    >>> len(found.results), found.method
    (2, 'mert')
    """

    def __init__(
        self,
        results: list[TuningResult],
        seeds: list[int],
        tune: Replicas,
        test: Replicas | None = None,
        baseline: Replicas | None = None,
        p_value: float | None = None,
    ) -> None:
        self.results = results
        self.seeds = seeds
        self.method = results[0].method
        self.tune = tune
        self.test = test
        self.baseline = baseline
        self.p_value = p_value
        self.difference = None if baseline is None else (test or tune).mean - baseline.mean
        self.interrupted = results[-1].interrupted
        self.out_of_bag: FloatArray | None = None
        if any(hasattr(result, "out_of_bag") for result in results):
            self.out_of_bag = np.array([getattr(run, "out_of_bag", math.nan) for run in results])

    @property
    def best(self) -> TuningResult:
        """The run whose weights score best on the tuned list; ties go to the first."""
        return self.results[self.tune.best]

    def to_dict(self) -> dict[str, Any]:
        """Return the runs and the comparison as plain values, for JSON.

        The dict has "runs", a list of dicts with seed, weights, score, test_score and, if there are
        any, out_of_bag_score; "difference" and "p_value". Missing numbers are None.

        Examples
        --------
        >>> from rapidbleu import SegmentScores
        >>> comet = SegmentScores("COMET")
        >>> rows = comet.stats([0.5, 0.75])
        >>> nbest = NBestList([[0.0, 1.0], [1.0, 0.0]], rows, [0, 2], metric=comet)
        >>> tune_repeatedly(nbest, lambda nbest, seed: [1, 0], n_runs=1, seed=5).to_dict()["runs"]
        [{'seed': 5, 'weights': {'F0': 1.0, 'F1': 0.0}, 'score': 0.75, 'test_score': None}]
        """
        runs = []
        for i, result in enumerate(self.results):
            numbers = result.to_dict()
            run = {"seed": self.seeds[i], "weights": numbers["weights"], "score": numbers["score"]}
            run["test_score"] = None if self.test is None else float(self.test.scores[i])
            if self.out_of_bag is not None:
                run["out_of_bag_score"] = finite(float(self.out_of_bag[i]))
            runs.append(run)
        return {"runs": runs, "difference": self.difference, "p_value": self.p_value}

    def __repr__(self) -> str:
        digits = digits_of(self.tune.scores.tolist())

        def shown(*numbers: float) -> list[str]:
            return ["-" if math.isnan(number) else f"{number:.{digits}f}" for number in numbers]

        def row(name: str, scores: FloatArray, *means: float) -> list[str]:
            listed = " ".join(shown(*scores[:SHOWN])) + " ..." * (len(scores) > SHOWN)
            return [name, *shown(*means), listed]

        rows = []
        for name in ("tune", "out of bag", "test", "baseline"):
            own: Any = getattr(self, name.replace(" ", "_"))
            if name == "out of bag" and own is not None:
                known = own[own == own]
                mean = known.mean() if len(known) else math.nan
                s_opt = known.std(ddof=1) if len(known) > 1 else math.nan
                rows.append(row(name, own, mean, s_opt, math.nan))
            elif own is not None:
                rows.append(row(name, own.scores, own.mean, own.s_opt, own.s_sel))
        columns = [list(column) for column in zip(*rows, strict=True)]
        headers = ["", "mean", "s_opt", "s_sel", "runs"]
        table = plain_table(headers, columns, [False, True, True, True, False])
        if self.difference is not None:
            where = "tune" if self.test is None else "test"
            gap = f"{self.difference:+.{digits}f}"
            table += f"\ndifference on {where}: {gap}, p = {self.p_value:.4f}"
        n = len(self.results)
        title = f"{self.method}: {n} run{'s' * (n > 1)}" + " (interrupted)" * self.interrupted
        return f"{title}\n{table}".replace("\n", "\n  ")


def tune_repeatedly(
    nbest: NBestList,
    method: Method | Literal["tune"] | Callable[..., TuningResult | Vector] = "mert",
    *,
    n_runs: int = 3,
    test: NBestList | None = None,
    baseline: Weights | RepeatedTuning | None = None,
    seed: int | None = 12345,
    n_trials: int = 1000,
    n_resamples: int = 1000,
    progress: Progress | None = None,
    **options: Any,
) -> RepeatedTuning:
    """Tune several times, and report how much of the score is due to the optimizer.

    This assumes independent runs, so run an optimizer that ignores the seed only once.

    Parameters
    ----------
    nbest : NBestList
    method : {"mert", "pro", "mira", "risk", "tune"} or callable
        Called as ``method(nbest, seed=seed, **options)``; returns a `TuningResult`, or weights.
    n_runs : int
        At least 1; Clark et al. recommend at least 3.
    test : NBestList, optional
        List to test the weights on, with the same features.
    baseline : float array, dict or RepeatedTuning, optional
        Baseline to compare with: weights of shape (n_features,) or (m, n_features), or runs, which
        may use other features but must have been tested on the same segments.
    seed : int or None
        Seed of the first run; each further run adds 1. None draws one.
    n_trials : int
        Randomization trials for the p-value.
    n_resamples : int
        Bootstrap resamples for `Replicas.s_sel`; 0: none.
    progress : callable, optional
        Called with the progress over all runs; the method must accept `progress`.
    **options
        Options of the method.

    References
    ----------
    Clark et al. 2011, Better Hypothesis Testing for Statistical Machine Translation: Controlling
    for Optimizer Instability.

    Examples
    --------
    >>> import numpy as np
    >>> from rapidbleu import SegmentScores
    >>> comet = SegmentScores("COMET")
    >>> features = [[0.0, 1.0], [1.0, 0.0], [0.5, 2.0], [1.0, 0.0]]
    >>> nbest = NBestList(features, comet.stats([0.5, 0.75, 0.25, 0.5]), [0, 2, 4], metric=comet)
    >>> def random_weights(nbest, seed):
    ...     return np.random.default_rng(seed).uniform(-1, 1, nbest.n_features)
    >>> tune_repeatedly(nbest, random_weights, n_runs=4, baseline=[0, 1])
    random_weights: 4 runs
                  mean   s_opt   s_sel  runs
      tune      0.5312  0.1197  0.0676  0.5000 0.6250 0.6250 0.3750
      baseline  0.3750       -  0.0897  0.3750
      difference on tune: +0.1562, p = 0.4695
    """
    check_progress(progress)
    check_count("n_runs", n_runs, 1)
    seed = seed_or_fresh(seed)
    check_count("n_trials", n_trials, 1)
    if check_count("n_resamples", n_resamples, 0) == 1:
        raise ValueError("n_resamples: expected 0 for none, or at least 2; got 1")
    run, name = find_method(method, methods=METHODS_AND_TUNE)
    options_by_method([(run, name)], options, ("nbest", "seed", "progress"))
    check_type("nbest", nbest, NBestList)
    if test is not None:
        check_type("test", test, NBestList)
        check_alike(nbest, test, "test")
    judged = nbest if test is None else test
    other = None if baseline is None else _check_baseline(baseline, judged)
    results: list[TuningResult] = []
    for i in range(n_runs):
        if progress is not None:
            options["progress"] = part_of(progress, i, n_runs)
        results.append(as_result(run(nbest, seed=seed + i, **options), nbest, name))
        if results[-1].interrupted:
            break
    weights = np.stack([result.weights for result in results])
    bootstrap, shuffles = (np.random.default_rng([seed, i]) for i in range(2))
    tune = Replicas(nbest, weights, n_resamples, bootstrap)
    tested = None if test is None else Replicas(test, weights, n_resamples, bootstrap)
    p_value = None
    if other is not None:
        if not isinstance(other, Replicas):
            other = Replicas(judged, other, n_resamples, bootstrap)
        stats = (tested or tune).stats
        p_value = randomization_p_value(judged.metric, stats, other.stats, n_trials, shuffles)
    seeds = list(range(seed, seed + len(results)))
    return RepeatedTuning(results, seeds, tune, tested, other, p_value)


def _check_baseline(baseline: Weights | RepeatedTuning, judged: NBestList) -> Replicas | FloatArray:
    if not isinstance(baseline, RepeatedTuning):
        weights = check_weights(baseline, judged.names, "baseline")
        if not len(weights):
            raise ValueError("baseline: expected at least one vector of weights; got none")
        return np.atleast_2d(weights)
    replicas = baseline.tune if baseline.test is None else baseline.test
    if not np.array_equal(replicas.ids, judged.ids):
        raise ValueError("baseline: expected runs on segments with the same ids; got different ids")
    n_stats = judged.stats.shape[1]
    if replicas.stats.shape[2] != n_stats:
        raise ValueError(
            f"baseline: expected rows of {n_stats} counts; got {replicas.stats.shape[2]}"
        )
    return replicas


def selection_deviation(
    metric: RowScoring, stats: IntArray, samples: int, random: np.random.Generator
) -> float:
    """Return the standard deviation of scores over resampled segments, mean over runs.

    `stats` is int64[n_runs, n_segments, n_stats]; all runs share the resamples, at least two.

    References
    ----------
    Koehn 2004, Statistical Significance Tests for Machine Translation Evaluation, section 3.
    """
    n_runs, n_segments, n_stats = stats.shape
    side_by_side = stats.transpose(1, 0, 2).reshape(n_segments, -1)
    totals = np.empty((samples, n_runs * n_stats), np.int64)
    for i in range(samples):
        chosen = random.integers(0, n_segments, n_segments).astype(np.intp)
        counts = np.bincount(chosen, minlength=n_segments)
        totals[i] = counts @ side_by_side
    scores = metric.score_rows(totals.reshape(-1, n_stats)).reshape(samples, n_runs)
    return float(scores.std(axis=0, ddof=1).mean())


def randomization_p_value(
    metric: RowScoring,
    ours: IntArray,
    theirs: IntArray,
    trials: int,
    random: np.random.Generator,
    chunk: int = CHUNK,
) -> float:
    """Return the probability of a difference of mean scores at least as large in equal systems.

    Each trial shuffles the hypotheses of all runs of both systems within their segments, `chunk`
    rows at a time. Statistics are int64[n_runs, n_segments, n_stats] of the same segments; the
    numbers of runs may differ. The result is ``(c + 1) / (trials + 1)`` for `c` absolute
    differences that are at least as large.

    References
    ----------
    Clark et al. 2011, Better Hypothesis Testing for Statistical Machine Translation: Controlling
    for Optimizer Instability, section 4. Riezler & Maxwell 2005.
    """
    rows = np.concatenate([ours, theirs]).transpose(1, 0, 2)
    n_segments, n_runs, n_stats = rows.shape
    table = np.ascontiguousarray(rows).reshape(-1, n_stats)
    first = np.arange(n_segments)[:, np.newaxis] * n_runs

    def differences(order: Array) -> FloatArray:
        """Return differences of mean scores for orders[trial, n_segments, n_runs]."""
        totals = table[order + first].sum(axis=1).reshape(-1, n_stats)
        scores = metric.score_rows(totals).reshape(-1, n_runs)
        # Sorted, so that the order of runs does not change the mean, to the last bit.
        a = np.sort(scores[:, : len(ours)])
        b = np.sort(scores[:, len(ours) :])
        gaps: FloatArray = np.abs(a.mean(axis=1) - b.mean(axis=1))
        return gaps

    observed = differences(np.arange(n_runs) + np.zeros((1, n_segments, 1), np.int64))[0]
    step = max(1, chunk // (n_segments * n_runs))
    extreme = 0
    for begin in range(0, trials, step):
        keys = random.random((min(step, trials - begin), n_segments, n_runs))
        extreme += int((differences(keys.argsort(axis=2)) >= observed).sum())
    return (extreme + 1) / (trials + 1)
