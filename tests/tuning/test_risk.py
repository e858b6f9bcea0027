"""Minimum risk: expectations against their definition, gradients, known optima, refusals."""

import math
import os
import subprocess
import sys
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, TER, SegmentScores, WeightedSum
from rapidbleu._core.tuning.gradients import Expectation
from rapidbleu.tuning import NBestList, mert, risk
from rapidbleu.tuning.nbest import counted, repeated
from rapidbleu.tuning.search.risk import ExpectedScore, expectation_of
from rapidbleu.tuning.search.shared import make_learner_rows
from reference.tuning import risk as oracle
from support.corpora import random_corpus
from support.family import METRICS
from support.processes import LEVEL, LOWER_LEVELS
from support.tuning_lists import SIZES, made, planted, remade, sparse

pytest.importorskip("scipy")

TINY = (2, 1, 3, 2)
KINDS = {
    "single": lambda nbest: nbest,
    "double": lambda nbest: NBestList(
        nbest.features.astype(float), nbest.stats, nbest.offsets, metric=nbest.metric
    ),
    "sparse": sparse,
}
every_kind = pytest.mark.parametrize("kind", KINDS)


def expectation(nbest: NBestList, counts: Any = None) -> Expectation:
    return expectation_of(nbest, counts)


def expect(nbest: NBestList, weights: Any, prices: Any, counts: Any = None) -> Any:
    own = expectation(nbest, None if counts is None else np.array(counts))
    totals, gradient = np.empty(nbest.stats.shape[1]), np.empty(nbest.n_features)
    own.expect(np.array(weights, float), totals)
    variance = own.gradient(np.array(prices, float), gradient)
    return totals.tolist(), gradient.tolist(), variance


def by_segment(nbest: NBestList) -> tuple[Any, Any]:
    dense = nbest.features.toarray() if nbest.is_sparse else nbest.features
    spans = list(zip(nbest.offsets[:-1], nbest.offsets[1:], strict=True))
    return (
        [dense[begin:end].astype(float).tolist() for begin, end in spans],
        [nbest.stats[begin:end].tolist() for begin, end in spans],
    )


@every_kind
def test_expected_statistics_are_those_of_all_corpora(kind: str) -> None:
    nbest = KINDS[kind](made(0, TINY))
    weights, prices = [0.5, -1.0, 0.25, 0.0, 0.1], [0.0] * 10
    totals, _, _ = expect(nbest, weights, prices)
    assert totals == pytest.approx(
        oracle.expected_by_corpora(*by_segment(nbest), weights), rel=1e-13
    )


@every_kind
@pytest.mark.parametrize("scale", [0.0, 0.3, 20.0])
def test_gradients_are_those_of_the_oracle(kind: str, scale: float) -> None:
    nbest = KINDS[kind](made(1, (*SIZES, 8, 9, 16)))
    rng = np.random.default_rng(2)
    counts = rng.integers(3, size=nbest.n_segments).tolist()
    weights, prices = (scale * rng.normal(size=5)).tolist(), rng.normal(size=10).tolist()
    for own in ([1] * nbest.n_segments, counts):
        totals, gradient, variance = expect(nbest, weights, prices, own)
        features, stats = by_segment(nbest)
        slopes, spread = oracle.slopes_and_variance(features, stats, weights, own, prices)
        expected = oracle.expected(features, stats, weights, own)
        assert totals == pytest.approx(expected, rel=1e-12)
        assert gradient == pytest.approx(slopes, rel=1e-9, abs=1e-9 * max(map(abs, slopes)))
        assert variance == pytest.approx(spread, rel=1e-9)
    assert expect(nbest, weights, prices) == expect(nbest, weights, prices, [1] * nbest.n_segments)


