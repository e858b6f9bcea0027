"""Tests of differences between metrics, trial by trial against oracles, and their properties."""

import math
import warnings
from collections.abc import Iterator
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from rapidbleu.meta import (
    MetaWarning,
    bootstrap_test,
    compare_metrics,
    correlate,
    estimate_interval,
    permutation_test,
    rank_metrics,
    soft_accuracy,
    williams_test,
)
from rapidbleu.meta.studies import ranks_of
from rapidbleu.significance.resamples import Draws
from reference.meta import differences as oracle
from reference.meta import figures
from support.judged_scores import judged, plain
from support.peers import need

CLOSE = 1e-12
N = 20


@pytest.fixture(autouse=True)
def no_cautions() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MetaWarning)
        yield


def three(seed: int, n_systems: int, n_segments: int, **options: Any) -> tuple[Any, Any, Any]:
    human, one = judged(seed, n_systems, n_segments, **options)
    rng = np.random.default_rng(seed + 100)
    return human, one, (100 * (one + rng.normal(size=one.shape))).round(1)


def rule_of(statistic: str, by: str) -> Any:
    if statistic == "kendall_like":
        return lambda human, metric: figures.far_pairs(human, metric, by, 2.0)
    if statistic == "accuracy_eq":
        return lambda human, metric: figures.best_accuracy(human, metric, by)[0]
    if by != "means":
        return lambda human, metric: figures.averaged(
            figures.STATISTICS[statistic], human, metric, by
        )

    def of_means(human: Any, metric: Any) -> float | None:
        means = [[figures.mean_of(row) for row in side] for side in (human, metric)]
        pairs = [(h, m) for h, m in zip(*means, strict=True) if h is not None and m is not None]
        return figures.STATISTICS[statistic](pairs)

    return of_means


def coins(seed: int, n_units: int) -> Any:
    words = Draws(seed, n_units).coins(0, N)
    bits = np.unpackbits(words.astype("<u4").view(np.uint8), bitorder="little")
    return bits[: N * n_units].reshape(N, n_units) == 1


@pytest.mark.parametrize("swap", ["scores", "segments", "systems"])
@pytest.mark.parametrize(
    ("statistic", "by"),
    [
        ("pearson", "none"),
        ("pearson", "segment"),
        ("spearman", "system"),
        ("kendall", "segment"),
        ("kendall_c", "none"),
        ("kendall_like", "segment"),
        ("accuracy", "system"),
        ("accuracy_eq", "segment"),
        ("pearson", "means"),
        ("kendall", "means"),
    ],
)
@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_every_trial_is_the_oracles(swap: str, statistic: str, by: str, gaps: float) -> None:
    human, one, other = three(3, 6, 8, gaps=gaps, digits=8)
    sides = [plain(side) for side in (human, one, other)]
    cells = oracle.cells_of_all(*(sides[1:] if by == "means" else sides))
    if by == "system" and swap == "scores":
        order = cells
    elif by == "segment":
        order = sorted(cells, key=lambda cell: cell[::-1])
    else:
        order = cells
    unit = {
        "scores": {cell: k for k, cell in enumerate(order)},
        "segments": {cell: cell[1] for cell in cells},
        "systems": {cell: cell[0] for cell in cells},
    }[swap]
    tossed = coins(5, max(unit.values()) + 1)
    least = {"min_difference": 2.0} if statistic == "kendall_like" else {}
    found = permutation_test(
        human, one, other, statistic, by, swap=swap, n_trials=N, seed=5, **least
    )
    expected = [
        oracle.swapped(rule_of(statistic, by), *sides, cells, lambda cell, own=own: own[unit[cell]])  # type: ignore[misc]
        for own in tossed
    ]
    assert np.abs(found.differences - expected).max() < CLOSE
    real = oracle.swapped(rule_of(statistic, by), *sides, cells, lambda cell: True)
    assert found.n_as_extreme == sum(value >= real - 1e-9 for value in expected)
    assert found.p_value == (found.n_as_extreme + 1) / (N + 1)
    assert abs(found.difference - real) < CLOSE


