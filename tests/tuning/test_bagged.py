"""Bagging: bags of shared and of copied segments, their weights together, out-of-bag scores."""

import math
import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest

from rapidbleu import MeanScore
from rapidbleu.tuning import (
    NBestList,
    TuningResult,
    bagged,
    cross_validate,
    line_search,
    mert,
    mira,
)
from rapidbleu.tuning.bagging.bags import best_of_each, draw_counts, repeated, weighed
from support.peers import need
from support.tuning_lists import made

SIZES = [3, 5, 1, 8, 4, 6, 2, 7, 5, 5, 9, 3]
LIST = made(3, SIZES, n_features=4)
COUNTS = np.array([0, 3, 1, 0, 2, 1, 0, 1, 1, 0, 2, 1])


def explicit(nbest: NBestList, counts: Any) -> NBestList:
    """A list with a copy of a segment for each time that it was drawn."""
    spans = [
        range(nbest.offsets[i], nbest.offsets[i + 1])
        for i, count in enumerate(counts) for _ in range(count)
    ]  # fmt: skip
    rows = [row for span in spans for row in span]
    return NBestList(
        np.array([nbest.features[row] for row in rows]),
        np.array([nbest.stats[row] for row in rows]),
        np.cumsum([0, *map(len, spans)]), metric=nbest.metric,
    )  # fmt: skip


def sparse(nbest: NBestList) -> NBestList:
    matrix = need("scipy.sparse").csr_matrix(nbest.features)
    return NBestList(matrix, nbest.stats, nbest.offsets, metric=nbest.metric)


def l1(weights: Any) -> Any:
    return np.array(weights) / np.abs(weights).sum()


# Bags


def test_bags_draw_as_many_segments_as_there_are() -> None:
    counts = draw_counts(50, 400, 7)
    assert counts.shape == (400, 50)
    assert (counts.sum(axis=1) == 50).all()
    assert abs((counts == 0).mean() - math.exp(-1)) < 0.01
    assert counts.tolist() == draw_counts(50, 400, 7).tolist()
    assert counts.tolist() != draw_counts(50, 400, 8).tolist()


@pytest.mark.parametrize("make", [weighed, repeated])
def test_a_bag_scores_as_copies_of_its_segments_do(make: Any) -> None:
    found, expected = make(LIST, COUNTS), explicit(LIST, COUNTS)
    vectors = np.random.default_rng(0).normal(size=(50, 4))
    assert found.evaluate(vectors).tolist() == expected.evaluate(vectors).tolist()
    for start, direction in zip(vectors[:9], vectors[9:], strict=False):
        ours, theirs = (line_search(own, start, direction) for own in (found, expected))
        assert (ours.x, ours.score, ours.interval) == (theirs.x, theirs.score, theirs.interval)
    ours, theirs = (mert(own, vectors[0], restarts=0) for own in (found, expected))
    assert ours.weights.tolist() == theirs.weights.tolist()
    assert ours.score == theirs.score


def test_a_bag_shares_features_and_leaves_the_list_alone() -> None:
    before = LIST.stats.copy(), LIST.evaluate([1, 0, 0, 0])
    found = weighed(LIST, COUNTS)
    assert found.features is LIST.features
    assert found.columns() is LIST.columns()
    assert np.array_equal(LIST.stats, before[0])
    assert LIST.evaluate([1, 0, 0, 0]) == before[1]


