"""Exact line search: against exact fractions with ==, and every rule for choosing a point."""

import math
import time
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rapidbleu import BLEU, TER, SegmentScores, WeightedSum
from rapidbleu._core.tuning.line_search import Landscape, WeightPoint
from rapidbleu.tuning import NBestList, line_search
from rapidbleu.tuning.search.line_search import smooth_scores
from reference.tuning.line_search import best_line, landscape, smoothed
from support.tuning_lists import made

BLEU2 = BLEU(max_ngram_order=2)
INF = math.inf


def survey(
    nbest: NBestList, weights: Any, direction: Any, *, use_simd: bool = True
) -> tuple[list[float], list[float]]:
    point = WeightPoint(nbest._feature_columns())
    point.place(np.asarray(weights, np.float64))
    found = Landscape(nbest.metric._kernel, nbest.stats, use_simd)
    n = found.survey(point, np.asarray(direction, np.float64))
    boundaries, scores = np.empty(n), np.empty(n + 1)
    found.copy_to(boundaries, scores)
    return boundaries.tolist(), scores.tolist()


def make_rows(random: np.random.Generator, n: int, dtype: Any = np.int64) -> Any:
    rows = random.integers(0, 6, (n, 6))
    rows[:, 4:] = rows[:, 2:4] + random.integers(0, 3, (n, 2))
    return rows.astype(dtype)


def make_nbest(random: np.random.Generator, features: Any, offsets: Any, **options: Any) -> Any:
    rows = make_rows(random, len(features), options.pop("dtype", np.int64))
    return NBestList(features, rows, offsets, metric=BLEU2)


def weighted(features: Any, weights: Any) -> Any:
    """Return weighted sums by definition: in float64, from the first feature on."""
    sums = np.zeros(len(features))
    for column, weight in zip(features.T, weights, strict=True):
        if weight:
            sums = sums + weight * column.astype(np.float64)
    return sums


def expected(nbest: NBestList, weights: Any, direction: Any) -> tuple[list[Fraction], list[float]]:
    intercepts, slopes = weighted(nbest.features, weights), weighted(nbest.features, direction)
    spans = [range(a, b) for a, b in pairwise(nbest.offsets)]
    lines = [[(Fraction(intercepts[i]), Fraction(slopes[i])) for i in span] for span in spans]
    rows = [[nbest.stats[i].tolist() for i in span] for span in spans]
    return landscape(lines, rows, lambda row: nbest.metric.score(row).score)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.lists(st.tuples(*[st.integers(-3, 3)] * 2), min_size=1, max_size=9),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from([np.float32, np.float64]),
    st.sampled_from([(1.0, 0.0), (0.0, 1.0), (1.0, -2.0), (0.0, 0.0)]),
    st.integers(0, 99),
)
def test_small_integers(segments: Any, dtype: Any, direction: Any, seed: int) -> None:
    features = np.array([pair for segment in segments for pair in segment], dtype)
    offsets = np.cumsum([0, *map(len, segments)])
    nbest = make_nbest(np.random.default_rng(seed), features, offsets)
    for use_simd in (True, False):
        boundaries, scores = survey(nbest, [1.0, 2.0], direction, use_simd=use_simd)
        places, exact = expected(nbest, [1.0, 2.0], direction)
        assert boundaries == [float(x) for x in places]
        assert scores == exact


def gaussian(random: np.random.Generator, n: int) -> Any:
    return random.normal(size=(n, 3))


def parabola(random: np.random.Generator, n: int) -> Any:
    """Nearly all lines are on the envelope along the second feature."""
    slopes = random.normal(size=n)
    return np.stack([-(slopes**2), slopes, random.normal(size=n)], axis=1)


def integers(random: np.random.Generator, n: int) -> Any:
    return random.integers(-2, 3, (n, 3)).astype(np.float64)


def scales(random: np.random.Generator, n: int) -> Any:
    """Features of all magnitudes, including beyond single precision."""
    return random.normal(size=(n, 3)) * 10.0 ** random.integers(-60, 60, (n, 1))


def offset(random: np.random.Generator, n: int) -> Any:
    """Differences between hypotheses are far below the rounding of single precision."""
    return 100 + random.normal(size=(n, 3)) * 1e-4


