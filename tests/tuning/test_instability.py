"""Several runs of a tuning: their spread, and their difference from a baseline."""

import itertools
import math
from fractions import Fraction
from functools import partial
from statistics import mean, stdev
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, SegmentScores, WeightedSum
from rapidbleu._lib.checks import MOST
from rapidbleu.tuning import NBestList, TuningResult, tune
from rapidbleu.tuning.runs.instability import (
    Replicas,
    randomization_p_value,
    selection_deviation,
    tune_repeatedly,
)
from reference.tuning import instability as oracle

BLEU_2 = BLEU(max_ngram_order=2)
METRICS: list[Any] = [
    BLEU_2,
    SegmentScores(),
    WeightedSum([BLEU_2, SegmentScores("COMET")], [1, 20]),
]


def stats_of(metric: Any, rng: Any, n: int) -> Any:
    if isinstance(metric, WeightedSum):
        return np.hstack([stats_of(part, rng, n) for part in metric.metrics])
    if isinstance(metric, SegmentScores):
        return metric.stats(rng.normal(size=n))
    lengths = rng.integers(2, 20, size=(n, 1))
    totals = np.hstack([lengths, lengths - 1])
    return np.hstack(
        [
            lengths,
            lengths + rng.integers(-1, 2, size=(n, 1)),
            (totals * rng.random((n, 1))).astype(int),
            totals,
        ]
    )


def made(metric: Any, seed: int, n_segments: int = 30, ids: Any = None) -> NBestList:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 9, size=n_segments)
    n = int(lengths.sum())
    stats = stats_of(metric, rng, n)
    features = rng.normal(size=(n, 3))
    features[:, 2] += metric.score_rows(stats) / 20
    offsets = [0, *itertools.accumulate(lengths.tolist())]
    return NBestList(features, stats, offsets, metric=metric, ids=ids)


def random_search(nbest: NBestList, seed: int, tries: int = 20) -> TuningResult:
    weights = np.random.default_rng(seed).uniform(-1, 1, size=(tries, nbest.n_features))
    scores = nbest.evaluate(weights)
    best = int(scores.argmax())
    return TuningResult(weights[best], nbest.names, float(scores[best]), "random search", [])


def score_row(metric: Any) -> Any:
    return lambda row: metric.score(row).score


@pytest.mark.parametrize("metric", METRICS, ids=range(len(METRICS)))
@pytest.mark.parametrize("n_runs", [1, 3])
def test_selection_deviation_against_loops(metric: Any, n_runs: int) -> None:
    stats = stats_of(metric, np.random.default_rng(1), 12 * n_runs).reshape(n_runs, 12, -1)
    ours = selection_deviation(metric, stats, 50, np.random.default_rng(2))
    rng = np.random.default_rng(2)
    expected = oracle.selection_deviation(score_row(metric), stats.tolist(), 50, rng)
    assert ours == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("chunk", [1, 100, 1 << 20])
@pytest.mark.parametrize("metric", METRICS, ids=range(len(METRICS)))
@pytest.mark.parametrize(("n_ours", "n_theirs"), [(1, 1), (3, 3), (3, 1), (2, 4)])
def test_randomization_against_loops(metric: Any, n_ours: int, n_theirs: int, chunk: int) -> None:
    rng = np.random.default_rng(3)
    ours, theirs = (stats_of(metric, rng, 9 * n).reshape(n, 9, -1) for n in (n_ours, n_theirs))
    trials = 60
    observed, found = oracle.differences(
        score_row(metric), ours.tolist(), theirs.tolist(), trials, np.random.default_rng(4)
    )
    assert min(abs(one - observed) for one in found) > 1e-9  # no tie that rounding may decide
    expected = (sum(one >= observed for one in found) + 1) / (trials + 1)
    p = randomization_p_value(metric, ours, theirs, trials, np.random.default_rng(4), chunk)
    assert p == expected


def test_equal_systems_do_not_differ() -> None:
    stats = stats_of(BLEU_2, np.random.default_rng(5), 40).reshape(2, 20, -1)
    assert randomization_p_value(BLEU_2, stats, stats, 99, np.random.default_rng(6)) == 1.0
    swapped = stats[::-1]
    assert randomization_p_value(BLEU_2, stats, swapped, 99, np.random.default_rng(6)) == 1.0