def test_counts_beyond_32_bits_are_exact() -> None:
    comet = MeanScore()
    rows = np.array([[0, 2**30, 0, 0, 1], [0, 5, 0, 0, 1]], np.int32)
    nbest = NBestList([[1.0], [2.0]], rows, [0, 1, 2], metric=comet)
    found = weighed(nbest, np.array([3, 1]))
    assert found.stats.tolist() == [[0, 3 * 2**30, 0, 0, 3], [0, 5, 0, 0, 1]]
    assert weighed(nbest, np.array([1, 2])).stats.dtype == np.int64
    small = NBestList([[1.0], [2.0]], rows // 2**20, [0, 1, 2], metric=comet)
    assert weighed(small, np.array([1, 2])).stats.dtype == np.int32


@pytest.mark.parametrize("make", [lambda nbest: nbest, sparse])
def test_segments_choose_by_weights_of_their_own(make: Any) -> None:
    nbest = make(LIST)
    vectors = list(np.random.default_rng(1).normal(size=(12, 4)))
    found = best_of_each(nbest, vectors)
    assert found.tolist() == [nbest.best(vector)[i] for i, vector in enumerate(vectors)]


# Weights


@pytest.mark.parametrize("aggregate", ["mean", "median"])
@pytest.mark.parametrize(
    ("method", "options"),
    [("mert", {}), ("mert", {"restarts": 1}), ("mira", {"epochs": 2})],
)
def test_weights_are_those_of_explicit_bags(
    method: str, options: dict[str, Any], aggregate: str
) -> None:
    start = [0.5, 0.2, 0.2, 0.1]
    found = bagged(method, 7, aggregate=aggregate, **options)(LIST, start, seed=5)
    counts = draw_counts(12, 7, 5)
    vectors = []
    for bag in range(7):
        if method == "mert":
            own = {"restarts": 3, **options}
            result: TuningResult = mert(weighed(LIST, counts[bag]), start, seed=5 + bag, **own)
        else:
            result = mira(explicit(LIST, counts[bag]), start, seed=5 + bag, **options)
        vectors.append(l1(result.weights))
    together = np.mean if aggregate == "mean" else np.median
    assert np.array_equal(found.counts, counts)
    assert np.allclose(found.bag_weights, vectors, rtol=0, atol=1e-15)
    assert np.allclose(found.weights, l1(together(vectors, axis=0)), rtol=0, atol=1e-15)
    assert found.score == LIST.evaluate(found.weights)
    assert found.method == f"bagged {method}"
    assert [entry["bag"] for entry in found.history] == list(range(7))
    for entry, vector, own_counts in zip(found.history, found.bag_weights, counts, strict=True):
        assert entry["score"] == explicit(LIST, own_counts).evaluate(vector)
    assert pickle.loads(pickle.dumps(found)).out_of_bag == found.out_of_bag


@pytest.mark.parametrize("make", [lambda nbest: nbest, sparse])
@pytest.mark.parametrize("aggregate", ["mean", "median"])
def test_the_out_of_bag_score_is_that_of_bags_without_the_segment(
    make: Any, aggregate: str
) -> None:
    nbest = make(LIST)
    found = bagged("mira", 20, aggregate=aggregate, epochs=2)(nbest, seed=1)
    together = np.mean if aggregate == "mean" else np.median
    chosen = []
    for i in range(12):
        own = [w for w, c in zip(found.bag_weights, found.counts, strict=True) if c[i] == 0]
        chosen.append(nbest.best(together(own, axis=0))[i])
    expected = nbest.metric.score_rows(nbest.stats[chosen].sum(axis=0)[np.newaxis])[0]
    assert found.out_of_bag == expected
    few = bagged("mira", 2, epochs=1)(nbest, seed=2)
    assert not (few.counts == 0).any(axis=0).all()
    assert math.isnan(few.out_of_bag)


def test_threads_change_nothing_and_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    alone = bagged("mert", 9)(LIST)
    found = bagged("mert", 9, threads=3)(LIST, progress=lambda *done: told.append(done))
    assert found.weights.tolist() == alone.weights.tolist()
    assert found.out_of_bag == alone.out_of_bag
    assert told == [(i, 9) for i in range(1, 10)]
    assert bagged("mert", 9)(LIST, seed=1).weights.tolist() != alone.weights.tolist()


def test_bags_can_be_cross_validated() -> None:
    methods = {"mert": partial(mert, restarts=0), "bags": bagged("mert", 5, restarts=0)}
    found = cross_validate(made(4, [6] * 24), methods, splits=2, seed=3)
    assert found.test.shape == (2, 2)
    assert np.allclose(np.abs(found.weights[1]).sum(axis=1), 1.0)


def test_own_methods_can_be_bagged() -> None:
    def own(nbest: NBestList, seed: int, power: int) -> Any:
        return np.array([2.0**power, seed, 0.0, nbest.n_segments])

    tune = bagged(own, 3, power=1)
    assert repr(tune) == "bagged('own', 3, aggregate='mean', power=1)"
    found = tune(LIST, seed=4)
    expected = l1(np.mean([l1([2, seed, 0, 12]) for seed in (4, 5, 6)], axis=0))
    assert np.allclose(found.weights, expected, rtol=0, atol=1e-15)


# Bad input, and the way out


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bagged("best"), r"^method: expected one of "),
        (lambda: bagged("mert", 1), r"^bags: expected at least 2, got 1$"),
        (lambda: bagged("mert", 2.5), r"^bags: expected int, got float$"),
        (lambda: bagged("mert", aggregate="mode"), r"^aggregate: expected one of mean, median, "),
        (lambda: bagged("mert", threads=-1), r"^threads: "),
        (lambda: bagged("mert")(5), r"^nbest: expected NBestList, got int$"),
        (lambda: bagged("mert")(made(0, [3] * 9)), r"^nbest: expected at least 10 segments, got 9"),
        (lambda: bagged("mert")(LIST, seed=-1), r"^seed: expected at least 0, got -1$"),
        (lambda: bagged("mert")(LIST, [1.0]), r"^weights: expected 4, one for each feature"),
        (lambda: bagged("mert")(sparse(LIST)), r"^features: expected dense ones"),
        (lambda: bagged("mira", decay=7)(LIST), r"^decay: "),
    ],
)
def test_bad_calls_say_what_is_wrong(call: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        call()


def test_ctrl_c_leaves_the_bags_that_are_done() -> None:
    def stops(after: int) -> Any:
        calls = iter(range(100))

        def method(nbest: NBestList, seed: int) -> TuningResult:
            weights = np.full(4, seed + 1.0)
            return TuningResult(weights, nbest.names, 0.0, "own", [], next(calls) >= after)

        return method

    found = bagged(stops(3), 8)(LIST)
    assert found.interrupted
    assert len(found.bag_weights) == len(found.counts) == len(found.history) == 3
    with pytest.raises(KeyboardInterrupt):
        bagged(stops(0), 8)(LIST)
