"""Cross-validation: splits, scores of explicit parts, uncertainty of differences, interruption."""

import math
import re
import statistics
from functools import partial
from typing import Any

import numpy as np
import pytest

from rapidbleu import TER, SegmentScores
from rapidbleu.tuning import (
    NBestList,
    TuningResult,
    cross_validate,
    mert,
    mira,
    split_documents,
    split_folds,
    split_halves,
)
from rapidbleu.tuning.nbest import taken
from rapidbleu.tuning.runs.validation import HeldOutDifference
from support.peers import need
from support.tuning_lists import made, part

SIZES = [3, 5, 1, 8, 4, 6, 2, 7, 5, 5, 9, 3]
LIST = made(3, SIZES, n_features=4)


@pytest.mark.parametrize("n_segments", [10, 11, 37])
def test_halves_are_halves(n_segments: int) -> None:
    splits = split_halves(n_segments, 20, seed=3)
    for train, test in splits:
        assert len(train) == n_segments // 2
        assert sorted([*train, *test]) == list(range(n_segments))
        assert train.tolist() == sorted(train)
    assert len({tuple(train) for train, _ in splits}) > 15
    again = split_halves(n_segments, 20, seed=3)
    assert all((a[0] == b[0]).all() for a, b in zip(splits, again, strict=True))
    counts = np.bincount(np.concatenate([train for train, _ in splits]), minlength=n_segments)
    assert counts.min() > 0


