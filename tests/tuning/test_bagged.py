"""Bagging and `tune`, whose default it is: bags, combined weights, out-of-bag scores."""

import itertools
import math
import pickle
import sys
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from rapidbleu import SegmentScores
from rapidbleu.tuning import (
    BaggedResult,
    NBestList,
    TuningResult,
    cross_validate,
    mert,
    mira,
    pro,
    risk,
    tune,
    tune_repeatedly,
)
from rapidbleu.tuning.nbest import counted, draw_bags
from rapidbleu.tuning.runs.bagging import aggregated, best_of_each, out_of_bag
from rapidbleu.tuning.search.shared import check_tunable
from support.peers import need
from support.tuning_lists import copies, made, planted, sparse

SIZES = [3, 5, 1, 8, 4, 6, 2, 7, 5, 5, 9, 3]
LIST = made(3, SIZES, n_features=4)
METHODS: dict[str, Any] = {"mert": mert, "mira": mira, "pro": pro}


def flat(nbest: NBestList, what: str) -> NBestList:
    """Return a list with equal features, or statistics, within each segment."""
    first = np.repeat(nbest.offsets[:-1], np.diff(nbest.offsets))
    parts: dict[str, Any] = {"features": nbest.features, "stats": nbest.stats}
    parts[what] = parts[what][first]
    return NBestList(**parts, offsets=nbest.offsets, metric=nbest.metric)


def l1(weights: Any) -> Any:
    return np.array(weights) / np.abs(weights).sum()


@pytest.mark.parametrize("bags", [2, 3, 4, 20, 21])
def test_each_segment_is_left_out_by_every_third_bag(bags: int) -> None:
    parts = min(bags, 3)
    for n in 10, 50, 51, 52:
        counts = draw_bags(n, bags, 7)
        assert counts.shape == (bags, n) and np.isin(counts, [0, 1]).all()
        for k in range(0, bags, parts):
            of_round = counts[k : k + parts]
            assert ((of_round == 0).sum(axis=0) <= 1).all()
            assert len(of_round) < parts or ((of_round == 0).sum(axis=0) == 1).all()
            assert np.isin((of_round == 0).sum(axis=1), [n // parts, -(-n // parts)]).all()
        assert counts.tolist() == draw_bags(n, bags, 7).tolist() != draw_bags(n, bags, 8).tolist()
    first, second = draw_bags(50, 6, 7)[::3]
    assert first.tolist() != second.tolist()


@pytest.mark.parametrize("make", [lambda nbest: nbest, sparse])
def test_segments_choose_by_weights_of_their_own(make: Any) -> None:
    nbest = make(LIST)
    vectors = list(np.random.default_rng(1).normal(size=(12, 4)))
    found = best_of_each(nbest, vectors)
    assert found.tolist() == [nbest.best(vector)[i] for i, vector in enumerate(vectors)]
    expected = [nbest.best(vector).tolist() for vector in vectors]
    assert nbest._choose(np.array(vectors)).tolist() == expected


@pytest.mark.parametrize("aggregate", ["mean", "median"])
@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("mert", {}),
        ("mert", {"restarts": 1, "random_directions": 2}),
        ("mira", {"epochs": 2}),
        ("pro", {"min_difference": 1.0}),
    ],
)
def test_weights_are_those_of_explicit_bags(
    method: str, options: dict[str, Any], aggregate: str
) -> None:
    if method == "pro":
        need("scipy")
    start = [0.5, 0.2, 0.2, 0.1]
    found = tune(LIST, start, method=method, bags=7, aggregate=aggregate, **options, seed=5)
    counts = draw_bags(12, 7, 5)
    if method == "mert":
        options = {"restarts": 3, **options}
    vectors = [
        l1(METHODS[method](copies(LIST, counts[i]), start, seed=5 + i, **options).weights)
        for i in range(7)
    ]
    together = np.mean if aggregate == "mean" else np.median
    assert np.array_equal(found.counts, counts)
    assert found.bag_weights.tolist() == np.array(vectors).tolist()
    assert np.allclose(found.weights, l1(together(vectors, axis=0)), rtol=0, atol=1e-15)
    assert found.score == LIST.evaluate(found.weights)
    assert found.method == f"bagged {method}"
    assert [entry["bag"] for entry in found.history] == list(range(7))
    for entry, vector, own_counts in zip(found.history, found.bag_weights, counts, strict=True):
        assert entry["score"] == copies(LIST, own_counts).evaluate(vector)
    assert pickle.loads(pickle.dumps(found)).out_of_bag == found.out_of_bag