def test_soft_accuracy_can_be_swapped() -> None:
    human, one, other = three(4, 5, 12, digits=8)
    found = permutation_test(
        human, one, human + 0.1 * other / 100, "soft_accuracy", "means", n_trials=20
    )
    assert found.p_value > 0.5
    assert found.a == correlate(human, one, "soft_accuracy", "means").value
    assert len({*found.differences.tolist()}) > 10


def test_metrics_with_a_score_of_each_system_are_swapped_by_system() -> None:
    human, one, other = three(6, 9, 20)
    means = one.mean(axis=1), other.mean(axis=1)
    by_score = permutation_test(human, *means, by="means", n_trials=N)
    by_system = permutation_test(human, *means, by="means", n_trials=N, swap="systems")
    mixed = permutation_test(human, means[0], other, by="means", n_trials=N)
    assert by_score.differences.tolist() == by_system.differences.tolist()
    assert by_score.differences.tolist() == mixed.differences.tolist()
    sides = [plain(side) for side in (human, means[0][:, None], means[1][:, None])]
    cells = [(i, 0) for i in range(9)]
    expected = [
        oracle.swapped(
            rule_of("pearson", "means"), *sides, cells, lambda cell, own=own: own[cell[0]]
        )  # type: ignore[misc]
        for own in coins(12345, 9)
    ]
    assert np.abs(by_score.differences - expected).max() < CLOSE


@pytest.mark.parametrize("swap", ["scores", "segments", "systems"])
def test_systems_that_people_did_not_judge_are_not_swapped(swap: str) -> None:
    human, one, other = three(6, 9, 20)
    human[3:5] = np.nan
    rest = np.delete(np.arange(9), [3, 4])
    found = permutation_test(human, one, other, by="means", n_trials=N, swap=swap)
    expected = permutation_test(
        human[rest], one[rest], other[rest], by="means", n_trials=N, swap=swap
    )
    assert abs(found.difference - expected.difference) < CLOSE
    assert found.p_value == found.p_value
    if swap == "segments":  # the other coins have other units
        assert np.abs(found.differences - expected.differences).max() < CLOSE


@pytest.mark.parametrize("by", ["none", "segment", "system"])
@pytest.mark.parametrize(
    ("statistic", "epsilon"), [("accuracy", 0.0), ("accuracy", 0.6), ("accuracy_eq", 0.0)]
)
def test_swapped_verdicts_have_the_distribution_of_all_assignments(
    statistic: str, epsilon: float, by: str
) -> None:
    human, one, other = three(7, 3, 3, digits=8, gaps=0.0)
    other /= 100
    found = permutation_test(
        human, one, other, statistic, by, swap="pairs", n_trials=20_000, epsilon=epsilon
    )
    epsilons = (epsilon, epsilon)
    if statistic == "accuracy_eq":
        epsilons = tuple(correlate(human, side, statistic, by).epsilon for side in (one, other))  # type: ignore[assignment]
    real, trials = oracle.all_swapped_verdicts(
        *(plain(side) for side in (human, one, other)), by, epsilons
    )
    assert abs(found.difference - real) < CLOSE
    exact = sum(value >= real - 1e-9 for value in trials) / len(trials)
    spread = NormalDist().inv_cdf(1 - 1e-7) * math.sqrt(exact * (1 - exact) / 20_000)
    assert abs(found.p_value - exact) <= spread + 1e-4
    assert {round(x, 9) for x in found.differences.tolist()} <= {round(x, 9) for x in trials}


def test_equal_metrics_are_never_told_apart() -> None:
    human, one, _ = three(8, 8, 10)
    for statistic, by, swap in (
        ("pearson", "none", "scores"),
        ("kendall", "segment", "segments"),
        ("accuracy_eq", "segment", "pairs"),
        ("spearman", "means", "systems"),
    ):
        found = permutation_test(human, one, 3 * one + 1, statistic, by, swap=swap, n_trials=N)
        assert found.p_value == 1.0
        assert abs(found.difference) < CLOSE