def test_runs_in_another_order_are_no_difference() -> None:
    """With one segment most shuffles are such; their means must be bitwise equal."""
    metric, trials = WeightedSum([SegmentScores()], [0.1]), 500
    rows = SegmentScores().stats([0.1, 0.2, 0.3, 0.7, 0.6]).reshape(5, 1, 5)
    scores = [Fraction(score) for score in metric.score_rows(rows[:, 0])]
    orders = np.random.default_rng(1).random((trials, 1, 5)).argsort(axis=2)[:, 0].tolist()

    def difference(order: list[int]) -> Fraction:
        values = [scores[i] for i in order]
        return abs(sum(values[:3]) / 3 - sum(values[3:]) / 2)

    extreme = sum(difference(order) >= difference([0, 1, 2, 3, 4]) for order in orders)
    p = randomization_p_value(metric, rows[:3], rows[3:], trials, np.random.default_rng(1))
    assert p == (extreme + 1) / (trials + 1)
    same = np.repeat(rows[:1], 4, axis=0)
    assert randomization_p_value(metric, same[:2], same[2:], 9, np.random.default_rng(1)) == 1.0


def test_replicas() -> None:
    nbest = made(BLEU_2, 9)
    weights = np.random.default_rng(10).normal(size=(4, 3))
    ours = Replicas(nbest, weights, 30, np.random.default_rng(11))
    scores = nbest.evaluate(weights).tolist()
    assert ours.scores.tolist() == scores
    assert ours.mean == pytest.approx(mean(scores))
    assert ours.s_opt == pytest.approx(stdev(scores))
    assert ours.ids.tolist() == nbest.ids.tolist()
    assert ours.stats.tolist() == [nbest.stats[nbest.best(one)].tolist() for one in weights]
    expected = selection_deviation(BLEU_2, ours.stats, 30, np.random.default_rng(11))
    assert ours.s_sel == expected
    single = Replicas(nbest, weights[:1], 0, None)
    assert math.isnan(single.s_opt) and math.isnan(single.s_sel)
    assert repr(ours).startswith(f"<Replicas: mean {ours.mean:.2f}, s_opt {ours.s_opt:.2f}, ")


def test_runs_have_seeds_of_their_own() -> None:
    nbest, test = made(BLEU_2, 12), made(BLEU_2, 13)
    found = tune_repeatedly(nbest, random_search, n_runs=4, test=test, seed=7, tries=3)
    expected = [random_search(nbest, seed, 3) for seed in range(7, 11)]
    assert found.seeds == [7, 8, 9, 10]
    weights = [result.weights.tolist() for result in expected]
    assert [result.weights.tolist() for result in found.results] == weights
    assert found.tune.scores.tolist() == [result.score for result in expected]
    assert found.test is not None
    assert found.test.scores.tolist() == test.evaluate(weights).tolist()
    assert found.best.score == max(result.score for result in expected)
    assert found.method == "random search"
    assert not found.interrupted
    assert (found.baseline, found.difference, found.p_value) == (None, None, None)


def test_results_depend_on_the_seed_only() -> None:
    nbest, test = made(BLEU_2, 14), made(BLEU_2, 15)
    options: dict[str, Any] = {"n_runs": 2, "test": test, "baseline": [0, 0, 1.0], "n_trials": 50}
    first, second = (tune_repeatedly(nbest, random_search, **options, seed=3) for _ in range(2))
    assert repr(first) == repr(second)
    assert repr(first) != repr(tune_repeatedly(nbest, random_search, **options, seed=4))


def test_methods_may_return_weights() -> None:
    nbest = made(BLEU_2, 16)

    def fixed(nbest: NBestList, seed: int) -> list[float]:
        return [seed, 1.0, 0.0]

    found = tune_repeatedly(nbest, fixed, n_runs=2, n_resamples=0, seed=0)
    assert found.method == "fixed"
    assert [result.weights.tolist() for result in found.results] == [[0, 1, 0], [1, 1, 0]]
    assert found.results[1].score == nbest.evaluate([1, 1, 0])
    assert math.isnan(found.tune.s_sel)