@pytest.mark.parametrize("values", [[65535, 0, 7], [65536, 0, 7], [2**40, 1, 2]])
def test_statistics_beyond_sixteen_bits(values: list[int]) -> None:
    features, metric = [[0.0], [1.0], [3.0]], SegmentScores()
    rows = metric.stats([0.0, 0.0, 0.0])
    rows[:, 0] = values
    prices = [1.0, 0.0, 0.0, 0.0, 0.0]
    nbest = NBestList(features, rows, [0, 3], metric=metric)
    totals, gradient, _ = expect(nbest, [0.7], prices)
    expected = oracle.expected_by_corpora([features], [rows.tolist()], [0.7])
    assert totals == pytest.approx(expected, rel=1e-13)
    slopes, _ = oracle.slopes_and_variance([features], [rows.tolist()], [0.7], [1], prices)
    assert gradient == pytest.approx(slopes, rel=1e-12)


def test_hypotheses_far_below_the_best() -> None:
    """Probabilities stay above 0, and their factors do not matter."""
    features, metric = [[0.0], [-1.0], [-1e300]], SegmentScores()
    nbest = NBestList(features, metric.stats([1.0, 0.5, 0.25]), [0, 3], metric=metric)
    for weight in (1.0, 700.0, 1e7):
        totals, gradient, _ = expect(nbest, [weight], [1.0, 0.0, 0.0, 0.0, 0.0])
        assert np.isfinite(totals).all() and np.isfinite(gradient).all()
    assert totals == nbest.stats[0].tolist()


@pytest.mark.parametrize("weight", [math.inf, math.nan, 1e200])
@every_kind
def test_sums_that_are_not_finite(kind: str, weight: float) -> None:
    features = np.array([[1.0, 2.0]] * 9 + [[1e200, 1.0], [-1e200, 1.0]])
    rows = SegmentScores().stats(np.arange(11.0))
    nbest = NBestList(features, rows, [0, 8, 11], metric=SegmentScores())
    nbest = sparse(nbest) if kind == "sparse" else nbest
    with pytest.raises(ValueError, match="weights: expected finite sums of weighted features; got"):
        expect(nbest, [weight, 1.0], [0.0] * 5)


VECTORS = """
import numpy as np
from support.tuning_lists import made, sparse
from test_risk import KINDS, expect
for kind in KINDS:
    nbest = KINDS[kind](made(4))
    for scale in (0.0, 0.5, 300.0):
        print(expect(nbest, np.arange(5.0) * scale, np.arange(10.0) - 4))
"""


def test_vector_code_computes_the_same_bits() -> None:
    printed = [
        subprocess.run(
            [sys.executable, "-c", VECTORS],
            check=True,
            capture_output=True,
            env={**os.environ, "RAPIDBLEU_SIMD": simd, "PYTHONPATH": os.pathsep.join(sys.path)},
        ).stdout
        for simd in [*LOWER_LEVELS, LEVEL]
    ]
    assert len(set(printed)) == 1 and printed[0].count(b"\n") == 9


