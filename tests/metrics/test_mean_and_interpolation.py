"""Metrics without texts: the mean of given scores, and weighted sums of metrics."""

import itertools
import pickle
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, Interpolation, MeanScore
from rapidbleu.oracle import select_greedily, select_oracle
from rapidbleu.running import RunningScore

BIGRAMS = BLEU(max_ngram_order=2)
COMET = MeanScore("COMET")
METRICS: list[Any] = [
    COMET,
    Interpolation([BIGRAMS, COMET], [0.5, -20]),
    Interpolation([COMET, BLEU(), MeanScore("other")]),
    Interpolation([Interpolation([COMET, BIGRAMS]), BLEU(smooth_method="floor")], [2, 0.25]),
]


def random_rows(metric: Any, rng: random.Random, n: int) -> Any:
    """Rows of statistics as a corpus would give them."""
    if isinstance(metric, Interpolation):
        return np.hstack([random_rows(part, rng, n) for part in metric.metrics])
    if isinstance(metric, MeanScore):
        return metric.rows([rng.uniform(-2, 2) for _ in range(n)])
    texts = [" ".join(rng.choice("abcd") for _ in range(rng.randint(1, 9))) for _ in range(2 * n)]
    return metric.segment_stats(texts[:n], [texts[n:]])


def expected_score(metric: Any, row: Any) -> float:
    """The score of summed rows, by the definition."""
    if isinstance(metric, Interpolation):
        score, begin = 0.0, 0
        for part, weight in zip(metric.metrics, metric.weights, strict=True):
            end = begin + part._kernel.n_stats
            score += weight * expected_score(part, row[begin:end])
            begin = end
        return score
    if isinstance(metric, MeanScore):
        positive, negative = (Fraction((int(a) << 30) + int(b)) for a, b in (row[:2], row[2:4]))
        return float((positive - negative) / 2**50) / int(row[4])
    return float(metric.score(row).score)


@pytest.mark.slow
def test_rows_of_very_many_scores() -> None:
    scores = np.random.default_rng(0).normal(size=200_001).astype(np.float32)
    rows = COMET.rows(scores)
    expected = [Fraction(score) * 2**50 for score in scores.tolist()]
    assert [((a - c) << 30) + b - d for a, b, c, d, _ in rows.tolist()] == [
        round(x) for x in expected
    ]
    assert set(rows[:, 4].tolist()) == {1}
    scores[150_000] = np.inf
    with pytest.raises(ValueError, match=r"scores\[150000\]: expected a number from .*, got inf"):
        COMET.rows(scores)


@pytest.mark.parametrize("metric", METRICS, ids=range(len(METRICS)))
def test_scores_are_those_of_the_definition(metric: Any) -> None:
    rng = random.Random(1)
    rows = random_rows(metric, rng, 700)
    expected = [expected_score(metric, row) for row in rows]
    assert metric.score_rows(rows).tolist() == expected
    assert [metric.score(row).score for row in rows[:20]] == expected[:20]
    assert metric.score(rows).score == expected_score(metric, rows.sum(axis=0))


@pytest.mark.parametrize("metric", METRICS, ids=range(len(METRICS)))
def test_pickled_metrics_are_the_same(metric: Any) -> None:
    rows = random_rows(metric, random.Random(2), 40)
    copy = pickle.loads(pickle.dumps(metric))
    assert repr(copy) == repr(metric) or "object at" in repr(metric)
    assert copy.score_rows(rows).tolist() == metric.score_rows(rows).tolist()
    assert str(copy.score(rows)) == str(metric.score(rows))


@pytest.mark.parametrize("metric", METRICS, ids=range(len(METRICS)))
def test_running_score(metric: Any) -> None:
    rng = random.Random(3)
    rows, others = random_rows(metric, rng, 30), random_rows(metric, rng, 90)
    running = RunningScore(metric, rows)
    for step in range(60):
        i = rng.randrange(len(rows))
        alternatives = others[step : step + 9]
        what_if = running.score_if(i, alternatives).tolist()
        for row, score in zip(alternatives, what_if, strict=True):
            assert score == metric.score(rows.sum(axis=0) - rows[i] + row).score
        best, score = running.best_of(i, alternatives)
        assert (best, score) == (what_if.index(max(what_if)), max(what_if))
        rows[i] = alternatives[best]
        assert running.replace(i, rows[i]) == running.score == metric.score(rows).score


@pytest.mark.parametrize("metric", METRICS, ids=range(len(METRICS)))
def test_oracle_selection_finds_the_best(metric: Any) -> None:
    rng = random.Random(4)
    rows, offsets = random_rows(metric, rng, 12), [0, 3, 5, 9, 12]
    parts = [range(*part) for part in itertools.pairwise(offsets)]
    best = max(metric.score(rows[list(chosen)]).score for chosen in itertools.product(*parts))
    oracle = select_oracle(metric, rows, offsets, restarts=30)
    assert oracle.score.score == best
    chosen = [begin + k for begin, k in zip(offsets, oracle.choices.tolist(), strict=False)]
    assert metric.score(rows[chosen]).score == best
    assert select_greedily(metric, rows, offsets).score.score <= best


# The mean