@pytest.mark.parametrize("with_test", [False, True])
def test_baselines(with_test: bool) -> None:
    nbest, test = made(BLEU_2, 17), made(BLEU_2, 18) if with_test else None
    judged = test or nbest
    options: dict[str, Any] = {
        "n_runs": 3,
        "test": test,
        "n_trials": 40,
        "n_resamples": 5,
        "seed": 0,
    }
    weights = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    other = tune_repeatedly(nbest, lambda nbest, seed: weights[seed], **{**options, "n_runs": 2})
    results = [
        tune_repeatedly(nbest, random_search, baseline=baseline, **options)
        for baseline in (weights, other)
    ]
    for found in results:
        own = found.test or found.tune
        assert found.baseline is not None and found.difference is not None
        assert found.baseline.scores.tolist() == judged.evaluate(weights).tolist()
        assert found.difference == own.mean - found.baseline.mean
        p = randomization_p_value(
            BLEU_2, own.stats, found.baseline.stats, 40, np.random.default_rng([0, 1])
        )
        assert found.p_value == p
    by_name = tune_repeatedly(nbest, random_search, baseline={"F0": 0, "F1": 1, "F2": 0}, **options)
    assert by_name.baseline is not None
    assert by_name.baseline.scores.tolist() == [judged.evaluate(weights[0])]


def test_baselines_may_have_other_features() -> None:
    nbest = made(BLEU_2, 19)
    fewer = NBestList(nbest.features[:, :2], nbest.stats, nbest.offsets, metric=BLEU_2)
    baseline = tune_repeatedly(fewer, random_search, n_resamples=0)
    found = tune_repeatedly(nbest, random_search, baseline=baseline, n_resamples=0, n_trials=200)
    assert found.baseline is baseline.tune
    assert found.difference is not None and found.difference > 0


def test_interrupted_runs_end_the_tuning() -> None:
    nbest = made(BLEU_2, 20)

    def interrupted(nbest: NBestList, seed: int) -> TuningResult:
        result = random_search(nbest, seed)
        result.interrupted = seed == 1
        return result

    found = tune_repeatedly(nbest, interrupted, n_runs=5, n_resamples=0, seed=0)
    assert (len(found.results), found.seeds, found.interrupted) == (2, [0, 1], True)
    assert "random search: 2 runs (interrupted)" in repr(found)


class Estimated(TuningResult):
    """A result with an estimate for held-out text."""

    def __init__(self, out_of_bag: float, nbest: NBestList) -> None:
        weights = np.array([0.0, 0.0, 1.0])
        super().__init__(weights, nbest.names, nbest.evaluate(weights), "estimated", [])
        self.out_of_bag = out_of_bag


@pytest.mark.parametrize(
    ("scores", "line"),
    [
        ([20.0, 21.0, 24.0], "21.67 2.08 - 20.00 21.00 24.00"),
        ([20.0, math.nan, 24.0], "22.00 2.83 - 20.00 - 24.00"),
        ([math.nan, math.nan, 24.0], "24.00 - - - - 24.00"),
        ([math.nan], "- - - -"),
        ([20.0, None, 20.0], "20.00 0.00 - 20.00 - 20.00"),  # of a result without an estimate
        ([20.0] * 7, "20.00 0.00 - 20.00 20.00 20.00 20.00 20.00 20.00 ..."),
    ],
)
def test_out_of_bag_scores(scores: list[float | None], line: str) -> None:
    nbest, test = made(BLEU_2, 27), made(BLEU_2, 28)

    def method(nbest: NBestList, seed: int) -> TuningResult:
        score = scores[seed]
        return random_search(nbest, seed) if score is None else Estimated(score, nbest)

    found = tune_repeatedly(nbest, method, n_runs=len(scores), test=test, n_resamples=0, seed=0)
    assert found.out_of_bag is not None
    np.testing.assert_array_equal(found.out_of_bag, np.array(scores, float))
    names = [own.split("  ")[1] for own in repr(found).splitlines()[2:]]
    assert names == ["tune", "out of bag", "test"]
    assert repr(found).splitlines()[3].split() == ["out", "of", "bag", *line.split()]


