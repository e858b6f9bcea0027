"""The measured changes to MERT match their names."""

import importlib
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rapidbleu import TER, SegmentScores
from rapidbleu.tuning import NBestList, mert, tune
from support.places import REPO

pytestmark = pytest.mark.skipif(not (REPO / "bench").is_dir(), reason="bench is not shipped here")


@pytest.fixture
def cures(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(REPO)
    return importlib.import_module("bench.topics.tuning.cures")


def made(errors: bool = False, n_features: int = 3) -> NBestList:
    """Return 30 segments of 2 to 6 hypotheses with features of different spread.

    Its score is a mean, or an error rate.
    """
    rng = np.random.default_rng(5)
    offsets = np.append(0, np.cumsum(rng.integers(2, 7, size=30)))
    quality = rng.normal(size=offsets[-1])
    features = quality[:, np.newaxis] + rng.normal(size=(offsets[-1], n_features))
    features = features * 3.0 ** np.arange(n_features) + 50
    if not errors:
        comet = SegmentScores("COMET")
        return NBestList(features, comet.stats(quality), offsets, metric=comet)
    wrong = np.clip(4 - 2 * quality, 0, 8).astype(int).tolist()
    texts = ["x " * n + "a " * (8 - n) for n in wrong]
    rows = TER().nbest_stats(texts, [["a " * 8] * 30], offsets=offsets)
    return NBestList(features, rows, offsets, metric=TER())


def covariance(nbest: NBestList) -> Any:
    spans = zip(nbest.offsets, nbest.offsets[1:], strict=False)
    return np.mean([np.cov(nbest.features[a:b].T, bias=True) for a, b in spans], axis=0)


def test_covariance_is_that_within_segments(cures) -> None:
    nbest = made()
    expected = covariance(nbest)
    np.testing.assert_allclose(cures.covariance(nbest), expected)
    np.testing.assert_allclose(cures.spread(nbest), np.sqrt(np.diag(expected)))


def test_directions_without_a_difference_are_left_out(cures) -> None:
    nbest = made(n_features=2)
    first, second = nbest.features.T
    features = np.stack([first, second, 1 - first - second, np.ones(len(nbest))], axis=1)
    own = cures.with_features(nbest, features)
    axes = cures.eigenvectors(own)
    assert axes.shape == (4, 2)
    np.testing.assert_allclose(axes.T @ axes, np.eye(2), atol=1e-12)
    assert cures.spread(own)[3] == 1.0
    weights = np.full(4, 0.25)
    for cure in (cures.along_eigenvectors, cures.along_both, cures.penalized):
        assert np.isfinite(cure(own, weights, 0)).all()


def test_weights_are_turned_back(cures) -> None:
    nbest, weights = made(), np.array([-1.0, 0.1, 0.1])
    at_start = nbest.evaluate(weights)
    for cure in (cures.along_eigenvectors, cures.along_both):
        found = cure(nbest, weights, 0)
        assert found.shape == (3,)
        assert nbest.evaluate(found) > at_start


def test_more_directions_reach_no_less_than_axes(cures) -> None:
    """In the first step from one start, the best along the axes is among its choices."""
    nbest, weights = made(), np.array([-1.0, 0.1, 0.1])
    axes = cures.eigenvectors(nbest)
    doubled = cures.with_features(nbest, np.hstack([nbest.features, nbest.features @ axes]))
    one = mert(nbest, weights, restarts=0, max_steps=1)
    both = mert(doubled, np.append(weights, np.zeros(3)), restarts=0, max_steps=1)
    assert both.score >= one.score


def test_ends_are_averaged(cures) -> None:
    nbest, weights = made(), np.full(3, 1 / 3)
    climbs = mert(nbest, weights, restarts=5, seed=2).starts
    every = cures.mean_of_ends(nbest, weights, 2, restarts=5)
    np.testing.assert_allclose(every, np.mean([climb["weights"] for climb in climbs], axis=0))
    best = cures.mean_of_ends(nbest, weights, 2, share=1 / 6, restarts=5)
    np.testing.assert_array_equal(best, mert(nbest, weights, restarts=5, seed=2).weights)


def test_climbs_from_bags_score_no_less_than_their_starts(cures) -> None:
    nbest, weights = made(), np.full(3, 1 / 3)
    bags = tune(nbest, weights, method="mert", bags=20, restarts=0, seed=3)
    found = cures.from_bags(nbest, weights, 3)
    assert len(found.starts) == 20
    assert found.score >= nbest.evaluate(bags.bag_weights).max()


@pytest.mark.parametrize("errors", [False, True])
def test_the_penalty_is_the_best_out_of_bags(cures, monkeypatch, errors: bool) -> None:
    """A dominating penalty keeps the start; for TER, lower is better."""
    nbest, weights = made(errors), np.array([0.2, 0.3, -0.1])
    monkeypatch.setattr(cures, "PENALTIES", (0.0, 1e9))
    best_first = (1.0, 2.0) if errors else (2.0, 1.0)
    for scores, is_start in ((best_first, False), (best_first[::-1], True)):
        given = iter(scores)
        monkeypatch.setattr(
            cures, "tune", lambda *_, given=given, **__: SimpleNamespace(out_of_bag=next(given))
        )
        monkeypatch.setattr(cures.held_out, "base", lambda *a, **kw: mert(*a, restarts=0, **kw))
        found = cures.penalized(nbest, weights, 0)
        close = np.allclose(found / np.abs(found).sum(), weights / np.abs(weights).sum(), atol=1e-4)
        assert close == is_start