def test_the_better_metric_is_found_from_both_sides() -> None:
    human, one, _ = three(9, 12, 60)
    noise = np.random.default_rng(1).normal(size=one.shape)
    better = permutation_test(human, one, noise, "kendall", "segment", n_trials=200)
    worse = permutation_test(human, noise, one, "kendall", "segment", n_trials=200)
    assert better.p_value == 1 / 201
    assert worse.p_value > 0.99
    assert (better.a, better.b) == (worse.b, worse.a)


@pytest.mark.parametrize(
    ("statistic", "by", "swap"),
    [
        ("kendall", "segment", "scores"),
        ("accuracy_eq", "segment", "scores"),
        ("pearson", "means", "segments"),
        ("accuracy", "none", "pairs"),
    ],
)
def test_threads_change_nothing(statistic: str, by: str, swap: str) -> None:
    human, one, other = three(10, 6, 20)
    alone = permutation_test(human, one, other, statistic, by, swap=swap, n_trials=700)
    found = permutation_test(human, one, other, statistic, by, swap=swap, n_trials=700, threads=3)
    assert found.differences.tolist() == alone.differences.tolist()
    again = permutation_test(human, one, other, statistic, by, swap=swap, n_trials=700, seed=1)
    assert again.differences.tolist() != alone.differences.tolist()


BAD: list[tuple[dict[str, Any], str]] = [
    ({"swap": "cells"}, r"^swap: expected one of scores, segments, systems, pairs; got 'cells'$"),
    ({"swap": 1}, r"^swap: expected str; got int$"),
    ({"swap": "pairs"}, r"^swap: expected 'pairs' with 'accuracy' or 'accuracy_eq' only"),
    ({"n_trials": 0}, r"^n_trials: expected at least 1; got 0$"),
    ({"n_trials": 1.5}, r"^n_trials: expected int; got float$"),
    ({"seed": -1}, r"^seed: expected at least 0; got -1$"),
    ({"threads": -1}, r"^threads: "),
    ({"statistic": "accuracy", "epsilon": 0.5}, r"^epsilon: expected 0 unless pairs are swapped"),
    ({"b": [[1, 2]]}, r"^b: expected 2 systems x 2 segments, as human has; got 1 system x"),
    ({"by": "means", "b": [1, 2], "swap": "segments"}, r"^swap: expected 'scores' or"),
]


@pytest.mark.parametrize(("changed", "message"), BAD)
def test_bad_calls_say_what_is_wrong(changed: dict[str, Any], message: str) -> None:
    scores = [[1.0, 2.0], [3.0, 4.0]]
    given: dict[str, Any] = {"human": scores, "a": scores, "b": scores, "n_trials": 2} | changed
    with pytest.raises((TypeError, ValueError), match=message):
        permutation_test(**given)


@pytest.mark.parametrize(
    ("statistic", "by", "resample"),
    [
        ("pearson", "segment", "segments"),
        ("kendall_like", "segment", "segments"),
        ("kendall", "system", "systems"),
        ("pearson", "none", "segments"),
        ("accuracy", "segment", "systems"),
        ("spearman", "means", "both"),
        ("accuracy_eq", "segment", "segments"),
    ],
)
def test_every_resample_is_the_oracles(statistic: str, by: str, resample: str) -> None:
    human, one, other = three(11, 6, 7, gaps=0.1, digits=8)
    kept = ~np.isnan(one + other) & (~np.isnan(human) | (by == "means"))
    sides = [np.where(kept, side, np.nan) for side in (one, other)]
    least = {"min_difference": 2.0} if statistic == "kendall_like" else {}
    found = bootstrap_test(
        human, one, other, statistic, by, resample=resample, n_resamples=N, **least
    )
    rng = np.random.default_rng(12345)
    columns = rng.integers(7, size=(N, 7), dtype=np.int32) if resample != "systems" else None
    rows = rng.integers(6, size=(N, 6), dtype=np.int32) if resample != "segments" else None
    for k in range(N):
        i = np.arange(6) if rows is None else rows[k]
        j = np.arange(7) if columns is None else columns[k]
        drawn = [plain(side[i][:, j]) for side in (human, *sides)]
        left, right = (rule_of(statistic, by)(drawn[0], own) for own in drawn[1:])
        if left is None or right is None:
            assert math.isnan(found.differences[k])
        else:
            assert abs(found.differences[k] - (left - right)) < CLOSE
    there = found.differences[~np.isnan(found.differences)]
    assert found.n_as_extreme == N - (there > 0).sum()
    assert found.interval == pytest.approx(tuple(np.quantile(there, [0.025, 0.975])))