@pytest.mark.parametrize(
    ("make", "dtype"),
    [
        (make, dtype)
        for make in (gaussian, parabola, integers, offset)
        for dtype in (np.float32, np.float64)
    ]
    + [(scales, np.float64)],
)
@pytest.mark.parametrize("longest", [3, 17, 120])
def test_every_interval_against_a_choice_in_it(make: Any, dtype: Any, longest: int) -> None:
    random = np.random.default_rng(longest)
    n_intervals = 0
    for direction in ([0, 1, 0], [1, 0, 0], [0.3, -0.5, 1.0], [0, 0, -2.0]):
        lengths = random.integers(1, longest + 1, 4)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        nbest = make_nbest(random, make(random, offsets[-1]).astype(dtype), offsets)
        weights = random.normal(size=3)
        boundaries, scores = survey(nbest, weights, direction)
        assert (boundaries, scores) == survey(nbest, weights, direction, use_simd=False)
        assert boundaries == sorted(set(boundaries))
        a, b = weighted(nbest.features, weights), weighted(nbest.features, direction)
        lines = [
            [(Fraction(a[i]), Fraction(b[i])) for i in range(first, last)]
            for first, last in pairwise(offsets)
        ]
        first, last = (boundaries[0], boundaries[-1]) if boundaries else (0.0, 0.0)
        ends = [first - abs(first) - 1, *boundaries, last + abs(last) + 1]
        for (low, high), score in zip(pairwise(ends), scores, strict=True):
            if high - low < 1e-9 * (abs(high) + abs(low)):
                continue  # narrower than the rounding of its ends
            middle = Fraction(low) / 2 + Fraction(high) / 2
            rows = [
                nbest.stats[first + best_line(own, middle)]
                for first, own in zip(offsets[:-1], lines, strict=True)
            ]
            assert score == nbest.metric.score(rows).score
            n_intervals += 1
    assert n_intervals > 4


def test_scores_are_those_that_weights_choose() -> None:
    random = np.random.default_rng(1)
    nbest = make_nbest(random, random.normal(size=(600, 4)).astype(np.float32), range(0, 601, 20))
    weights, direction = random.normal(size=4), random.normal(size=4)
    found = line_search(nbest, weights, direction)
    middles = (found.boundaries[1:] + found.boundaries[:-1]) / 2
    vectors = weights + middles[:, None] * direction
    assert nbest.evaluate(vectors).tolist() == found.scores[1:-1].tolist()
    assert found.score == nbest.evaluate(found.weights) == max(found.scores)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_kinds_of_rows_and_metrics(dtype: Any) -> None:
    random = np.random.default_rng(2)
    features = random.normal(size=(40, 2))
    rows, mean = make_rows(random, 40, dtype), SegmentScores()
    plain = survey(NBestList(features, rows, [0, 15, 40], metric=BLEU2), [1, 1], [1, 0])
    means = mean.stats(random.normal(size=40))
    of_means = survey(NBestList(features, means, [0, 15, 40], metric=mean), [1, 1], [1, 0])
    both = WeightedSum([BLEU2, mean], [0.5, -3.0])
    joined = NBestList(features, np.hstack([rows, means]), [0, 15, 40], metric=both)
    boundaries, scores = survey(joined, [1, 1], [1, 0])
    assert boundaries == plain[0] == of_means[0]
    pairs = zip(plain[1], of_means[1], strict=True)
    assert scores == [0.5 * bleu + -3.0 * other for bleu, other in pairs]


def test_long_segment() -> None:
    slopes = np.linspace(-1, 1, 20_001)
    features = np.stack([-(slopes**2), slopes], axis=1)
    metric = SegmentScores()
    nbest = NBestList(features, metric.stats(np.arange(20_001) % 7), [0, 20_001], metric=metric)
    found = line_search(nbest, [1, 0], [0, 1])
    assert len(found.boundaries) == 20_000
    assert found.scores.tolist() == (np.arange(20_001) % 7).tolist()


def with_landscape(boundaries: list[float], scores: Any, metric: Any = None) -> NBestList:
    """Return a segment whose best line changes at the boundaries; scores, or rows of a metric."""
    rows = SegmentScores().stats(scores) if metric is None else scores
    intercepts = np.concatenate([[0.0], -np.cumsum(boundaries)])
    features = np.stack([intercepts, np.arange(len(scores), dtype=float)], axis=1)
    return NBestList(features, rows, [0, len(scores)], metric=metric or SegmentScores())