def test_out_of_bag_scores_of_bags() -> None:
    nbest = made(BLEU_2, 31)
    method = partial(tune, method="mert", bags=5, restarts=0)
    found = tune_repeatedly(nbest, method, n_runs=2, seed=4, n_resamples=0)
    expected = [method(nbest, seed=seed).out_of_bag for seed in (4, 5)]
    np.testing.assert_array_equal(found.out_of_bag, expected)
    assert found.method == "bagged mert"


def test_repr_fits_a_screen() -> None:
    nbest, test = made(BLEU_2, 21), made(BLEU_2, 22)
    found = tune_repeatedly(
        nbest, random_search, n_runs=30, test=test, baseline=[1, 1, 1], n_trials=9, n_resamples=3
    )
    lines = repr(found).splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split()[0] for line in lines] == [
        "random",
        "mean",
        "tune",
        "test",
        "baseline",
        "difference",
    ]
    assert lines[-1].startswith(f"  difference on test: {found.difference:+.2f}, p = ")
    assert repr(tune_repeatedly(nbest, random_search, n_runs=1)).startswith(
        "random search: 1 run\n"
    )


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_runs": 0}, ValueError, "n_runs: expected at least 1; got 0"),
        ({"seed": -1}, ValueError, "seed: expected at least 0; got -1"),
        ({"n_trials": 0}, ValueError, "n_trials: expected at least 1; got 0"),
        ({"n_resamples": 1}, ValueError, "n_resamples: expected 0 for none, or at least 2; got 1"),
        ({"method": "merd"}, ValueError, r"method: expected one of mert, .*; got 'merd'"),
        ({"test": [1]}, TypeError, "test: expected NBestList; got list"),
        ({"test": made(SegmentScores(), 1)}, ValueError, "test: expected rows of 6 counts; got 5"),
        ({"baseline": [1, 2]}, ValueError, "baseline: expected 3, one for each feature"),
        ({"baseline": np.ones((0, 3))}, ValueError, "baseline: expected at least one vector"),
        (
            {"n_resamples": 10**30},
            ValueError,
            f"n_resamples: expected at most {MOST}; got {10**30}",
        ),
    ],
)
def test_wrong_arguments_are_refused(options: Any, error: Any, message: str) -> None:
    called = []

    def method(nbest: NBestList, seed: int) -> Any:
        called.append(seed)
        return [1, 1, 1]

    with pytest.raises(error, match=message):
        tune_repeatedly(made(BLEU_2, 23), **{"method": method, **options})
    assert not called


def test_other_test_lists_are_refused() -> None:
    nbest = made(BLEU_2, 24)
    parts: Any = nbest.stats, nbest.offsets
    renamed = NBestList(nbest.features, *parts, metric=BLEU_2, names=["F0", "x", "F2"])
    fewer = NBestList(nbest.features[:, :2], *parts, metric=BLEU_2)
    for test, message in (
        (renamed, r"test.names\[1\]: expected 'F1'; got 'x'"),
        (fewer, "test: expected 3 features; got 2"),
    ):
        with pytest.raises(ValueError, match=message):
            tune_repeatedly(nbest, random_search, test=test)


def test_baselines_of_other_segments_are_refused() -> None:
    nbest = made(BLEU_2, 25)
    for other in (made(BLEU_2, 25, n_segments=29), made(BLEU_2, 25, ids=range(1, 31))):
        baseline = tune_repeatedly(other, random_search, n_resamples=0)
        with pytest.raises(
            ValueError,
            match="baseline: expected runs on segments with the same ids; got different ids",
        ):
            tune_repeatedly(nbest, random_search, baseline=baseline)
    baseline = tune_repeatedly(made(SegmentScores(), 25), random_search, n_resamples=0)
    with pytest.raises(ValueError, match="baseline: expected rows of 6 counts; got 5"):
        tune_repeatedly(nbest, random_search, baseline=baseline)


def test_methods_that_return_something_else() -> None:
    nbest = made(BLEU_2, 26)
    for outcome, message in (
        ([1.0], "^weights of <lambda>: expected 3"),
        ([[1, 1, 1]], "^weights of <lambda>: expected one vector"),
    ):
        with pytest.raises(ValueError, match=message):
            tune_repeatedly(nbest, lambda nbest, seed, outcome=outcome: outcome)
