"""Pairwise ranking against its oracle, on lists with a known optimum, interrupted, and refused."""

import math
import sys
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, SegmentScores, WeightedSum
from rapidbleu._core.tuning.gradients import LogisticLoss, draw_pairs, subtract
from rapidbleu._lib.checks import MOST
from rapidbleu.tuning import NBestList, risk
from rapidbleu.tuning.nbest import counted, repeated
from rapidbleu.tuning.search.pro import (
    deviation,
    pair_differences,
    pro,
    sample_pairs,
    sentence_scores,
)
from rapidbleu.tuning.search.shared import make_learner_rows
from reference.tuning import pro as oracle
from support.tuning_lists import SIZES, made, planted, sparse

pytest.importorskip("scipy")


def expected_pairs(
    nbest: NBestList, scores: Any, seed: int, candidates: int, least: float, most: int
) -> list[tuple[int, int]]:
    random, given, pairs = np.random.PCG64(seed), scores.tolist(), []
    for begin, end in zip(nbest.offsets.tolist(), nbest.offsets.tolist()[1:], strict=False):
        bits = [int(word) for word in random.random_raw(candidates)]
        pairs += oracle.sample(given, begin, end, bits, least, most)
    return pairs


@pytest.mark.parametrize(
    ("candidates", "most", "least"),
    [(1, 1, 5.0), (300, 50, 5.0), (300, 50, 0.0), (2000, 7, 5.0), (300, 1000, 1.0), (40, 5, 99.0)],
)
@pytest.mark.parametrize("seed", [0, 1])
def test_pairs_are_those_of_the_oracle(candidates: int, most: int, least: float, seed: int) -> None:
    nbest = made(seed)
    scores = sentence_scores(nbest).round(0)  # many equal ones
    pairs = sample_pairs(
        nbest, scores, candidates=candidates, samples=most, min_difference=least, seed=seed
    )
    expected = expected_pairs(nbest, scores, seed, candidates, least, most)
    assert [tuple(pair) for pair in pairs.tolist()] == expected
    assert expected or least == 99.0 or candidates == 1


def test_pairs_of_a_difference_that_is_just_enough() -> None:
    scores, bits = np.array([0.0, 5.0]), np.array([1 << 31, 1 << 63, 0], np.uint64)
    pairs, differences = np.empty((3, 2), np.int64), np.empty(3)
    assert draw_pairs(scores, 0, 2, bits, 5.0, pairs, differences) == 2
    assert pairs[:2].tolist() == [[1, 0], [1, 0]] and differences[:2].tolist() == [5.0, 5.0]
    assert draw_pairs(scores, 0, 2, bits, math.nextafter(5.0, 6), pairs, differences) == 0


def test_pairs_of_many_draws_in_one_segment() -> None:
    """More draws than between two polls for signals."""
    scores = np.random.default_rng(0).random(1000)
    bits = np.random.PCG64(1).random_raw(150_000)
    pairs, differences = np.empty((20, 2), np.int64), np.empty(20)
    assert draw_pairs(scores, 100, 900, bits, 0.05, pairs, differences) == 20
    expected = oracle.sample(scores.tolist(), 100, 900, bits.tolist(), 0.05, 20)
    assert [tuple(pair) for pair in pairs.tolist()] == expected


@pytest.mark.parametrize("more", [0, 1])
def test_bleu_plus_one(more: int) -> None:
    nbest = made(1)
    scores = sentence_scores(nbest, None, bool(more))
    rows = nbest.stats.tolist()
    assert scores == pytest.approx([oracle.bleu_plus_one(row, more) for row in rows], rel=1e-12)