@pytest.mark.parametrize(
    ("boundaries", "scores", "options", "x", "score", "interval"),
    [
        ([1, 3], [0, 5, 2], {}, 2.0, 5, (1, 3)),
        ([1, 3, 4, 8], [0, 5, 2, 5, 1], {}, 6.0, 5, (4, 8)),  # the widest
        ([1, 3, 5, 7], [0, 5, 2, 5, 1], {}, 2.0, 5, (1, 3)),  # the first of equally wide ones
        ([1, 3, 4], [0, 5, 5, 2], {}, 2.5, 5, (1, 4)),  # a plateau is one interval
        ([-2, 3], [5, 1, 2], {}, -2.2, 5, (-INF, -2)),
        ([2, 3], [5, 1, 2], {}, 1.8, 5, (-INF, 2)),
        ([-2, 3], [1, 2, 5], {}, 3.3, 5, (3, INF)),
        ([-2, 0], [1, 2, 5], {}, 0.1, 5, (0, INF)),
        ([-4, -2], [1, 2, 5], {}, -1.8, 5, (-2, INF)),
        ([-1, 2], [5, 1, 5], {}, -1.1, 5, (-INF, -1)),  # both infinitely wide
        ([], [5], {}, 0.0, 5, (-INF, INF)),
        ([1, 3], [5, 5, 5], {}, 0.0, 5, (-INF, INF)),  # all one plateau
        ([1, 3], [0, 5, 9], {"bounds": (-1, 2)}, 1.5, 5, (1, 2)),
        ([1, 3], [9, 5, 0], {"bounds": (-1, 2)}, 0.0, 9, (-1, 1)),
        ([1, 3], [9, 5, 0], {"bounds": (1, 3)}, 2.0, 5, (1, 3)),
        ([1, 3], [9, 5, 0], {"bounds": (0, INF)}, 0.5, 9, (0, 1)),
        ([1, 2, 3, 4], [0, 9, 0, 6, 6], {"smooth": ("mean", 1)}, 4.4, 6, (4, INF)),
        ([1, 2, 3, 4], [0, 9, 0, 6, 7], {"smooth": ("min", 1)}, 4.4, 7, (4, INF)),
        ([1, 2, 3, 5], [0, 3, 3, 3, 0], {"smooth": ("mean", 1)}, 2.5, 3, (2, 3)),
        ([1, 2, 3, 5], [0, 3, 3, 3, 0], {"smooth": ("mean", 0)}, 3.0, 3, (1, 5)),
        ([1, 3], [0, 5, 2], {"moses_compat": True}, 2.0, 5, (1, 3)),
        ([1, 3, 4, 8], [0, 5, 2, 5, 1], {"moses_compat": True}, 2.0, 5, (1, 3)),
        ([1, 3, 4], [0, 5, 5, 2], {"moses_compat": True}, 2.0, 5, (1, 3)),
        ([-2, 3], [5, 1, 2], {"moses_compat": True}, -1002.0, 5, (-INF, -2)),
        ([-2, 3], [1, 2, 5], {"moses_compat": True}, 3.1, 5, (3, INF)),
        ([], [5], {"moses_compat": True}, 0.0, 5, (-INF, INF)),
        ([-1, 1.0002], [1, 5, 2], {"moses_compat": True}, 0.0, 5, (-1, 1.0002)),
        ([1, 1.00005, 2], [0, 9, 5, 1], {"moses_compat": True}, 1.500025, 5, (1.00005, 2)),
    ],
)
def test_choice(
    boundaries: Any, scores: Any, options: Any, x: float, score: float, interval: Any
) -> None:
    found = line_search(with_landscape(boundaries, scores), [1, 0], [0, 1], **options)
    tolerance = 1e-6 if "moses_compat" in options else 1e-12  # in single precision
    assert found.x == pytest.approx(x, abs=tolerance)
    assert found.score == score
    assert found.interval == pytest.approx(interval, abs=tolerance)
    assert found.weights.tolist() == [1.0, found.x]


def test_penalty_moves_the_choice() -> None:
    nbest = with_landscape([1, 2, 4, 6], [0, 5, 0, 6, 0])
    point = WeightPoint(nbest._feature_columns())
    point.place(np.array([1.0, 0.0]))
    found = Landscape(nbest.metric._kernel, nbest.stats)
    found.survey(point, np.array([0.0, 1.0]))
    assert found.best_interval()[:2] == (5.0, 6.0)
    x, score, objective, here, low, high = found.best_interval(curvature=0.5)
    assert (x, score, objective, here, low, high) == (1.5, 5.0, 5 - 0.5 * 1.5**2, 0.0, 1.0, 2.0)
    assert found.best_interval(slope=1.0)[:3] == (1.5, 5.0, 3.5)


KINDS_OF_SCORES = {
    "of one size": lambda random, n: random.random(n) * 100,
    "equal ones": lambda random, n: random.integers(0, 4, n) / 10,
    "of either sign": lambda random, n: random.normal(size=n),
    "of many sizes": lambda random, n: random.choice([0.0, 1.0, -3e-5, 7e-6], n) / 3,
    "zeros": lambda _, n: np.zeros(n),
}