def test_rows_of_scores() -> None:
    rows = COMET.rows([0.5, -0.25, 0, 2.0**20, 2.0**-21])
    unit = 2**20
    assert rows.tolist() == [
        [unit // 2, 0, 0, 0, 1], [0, 0, unit // 4, 0, 1], [0, 0, 0, 0, 1], [2**40, 0, 0, 0, 1],
        [0, 2**29, 0, 0, 1],
    ]  # fmt: skip
    assert rows.dtype == np.int64
    assert COMET.rows([]).shape == (0, 5)
    bytes_ = COMET.rows(np.array([1, -3], np.int8))
    assert bytes_.tolist() == [[unit, 0, 0, 0, 1], [0, 0, 3 * unit, 0, 1]]


def test_the_mean_is_near_the_exact_one() -> None:
    rng = random.Random(5)
    scores = [rng.uniform(-3, 3) for _ in range(1000)]
    exact = sum(map(Fraction, scores)) / len(scores)
    rows = COMET.rows(scores)
    assert abs(Fraction(COMET.score(rows).score) - exact) < Fraction(2) ** -51
    assert np.abs(COMET.score_rows(rows) - scores).max() <= 2.0**-51
    shuffled = rows[rng.sample(range(1000), 1000)]
    assert COMET.score(shuffled).score == COMET.score(rows).score


def test_the_mean_of_nothing_is_zero() -> None:
    assert COMET.score([0] * 5).score == 0.0


def test_the_mean_prints_its_name() -> None:
    assert repr(COMET) == "MeanScore('COMET')"
    assert str(COMET.score(COMET.rows([0.25, 0.5]))) == "COMET = 0.3750"
    assert str(MeanScore().score([0, 0, 0, 0, 1])) == "mean = 0.00"


@pytest.mark.parametrize(
    ("scores", "error", "message"),
    [
        ([0.5, np.nan], ValueError, r"scores\[1\]: expected a number from .*, got nan"),
        ([-np.inf], ValueError, r"scores\[0\]: .* got -inf"),
        ([1, 2, 2.0**20 + 1], ValueError, r"scores\[2\]: expected a number from -2\*\*20 to"),
        ([[1.0]], ValueError, "scores: expected one dimension, got 2"),
        (["1"], TypeError, "scores: expected numbers, got .U1"),
        ([True], TypeError, "scores: expected numbers, got bool"),
    ],
)
def test_wrong_scores_are_refused(scores: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        COMET.rows(scores)


# Interpolation


def test_weights_are_alike_by_default() -> None:
    assert Interpolation([COMET, BIGRAMS, BLEU()]).weights == (1 / 3, 1 / 3, 1 / 3)


def test_interpolation_prints_its_terms() -> None:
    both = Interpolation([BIGRAMS, COMET], [0.5, 100])
    rows = np.hstack([BIGRAMS.segment_stats(["a b c"], [["a b c"]]), COMET.rows([0.5])])
    assert str(both.score(rows)) == "0.5 * BLEU + 100 * COMET = 100.00"
    assert repr(Interpolation([COMET], [2])) == "Interpolation([MeanScore('COMET')], [2.0])"


def test_rows_of_nbest_lists() -> None:
    hypotheses, references = [["a b c", "a b"], ["d e f g"]], [["a b c d", "d e f h"]]
    parts = [BIGRAMS, BLEU(lowercase=True)]
    rows = Interpolation(parts).nbest_stats(hypotheses, references)
    expected = [part.nbest_stats(hypotheses, references) for part in parts]
    assert rows.tolist() == np.hstack(expected).tolist()
    with pytest.raises(TypeError, match=r"metrics\[1\]: MeanScore has no statistics of texts"):
        Interpolation([BIGRAMS, COMET]).nbest_stats(hypotheses, references)


def test_wide_rows() -> None:
    """Blocks of the parts are cut at 1,024 numbers, whatever the width."""
    wide = BLEU(max_ngram_order=500)
    metric = Interpolation([COMET, wide, COMET], [1, 2, 3])
    rows = random_rows(metric, random.Random(6), 300)
    assert metric.score_rows(rows).tolist() == [expected_score(metric, row) for row in rows]
    with pytest.raises(ValueError, match=r"parts\[0\]: expected at most 1024 columns, got 1202"):
        Interpolation([BLEU(max_ngram_order=600)])


@pytest.mark.parametrize(
    ("metrics", "weights", "error", "message"),
    [
        ([], None, ValueError, "metrics: expected at least one, got none"),
        ([COMET, "bleu"], None, TypeError, r"metrics\[1\]: expected a metric, got str"),
        ([COMET, BLEU()], [1], ValueError, "weights: expected 2, as many as metrics, got 1"),
        ([COMET], [np.inf], ValueError, r"weights\[0\]: expected a finite number, got inf"),
        ([COMET], [float("nan")], ValueError, r"weights\[0\]: expected a finite number, got nan"),
    ],
)
def test_wrong_parts_are_refused(metrics: Any, weights: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        Interpolation(metrics, weights)


@pytest.mark.parametrize("metric", METRICS, ids=range(len(METRICS)))
def test_wrong_rows_are_refused(metric: Any) -> None:
    n = metric._kernel.n_stats
    with pytest.raises(ValueError, match=rf"stats: expected shape \({n},\) or \(n, {n}\)"):
        metric.score_rows(np.ones((3, n + 1), np.int64))
    with pytest.raises(TypeError, match="stats: expected integers, got float64"):
        metric.score(np.ones(n))