def test_sentence_scores_of_other_metrics() -> None:
    nbest = made(1)
    floor = BLEU(smooth_method="floor")
    assert sentence_scores(nbest, floor).tolist() == floor.score_rows(nbest.stats).tolist()
    given, _ = planted(0)
    assert sentence_scores(given).tolist() == given.metric.score_rows(given.stats).tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_differences_and_loss_are_those_of_the_oracle(dtype: Any, is_sparse: bool) -> None:
    nbest = made(2, dtype=dtype)
    pairs = sample_pairs(nbest, sentence_scores(nbest), candidates=200, samples=9)
    values, columns, starts = pair_differences(sparse(nbest) if is_sparse else nbest, pairs)
    rows = nbest.features.astype(np.float64)
    expected = (rows[pairs[:, 0]] - rows[pairs[:, 1]]).tolist()
    restored = np.zeros((len(pairs), 5))
    for i in range(len(pairs)):
        restored[i, columns[starts[i] : starts[i + 1]]] = values[starts[i] : starts[i + 1]]
    assert restored.tolist() == expected
    assert (values != 0).all() and starts[-1] == len(values)
    loss = LogisticLoss(values, columns, starts, 5, 0.7)
    for weights in ([0.0] * 5, [0.5, -1.0, 0.25, 3.0, 0.01], [800.0, 0, 0, 0, 0]):
        gradient = np.empty(5)
        found = loss(np.array(weights), gradient)
        assert (found, gradient.tolist()) == oracle.logistic_loss(expected, weights, 0.7)


def test_loss_is_at_its_minimum() -> None:
    nbest = made(3)
    result = pro(nbest, seed=4, penalty=2.0)
    pairs = sample_pairs(nbest, sentence_scores(nbest), seed=4)
    rows = nbest.features.astype(np.float64)
    differences = (rows[pairs[:, 0]] - rows[pairs[:, 1]]).tolist()
    least, gradient = oracle.logistic_loss(differences, result.weights.tolist(), 2.0)
    at_zero, steep = oracle.logistic_loss(differences, [0.0] * 5, 2.0)
    assert np.linalg.norm(gradient) < 1e-3 * np.linalg.norm(steep)
    assert least < at_zero
    assert result.history[-1]["loss"] == pytest.approx(least, rel=1e-12)
    assert result.history[0]["loss"] > result.history[-1]["loss"]
    assert [entry["iteration"] for entry in result.history] == [*range(1, len(result.history) + 1)]


def test_seeds() -> None:
    nbest = made(6)
    one, again, other = (pro(nbest, candidates=50, seed=seed) for seed in (1, 1, 2))
    assert one.weights.tolist() == again.weights.tolist() != other.weights.tolist()


@pytest.mark.parametrize("share", [0.0, 0.1, 1.0])
def test_interpolation(share: float) -> None:
    nbest, start = made(6), np.array([1.0, 2, 3, 4, 5])
    learned = pro(nbest, start).weights
    mixed = pro(nbest, {f"F{i}": i + 1 for i in range(5)}, interpolation=share)
    assert mixed.weights.tolist() == (share * learned + (1.0 - share) * start).tolist()
    assert mixed.score == nbest.evaluate(mixed.weights)
    assert mixed.method == "pro" and mixed.names == nbest.names


def test_interrupted_while_learning() -> None:
    seen: list[dict[str, Any]] = []

    def stop(entry: dict[str, Any]) -> None:
        seen.append(entry)
        if len(seen) == 3:
            raise KeyboardInterrupt

    nbest = made(6)
    result = pro(nbest, callback=stop)
    assert result.interrupted and result.history == seen and len(seen) == 3
    assert result.score == nbest.evaluate(result.weights)
    assert any(result.weights)
    assert not pro(nbest).interrupted


def test_interrupted_while_drawing() -> None:
    def stop(*_: int) -> None:
        raise KeyboardInterrupt

    start = [1.0, 2, 3, 4, 5]
    result = pro(made(6), start, progress=stop, interpolation=0.5)
    assert result.interrupted and result.weights.tolist() == start and not result.history