@pytest.mark.parametrize("kind", ["mean", "min"])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("scores", KINDS_OF_SCORES)
def test_smoothed_scores_are_those_of_the_oracle(kind: str, lower: bool, scores: str) -> None:
    """The objective at 0, for shifted landscapes, equals each of the smoothed scores."""
    random = np.random.default_rng(7)
    for n in (1, 2, 3, 17, 64):
        drawn = KINDS_OF_SCORES[scores](random, n)
        if lower:
            metric: Any = TER()
            rows = np.zeros((n, 4), np.int64)
            rows[:, 0], rows[:, 1] = np.abs(drawn * 1e6), 7
        else:
            metric = WeightedSum([SegmentScores()], [0.7])
            rows = SegmentScores().stats(drawn)
        values = metric.score_rows(rows).tolist()
        for window in (0, 1, 2, 5, 16, n, 2**63 - 1, 2**70):
            expected = smoothed(values, kind, window, lower=lower)
            for i in range(n):
                nbest = with_landscape([k + 0.5 - i for k in range(n - 1)], rows, metric=metric)
                point = WeightPoint(nbest._feature_columns())
                point.place(np.array([1.0, 0.0]))
                found = Landscape(metric._kernel, nbest.stats)
                found.survey(point, np.array([0.0, 1.0]))
                smooth = smooth_scores(np.array(values), kind, window, lower)
                _, _, best, here, _, _ = found.best_interval(smoothed=smooth)
                assert here == (-expected[i] if lower else expected[i])
                assert best == (-min(expected) if lower else max(expected))


@pytest.mark.parametrize("kind", ["mean", "min"])
def test_smoothing_takes_linear_time(kind: str) -> None:
    """A pass over each window took a minute here."""
    n = 150_000
    nbest = with_landscape(list(range(n - 1)), np.random.default_rng(0).random(n).tolist())
    begin = time.process_time()
    line_search(nbest, [1, 0], [0, 1], smooth=(kind, n))
    assert time.process_time() - begin < 5.0


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (([1], [0, 1]), {}, ValueError, r"weights: expected 2, one for each"),
        (([1, 0], [[0, 1]]), {}, ValueError, r"direction: expected one vector; got shape \(1, 2\)"),
        (([1, "a"], [0, 1]), {}, TypeError, "weights: expected numbers; got .U"),
        (([1, INF], [0, 1]), {}, ValueError, r"weights\[1\]: expected a finite number; got inf"),
        (([1e308, 1e308], [0, 1]), {}, ValueError, "weights: expected finite sums .* in segment 0"),
        (([1, 0], [0, 1]), {"bounds": (1, 1)}, ValueError, "bounds: expected low < high; got 1"),
        (([1, 0], [0, 1]), {"smooth": "mean"}, ValueError, "smooth: expected .'mean', window."),
        (([1, 0], [0, 1]), {"smooth": ("mean", 1.5)}, TypeError, r"smooth\[1\]: expected int"),
        (([1, 0], [0, 1]), {"smooth": ("min", -1)}, ValueError, r"smooth\[1\]: expected at l"),
        (({"F0": 1}, [0, 1]), {}, ValueError, "weights: expected one for each .* none for 'F1'"),
        (([1, 0], {"F0": 1, "F1": 1, "x": 1}), {}, ValueError, "direction: .* names .* got 'x'"),
    ],
)
def test_errors(arguments: Any, options: Any, error: Any, message: str) -> None:
    nbest = with_landscape([-9, 3], [0, 5, 2])
    with pytest.raises(error, match=message):
        line_search(nbest, *arguments, **options)


@pytest.mark.parametrize("moses", [False, True])
def test_where_lines_begin(moses: bool) -> None:
    nbest = made(8, n_features=4, dtype=np.float64)
    weights, direction = np.random.default_rng(8).normal(size=(2, 4))
    found = line_search(nbest, weights, direction, moses_compat=moses)
    point = WeightPoint(nbest._feature_columns())
    landscape = Landscape(nbest.metric._kernel, nbest.stats)
    for single in (False, True):
        point.place(weights, None, single)
        n = landscape.survey(point, direction, closest=1e-4 if moses else 0.0)
        landscape.copy_to(boundaries := np.empty(n), scores := np.empty(n + 1))
        same = boundaries.tolist() == found.boundaries.tolist()
        assert (same and scores.tolist() == found.scores.tolist()) == (single == moses)