@pytest.mark.parametrize(("n_segments", "k"), [(10, 2), (11, 3), (23, 10), (10, 10)])
def test_each_segment_is_tested_once(n_segments: int, k: int) -> None:
    splits = split_folds(n_segments, k)
    assert sorted(np.concatenate([test for _, test in splits])) == list(range(n_segments))
    assert {len(test) for _, test in splits} <= {n_segments // k, n_segments // k + 1}
    for train, test in splits:
        assert sorted([*train, *test]) == list(range(n_segments))


def test_documents_stay_together() -> None:
    documents = [f"document {i * i % 7}" for i in range(40)]
    splits = split_documents(documents, 3)
    tested = [{documents[i] for i in test} for _, test in splits]
    assert sum(map(len, tested)) == len(set(documents)) == 4
    for (train, test), own in zip(splits, tested, strict=True):
        assert not own & {documents[i] for i in train}
        assert sorted([*train, *test]) == list(range(40))
    assert split_documents(documents, 3, seed=1)[0][1].tolist() != splits[0][1].tolist()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: split_halves(9), r"^n_segments: expected at least 10; got 9$"),
        (lambda: split_halves(10, 0), r"^n_splits: expected at least 1; got 0$"),
        (lambda: split_folds(10, 1), r"^n_splits: expected at least 2; got 1$"),
        (lambda: split_folds(10, 11), r"^n_splits: expected at most 10; got 11$"),
        (lambda: split_documents(["a"] * 12, 2), r"^documents: expected at least 2 different"),
        (
            lambda: split_documents([["a"]] * 12),
            r"^documents\[0\]: expected a name or number; got ",
        ),
        (lambda: split_documents("ab"), r"^documents: expected a sequence of documents"),
        (
            lambda: split_documents([1, 2]),
            r"^documents: expected at least 10, one a segment; got 2$",
        ),
    ],
)
def test_bad_splits_are_refused(call: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        call()


@pytest.mark.parametrize("segments", [[0], [11, 2, 5], [1, 3, 4], list(range(12))])
def test_a_part_of_a_list_is_its_segments(segments: list[int]) -> None:
    texts = [f"text {i}" for i in range(len(LIST))]
    nbest = NBestList(
        LIST.features,
        LIST.stats,
        LIST.offsets,
        metric=LIST.metric,
        hypotheses=texts,
        names=["a", "b", "c", "d"],
        ids=np.arange(12) * 10,
    )
    found, expected = taken(nbest, np.array(segments)), part(LIST, segments)
    assert np.array_equal(found.features, expected.features)
    assert np.array_equal(found.stats, expected.stats)
    assert found.offsets.tolist() == expected.offsets.tolist()
    assert found.ids.tolist() == [10 * i for i in segments]
    assert found.names == nbest.names
    rows = [row for i in segments for row in range(LIST.offsets[i], LIST.offsets[i + 1])]
    assert found.hypotheses == [texts[row] for row in rows]
    sparse = need("scipy.sparse").csr_matrix(LIST.features)
    whole = NBestList(sparse, LIST.stats, LIST.offsets, metric=LIST.metric)
    some = taken(whole, np.array(segments))
    assert np.array_equal(some.features.toarray(), expected.features)


def test_scores_are_those_of_explicit_parts() -> None:
    splits = [([0, 2, 4, 6, 8], [1, 3, 5]), ([7, 9, 11], [0, 1, 2, 3, 4, 5, 6])]
    methods = {
        "fixed": [1.0, 0.5, 0.0, 0.1],
        "mert": partial(mert, restarts=1),
        "mira": partial(mira, epochs=3),
        "own": lambda nbest, seed, start: np.full(4, float(seed)) + start,
    }
    start = [0.5, 0.25, 0.25, 0.0]
    found = cross_validate(LIST, methods, splits=splits, start=start, seed=7)
    assert found.methods == tuple(methods)
    assert found.metric == "BLEU"
    assert not found.interrupted
    for split, (train, test) in enumerate(splits):
        tuned, tested = part(LIST, train), part(LIST, test)
        expected = [
            np.array(methods["fixed"]),
            mert(tuned, start, restarts=1, seed=7 + split).weights,
            mira(tuned, start, epochs=3, seed=7 + split).weights,
            np.array(start) + 7 + split,
        ]
        for i, weights in enumerate(expected):
            assert np.array_equal(found.weights[i, split], weights)
            assert found.train[i, split] == tuned.evaluate(weights)
            assert found.test[i, split] == tested.evaluate(weights)
    assert (found.seconds > 0).all()
    assert found.ratio == (3 / 5 + 7 / 3) / 2


def test_names_of_methods_are_enough() -> None:
    found = cross_validate(LIST, ["mira", "mert"], splits=2)
    halves = cross_validate(LIST, {"mira": mira}, splits=split_halves(12, 2))
    assert found.methods == ("mira", "mert")
    assert found.test[0].tolist() == halves.test[0].tolist()


def test_threads_change_nothing_and_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    methods = {"mert": partial(mert, restarts=2), "mira": partial(mira, epochs=2)}
    alone = cross_validate(LIST, methods, splits=5)
    found = cross_validate(
        LIST, methods, splits=5, threads=3, progress=lambda *done: told.append(done)
    )
    assert found.test.tolist() == alone.test.tolist()
    assert found.weights.tolist() == alone.weights.tolist()
    assert told == [(i, 10) for i in range(1, 11)]


def test_error_rates_are_best_where_they_are_lowest() -> None:
    rng = np.random.default_rng(0)
    hypotheses = [[" ".join(rng.choice(list("abcd"), 6)) for _ in range(4)] for _ in range(12)]
    nbest = NBestList.from_lists(
        hypotheses, rng.normal(size=(48, 2)), [["a b c d a b"] * 12], metric=TER()
    )
    methods = {"up": [1.0, 0.0], "down": [-1.0, 0.0]}
    found = cross_validate(nbest, methods, splits=4)
    assert not found.higher_is_better
    lowest = int(found.test.mean(axis=1).argmin())
    assert found.best == found.methods[lowest]


def test_differences_count_that_splits_share_segments() -> None:
    values = [0.5, -0.2, 0.9, 0.4, 0.1]
    found = HeldOutDifference(np.array(values), 0.25)
    assert found.mean == pytest.approx(statistics.fmean(values))
    assert found.standard_error == pytest.approx(
        math.sqrt((1 / 5 + 0.25) * statistics.variance(values)), rel=1e-12
    )
    stats = need("scipy.stats")
    # Without the correction it is the paired t-test.
    plain = HeldOutDifference(np.array(values), 0.0)
    assert plain.p_value == pytest.approx(stats.ttest_1samp(values, 0).pvalue, rel=1e-9)
    assert found.p_value > plain.p_value
    assert repr(found) == f"{found.mean:+.2f} ± {found.standard_error:.2f}"
    one = HeldOutDifference(np.array([0.5]), 1.0)
    assert math.isnan(one.standard_error)
    assert math.isnan(one.p_value)
    assert HeldOutDifference(np.zeros(3), 1.0).p_value == 1.0


def test_the_table_shows_means_and_differences() -> None:
    found = cross_validate(LIST, {"start": [1.0, 0, 0, 0], "mert": "mert"}, splits=3)
    difference = found.difference("mert", "start")
    assert difference.mean == pytest.approx((found.test[1] - found.test[0]).mean())
    lines = repr(found).splitlines()
    assert lines[0] == "BLEU, 3 splits"
    assert repr(difference) in lines[3]
    assert f"{found.test[0].mean():.2f}" in lines[2]
    with pytest.raises(ValueError, match=r"^b: expected one of 'start', 'mert'; got 'pro'$"):
        found.difference("mert", "pro")


BAD: list[tuple[dict[str, Any], str]] = [
    ({"nbest": 5}, r"^nbest: expected NBestList; got int$"),
    ({"methods": []}, r"^methods: expected at least one; got none$"),
    ({"methods": ["best"]}, r"^methods\['best'\]: expected one of mert, pro, mira, risk"),
    ({"methods": {1: "mert"}}, r"^methods: expected names; got int$"),
    ({"methods": ["mira", mert]}, r"^methods\[1\]: expected the name of a method; got function; "),
    ({"methods": [["mira"]]}, r"^methods\[0\]: expected the name of a method; got list; "),
    ({"methods": {"own": None}}, r"^methods\['own'\]: expected .* or weights; got NoneType$"),
    ({"nbest": made(0, [3] * 9)}, r"^nbest: expected at least 10 segments; got 9$"),
    ({"methods": "mert"}, r"^methods: expected a sequence of methods; got a single str$"),
    ({"methods": {"own": [1.0]}}, r"^methods\['own'\]: expected 4, one for each feature"),
    ({"splits": []}, r"^splits: expected at least one; got none$"),
    ({"splits": 0}, r"^splits: expected at least 1; got 0$"),
    ({"splits": [[1]]}, r"^splits\[0\]: expected a pair, .* to test on; got 1$"),
    ({"splits": [([0], [])]}, r"^splits\[0\]\[1\]: expected at least one segment; got none$"),
    ({"splits": [([0, 1], [1])]}, r"^splits\[0\]: expected .* or to test on; got 1 in both$"),
    ({"splits": [([0], [12])]}, r"^splits\[0\]\[1\]: expected indices below 12; got 12$"),
    ({"splits": [([0, 0], [1])]}, r"^splits\[0\]\[0\]: expected each segment once; got 0 again$"),
    ({"splits": [([0.5], [1])]}, r"^splits\[0\]\[0\]: expected indices of segments; got float64$"),
    ({"seed": -1}, r"^seed: expected at least 0; got -1$"),
    ({"threads": -1}, r"^threads: "),
    ({"start": [1.0]}, r"start"),
]


@pytest.mark.parametrize(("changed", "message"), BAD)
def test_bad_calls_say_what_is_wrong(changed: dict[str, Any], message: str) -> None:
    def never(nbest: NBestList, seed: int) -> Any:
        raise AssertionError("tuned")

    given: dict[str, Any] = {"nbest": LIST, "methods": {"never": never}, "splits": 2} | changed
    with pytest.raises((TypeError, ValueError), match=message):
        cross_validate(**given)


def test_ctrl_c_leaves_what_is_done() -> None:
    weights = np.ones(4)

    def stops(after: int) -> Any:
        calls = iter(range(100))

        def method(nbest: NBestList, seed: int) -> TuningResult:
            return TuningResult(weights, nbest.names, 0.0, "own", [], next(calls) >= after)

        return method

    found = cross_validate(LIST, {"own": stops(3)}, splits=5)
    assert found.interrupted
    assert found.test.shape == (1, 3)
    assert "(interrupted)" in repr(found)
    with pytest.raises(KeyboardInterrupt):
        cross_validate(LIST, {"own": stops(0)}, splits=5)


def test_a_drawn_seed_is_reported() -> None:
    drawn = cross_validate(LIST, ["mira"], splits=2, seed=None)
    again = cross_validate(LIST, ["mira"], splits=2, seed=drawn.seed)
    assert np.array_equal(drawn.weights, again.weights)


def test_lists_of_given_scores_can_be_validated() -> None:
    rng, comet = np.random.default_rng(1), SegmentScores("COMET")
    nbest = NBestList(
        rng.normal(size=(60, 2)), comet.stats(rng.random(60)), np.arange(0, 61, 5), metric=comet
    )
    found = cross_validate(nbest, ["mert", "mira"], splits=split_folds(12, 3))
    assert found.metric == "COMET"
    assert found.test.shape == (2, 3)
    assert found.ratio == 0.5
    assert re.search(r"[+-]0\.\d{4} ± 0\.\d{4}", repr(found))
    means = found.test.mean(axis=1)
    assert all(f"{mean:.4f}" in repr(found) for mean in means)
    assert repr(found.difference("mert", "mira")) in repr(
        cross_validate(nbest, ["mira", "mert"], splits=split_folds(12, 3))
    )