@pytest.mark.parametrize("method", [pro, risk])
def test_without_scipy(method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(ImportError, match=r'pip install "rapidbleu\[tuning\]"'):
        method(made(0, sizes=[2]))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"candidates": 0}, ValueError, "candidates: expected at least 1; got 0"),
        ({"samples": 0}, ValueError, "samples: expected at least 1; got 0"),
        ({"min_difference": -1}, ValueError, "min_difference: expected a number of at least 0"),
        ({"min_difference": 100.5}, ValueError, "min_difference: expected pairs of hypotheses"),
        ({"penalty": 0}, ValueError, "penalty: expected a number above 0; got 0"),
        ({"interpolation": 1.1}, ValueError, "interpolation: expected a number of at least 0, at"),
        ({"seed": -1}, ValueError, "seed: expected at least 0; got -1"),
        ({"start": [1.0]}, ValueError, "start: expected 5, one for each feature"),
        ({"sentence_metric": 1}, TypeError, "sentence_metric: expected a metric; got int"),
        (
            {"sentence_metric": BLEU(max_ngram_order=2)},
            ValueError,
            "sentence_metric: expected a metric of 10 statistics, as in nbest; got one of 6",
        ),
        ({"samples": 10**30}, ValueError, f"samples: expected at most {MOST}; got {10**30}"),
    ],
)
def test_wrong_options(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pro(made(0, sizes=[5, 5]), **options)


def test_no_length_to_smooth() -> None:
    with pytest.raises(ValueError, match="smooth_length: expected BLEU"):
        pro(planted(0)[0], smooth_length=True)
    rows = SegmentScores().stats([0.0, 1.0])
    nbest = NBestList(np.eye(2), rows, [0, 2], metric=SegmentScores())
    assert pro(nbest, min_difference=0.5).score == 1.0


def test_the_difference_follows_the_scale() -> None:
    """Of other metrics; of BLEU it is 5 points, whatever the list."""
    rng = np.random.default_rng(5)
    sizes, features = rng.integers(1, 12, 20), rng.normal(size=(120, 3))
    offsets = np.append(0, np.cumsum(sizes)).tolist()
    quality = features[: offsets[-1]] @ [1.0, -1.0, 0.5] + rng.normal(size=offsets[-1])
    found, comet = [], SegmentScores()
    for unit in (1.0, 2.0**-8, -64.0):
        metric: Any = comet if unit > 0 else WeightedSum([comet], [-1.0])
        rows = comet.stats(quality * unit)
        nbest = NBestList(features[: offsets[-1]], rows, offsets, metric=metric)
        squares = [
            (score - sum(own) / len(own)) ** 2
            for begin, end in pairwise(offsets)
            for own in [sentence_scores(nbest).tolist()[begin:end]]
            for score in own
        ]
        least = 0.6 * math.sqrt(sum(squares) / len(squares))
        assert deviation(nbest, sentence_scores(nbest)) == pytest.approx(least / 0.6, rel=1e-12)
        found.append(pro(nbest, candidates=300, samples=300).weights)
        again = [
            pro(nbest, candidates=300, samples=300, min_difference=share * least).weights
            for share in (1.0, 0.9)
        ]
        assert (found[-1] == again[0]).all() and (found[-1] != again[1]).any()
        assert (found[-1] == found[0]).all() and found[-1].any()
    bleu = made(3)
    assert (pro(bleu).weights == pro(bleu, min_difference=5.0).weights).all()
    counts = rng.integers(0, 3, nbest.n_segments)
    copies = repeated(nbest, counts)
    expected = deviation(copies, sentence_scores(copies))
    bag = counted(nbest, counts)
    assert deviation(bag, sentence_scores(bag)) == pytest.approx(expected, rel=1e-12)


def test_arrays_of_pairs_that_do_not_fit() -> None:
    nbest = made(0)
    rows, n = make_learner_rows(nbest), len(nbest)
    assert n == sum(SIZES)
    values, columns = np.empty(10), np.empty(10, np.int32)
    subtract(rows, np.array([[0, n - 1]]), values, columns, np.empty(2, np.int64))
    with pytest.raises(ValueError, match=r"pairs\[1\]: expected 0 to"):
        subtract(rows, np.array([[0, 1], [0, n]]), values, columns, np.empty(3, np.int64))
    with pytest.raises(ValueError, match=r"values: expected at least 1.; got 10"):
        pairs = np.array([[0, n - 1], [1, 2]])
        subtract(rows, pairs, values, columns, np.empty(3, np.int64))
    for starts in ([0, 2, 1], [0, 2, 3]):
        with pytest.raises(ValueError, match="starts"):
            LogisticLoss(np.ones(2), np.zeros(2, np.int32), np.array(starts), 1, 1.0)
    with pytest.raises(ValueError, match=r"columns\[1\]: expected less than 1"):
        LogisticLoss(np.ones(2), np.array([0, 1], np.int32), np.array([0, 2]), 1, 1.0)
    with pytest.raises(ValueError, match="begin, end"):
        bits, pairs = np.zeros(1, np.uint64), np.empty((1, 2), np.int64)
        draw_pairs(np.zeros(2), 0, 3, bits, 0.0, pairs, np.zeros(1))