@every_kind
def test_spreads_are_deviations_within_segments(kind: str) -> None:
    nbest = made(5)
    features = nbest.features.copy()
    features[:, 3] = 7.0
    features[len(nbest) // 2 :, 1] = -3.0
    nbest = remade(nbest, features=features)
    nbest = KINDS[kind](nbest)
    found = np.empty(5)
    expectation(nbest).spreads(found)
    features, _ = by_segment(nbest)
    variances = np.array([np.var(rows, axis=0) for rows in features])
    varies = variances > 0
    expected = np.sqrt(variances.sum(axis=0) / np.maximum(varies.sum(axis=0), 1))
    assert found == pytest.approx(expected, rel=1e-9)
    assert found[3] == 0.0 and 0 < varies.sum(axis=0)[1] < varies.sum(axis=0)[0]


def test_spreads_of_features_far_from_zero() -> None:
    features = 1e9 + np.array([[0.0], [1.0], [2.0], [5.0]])
    nbest = NBestList(features, SegmentScores().stats([0.0] * 4), [0, 3, 4], metric=SegmentScores())
    expectation(nbest).spreads(found := np.empty(1))
    assert found[0] == pytest.approx(math.sqrt(2 / 3), rel=1e-12)


def test_score_is_that_of_the_formula() -> None:
    nbest = made(6, [40] * 12)
    score, weights = ExpectedScore(nbest), np.array([0.5, 0.1, -0.2, 0.0, 0.3])
    for temperature in (1.0, 0.5, 4.0):
        found, gradient = score(weights, temperature)
        own = (weights * score.units / temperature).tolist()
        totals = oracle.expected(*by_segment(nbest), own, [1] * 12)
        assert found * score.gain == pytest.approx(oracle.bleu(totals), rel=1e-12)
        for j, step in enumerate(1e-4 * np.eye(5)):
            above, below = (score(weights + x, temperature)[0] for x in (step, -step))
            assert gradient[j] == pytest.approx((above - below) / 2e-4, rel=1e-4, abs=1e-6)


def test_statistics_that_are_zero_everywhere() -> None:
    nbest = made(6, [10] * 12)
    stats = nbest.stats.copy()
    stats[:, 5] = 0
    nbest = NBestList(nbest.features, stats, nbest.offsets, metric=BLEU(force=True))
    found, gradient = ExpectedScore(nbest)(np.zeros(5), 1.0)
    assert math.isfinite(found) and np.isfinite(gradient).all() and gradient.any()


def list_of(metric: Any, seed: int = 0) -> NBestList:
    rng = np.random.default_rng(seed)
    _, streams = random_corpus(Random(seed), 30, kind="ascii", n_refs=1)
    hypotheses = []
    for reference in streams[0]:
        words = reference.split() or ["the"]
        hypotheses.append(
            [" ".join(w for w in words if rng.random() < 0.3 + 0.1 * k) for k in range(7)]
        )
    stats = metric.nbest_stats(hypotheses, streams)
    features = rng.normal(size=(210, 3)) + np.tile(np.arange(7.0), 30)[:, None] * [1, 0, 0]
    return NBestList(features, stats, np.arange(0, 211, 7), metric=metric)


@pytest.mark.parametrize("name", METRICS)
def test_every_metric(name: str) -> None:
    """If one hypothesis has all the probability, the score is the corpus score; slopes agree.

    Constants that smoothing adds to counts are lost.
    """
    nbest = list_of(METRICS[name])
    score = ExpectedScore(nbest)
    sign = 1.0 if nbest.metric.higher_is_better else -1.0
    weights = np.array([1.0, -0.5, 0.25])
    found, _ = score(weights, 1e-4)
    assert sign * found * score.gain == pytest.approx(
        nbest.evaluate(weights * score.units), rel=1e-3 if "segments" in name else 1e-6, abs=1e-6
    )
    _, gradient = score(weights, 2.0)
    for j, step in enumerate(1e-3 * np.eye(3)):
        above, below = (score(weights + x, 2.0)[0] for x in (step, -step))
        assert gradient[j] == pytest.approx((above - below) / 2e-3, rel=1e-3, abs=1e-5)


def test_mixtures_and_given_scores() -> None:
    bleu, ter = BLEU(tokenize="none", force=True), TER()
    mixture = WeightedSum([bleu, ter], [0.7, -0.3])
    nbest = list_of(mixture)
    assert risk(nbest).score > nbest.evaluate([0.0, 1.0, 0.0])
    ter_alone = list_of(ter)
    found = risk(ter_alone)
    assert found.score < ter_alone.evaluate([0.0, 1.0, 0.0])
    assert 0.8 * found.score < found.history[-1]["expected"] < 1.25 * found.score
    given, weights = planted(0)
    assert risk(given).score > 0.995 * given.evaluate(weights)


def test_loss_is_at_its_minimum() -> None:
    nbest = made(7, [30] * 40)
    result = risk(nbest, l2=0.01, max_steps=500)
    score = ExpectedScore(nbest)
    weights = np.divide(result.weights, score.units)
    found, gradient = score(weights, 1.0)
    assert np.abs(0.01 * weights - gradient).max() < 1e-3
    last = result.history[-1]
    assert last["expected"] == pytest.approx(found * score.gain, rel=1e-9)
    assert last["loss"] == pytest.approx(0.005 * weights @ weights - found, rel=1e-9)
    losses = [entry["loss"] for entry in result.history]
    assert losses == sorted(losses, reverse=True)
    assert [entry["step"] for entry in result.history] == [*range(1, len(losses) + 1)]


def test_it_is_as_good_as_mert_in_sample() -> None:
    nbest = made(8, [50] * 60)
    assert risk(nbest, l2=0.0).score > mert(nbest, restarts=0).score - 0.5


def test_scales_of_features_and_of_the_start_do_not_matter() -> None:
    nbest = made(9, [10] * 20)
    factors = np.array([1.0, 1024.0, 1 / 64, 2.0, 1 / 4], np.float32)
    other = NBestList(nbest.features * factors, nbest.stats, nbest.offsets, metric=nbest.metric)
    start = [0.5, 1.0, -1.0, 0.0, 0.25]
    found = risk(nbest, start)
    assert risk(other, start / factors).weights.tolist() == (found.weights / factors).tolist()
    assert risk(nbest, 8 * np.array(start)).weights.tolist() == found.weights.tolist()


def test_a_list_twice_over_is_the_same() -> None:
    nbest = made(9, [20] * 30)
    offsets = np.concatenate([nbest.offsets, 600 + nbest.offsets[1:]])
    twice = NBestList(
        np.tile(nbest.features, (2, 1)), np.tile(nbest.stats, (2, 1)), offsets, metric=nbest.metric
    )
    one, other = (risk(each, l2=0.01, max_steps=300).weights for each in (nbest, twice))
    assert other == pytest.approx(one, rel=0.02, abs=1e-3)


@every_kind
def test_counts_of_segments_are_copies(kind: str) -> None:
    nbest = KINDS[kind](made(16, [20] * 30))
    counts = np.random.default_rng(3).integers(4, size=30)
    assert not counts.all()
    # Units are from all segments in one case, from the drawn ones in the other.
    options: dict[str, Any] = {"l2": 0.0, "max_steps": 300}
    own, copies = (risk(each(nbest, counts), **options) for each in (counted, repeated))
    assert own.score == pytest.approx(copies.score, abs=0.2)
    assert own.history[-1]["expected"] == pytest.approx(copies.history[-1]["expected"], abs=0.1)
    first, other = (ExpectedScore(each(nbest, counts)) for each in (counted, repeated))
    found, gradient = first(np.ones(5), 1.0)
    same, slopes = other(first.units / other.units, 1.0)
    assert found * first.gain == pytest.approx(same * other.gain, rel=1e-12)
    assert gradient / first.units * first.gain == pytest.approx(
        slopes / other.units * other.gain, rel=1e-9
    )


def test_more_l2_makes_weights_shorter() -> None:
    nbest = made(10, [10] * 20)
    lengths = [np.linalg.norm(risk(nbest, l2=l2).weights) for l2 in (1e-4, 1e-2, 1.0, 100.0)]
    assert lengths == sorted(lengths, reverse=True) and lengths[-1] < 0.1 * lengths[0]


def test_temperatures_are_gone_through() -> None:
    nbest = made(11, [20] * 30)
    result = risk(nbest, temperatures=[4, 1.0, 0.5], max_steps=3)
    heats = [entry["temperature"] for entry in result.history]
    assert heats == [4.0] * 3 + [1.0] * 3 + [0.5] * 3
    one = risk(nbest, temperatures=[0.5])
    assert one.score == nbest.evaluate(one.weights)
    score = ExpectedScore(nbest)
    at_one, _ = score(np.divide(one.weights, score.units), 1.0)
    assert at_one * score.gain == pytest.approx(one.history[-1]["expected"], rel=1e-9)


def test_constant_features_get_no_weight() -> None:
    nbest = made(13, [20] * 30)
    features = nbest.features.copy()
    features[:, 2] = np.repeat(np.arange(30.0), 20)
    nbest = remade(nbest, features=features)
    assert risk(nbest, [1.0] * 5).weights[2] == 0.0


def test_it_says_how_far_it_is() -> None:
    nbest, calls, entries = made(14, [20] * 30), [], []
    result = risk(
        nbest,
        temperatures=[2.0, 1.0],
        max_steps=4,
        callback=entries.append,
        progress=lambda *both: calls.append(both),
    )
    assert entries == result.history and calls == [(i, 8) for i in range(1, len(entries) + 1)]


def test_interrupted() -> None:
    def stop(entry: dict[str, Any]) -> None:
        if entry["step"] == 3:
            raise KeyboardInterrupt

    nbest = made(15, [20] * 30)
    result = risk(nbest, callback=stop)
    assert result.interrupted and len(result.history) == 3
    assert result.weights.tolist() == risk(nbest, max_steps=3).weights.tolist()
    assert result.score == nbest.evaluate(result.weights) and not risk(nbest).interrupted


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"l2": -1}, ValueError, "l2: expected a number of at least 0; got -1"),
        ({"temperatures": []}, ValueError, "temperatures: expected at least one; got none"),
        ({"temperatures": [1, 0]}, ValueError, r"temperatures\[1\]: expected a number above 0"),
        ({"temperatures": 1.0}, TypeError, "temperatures: expected"),
        ({"max_steps": 0}, ValueError, "max_steps: expected at least 1; got 0"),
        ({"seed": -1}, ValueError, "seed: expected at least 0; got -1"),
        ({"start": [1.0]}, ValueError, "start: expected 5, one for each feature"),
    ],
)
def test_wrong_options(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        risk(made(0, sizes=[5, 5]), **options)


def test_nothing_to_learn() -> None:
    metric, rows = SegmentScores(), SegmentScores().stats([0.5, 0.5, 0.25])
    with pytest.raises(ValueError, match=r"^nbest.stats: expected some that differ"):
        risk(NBestList([[1.0], [2.0], [3.0]], rows, [0, 2, 3], metric=metric))
    with pytest.raises(ValueError, match=r"^nbest.features: expected some that differ"):
        risk(NBestList([[1.0], [1.0], [1.0]], rows, [0, 1, 3], metric=metric))
    nbest = made(0, sizes=[5, 5])
    stats = nbest.stats.copy()
    stats[:, 2:6] = 0  # no matches: BLEU is 0, for any lengths
    nbest = remade(nbest, stats=stats)
    assert risk(nbest).weights.tolist() == [0.0] * 5
    assert risk(nbest, [1.0] * 5, l2=0.0).weights.all()


def test_parts_that_do_not_fit() -> None:
    nbest, other = made(0), made(0, TINY)
    rows, stats = make_learner_rows(nbest), np.zeros(0)
    with pytest.raises(ValueError, match="columns: expected those of the rows; got others"):
        Expectation(other._feature_columns(), rows, stats, None)
    with pytest.raises(TypeError, match="columns: expected those of dense features"):
        Expectation(None, rows, stats, None)
    with pytest.raises((TypeError, ValueError), match="stats: expected"):
        Expectation(nbest._feature_columns(), rows, stats, None)
    with pytest.raises(ValueError, match="counts"):
        Expectation(nbest._feature_columns(), rows, stats, np.ones(3, np.int64))
    own = expectation(nbest)
    for sizes in ((4, 10), (5, 9)):
        with pytest.raises(ValueError, match="expected"):
            own.expect(np.zeros(sizes[0]), np.zeros(sizes[1]))
        with pytest.raises(ValueError, match="expected"):
            own.gradient(np.zeros(sizes[1]), np.zeros(sizes[0]))
    with pytest.raises(ValueError, match="out"):
        own.spreads(np.zeros(4))