def test_weights_of_minimum_risk_are_those_of_counted_lists() -> None:
    need("scipy")
    found = tune(LIST, method="risk", bags=3, max_steps=5, seed=2)
    lists = [counted(LIST, own) for own in draw_bags(12, 3, 2)]
    vectors = [l1(risk(nbest, max_steps=5).weights) for nbest in lists]
    assert np.allclose(found.bag_weights, vectors, rtol=0, atol=1e-15)


@pytest.mark.parametrize("make", [lambda nbest: nbest, sparse])
@pytest.mark.parametrize("aggregate", ["mean", "median"])
def test_the_out_of_bag_score_is_that_of_bags_without_the_segment(
    make: Any, aggregate: str
) -> None:
    nbest = make(LIST)
    found = tune(nbest, method="mira", bags=20, aggregate=aggregate, epochs=2, seed=1)
    together = np.mean if aggregate == "mean" else np.median
    chosen = []
    for i in range(12):
        own = [w for w, c in zip(found.bag_weights, found.counts, strict=True) if c[i] == 0]
        chosen.append(nbest.best(together(own, axis=0))[i])
    expected = nbest.metric.score_rows(nbest.stats[chosen].sum(axis=0)[np.newaxis])[0]
    assert found.out_of_bag == expected
    few = tune(nbest, method="mira", bags=2, epochs=1, seed=2)
    assert (few.counts == 0).sum(axis=0).tolist() == [1] * 12
    assert math.isfinite(few.out_of_bag)


@pytest.mark.parametrize("make", [lambda nbest: nbest, sparse])
@pytest.mark.parametrize("seed", range(6))
def test_the_most_agreed_vector_chooses_what_most_bags_choose(make: Any, seed: int) -> None:
    nbest = make(LIST)
    found = tune(nbest, method="mira", bags=20, aggregate="mbr", epochs=1, seed=seed)
    candidates = [*found.bag_weights, l1(found.bag_weights.mean(axis=0))]
    chosen = [nbest.best(vector).tolist() for vector in candidates]
    same = [
        sum(a == b for own in chosen[:-1] for a, b in zip(one, own, strict=True)) for one in chosen
    ]
    assert found.weights.tolist() == candidates[same.index(max(same))].tolist()
    assert found.score == nbest.evaluate(found.weights)
    assert same.index(max(same)) < 20
    rows = []
    for i in range(12):
        without = np.flatnonzero(found.counts[:, i] == 0).tolist()
        own = [
            sum(a == b for k in without for a, b in zip(chosen[j], chosen[k], strict=True))
            for j in without
        ]
        rows.append(chosen[without[own.index(max(own))]][i])
    expected = nbest.metric.score_rows(nbest.stats[rows].sum(axis=0)[np.newaxis])[0]
    assert found.out_of_bag == expected


def test_of_vectors_that_agree_alike_the_first_is_taken() -> None:
    """Each segment has a hypothesis for each of three features; the mean selects the first."""
    comet, features = SegmentScores(), np.tile(np.eye(3), (12, 1))
    nbest = NBestList(features, comet.stats(np.arange(36.0)), range(0, 37, 3), metric=comet)
    for bags, winner in (("011", 1), ("012", 0), ("21", 0), ("2101", 1)):
        vectors = np.eye(3)[[*map(int, bags)]]
        assert aggregated(nbest, vectors, "mbr").tolist() == vectors[winner].tolist()


def test_the_mean_of_bags_can_be_most_agreed() -> None:
    """Each bag is alone with its selection in one segment, and their mean in none."""
    comet = SegmentScores()
    features = np.zeros((6, 3))
    features[::2] = np.eye(3)
    nbest = NBestList(features, comet.stats(np.arange(6.0)), [0, 2, 4, 6], metric=comet)
    bags = (1 - 1.5 * np.eye(3)) / 2.5
    assert nbest._choose(bags).tolist() == [[1, 2, 4], [0, 3, 4], [0, 2, 5]]
    assert np.allclose(aggregated(nbest, bags, "mbr"), 1 / 3, rtol=0, atol=1e-15)
    counts = np.array([[0, 1, 2], [1, 0, 0], [0, 3, 0]])
    found = [out_of_bag(nbest, bags, counts, aggregate) for aggregate in ("mbr", "mean")]
    assert found == [comet.score_rows(nbest.stats[[0, 3, 4]].sum(axis=0)[np.newaxis])[0]] * 2


