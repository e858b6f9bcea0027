"""Rows: means of scores, sums of metrics, and impossible rows."""

import itertools
import pickle
import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF, TER, RunningScore, SegmentScores, WeightedSum
from rapidbleu.oracle import select_by_stats, select_greedily
from rapidbleu.score import RowScoring
from rapidbleu.significance import bootstrap, paired_bootstrap, paired_randomization
from rapidbleu.tuning import NBestList
from rapidbleu.tuning.moses.score_files import read_stats

BIGRAMS = BLEU(max_ngram_order=2)
COMET = SegmentScores("COMET")
METRICS: list[Any] = [
    COMET,
    WeightedSum([BIGRAMS, COMET], [0.5, -20]),
    WeightedSum([COMET, BLEU(), SegmentScores("other")]),
    WeightedSum([WeightedSum([COMET, BIGRAMS]), BLEU(smooth_method="floor")], [2, 0.25]),
]


def random_rows(metric: Any, rng: random.Random, n: int) -> Any:
    if isinstance(metric, WeightedSum):
        return np.hstack([random_rows(part, rng, n) for part in metric.metrics])
    if isinstance(metric, SegmentScores):
        return metric.stats([rng.uniform(-2, 2) for _ in range(n)])
    texts = [" ".join(rng.choice("abcd") for _ in range(rng.randint(1, 9))) for _ in range(2 * n)]
    return metric.segment_stats(texts[:n], [texts[n:]])


def expected_score(metric: Any, row: Any) -> float:
    """Return the score of summed rows by the definition."""
    if isinstance(metric, WeightedSum):
        score, begin = 0.0, 0
        for part, weight in zip(metric.metrics, metric.weights, strict=True):
            end = begin + part._kernel.n_stats
            score += weight * expected_score(part, row[begin:end])
            begin = end
        return score
    if isinstance(metric, SegmentScores):
        positive, negative = (Fraction((int(a) << 30) + int(b)) for a, b in (row[:2], row[2:4]))
        return float((positive - negative) / 2**50) / int(row[4])
    return float(metric.score(row).score)


@pytest.mark.slow
def test_rows_of_very_many_scores() -> None:
    scores = np.random.default_rng(0).normal(size=200_001).astype(np.float32)
    rows = COMET.stats(scores)
    expected = [Fraction(score) * 2**50 for score in scores.tolist()]
    assert [((a - c) << 30) + b - d for a, b, c, d, _ in rows.tolist()] == [
        round(x) for x in expected
    ]
    assert set(rows[:, 4].tolist()) == {1}
    scores[150_000] = np.inf
    with pytest.raises(ValueError, match=r"scores\[150000\]: expected a number from .*; got inf"):
        COMET.stats(scores)


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
    oracle = select_by_stats(metric, rows, offsets, restarts=30)
    assert oracle.score.score == best
    chosen = [begin + k for begin, k in zip(offsets, oracle.choices.tolist(), strict=False)]
    assert metric.score(rows[chosen]).score == best
    assert select_greedily(metric, rows, offsets).score.score <= best


