"""Rows that no text has are refused wherever a caller brings rows, with their row and column."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF, TER, Interpolation, MeanScore, RunningScore
from rapidbleu.oracle import select_oracle
from rapidbleu.scoring import RowScoring
from rapidbleu.significance import bootstrap, paired_bootstrap, paired_randomization
from rapidbleu.tuning import NBestList
from rapidbleu.tuning.moses.score_files import read_stats

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


# How a caller brings rows, and how messages call them
ENTRIES: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "score": ("stats", lambda metric, rows: metric.score(rows)),
    "score_rows": ("stats", lambda metric, rows: metric.score_rows(rows)),
    "bootstrap": ("stats", lambda metric, rows: bootstrap(metric, rows, n=9)),
    "paired bootstrap": (
        "stats", lambda metric, rows: paired_bootstrap({"a": rows, "b": rows}, None, metric, n=9)
    ),
    "randomization": (
        "stats",
        lambda metric, rows: paired_randomization({"a": rows, "b": rows}, None, metric, n=9),
    ),
    "oracle": ("rows", lambda metric, rows: select_oracle(metric, rows, [0, len(rows)])),
    "n-best list": ("stats", nbest_of),
    "running score": ("rows", RunningScore),
    "replace": ("new", replaced),
    "append": ("new", appended),
    "replace_many": (
        "rows", lambda metric, rows: zeros(metric, rows).replace_many(range(len(rows)), rows)
    ),
    "score_if": ("rows", lambda metric, rows: zeros(metric, rows).score_if(0, rows)),
    "best_of": ("rows", lambda metric, rows: zeros(metric, rows).best_of(0, rows)),
    "score_if_all": (
        "rows",
        lambda metric, rows: zeros(metric, rows).score_if_all(
            rows, [0] + [len(rows)] * len(rows)
        ),
    ),
}  # fmt: skip
METRICS: dict[str, tuple[RowScoring, list[int], dict[int, int]]] = {
    # a metric, a row, and the columns that another one limits
    "BLEU": (BLEU(), BLEU_ROW, {2: 9, 3: 8, 4: 7, 5: 6}),
    "BLEU of bigrams": (BLEU(max_ngram_order=2), BIGRAM_ROW, {2: 9, 3: 8}),
    "BLEU of six orders": (BLEU(max_ngram_order=6), LONG_ROW, {k + 2: 9 - k for k in range(6)}),
    "chrF": (CHRF(char_order=3), CHRF_ROW, {2: 18, 5: 17, 8: 16}),
    "TER": (TER(), [11, 8, 0, 0], {}),
    "mean": (MeanScore(), [0, 0, 3 << 20, 0, 1], {}),
    "interpolation": (
        Interpolation([MeanScore(), BLEU(max_ngram_order=2), TER()]),
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


@pytest.mark.parametrize("kind", ["int64", "int32", "uint16", "list"])
@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("entry", ENTRIES)
def test_matches_above_totals_are_refused(entry: str, name: str, kind: str) -> None:
    metric, row, limits = METRICS[name]
    if name in ("mean", "interpolation"):
        kind = "int64"
    if entry.startswith(("boot", "paired", "random")) and kind == "list":
        kind = "int64"  # lists are hypotheses there
    ENTRIES[entry][1](metric, array_of([row] * 5, kind))
    for column, most in limits.items():
        rows = [list(row) for _ in range(5)]
        rows[3][column] = most
        ENTRIES[entry][1](metric, array_of(rows, kind))
        rows[3][column] = most + 1
        message = message_of(entry, metric, array_of(rows, kind))
        expected = f"expected at most {most} matches, got {most + 1}"
        assert message.endswith(place(entry, 3, column) + expected)


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("entry", ENTRIES)
def test_negative_and_high_counts_are_refused(entry: str, name: str) -> None:
    metric, row, _ = METRICS[name]
    for column in range(len(row)):
        for count in (-1, MOST + 1, 2**62, 2**63 - 1, -(2**63)):
            rows = np.array([row] * 3)
            rows[2, column] = count
            message = message_of(entry, metric, rows)
            wanted = "a count" if count < 0 else "at most 2**60"
            assert message.endswith(f"{place(entry, 2, column)}expected {wanted}, got {count}")


@pytest.mark.parametrize("row", [0, 1, 65_535, 65_536, 70_000])
def test_wrong_rows_are_found_anywhere(row: int) -> None:
    rows = np.tile(BLEU_ROW, (70_001, 1))
    rows[row, 5] = 7
    for several in (rows, rows.astype(np.int32)):
        for entry in ("score", "score_if", "n-best list"):
            assert place(entry, row, 5) in message_of(entry, BLEU(), several)


@pytest.mark.parametrize(
    "metric", [BLEU(), CHRF(), TER(), MeanScore()], ids=lambda metric: type(metric).__name__
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
        assert message == f"{place(entry, 1, 9)}expected {wanted}, got {number}"


def test_no_rows_have_no_score() -> None:
    for metric in (BLEU(), CHRF(), TER(), MeanScore()):
        n_stats = metric._kernel.n_stats
        with pytest.raises(ValueError, match="stats: expected at least one row, got none"):
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
    with pytest.raises(ValueError, match=r"stats\[1\]\[2\]: expected at most 5 matches, got 6"):
        read_stats(features, scores)


def test_replacing_several_changes_nothing_if_one_is_refused() -> None:
    running = RunningScore(BLEU(), [BLEU_ROW] * 3)
    wrong = [*BLEU_ROW[:5], 7, *BLEU_ROW[6:]]
    with pytest.raises(ValueError, match=r"rows\[1\]\[5\]: expected at most 6 matches, got 7"):
        running.replace_many([0, 1], [[1] * 10, wrong])
    assert running.rows.tolist() == [BLEU_ROW] * 3
