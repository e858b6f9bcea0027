"""Figures of agreement: an oracle, SciPy, numbers of mt-metrics-eval, invariants, bad calls."""

import copy
import json
import math
import pickle
import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from rapidbleu._core.meta.figures import Gold
from rapidbleu.meta import (
    STATISTICS,
    MetaWarning,
    SystemScores,
    correlate,
    find_outliers,
    soft_accuracy,
)
from rapidbleu.meta.figures import AVERAGES, random_signs
from reference.meta import figures as oracle
from support.judged_scores import AVERAGES as GROUPINGS
from support.judged_scores import cases, judged, plain
from support.peers import need
from support.places import TESTS

CLOSE = 1e-12


@pytest.fixture(autouse=True)
def no_cautions() -> Iterator[None]:
    """Suppress cautions, because most synthetic scores are of few systems."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MetaWarning)
        yield


def agree(found: float, expected: float | None, tolerance: float = CLOSE) -> bool:
    if expected is None or expected != expected:
        return found != found
    return abs(found - expected) <= tolerance


@pytest.mark.parametrize("statistic", oracle.STATISTICS)
@pytest.mark.parametrize("by", GROUPINGS)
def test_figures_equal_their_definitions(statistic: str, by: str) -> None:
    for human, metric in cases():
        expected = oracle.averaged(oracle.STATISTICS[statistic], plain(human), plain(metric), by)
        assert agree(correlate(human, metric, statistic, by).value, expected)


@pytest.mark.parametrize("by", GROUPINGS)
@pytest.mark.parametrize("least", [0.0, 0.5, 2.0, 3.0])
def test_far_pairs_equal_their_definition(by: str, least: float) -> None:
    for human, metric in cases():
        found = correlate(human, metric, "kendall_like", by, min_difference=least)
        assert agree(found.value, oracle.far_pairs(plain(human), plain(metric), by, least))


@pytest.mark.parametrize("by", GROUPINGS)
@pytest.mark.parametrize("epsilon", [0.25, 1.0])
def test_thresholds_equal_their_definitions(by: str, epsilon: float) -> None:
    rules = {"kendall": oracle.kendall, "tau23": oracle.tau_23, "accuracy": oracle.accuracy}
    for human, metric in cases():
        for statistic, rule in rules.items():
            expected = oracle.averaged(
                lambda pairs, rule=rule: rule(pairs, epsilon),  # type: ignore[misc]
                plain(human),
                plain(metric),
                by,
            )
            found = correlate(human, metric, statistic, by, epsilon=epsilon)
            assert agree(found.value, expected)


@pytest.mark.parametrize("by", GROUPINGS)
def test_the_best_threshold_is_the_best_of_all(by: str) -> None:
    for human, metric in cases():
        if by != "segment" and human.size > 36:
            continue  # all thresholds, and all pairs for each
        if not any(len(pairs) > 1 for pairs in oracle.groups(plain(human), plain(metric), by)):
            assert math.isnan(correlate(human, metric, "accuracy_eq", by).value)
            continue
        found = correlate(human, metric, "accuracy_eq", by)
        value, epsilon = oracle.best_accuracy(plain(human), plain(metric), by)
        assert agree(found.value, value)
        assert abs(found.epsilon - epsilon) < 1e-9
        assert agree(correlate(human, metric, "accuracy", by, epsilon=found.epsilon).value, value)


@pytest.mark.parametrize("n", [2, 7, 8, 9, 16, 17, 47, 48, 49, 50, 511, 512, 513])
@pytest.mark.parametrize("values", [2, 5, 10_000])
def test_every_way_of_counting_gives_the_same(n: int, values: int) -> None:
    """Sizes at which scores are compared, merged, or radix sorted."""
    rng = np.random.default_rng(n)
    human, metric = rng.integers(-values, values, (2, 1, n)) / 4
    pairs = list(zip(human[0].tolist(), metric[0].tolist(), strict=True))
    for statistic, rule in oracle.STATISTICS.items():
        assert agree(correlate(human, metric, statistic).value, rule(pairs), 1e-11), statistic


@pytest.mark.parametrize("step", [1e-9, 0.25])
def test_pairs_by_the_million_are_cut_into_ranges(step: float) -> None:
    rng = np.random.default_rng(3)
    human = rng.integers(0, 3, (1, 6_600)).astype(float)
    metric = np.round((human + rng.normal(size=human.shape)) / step) * step
    found = correlate(human, metric, "accuracy_eq")
    at = [found.epsilon * (1 + move) for move in (-1e-9, 0, 1e-9, -0.01, 0.01, -0.1, 0.1)]
    values = [correlate(human, metric, "accuracy", epsilon=epsilon).value for epsilon in at]
    assert agree(found.value, values[1])
    assert agree(max(values), found.value)
    assert values[0] < values[1]


def test_figures_equal_those_of_scipy() -> None:
    stats = need("scipy.stats")
    theirs = {
        "pearson": lambda x, y: stats.pearsonr(x, y)[0],
        "spearman": lambda x, y: stats.spearmanr(x, y)[0],
        "kendall": lambda x, y: stats.kendalltau(x, y)[0],
        "kendall_c": lambda x, y: stats.kendalltau(x, y, variant="c")[0],
    }
    for seed, n in enumerate([2, 10, 48, 49, 300, 4000]):
        human, metric = judged(seed, 1, n, digits=seed % 3)
        if len({*human[0]}) < 2 or len({*metric[0]}) < 2:
            continue
        for statistic, rule in theirs.items():
            expected = float(rule(human[0], metric[0]))
            assert agree(correlate(human, metric, statistic).value, expected), (statistic, n)


def test_figures_equal_those_of_mt_metrics_eval() -> None:
    """Numbers that `support/programs/mt_metrics_eval_numbers.py` computed with its checkout."""
    path = TESTS / "data" / "meta" / "mt_metrics_eval.json"
    numbers = json.loads(path.read_text(encoding="utf-8"))
    assert len(numbers) > 100
    for case in numbers:
        human, metric = judged(**case["scores"])
        metric[np.isnan(metric)] = 0.0
        options = case["options"]
        if case["statistic"] == "soft_accuracy":
            found = soft_accuracy(human, metric, seed=4).value
        else:
            found = correlate(human, metric, case["statistic"], case["by"], **options).value
        if case["value"] == 0 and math.isnan(found):
            continue  # its name for a statistic without a value
        assert agree(found, case["value"]), case


def test_soft_accuracy_equals_its_definition() -> None:
    for seed in range(6):
        human, metric = judged(seed, 4, 12, digits=seed)
        signs = random_signs(200, 12, seed).tolist()
        expected = oracle.soft_accuracy(plain(human), plain(metric), signs)
        assert agree(soft_accuracy(human, metric, n_resamples=200, seed=seed).value, expected)


@pytest.mark.parametrize("by", AVERAGES[:3])
def test_equal_scores_have_no_coefficient_however_their_mean_is_rounded(by: str) -> None:
    """Three times 0.1 is not 0.3, but the rounding error is not variance."""
    same, other = np.full((3, 3), 0.1), np.arange(9.0).reshape(3, 3)
    for statistic in ("pearson", "r2", "spearman", "kendall", "kendall_c"):
        assert math.isnan(correlate(same, other, statistic, by).value)
        assert math.isnan(correlate(other, same, statistic, by).value)


def test_means_are_of_the_scores_that_are_there() -> None:
    human, metric = judged(1, 12, 9, gaps=0.3)
    own_means = [np.nanmean(human, axis=1), np.nanmean(metric, axis=1)]
    for statistic, rule in oracle.STATISTICS.items():
        expected = rule(list(zip(*(means.tolist() for means in own_means), strict=True)))
        assert agree(correlate(human, metric, statistic, "means").value, expected)
        assert agree(correlate(own_means[0], own_means[1], statistic, "means").value, expected)
        assert agree(correlate(human, own_means[1].tolist(), statistic, "means").value, expected)


def test_systems_without_a_human_score_are_left_out_of_means() -> None:
    human, metric = judged(2, 12, 5)
    human[3] = np.nan
    with pytest.warns(MetaWarning, match=r"^human: system '3' has no score$"):
        warnings.simplefilter("always")
        found = correlate(human, metric, "pearson", "means")
    rest = np.delete(np.arange(12), 3)
    assert found.value == correlate(human[rest], metric[rest], "pearson", "means").value
    assert found.n_compared == 11


def test_names_decide_which_systems_belong_together() -> None:
    human = {"A": [1, 5, 3], "B": [2, 4, 4], "C": [5, 5, 1]}
    metric = {"A": [0.1, 0.5, 0.4], "B": [0.2, 0.4, 0.3], "C": [0.9, 0.5, 0.1]}
    turned = {name: metric[name] for name in "CAB"}
    segments = SystemScores([metric["B"][::-1]], ["B"], ["3", "2", "1"])
    for by in AVERAGES[:3]:
        assert correlate(human, metric, by=by).value == correlate(human, turned, by=by).value
    named = SystemScores([human["B"]], ["B"], ["1", "2", "3"])
    assert correlate(named, segments).value == correlate([human["B"]], [metric["B"]]).value
    assert correlate(human, list(metric.values())).value == correlate(human, metric).value


BAD: list[tuple[Any, Any, dict[str, Any], str]] = [
    ([[1, 2]], [[1, 2, 3]], {}, r"^metric: expected 1 system x 2 segments, as human has; got 1 "),
    (
        {"A": [1]},
        {"B": [1]},
        {},
        r"^metric: expected scores of system 'A', which human has; got scores of 'B'$",
    ),
    (
        {"A": [1]},
        {"A": [1], "B": [2]},
        {},
        r"^metric: expected scores of systems that human has; got 'B'$",
    ),
    ([[1, "2"]], [[1, 2]], {}, r"^human\[0\]\[1\]: expected a number or None; got str$"),
    ([[1, 2]], {"A": [1, math.inf]}, {}, r"^metric\[0\]\[1\]: expected a finite number or nan"),
    ([[1], [1, 2]], [[1]], {}, r"^human\[1\]: expected 1 score, as \[0\] has; got 2$"),
    ([], [[1]], {}, r"^human: expected scores\[system, segment\]|^human: expected at least one"),
    (np.zeros(3), np.zeros(3), {}, r"^human: expected scores of segments for each system; got one"),
    ("ab", [[1]], {}, r"human"),
    ([[1, 2]], [[1, 2]], {"statistic": "tau"}, r"^statistic: expected one of pearson, r2"),
    ([[1, 2]], [[1, 2]], {"statistic": 3}, r"^statistic: expected str; got int$"),
    ([[1, 2]], [[1, 2]], {"by": "item"}, r"^by: expected one of none, segment, system, means; "),
    ([[1, 2]], [[1, 2]], {"epsilon": 0.1}, r"^epsilon: expected 0 for 'pearson'; got 0.1$"),
    ([[1, 2]], [[1, 2]], {"statistic": "kendall", "epsilon": -1}, r"^epsilon: expected a finite"),
    ([[1, 2]], [[1, 2]], {"statistic": "kendall", "epsilon": "1"}, r"^epsilon: expected a number"),
    ([[1, 2]], [[1, 2]], {"min_difference": 5}, r"^min_difference: expected 25 for 'pea"),
    ([[1, 2]], [[1, 2]], {"min_difference": -1}, r"^min_difference: expected a finite number from"),
    ([[1, 2]], [[1, 2]], {"statistic": "soft_accuracy"}, r"^by: expected 'means', as 'soft_acc"),
    ([1, 2], [1, 2, 3], {"by": "means"}, r"^metric: expected 2 systems, as human has; got 3$"),
    ({"A": 1}, {"B": 1}, {"by": "means"}, r"^metric: expected scores of system 'A'"),
    (["a"], [1], {"by": "means"}, r"^human"),
]


@pytest.mark.parametrize(("human", "metric", "options", "message"), BAD)
def test_bad_calls_say_what_is_wrong(
    human: Any, metric: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        correlate(human, metric, **options)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["A", "A"], r"^systems\[1\]: expected a name of its own; got 'A' again$"),
        (["A"], r"^systems: expected 2, as many as the matrix has; got 1$"),
        (["A", 2], r"^systems\[1\]: expected str; got int$"),
        ("AB", r"^systems: expected a sequence of names; got a single str$"),
    ],
)
def test_bad_names_say_what_is_wrong(names: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        SystemScores([[1, 2], [3, 4]], names)


def test_scores_are_a_snapshot_and_read_only() -> None:
    values = np.arange(6.0).reshape(2, 3)
    scores = SystemScores(values, ["A", "B"])
    values[0, 0] = 99
    assert scores.values[0, 0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        scores.values[0, 0] = 1.0
    for copied in (pickle.loads(pickle.dumps(scores)), copy.deepcopy(scores)):
        assert copied == scores
        assert not copied.values.flags.writeable
    assert scores == SystemScores(scores.values, ["A", "B"])
    assert scores != SystemScores(scores.values)
    with pytest.raises(ValueError, match=r"systems\[0\]: expected one of 'A', 'B'; got 'C'"):
        scores.of(["C"])


CAUTIONS: list[tuple[Any, Any, dict[str, Any], str]] = [
    ([1, 2, 3], [1, 3, 2], {"by": "means"}, "^pearson: 3 systems, fewer than 10, say little$"),
    ([[1, 1]], [[1, 2]], {}, "^pearson: no value, as all human scores are the same$"),
    ([[1, 2]], [[1, 1]], {}, "^pearson: no value, as all scores of metric are the same$"),
    ([[1, 2]], [[1, None]], {}, "^pearson: no value, as expected two scores that both sides"),
    ([[1, 2], [1, 2]], [[1, 2], [3, 4]], {"by": "segment"}, "^pearson: no value, as no segment"),
    (
        [[1, 2]],
        [[1, 2]],
        {"statistic": "kendall_like"},
        "no two human scores are far enough apart$",
    ),
    (
        [[1, 1, 1, 2]],
        [[0, 5, 10, 4]],
        {"statistic": "accuracy_eq"},
        "^accuracy_eq: the best threshold of metric, 10, calls all pairs ties; the statistic is",
    ),
    ({"A": [None, None], "B": [1, 2]}, [[1, 2], [3, 4]], {}, "^human: system 'A' has no score$"),
    (
        [[1, 2, None], [2, 1, 3]],
        [[1, 2, 3], [4, 5, 7]],
        {"statistic": "soft_accuracy", "by": "means"},
        "^soft_accuracy: 1 segment of 3 left out, as not all systems have scores of them$",
    ),
]


@pytest.mark.parametrize(("human", "metric", "options", "message"), CAUTIONS)
def test_cautions_say_what_means_little(
    human: Any, metric: Any, options: dict[str, Any], message: str
) -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        correlate(human, metric, **options)
    assert any(re.search(message, str(each.message)) for each in found)
    assert {each.category for each in found} == {MetaWarning}
    assert {each.filename for each in found} == {__file__}


def test_good_scores_raise_no_caution() -> None:
    human, metric = judged(1, 12, 40)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for statistic in STATISTICS:
            for by in AVERAGES:
                if statistic != "soft_accuracy" or by == "means":
                    least = {"min_difference": 0.1} if statistic == "kendall_like" else {}
                    correlate(human, metric, statistic, by, **least)


@pytest.mark.parametrize("statistic", ["spearman", "kendall", "kendall_c", "tau23", "accuracy"])
@pytest.mark.parametrize("by", AVERAGES[:3])
def test_ranks_are_all_that_counts(statistic: str, by: str) -> None:
    human, metric = judged(5, 9, 30, gaps=0.2, digits=1)
    assert agree(
        correlate(np.exp(human), 3 * metric - 7, statistic, by).value,
        correlate(human, metric, statistic, by).value,
    )


def test_pearson_does_not_depend_on_scale_and_place() -> None:
    human, metric = judged(5, 9, 30)
    expected = correlate(human, metric, by="segment").value
    for factor, shift in ((1e-200, 0.0), (1e200, 0.0), (-1.0, 0.0), (1.0, 1e6)):
        found = correlate(human, factor * metric + shift, by="segment").value
        assert agree(found, math.copysign(1.0, factor) * expected, 1e-9)


def test_outliers_are_far_from_the_median() -> None:
    assert find_outliers([1.0, 1.1, 0.9, 1.05, -3.0]).tolist() == [4]  # type: ignore[union-attr]
    assert find_outliers({"A": [1, 2], "B": [1.2, 2], "C": [1.1, 2], "D": [40, 41]}) == ("D",)
    assert find_outliers([1.0, 1.0, 1.0, 5.0]).tolist() == []  # type: ignore[union-attr]
    # 1.483 times the median of the distances 2, 1, 0, 1, d is 1.483: cut at 2.5 of that, 3.7075
    for distance, expected in ((3.70, []), (3.71, [4])):
        scores = [-2.0, -1.0, 0.0, 1.0, distance]
        assert find_outliers(scores).tolist() == expected  # type: ignore[union-attr]
    with pytest.raises(ValueError, match=r"^cutoff: expected a number above 0; got 0$"):
        find_outliers([1, 2], 0)


def test_the_core_refuses_arrays_that_do_not_fit() -> None:
    four, two, units = np.arange(4.0), np.empty(2), np.arange(4, dtype=np.int32)
    gold, all_four = (Gold(four, np.array(ends), "kendall") for ends in ([0, 2, 4], [0, 4]))
    coins, starts = np.zeros(1, np.uint32), np.array([0, 1, 2, 3, 5])

    def swap(one: Any = four, units: Any = units, n: int = 4, systems: Any = None) -> None:
        all_four.swapped(one, one, units, n, systems, coins, two, two)

    swap()
    calls: list[tuple[Any, str]] = [
        (lambda: Gold(four, np.array([0, 3, 2, 4]), "kendall"), "^offsets: expected to rise from"),
        (lambda: Gold(four, np.array([0, 2, 5]), "kendall"), "^offsets: expected to rise from 0"),
        (lambda: Gold(four, np.empty(0, np.int64), "kendall"), "^offsets: expected to rise from"),
        (lambda: Gold(four, np.array([0.0, 4]), "kendall"), "^offsets: expected 2 items of kind"),
        (lambda: Gold(units, np.array([0, 4]), "kendall"), "^human: expected 4 items of kind f64"),
        (lambda: gold.figures(four[:3], two, two), "^metric: expected 4 items of kind f64"),
        (lambda: gold.figures(four, four, two), "^numerators: expected 2 items"),
        (lambda: gold.figures(four, two, two[:1]), "^denominators: expected 2 items"),
        (lambda: swap(four[:3]), "^units: expected 3 items of kind i32"),
        (lambda: swap(units=units + np.int32(1)), "^units: expected numbers below 4; got 1 others"),
        (lambda: swap(units=units - np.int32(1)), "^units: expected numbers below 4; got 1 others"),
        (lambda: swap(n=17), "^coins: expected 2 x 17; got 32$"),
        (lambda: swap(systems=starts), "^offsets: expected to rise from 0 to 4$"),
        (lambda: swap(np.arange(5.0), np.zeros(5, np.int32)), "^one: expected 4 scores; got 5$"),
    ]
    for call, message in calls:
        with pytest.raises(ValueError, match=message):
            call()