def test_intervals_are_of_the_resamples() -> None:
    human, one, other = three(12, 8, 30)
    both = bootstrap_test(human, one, other, "kendall", "segment", n_resamples=100)
    first = estimate_interval(
        human, one, "kendall", "segment", n_resamples=100, level=0.8, threads=2
    )
    second = estimate_interval(human, other, "kendall", "segment", n_resamples=100, threads=2)
    assert (first.samples - second.samples).tolist() == both.differences.tolist()
    assert first.interval == tuple(np.quantile(first.samples, [0.1, 0.9]))
    assert first.value == correlate(human, one, "kendall", "segment").value
    assert first.interval[0] < first.value < first.interval[1]
    soft = estimate_interval(human, one, "soft_accuracy", "means", n_resamples=10)
    assert 0 < soft.interval[0] < soft.interval[1] <= 1


def test_resampling_refuses_what_has_no_segments() -> None:
    with pytest.raises(ValueError, match=r"^resample: expected 'systems', as people and metrics"):
        estimate_interval([1, 2, 3], [1, 2, 3], by="means")
    with pytest.raises(ValueError, match=r"^resample: expected one of segments, systems, both"):
        estimate_interval([[1, 2]], [[1, 2]], resample="inputs")
    with pytest.raises(ValueError, match=r"^level: expected a number between 0 and 1; got 1$"):
        estimate_interval([[1, 2]], [[1, 2]], level=1)
    found = estimate_interval([1, 2, 3], [1, 3, 2], by="means", resample="systems", n_resamples=9)
    assert found.interval[1] <= 1


def test_results_report_the_seed() -> None:
    human, one, other = three(15, 6, 12)
    scores = {"one": one, "other": other}
    calls: list[Any] = [
        lambda seed: permutation_test(human, one, other, n_trials=40, seed=seed),
        lambda seed: bootstrap_test(human, one, other, n_resamples=40, seed=seed),
        lambda seed: estimate_interval(human, one, n_resamples=40, seed=seed),
        lambda seed: rank_metrics(human, scores, n_trials=40, seed=seed),
        lambda seed: (
            compare_metrics(human, scores, [("pearson", "none")], n_resamples=40, seed=seed)
            .columns[0]
            .ranking
        ),
        lambda seed: soft_accuracy(human, one, n_resamples=40, seed=seed),
    ]
    for call in calls:
        assert call(7).seed == 7
        drawn, another = call(None), call(None)
        assert drawn.seed != another.seed
        again = call(drawn.seed)
        for name in ("differences", "samples", "p_values", "value"):
            if getattr(drawn, name, None) is not None:
                np.testing.assert_array_equal(getattr(again, name), getattr(drawn, name))
    comparison = compare_metrics(human, scores, [("pearson", "none")], n_resamples=9, seed=None)
    [column] = comparison.columns
    assert column.ranking.seed == column.intervals["one"].seed == comparison.seed


def test_williams_test_is_that_of_its_formula() -> None:
    stats = need("scipy.stats")
    for seed in range(20):
        human, one, other = (side[0] for side in three(seed, 1, 5 + seed, digits=8))
        r12, r13, r23 = (
            float(stats.pearsonr(*pair)[0]) for pair in ((human, one), (human, other), (one, other))
        )
        n = 5 + seed
        expected = float(stats.t.sf(oracle.williams_t(r12, r13, r23, n), n - 3))
        found = williams_test(human, one, other, "means")
        assert abs(found.p_value - expected) < CLOSE
        assert abs(found.p_value + williams_test(human, other, one, "means").p_value - 1) < CLOSE
        assert found.n_systems == n
    with pytest.raises(ValueError, match=r"^human: expected at least four scores that all three"):
        williams_test([1, 2, 3], [1, 2, 3], [3, 2, 1], "means")
    with pytest.raises(ValueError, match=r"^by: expected 'none' or 'means'; got 'segment'$"):
        williams_test([[1, 2]], [[1, 2]], [[1, 2]], "segment")
    assert math.isnan(williams_test([[1, 2, 3, 4]], [[1, 1, 1, 1]], [[1, 2, 4, 3]]).p_value)


