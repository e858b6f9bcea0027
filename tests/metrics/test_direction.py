"""Metrics whose least score is the best one: every search of TER chooses what that of -TER does."""

import itertools
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF, TER, Interpolation, MeanScore, RunningScore
from rapidbleu.oracle import oracle_bleu, select_greedily, select_oracle
from rapidbleu.scoring import RowScoring
from rapidbleu.tuning import NBestList, line_search, mert, mira, pro, tune_many

TURNED = Interpolation([TER()], [-1])


def made_list(metric: RowScoring) -> NBestList:
    """A list of sentences with more or fewer errors, and features that know of them."""
    random = np.random.default_rng(7)
    words = list("abcdefghij")
    references = [" ".join(random.choice(words, 8)) for _ in range(12)]
    hypotheses, features = [], []
    for reference in references:
        own = []
        for _ in range(6):
            tokens = reference.split()
            wrong = int(random.integers(0, 5))
            for place in random.choice(8, wrong, replace=False):
                tokens[place] = "x"
            own.append(" ".join(tokens))
            features.append([wrong + random.normal(), random.normal(), float(len(set(tokens)))])
        hypotheses.append(own)
    rows = TER().nbest_stats(hypotheses, [references])
    return NBestList(features, rows, np.arange(0, 73, 6), metric=metric)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [(BLEU(), True), (CHRF(), True), (TER(), False), (MeanScore(), True), (TURNED, True)],
)
def test_metrics_say_which_score_is_better(metric: RowScoring, expected: bool) -> None:
    assert metric.higher_is_better is expected


def test_best_of() -> None:
    nbest = made_list(TER())
    running = RunningScore(TER(), nbest.stats[nbest.offsets[:-1]])
    for i, (begin, end) in enumerate(itertools.pairwise(nbest.offsets)):
        rows = nbest.stats[begin:end]
        scores = running.score_if(i, rows)
        assert running.best_of(i, rows) == (int(scores.argmin()), scores.min())


def test_oracles() -> None:
    nbest = made_list(TER())
    for select in (select_oracle, select_greedily):
        found = select(TER(), nbest.stats, nbest.offsets)
        turned = select(TURNED, nbest.stats, nbest.offsets)
        assert found.choices.tolist() == turned.choices.tolist()
        assert found.score.score == -turned.score.score < TER().score(nbest.stats).score


def test_oracle_of_text() -> None:
    found = oracle_bleu([["a b", "a x"], ["c x", "c d"]], [["a b", "c d"]], metric=TER())
    assert (found.choices.tolist(), found.score.score) == ([0, 1], 0.0)


@pytest.mark.parametrize(
    "options", [{}, {"smooth": ("mean", 2)}, {"smooth": ("min", 1)}, {"moses_compat": True}]
)
def test_line_search(options: Any) -> None:
    found, turned = (
        line_search(made_list(metric), [1.0, 0.2, 0.1], [1.0, 0, 0], **options)
        for metric in (TER(), TURNED)
    )
    assert (found.x, found.interval, found.score) == (turned.x, turned.interval, -turned.score)
    assert found.boundaries.tolist() == turned.boundaries.tolist()
    assert found.scores.tolist() == (-turned.scores).tolist()
    assert options or found.score == found.scores.min()


def call_pro(nbest: NBestList, **_: Any) -> Any:
    pytest.importorskip("scipy")
    return pro(nbest, [1.0, 0.2, 0.1], min_difference=1.0, seed=3)


@pytest.mark.parametrize(
    ("method", "options"),
    [
        (mert, {"restarts": 4}),
        (mert, {"restarts": 0, "smooth": ("mean", 1), "penalty": 0.01}),
        (mira, {"epochs": 5}),
        (call_pro, {}),
    ],
)
def test_tuning(method: Any, options: Any) -> None:
    start = [1.0, 0.2, 0.1]
    nbest = made_list(TER())
    found, turned = (method(made_list(m), weights=start, **options) for m in (TER(), TURNED))
    assert found.weights.tolist() == turned.weights.tolist()
    assert found.score == -turned.score == nbest.evaluate(found.weights) < nbest.evaluate(start)
    for ours, theirs in zip(found.history, turned.history, strict=True):
        assert ours.get("score", 0.0) == -theirs.get("score", 0.0)
    if method is mert:
        assert [s["score"] for s in found.starts] == [-s["score"] for s in turned.starts]


def test_the_best_run() -> None:
    def method(nbest: NBestList, seed: int) -> list[float]:
        return [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]][seed]

    many = tune_many(made_list(TER()), method, runs=3, samples=0)
    assert many.best is many.results[1]
    assert many.best.score == min(many.tune.scores) < max(many.tune.scores)
