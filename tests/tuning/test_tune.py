"""The default of tuning: what it is, and what it refuses."""

from typing import Any

import numpy as np
import pytest

from rapidbleu import TER, MeanScore
from rapidbleu.tuning import BaggedResult, NBestList, bagged, tune
from support.tuning_lists import made, planted, sparse

pytest.importorskip("scipy")

LIST = made(0, [6] * 12)


@pytest.mark.parametrize("start", [None, [1.0, 0.5, 0.0, -0.5, 0.25]])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_it_is_bags_of_minimum_risk(start: Any, is_sparse: bool) -> None:
    nbest = sparse(LIST) if is_sparse else LIST
    found, expected = tune(nbest, start, seed=3), bagged("risk", 20)(nbest, start, seed=3)
    assert isinstance(found, BaggedResult) and found.method == "bagged risk"
    assert found.weights.tolist() == expected.weights.tolist()
    assert found.out_of_bag == expected.out_of_bag and len(found.bag_weights) == 20


def test_threads_change_nothing() -> None:
    calls: list[tuple[int, int]] = []
    one = tune(LIST, progress=lambda *both: calls.append(both))
    two, other = tune(LIST, threads=2), tune(LIST, seed=4)
    assert one.weights.tolist() == two.weights.tolist() != other.weights.tolist()
    assert one.out_of_bag == two.out_of_bag
    assert calls == [(i, 20) for i in range(1, 21)]


def test_it_gains_on_other_text() -> None:
    nbest, weights = planted(1, 100)
    found = tune(nbest)
    cosine = found.weights @ weights / np.linalg.norm(found.weights) / np.linalg.norm(weights)
    assert cosine > 0.99
    assert found.out_of_bag == pytest.approx(found.score, rel=0.01)


def test_error_rates_go_down() -> None:
    rng = np.random.default_rng(1)
    wrong = rng.integers(0, 8, 200)
    texts = ["x " * n + "a " * (8 - n) for n in wrong.tolist()]
    rows = TER().nbest_stats(texts, [["a " * 8] * 20], offsets=range(0, 201, 10))
    features = np.stack([-wrong + rng.normal(size=200), rng.normal(size=200)], axis=1)
    nbest = NBestList(features, rows, range(0, 201, 10), metric=TER())
    assert tune(nbest).score < nbest.evaluate([0.5, 0.5])


def test_bags_without_the_only_segment_that_differs() -> None:
    """Their weights are 0, and the mean is that of the others."""
    features, scores = np.zeros((24, 1)), np.zeros(24)
    features[1], scores[1] = 1.0, 0.5
    found = tune(list_of(features, scores, 2))
    assert 0 < (found.bag_weights == 0).sum() < 20 and found.weights.tolist() == [1.0]


def list_of(features: Any, scores: Any, size: int) -> NBestList:
    metric = MeanScore()
    offsets = range(0, len(scores) + 1, size)
    return NBestList(features, metric.rows(scores), offsets, metric=metric)


@pytest.mark.parametrize(
    ("nbest", "message"),
    [
        (made(0, [5] * 9), "nbest: expected at least 10 segments, got 9"),
        (
            list_of(np.arange(12.0)[:, None], np.arange(12.0), 1),
            "nbest: expected a segment at least with several hypotheses, got one hypothesis in",
        ),
        (
            list_of(np.repeat(np.arange(12.0), 2)[:, None], np.arange(24.0), 2),
            "features: expected one at least that differs within a segment, got none",
        ),
        (
            list_of(np.arange(24.0)[:, None], np.repeat(np.arange(12.0), 2), 2),
            "stats: expected a segment at least whose hypotheses differ, got equal ones in each",
        ),
    ],
)
def test_lists_with_nothing_to_tune(nbest: NBestList, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tune(nbest)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"weights": [1.0]}, ValueError, "weights: expected 5, one for each feature"),
        ({"seed": -1}, ValueError, "seed: expected at least 0, got -1"),
        ({"threads": -1}, ValueError, "threads: expected 0 for all cores"),
    ],
)
def test_wrong_options(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        tune(LIST, **options)
    with pytest.raises(TypeError, match="nbest: expected NBestList, got list"):
        tune([LIST])  # type: ignore[arg-type]