def test_ranks_begin_anew_where_a_metric_is_worse_than_one_of_the_last() -> None:
    p = np.full((5, 5), np.nan)
    p[0, 1:] = 0.3, 0.04, 0.01, 0.01
    p[1, 2:] = 0.2, 0.2, 0.01
    p[2, 3:] = 0.5, 0.05
    p[3, 4] = 0.2
    assert ranks_of(p, 0.05) == (1, 1, 2, 2, 3)
    assert ranks_of(p, 0.02) == (1, 1, 1, 2, 2)
    assert ranks_of(p[:1, :1], 0.05) == (1,)


def test_metrics_are_ranked_by_tests_of_all_pairs() -> None:
    human, one, other = three(13, 8, 40)
    metrics = {"b": other, "a": one, "none": np.zeros_like(one), "a again": one}
    found = rank_metrics(human, metrics, "kendall", "segment", n_trials=99)
    assert found.metrics == ("a", "a again", "b", "none")
    assert math.isnan(found.values[3])
    expected = permutation_test(human, one, other, "kendall", "segment", n_trials=99)
    assert found.p_values[0, 2] == found.p_values[1, 2] == expected.p_value
    assert found.p_values[0, 1] == 1.0
    assert found.ranks == ranks_of(found.p_values, 0.05)
    with pytest.raises(ValueError, match=r"^metrics\['b'\]: expected 8 systems x 40 segments"):
        rank_metrics(human, {"a": one, "b": [[1]]})
    with pytest.raises(ValueError, match=r"^metrics: expected at least one; got none$"):
        rank_metrics(human, {})
    with pytest.raises(TypeError, match=r"^metrics: expected a mapping; got list$"):
        rank_metrics(human, [one])  # type: ignore[arg-type]


def test_a_study_has_a_column_for_each_figure_and_one_without_outliers() -> None:
    human, one, other = three(14, 12, 20)
    human[4] -= 40
    systems = dict(zip("ABCDEFGHIJKL", human, strict=True))
    told: list[tuple[int, int]] = []
    found = compare_metrics(
        systems,
        {"one": one, "other": other},
        [("pearson", "means"), ("kendall", "segment")],
        system_scores={"one": one.sum(axis=1)},
        n_resamples=50,
        progress=lambda *done: told.append(done),
    )
    assert [column.left_out for column in found.columns] == [(), ("E",), ()]
    names = [column.name for column in found.columns]
    assert names == ["pearson_means", "pearson_means_without_outliers", "kendall_segment"]
    assert all(map(str.isidentifier, names))
    assert told == [(done, 9) for done in range(1, 10)]
    rest = np.delete(np.arange(12), 4)
    ranking = found.columns[1].ranking
    values = dict(zip(ranking.metrics, ranking.values, strict=True))
    assert values["one"] == correlate(human[rest], one.sum(axis=1)[rest], by="means").value
    assert values["other"] == correlate(human[rest], other[rest], by="means").value
    segment = found.columns[2]
    expected = estimate_interval(human, one, "kendall", "segment", n_resamples=50)
    assert segment.intervals["one"].samples.tolist() == expected.samples.tolist()
    assert segment.ranking.metrics[0] in repr(found)
    for statistics_, message in (
        ([], "^statistics: expected at least one; got none$"),
        (["pearson"], r"^statistics\[0\]: expected a statistic and what it is averaged by$"),
        ([("pearson", "item")], "^by: expected one of"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            compare_metrics(human, {"one": one}, statistics_)
    with pytest.raises(ValueError, match=r"^system_scores: expected names of metrics; got 'two'$"):
        compare_metrics(human, {"one": one}, system_scores={"two": [1]})