def test_rows_of_scores() -> None:
    rows = COMET.stats([0.5, -0.25, 0, 2.0**20, 2.0**-21])
    unit = 2**20
    assert rows.tolist() == [
        [unit // 2, 0, 0, 0, 1],
        [0, 0, unit // 4, 0, 1],
        [0, 0, 0, 0, 1],
        [2**40, 0, 0, 0, 1],
        [0, 2**29, 0, 0, 1],
    ]
    assert rows.dtype == np.int64
    assert COMET.stats([]).shape == (0, 5)
    bytes_ = COMET.stats(np.array([1, -3], np.int8))
    assert bytes_.tolist() == [[unit, 0, 0, 0, 1], [0, 0, 3 * unit, 0, 1]]


def test_the_mean_is_near_the_exact_one() -> None:
    rng = random.Random(5)
    scores = [rng.uniform(-3, 3) for _ in range(1000)]
    exact = sum(map(Fraction, scores)) / len(scores)
    rows = COMET.stats(scores)
    assert abs(Fraction(COMET.score(rows).score) - exact) < Fraction(2) ** -51
    assert np.abs(COMET.score_rows(rows) - scores).max() <= 2.0**-51
    shuffled = rows[rng.sample(range(1000), 1000)]
    assert COMET.score(shuffled).score == COMET.score(rows).score


def test_the_mean_of_nothing_is_zero() -> None:
    assert COMET.score([0] * 5).score == 0.0


def test_the_mean_prints_its_name() -> None:
    assert repr(COMET) == "SegmentScores('COMET')"
    assert str(COMET.score(COMET.stats([0.25, 0.5]))) == "COMET = 0.3750"
    assert str(SegmentScores().score([0, 0, 0, 0, 1])) == "mean = 0.00"


@pytest.mark.parametrize(
    ("scores", "error", "message"),
    [
        ([0.5, np.nan], ValueError, r"scores\[1\]: expected a number from .*; got nan"),
        ([-np.inf], ValueError, r"scores\[0\]: .* got -inf"),
        ([1, 2, 2.0**20 + 1], ValueError, r"scores\[2\]: expected a number from -2\*\*20 to"),
        ([[1.0]], ValueError, "scores: expected one dimension; got 2"),
        (["1"], TypeError, "scores: expected numbers; got .U1"),
        ([True], TypeError, "scores: expected numbers; got bool"),
    ],
)
def test_wrong_scores_are_refused(scores: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        COMET.stats(scores)


def test_weights_are_alike_by_default() -> None:
    assert WeightedSum([COMET, BIGRAMS, BLEU()]).weights == (1 / 3, 1 / 3, 1 / 3)


def test_interpolation_prints_its_terms() -> None:
    both = WeightedSum([BIGRAMS, COMET], [0.5, 100])
    rows = np.hstack([BIGRAMS.segment_stats(["a b c"], [["a b c"]]), COMET.stats([0.5])])
    assert str(both.score(rows)) == "0.5 * BLEU + 100 * COMET = 100.00"
    assert repr(WeightedSum([COMET], [2])) == "WeightedSum([SegmentScores('COMET')], [2.0])"


def test_rows_of_nbest_lists() -> None:
    hypotheses, references = [["a b c", "a b"], ["d e f g"]], [["a b c d", "d e f h"]]
    parts = [BIGRAMS, BLEU(lowercase=True)]
    rows = WeightedSum(parts).nbest_stats(hypotheses, references)
    expected = [part.nbest_stats(hypotheses, references) for part in parts]
    assert rows.tolist() == np.hstack(expected).tolist()
    with pytest.raises(TypeError, match=r"metrics\[1\]: SegmentScores has no statistics of texts"):
        WeightedSum([BIGRAMS, COMET]).nbest_stats(hypotheses, references)


def test_wide_rows() -> None:
    """Parts are cut into blocks at 1,024 numbers, for any width."""
    wide = BLEU(max_ngram_order=500)
    metric = WeightedSum([COMET, wide, COMET], [1, 2, 3])
    rows = random_rows(metric, random.Random(6), 300)
    assert metric.score_rows(rows).tolist() == [expected_score(metric, row) for row in rows]
    with pytest.raises(ValueError, match=r"parts\[0\]: expected at most 1024 columns; got 1202"):
        WeightedSum([BLEU(max_ngram_order=600)])


@pytest.mark.parametrize(
    ("metrics", "weights", "error", "message"),
    [
        ([], None, ValueError, "metrics: expected at least one; got none"),
        ([COMET, "bleu"], None, TypeError, r"metrics\[1\]: expected a metric; got str"),
        ([COMET, BLEU()], [1], ValueError, "weights: expected 2, as many as metrics; got 1"),
        ([COMET], [np.inf], ValueError, r"weights\[0\]: expected a finite number; got inf"),
        ([COMET], [float("nan")], ValueError, r"weights\[0\]: expected a finite number; got nan"),
    ],
)
def test_wrong_parts_are_refused(metrics: Any, weights: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        WeightedSum(metrics, weights)


@pytest.mark.parametrize("metric", METRICS, ids=range(len(METRICS)))
def test_wrong_rows_are_refused(metric: Any) -> None:
    n = metric._kernel.n_stats
    with pytest.raises(ValueError, match=rf"stats: expected shape \({n},\) or \(n, {n}\)"):
        metric.score_rows(np.ones((3, n + 1), np.int64))
    with pytest.raises(TypeError, match="stats: expected integers; got float64"):
        metric.score(np.ones(n))


# Impossible rows are refused at every entry, with their row and column.

MOST = 2**60
BLEU_ROW = [9, 8, 7, 6, 5, 4, 9, 8, 7, 6]
BIGRAM_ROW = [9, 8, 7, 6, 9, 8]
LONG_ROW = [9, 8, *range(9, 3, -1), *range(9, 3, -1)]
CHRF_ROW = [20, 18, 15, 19, 17, 12, 18, 16, 9]


def nbest_of(metric: Any, rows: Any) -> NBestList:
    return NBestList(np.ones((len(rows), 2)), rows, [0, len(rows)], metric=metric)


def replaced(metric: Any, rows: Any) -> Any:
    running = RunningScore(metric, np.zeros((len(rows), len(rows[0])), np.int64))
    return [running.replace(i, row) for i, row in enumerate(rows)]


def appended(metric: Any, rows: Any) -> Any:
    running = RunningScore(metric, np.zeros((0, len(rows[0])), np.int64))
    return [running.append(row) for row in rows]


def zeros(metric: Any, rows: Any) -> RunningScore:
    return RunningScore(metric, np.zeros((len(rows), len(rows[0])), np.int64))


# Entries for rows, and their names in messages
ENTRIES: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "score": ("stats", lambda metric, rows: metric.score(rows)),
    "score_rows": ("stats", lambda metric, rows: metric.score_rows(rows)),
    "bootstrap": ("stats", lambda metric, rows: bootstrap(rows, None, metric, n_resamples=9)),
    "paired bootstrap": (
        "stats",
        lambda metric, rows: paired_bootstrap({"a": rows, "b": rows}, None, metric, n_resamples=9),
    ),
    "randomization": (
        "stats",
        lambda metric, rows: paired_randomization({"a": rows, "b": rows}, None, metric, n_trials=9),
    ),
    "oracle": ("rows", lambda metric, rows: select_by_stats(metric, rows, [0, len(rows)])),
    "n-best list": ("stats", nbest_of),
    "running score": ("rows", RunningScore),
    "replace": ("new", replaced),
    "append": ("new", appended),
    "replace_many": (
        "rows",
        lambda metric, rows: zeros(metric, rows).replace_many(range(len(rows)), rows),
    ),
    "score_if": ("rows", lambda metric, rows: zeros(metric, rows).score_if(0, rows)),
    "best_of": ("rows", lambda metric, rows: zeros(metric, rows).best_of(0, rows)),
    "score_if_all": (
        "rows",
        lambda metric, rows: zeros(metric, rows).score_if_all(rows, [0] + [len(rows)] * len(rows)),
    ),
}
OF_ROWS: dict[str, tuple[RowScoring, list[int], dict[int, int]]] = {
    # a metric, a row, and the columns limited by another column
    "BLEU": (BLEU(), BLEU_ROW, {2: 9, 3: 8, 4: 7, 5: 6}),
    "BLEU of bigrams": (BLEU(max_ngram_order=2), BIGRAM_ROW, {2: 9, 3: 8}),
    "BLEU of six orders": (BLEU(max_ngram_order=6), LONG_ROW, {k + 2: 9 - k for k in range(6)}),
    "chrF": (CHRF(char_order=3), CHRF_ROW, {2: 18, 5: 17, 8: 16}),
    "TER": (TER(), [11, 8, 0, 0], {}),
    "mean": (SegmentScores(), [0, 0, 3 << 20, 0, 1], {}),
    "interpolation": (
        WeightedSum([SegmentScores(), BLEU(max_ngram_order=2), TER()]),
        [5, 3, 0, 0, 1, *BIGRAM_ROW, 11, 8, 0, 0],
        {7: 9, 8: 8},
    ),
}


def array_of(rows: Any, kind: str) -> Any:
    return [list(map(int, row)) for row in rows] if kind == "list" else np.array(rows, kind)


def message_of(entry: str, metric: Any, rows: Any) -> str:
    with pytest.raises(ValueError) as caught:
        ENTRIES[entry][1](metric, rows)
    return str(caught.value)


def place(entry: str, row: int, column: int) -> str:
    where = ENTRIES[entry][0]
    return f"{where}[{column}]: " if where == "new" else f"{where}[{row}][{column}]: "


@pytest.mark.parametrize("name", OF_ROWS)
@pytest.mark.parametrize("entry", ENTRIES)
def test_matches_above_totals_are_refused(entry: str, name: str) -> None:
    metric, row, limits = OF_ROWS[name]
    kinds = ["int64"] if name in ("mean", "interpolation") else ["int64", "int32", "uint16", "list"]
    if entry.startswith(("boot", "paired", "random")):
        kinds = kinds[:3]  # lists are hypotheses there
    for kind in kinds:
        ENTRIES[entry][1](metric, array_of([row] * 5, kind))
        for column, most in limits.items():
            rows = [list(row) for _ in range(5)]
            rows[3][column] = most
            ENTRIES[entry][1](metric, array_of(rows, kind))
            rows[3][column] = most + 1
            message = message_of(entry, metric, array_of(rows, kind))
            expected = f"expected at most {most} matches; got {most + 1}"
            assert message.endswith(place(entry, 3, column) + expected), kind


@pytest.mark.parametrize("name", OF_ROWS)
@pytest.mark.parametrize("entry", ENTRIES)
def test_negative_and_high_counts_are_refused(entry: str, name: str) -> None:
    metric, row, _ = OF_ROWS[name]
    for column in range(len(row)):
        for count in (-1, MOST + 1, 2**62, 2**63 - 1, -(2**63)):
            rows = np.array([row] * 3, np.int64)
            rows[2, column] = count
            message = message_of(entry, metric, rows)
            wanted = "a count" if count < 0 else "at most 2**60"
            assert message.endswith(f"{place(entry, 2, column)}expected {wanted}; got {count}")


@pytest.mark.parametrize("row", [0, 1, 65_535, 65_536, 70_000])
def test_wrong_rows_are_found_anywhere(row: int) -> None:
    rows = np.tile(BLEU_ROW, (70_001, 1))
    rows[row, 5] = 7
    for several in (rows, rows.astype(np.int32)):
        for entry in ("score", "score_if", "n-best list"):
            assert place(entry, row, 5) in message_of(entry, BLEU(), several)


@pytest.mark.parametrize(
    "metric", [BLEU(), CHRF(), TER(), SegmentScores()], ids=lambda metric: type(metric).__name__
)
def test_sums_that_overflow_are_refused(metric: Any) -> None:
    """Sums wrapped around, and the scores were nan or negative."""
    n_stats = metric._kernel.n_stats
    with pytest.raises(ValueError, match=r"stats\[0\]\[0\]: expected at most 2\*\*60"):
        metric.score(np.full((3, n_stats), 2**62))
    assert np.isfinite(metric.score(np.full((1, n_stats), MOST)).score)
    for n in (2, 9, 17):
        with pytest.raises(ValueError, match=r"stats\[1\]\[0\]: expected a total of at most 2\*\*"):
            metric.score(np.full((n, n_stats), MOST))
    assert len(metric.score_rows(np.full((17, n_stats), MOST))) == 17


@pytest.mark.parametrize("number", [2**63, 2**64 - 1, 2**70, -(2**70)])
def test_numbers_beyond_64_bits_are_refused(number: int) -> None:
    rows = [BLEU_ROW, [*BLEU_ROW[:9], number]]
    wanted = "a count" if number < 0 else "at most 2**60"
    for entry in ("score", "score_rows", "running score"):
        message = message_of(entry, BLEU(), rows)
        assert message == f"{place(entry, 1, 9)}expected {wanted}; got {number}"


def test_no_rows_have_no_score() -> None:
    for metric in (BLEU(), CHRF(), TER(), SegmentScores()):
        n_stats = metric._kernel.n_stats
        with pytest.raises(ValueError, match="stats: expected at least one row; got none"):
            metric.score(np.empty((0, n_stats), np.int64))
        with pytest.raises(ValueError, match="stats: expected shape"):
            metric.score([])
        assert metric.score_rows(np.empty((0, n_stats), np.int64)).shape == (0,)


def test_files_of_moses_are_refused(tmp_path: Path) -> None:
    features, scores = tmp_path / "features", tmp_path / "scores"
    features.write_text("FEATURES_TXT_BEGIN_0 0 2 1 a\n1 \n2 \nFEATURES_TXT_END_0\n")
    scores.write_text(
        "SCORES_TXT_BEGIN_0 0 2 9 BLEU\n5 5 4 4 3 3 2 2 5 \n6 5 4 4 3 3 2 2 5 \nSCORES_TXT_END_0\n"
    )
    with pytest.raises(ValueError, match=r"stats\[1\]\[2\]: expected at most 5 matches; got 6"):
        read_stats(features, scores)


def test_replacing_several_changes_nothing_if_one_is_refused() -> None:
    running = RunningScore(BLEU(), [BLEU_ROW] * 3)
    wrong = [*BLEU_ROW[:5], 7, *BLEU_ROW[6:]]
    with pytest.raises(ValueError, match=r"rows\[1\]\[5\]: expected at most 6 matches; got 7"):
        running.replace_many([0, 1], [[1] * 10, wrong])
    assert running.rows.tolist() == [BLEU_ROW] * 3