def test_bags_can_be_cross_validated() -> None:
    methods = {
        "mert": partial(mert, restarts=0),
        "bags": partial(tune, method="mert", bags=5, restarts=0),
    }
    found = cross_validate(made(4, [6] * 24), methods, splits=2, seed=3)
    assert found.test.shape == (2, 2)
    assert np.allclose(np.abs(found.weights[1]).sum(axis=1), 1.0)


def test_own_methods_can_be_bagged() -> None:
    def own(nbest: NBestList, seed: int, power: int) -> Any:
        return np.array([2.0**power, seed, 0.0, nbest.n_segments])

    found = tune(LIST, method=own, bags=3, power=1, seed=4)
    assert found.method == "bagged own" and found.seed == 4
    expected = l1(np.mean([l1([2, seed, 0, 8]) for seed in (4, 5, 6)], axis=0))
    assert np.allclose(found.weights, expected, rtol=0, atol=1e-15)


def test_own_methods_get_copies_and_those_of_the_package_counts() -> None:
    lists: list[NBestList] = []

    def own(nbest: NBestList, seed: int) -> Any:
        lists.append(nbest)
        return np.ones(4)

    def look(done: int, n: int) -> None:
        lists.append(sys._getframe(1).f_locals["nbest"])

    counts = draw_bags(12, 3, 12345)
    tune(LIST, method=own, bags=3)
    for nbest, own_counts in zip(lists, counts, strict=True):
        assert nbest._counts is None
        assert nbest.features.tolist() == copies(LIST, own_counts).features.tolist()
    lists.clear()
    tune(LIST, method=partial(mira, progress=look), bags=3, epochs=1)
    for nbest, own_counts in zip(lists, counts, strict=True):
        assert nbest.features is LIST.features
        assert nbest._counts is not None and nbest._counts.tolist() == own_counts.tolist()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tune(LIST, method="best"), r"^method: expected one of "),
        (lambda: tune(LIST, method=["mert"]), r"^method: expected one of .* got list$"),
        (lambda: tune([[1, 2]], method=lambda *_, **__: 1, bags=None), r"^nbest: .* got list$"),
        (lambda: tune(LIST, bags=2, callback=5), r"^callback: expected a callable; got int$"),
        (lambda: mert(LIST, callback=5), r"^callback: expected a callable; got int$"),
        (lambda: mert(LIST, fixed=5), r"^fixed: expected a collection of names; got int$"),
        (
            lambda: tune_repeatedly(LIST, restart=3),
            r"^mert: expected options among .*; got restart$",
        ),
        (lambda: tune_repeatedly(LIST, "mira", threads=2), r"^mira: .* start; got threads$"),
        (lambda: tune(LIST, method="mert", bags=1), r"^bags: expected at least 2; got 1$"),
        (lambda: tune(LIST, method="mert", bags=2.5), r"^bags: expected int; got float$"),
        (
            lambda: tune(LIST, method="mert", aggregate="mode"),
            r"^aggregate: expected one of mean, median, mbr; got 'mode'$",
        ),
        (lambda: tune(LIST, method="mert", threads=-1), r"^threads: "),
        (lambda: tune(5, method="mert"), r"^nbest: expected NBestList; got int$"),
        (
            lambda: tune(made(0, [3] * 9), method="mert"),
            r"^nbest: expected at least 10 segments; got 9",
        ),
        (
            lambda: tune(made(0, [1] * 12), method="mert"),
            r"^nbest: expected at least one segment with several ",
        ),
        (
            lambda: tune(flat(LIST, "features"), method="mert"),
            r"^nbest.features: expected some that differ ",
        ),
        (
            lambda: tune(flat(LIST, "stats"), method="mert"),
            r"^nbest.stats: expected some that differ ",
        ),
        (lambda: tune(LIST, method="mert", seed=-1), r"^seed: expected at least 0; got -1$"),
        (lambda: tune(LIST, [1.0], method="mert"), r"^start: expected 4, one for each feature"),
        (lambda: tune(sparse(LIST), method="mert"), r"^nbest.features: expected a dense array"),
        (
            lambda: tune(sparse(LIST), method=partial(mert, restarts=1)),
            r"^nbest.features: expected a dense ",
        ),
        (
            lambda: mert(sparse(LIST)),
            r"^nbest.features: expected a dense array; got a sparse matrix$",
        ),
        (lambda: tune(LIST, method="mira", decay=7), r"^decay: "),
    ],
)
def test_bad_calls_say_what_is_wrong(call: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        call()


def test_nothing_is_tuned_before_a_list_is_refused() -> None:
    def refuses(nbest: NBestList, seed: int) -> Any:
        raise AssertionError

    for nbest in (made(0, [3] * 9), flat(LIST, "features"), flat(LIST, "stats")):
        with pytest.raises(
            ValueError, match=r"^(nbest|nbest.features|nbest.stats|stats): expected "
        ):
            tune(nbest, method=refuses)


def test_ctrl_c_leaves_the_bags_that_are_done() -> None:
    def stops(after: int) -> Any:
        calls = iter(range(100))

        def method(nbest: NBestList, seed: int) -> TuningResult:
            weights = np.full(4, seed + 1.0)
            return TuningResult(weights, nbest.names, 0.0, "own", [], next(calls) >= after)

        return method

    found = tune(LIST, method=stops(3), bags=8)
    assert found.interrupted and math.isfinite(found.out_of_bag)
    assert math.isnan(tune(LIST, method=stops(2), bags=8).out_of_bag)
    assert len(found.bag_weights) == len(found.counts) == len(found.history) == 3
    with pytest.raises(KeyboardInterrupt):
        tune(LIST, method=stops(0), bags=8)


has_scipy = find_spec("scipy") is not None
needs_scipy = pytest.mark.skipif(not has_scipy, reason="needs SciPy")
TUNED, LONG = made(0, [6] * 12), made(0, [4] * 20)


@needs_scipy
@pytest.mark.parametrize("start", [None, [1.0, 0.5, 0.0, -0.5, 0.25]])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_it_is_the_mean_of_bags_of_risk_and_mert(start: Any, is_sparse: bool) -> None:
    nbest = sparse(TUNED) if is_sparse else TUNED
    found = tune(nbest, start, seed=3)
    counts = draw_bags(nbest.n_segments, 20, 3)
    runs = []
    for i, own in enumerate(counts):
        runs.append(risk(counted(nbest, own), start, seed=3 + i).weights)
        if not is_sparse:
            runs.append(mert(copies(nbest, own), start, restarts=0, seed=3 + i).weights)
    assert isinstance(found, BaggedResult)
    assert found.method == ("bagged risk" if is_sparse else "bagged risk+mert")
    assert found.bag_weights.tolist() == [l1(weights).tolist() for weights in runs]
    assert found.counts.tolist() == counts.repeat(len(runs) // 20, axis=0).tolist()
    assert found.weights.tolist() == l1(found.bag_weights.mean(axis=0)).tolist()
    methods = [run["method"] for run in found.history]
    assert methods == (["risk"] if is_sparse else ["risk", "mert"]) * 20
    assert [run["bag"] for run in found.history] == [i * 20 // len(runs) for i in range(len(runs))]


@needs_scipy
def test_methods_get_the_options_that_they_have() -> None:
    found = tune(TUNED, bags=3, seed=3, l2=0.01, restarts=1)
    for run in found.history:
        options = {"mert": {"restarts": 1}, "risk": {"l2": 0.01}}[run["method"]]
        method: Any = {"mert": mert, "risk": risk}[run["method"]]
        bag = counted(TUNED, draw_bags(12, 3, 3)[run["bag"]])
        weights = l1(method(bag, seed=3 + run["bag"], **options).weights)
        assert run["score"] == bag.evaluate(weights)
    with pytest.raises(TypeError, match=r"^risk\+mert: expected options among .*; got epochs$"):
        tune(TUNED, epochs=1)
    with pytest.raises(ValueError, match=r"^method: expected one method with bags=None; got 'risk"):
        tune(TUNED, bags=None)


@pytest.mark.parametrize("method", [mert, mira, pytest.param(risk, marks=needs_scipy)])
def test_without_bags_it_is_one_run(method: Any) -> None:
    options = {"restarts": 2, "threads": 2} if method is mert else {}
    expected = method(TUNED, [1.0, 0.5, 0.0, -0.5, 0.25], seed=3, **options)
    found = tune(TUNED, [1.0, 0.5, 0.0, -0.5, 0.25], method.__name__, bags=None, seed=3, **options)
    assert type(found) is type(expected) and repr(found) == repr(expected)
    assert found.weights.tolist() == expected.weights.tolist()
    assert str(found.history) == str(expected.history) and found.seed == 3
    again = tune(TUNED, method=method.__name__, bags=None, seed=None, **options)
    assert isinstance(again.seed, int)


def test_it_is_a_method_by_name() -> None:
    names: list[Any] = ["tune", "mert"] if has_scipy else ["mert"]
    assert cross_validate(LONG, names, splits=2).methods == tuple(names)
    if has_scipy:
        found = tune_repeatedly(TUNED, "tune", n_runs=2, bags=2, n_resamples=0)
        assert [run.method for run in found.results] == ["bagged risk+mert"] * 2


@needs_scipy
def test_threads_change_nothing() -> None:
    calls: list[tuple[int, int]] = []
    one = tune(TUNED, progress=lambda *both: calls.append(both))
    two, other = tune(TUNED, threads=2), tune(TUNED, seed=4)
    assert one.weights.tolist() == two.weights.tolist() != other.weights.tolist()
    assert one.out_of_bag == two.out_of_bag
    assert calls == [(i, 40) for i in range(1, 41)]


@needs_scipy
def test_it_gains_on_other_text() -> None:
    nbest, weights = planted(1, 100)
    found = tune(nbest)
    cosine = found.weights @ weights / np.linalg.norm(found.weights) / np.linalg.norm(weights)
    assert cosine > 0.99
    assert found.out_of_bag == pytest.approx(found.score, rel=0.01)


@needs_scipy
def test_bags_without_the_only_segment_that_differs() -> None:
    """Their weights are 0, and the mean is over the other bags."""
    features, scores = np.zeros((24, 1)), np.zeros(24)
    features[1], scores[1] = 1.0, 0.5
    metric = SegmentScores()
    found = tune(NBestList(features, metric.stats(scores), range(0, 25, 2), metric=metric))
    assert 0 < (found.bag_weights == 0).sum() < 20 and found.weights.tolist() == [1.0]


OFFSETS = [0, 3, 4, 9, 10, 12]
FEATURES = r"^nbest.features: expected some that differ within a segment; got none$"
STATS = r"^nbest.stats: expected some that differ within a segment; got none$"


@pytest.mark.parametrize("block", [1, 7, 24, 1 << 18])
@pytest.mark.parametrize("kind", ["float32", "float64", "sparse float32", "sparse float64"])
def test_one_difference_within_a_segment_is_enough(kind: str, block: int) -> None:
    level, metric = np.repeat(np.arange(5.0), np.diff(OFFSETS)), SegmentScores()
    for row, column in itertools.product(range(-1, 12), (0, 3, None)):
        features, scores = level[:, None] * np.arange(4) - 2, np.arange(12.0)
        if column is None:
            features, scores = np.eye(12), level
        if row >= 0:
            changed, place = (features, (row, column)) if column is not None else (scores, row)
            changed[place] += 0.5
        rows, typed = metric.stats(scores), features.astype(kind.split()[-1])
        nbest = NBestList(typed, rows, OFFSETS, metric=metric)
        nbest = sparse(nbest) if kind.startswith("sparse") else nbest
        if row in (-1, 3, 9):
            with pytest.raises(ValueError, match=STATS if column is None else FEATURES):
                check_tunable(nbest, block)
        else:
            check_tunable(nbest, block)
        level = np.repeat(np.arange(5.0), np.diff(OFFSETS))


def test_zeros_that_a_sparse_list_holds_are_zeros() -> None:
    matrix = pytest.importorskip("scipy.sparse").csr_matrix(
        (np.array([1.0, 0.0, 1.0, -0.0, 0.0]), [0, 1, 0, 1, 3], [0, 2, 3, 5]), shape=(3, 5)
    )
    rows = SegmentScores().stats([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=FEATURES):
        check_tunable(NBestList(matrix, rows, [0, 2, 3], metric=SegmentScores()))
