"""The choice of hypotheses by weights against exact sums, where rounding and ties make it hard."""

from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, MeanScore
from rapidbleu._core.tuning.line_search import Chooser
from rapidbleu.tuning import NBestList
from reference.tuning import chooser as oracle
from support.processes import repeat_at_lower_levels

N_FEATURES = (1, 2, 3, 4, 5, 8, 15, 33)
LENGTHS = (1, 2, 7, 8, 9, 15, 16, 17, 31, 40, 100)


def mean_list(features: Any, offsets: Any) -> NBestList:
    """An n-best list whose hypotheses have scores of their own."""
    metric = MeanScore()
    return NBestList(features, metric.rows(np.arange(len(features))), offsets, metric=metric)


def ordinary(rng: Any, n: int, d: int) -> Any:
    return rng.normal(-10, 5, size=(n, d))


def nearly_equal(rng: Any, n: int, d: int) -> Any:
    """Sums that differ in bits which single precision has not."""
    return rng.normal(size=d) * 100 + rng.integers(-2, 3, size=(n, d)) * 2.0**-40


def integers(rng: Any, n: int, d: int) -> Any:
    """Many sums are the same."""
    return rng.integers(-2, 3, size=(n, d)).astype(float)


def repeated(rng: Any, n: int, d: int) -> Any:
    return rng.normal(size=(3, d))[rng.integers(0, 3, size=n)]


def huge(rng: Any, n: int, d: int) -> Any:
    return rng.uniform(-3, 3, size=(n, d)) * 10.0 ** rng.choice([0, 30, 37, 38], size=d)


def tiny(rng: Any, n: int, d: int) -> Any:
    return rng.normal(size=(n, d)) * 10.0 ** rng.choice([-46, -44, -38, -30, -1], size=d)


def subnormal(rng: Any, n: int, d: int) -> Any:
    return rng.normal(size=(n, d)) * 1e-44


def cancelling(rng: Any, n: int, d: int) -> Any:
    """Large terms that leave a small sum."""
    features = rng.normal(size=(n, d))
    features[:, 0] += 1e6
    features[:, d // 2] -= 1e6
    return features


KINDS = (ordinary, nearly_equal, integers, repeated, huge, tiny, subnormal, cancelling)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", KINDS)
def test_choices_are_those_of_exact_sums(kind: Any, dtype: Any) -> None:
    rng = np.random.default_rng(1)
    offsets = np.cumsum([0, *LENGTHS])
    for d in N_FEATURES:
        features = kind(rng, offsets[-1], d).astype(dtype)
        weights = rng.normal(size=(7, d))
        weights[1:3] = rng.integers(-1, 2, size=(2, d))
        weights[3] *= 10.0 ** rng.choice([-50, -30, 0, 30, 50], size=d)
        nbest = mean_list(features, offsets)
        expected = [oracle.choose(own, features.tolist(), offsets) for own in weights.tolist()]
        assert [nbest.best(own).tolist() for own in weights] == expected
        scores = [nbest.metric.score(nbest.stats[rows]).score for rows in expected]
        assert nbest.evaluate(weights).tolist() == scores
        assert [nbest.evaluate(own) for own in weights] == scores


@pytest.mark.parametrize("n_vectors", [0, 1, 3, 4, 5, 8, 9])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_any_number_of_vectors(n_vectors: int, dtype: Any) -> None:
    rng = np.random.default_rng(n_vectors)
    offsets = np.cumsum([0, *LENGTHS])
    features = rng.normal(size=(offsets[-1], 5))
    stats = rng.integers(0, 100, size=(offsets[-1], 10)).astype(dtype)
    stats[:, 6:] += 100
    nbest = NBestList(features, stats, offsets)
    weights = rng.normal(size=(n_vectors, 5))
    scores = [
        BLEU().score(stats[oracle.choose(own, features.tolist(), offsets)]).score
        for own in weights.tolist()
    ]
    for threads in (1, 2, 0):
        assert nbest.evaluate(weights, threads=threads).tolist() == scores


def test_threads_share_the_segments() -> None:
    rng = np.random.default_rng(5)
    n_segments = 3000
    offsets = np.arange(n_segments + 1) * 20
    nbest = mean_list(rng.normal(size=(offsets[-1], 6)).astype(np.float32), offsets)
    weights = rng.normal(size=(50, 6))
    expected = [nbest.evaluate(own) for own in weights]
    for threads in (1, 2, 3, 8):
        assert nbest.evaluate(weights, threads=threads).tolist() == expected


def test_sums_beyond_double_precision() -> None:
    """Infinite sums are equal, so the first hypothesis is chosen."""
    features = np.array([[1.0, 1.0], [1e30, 2.0], [2e30, 1.0], [0.0, 5.0]])
    nbest = mean_list(features, [0, 4])
    assert nbest.best([1e300, 1.0]).tolist() == [1]
    assert nbest.best([-1e300, 1.0]).tolist() == [3]
    assert nbest.best([0.0, 1e300]).tolist() == [3]


def test_zero_weights_choose_the_first() -> None:
    offsets = np.cumsum([0, *LENGTHS])
    nbest = mean_list(np.random.default_rng(2).normal(size=(offsets[-1], 3)) * 1e35, offsets)
    assert nbest.best([0, 0, 0]).tolist() == offsets[:-1].tolist()
    assert nbest.best([-0.0, 0, -0.0]).tolist() == offsets[:-1].tolist()


@pytest.mark.slow
def test_the_portable_code_chooses_the_same() -> None:
    repeat_at_lower_levels(__file__, "exact_sums or any_number or beyond")


def test_wrong_arrays_are_refused() -> None:
    """Arrays of the compiled class itself; `NBestList` hands over the right ones."""
    nbest = mean_list(np.ones((3, 2)), [0, 1, 3])
    chooser = Chooser(nbest.columns())
    weights, chosen = np.ones((4, 2)), np.zeros((4, 2), np.int64)
    for begin, end in ((-1, 2), (0, 3), (2, 1)):
        with pytest.raises(IndexError, match="begin, end: expected a part of 2 segments"):
            chooser.choose(weights, chosen, begin, end)
    with pytest.raises(ValueError, match="weights: expected 8 items"):
        chooser.choose(weights[:3], chosen, 0, 2)
    with pytest.raises(ValueError, match="chosen: expected 8 items"):
        chooser.choose(weights, chosen.astype(np.int32), 0, 2)
    with pytest.raises(ValueError, match="stats: expected 15 items"):
        chooser.add_up(weights, nbest.stats.astype(float), np.zeros((4, 5), np.int64), 0, 2)
    with pytest.raises(ValueError, match="weights: expected 2 items"):
        chooser.add_up(weights, nbest.stats, np.zeros(5, np.int64), 0, 2)
    with pytest.raises(TypeError, match="Argument 'columns' has incorrect type"):
        Chooser(None)  # type: ignore[arg-type]


def test_another_thread_ends_the_choice() -> None:
    nbest = mean_list(np.ones((3, 2)), [0, 1, 3])
    error = RuntimeError("stopped")
    with pytest.raises(RuntimeError, match="stopped"):
        Chooser(nbest.columns()).choose(np.ones((1, 2)), np.zeros((1, 2), np.int64), 0, 2, [error])
