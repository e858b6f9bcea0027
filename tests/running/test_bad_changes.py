"""RunningScore and bad input: a precise error, and no change."""

import array
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU
from rapidbleu.running import RunningScore
from support.running_scores import (
    GOOD,
    MAX,
    SHORT,
    state,
    with_count,
)

BAD_ROWS = [
    (SHORT, ValueError, r"new: expected 10 counts; got 9"),
    ([*GOOD, 1], ValueError, r"new: expected 10 counts; got 11"),
    ([], ValueError, r"new: expected 10 counts; got 0"),
    (np.array(SHORT), ValueError, r"new: expected 10 counts; got 9"),
    (np.array([GOOD]), ValueError, r"new: expected 10 counts; got an array of shape \(1, 10\)"),
    ([GOOD], ValueError, r"new: expected 10 counts; got an array of shape \(1, 10\)"),
    (with_count(-1), ValueError, r"new\[3\]: expected a count; got -1"),
    (np.array(with_count(-7)), ValueError, r"new\[3\]: expected a count; got -7"),
    (np.array(with_count(-7), np.int32), ValueError, r"new\[3\]: expected a count; got -7"),
    (np.array(with_count(-7), np.int8), ValueError, r"new\[3\]: expected a count; got -7"),
    (with_count(-(2**63)), ValueError, r"new\[3\]: expected a count; got -9223372036854775808"),
    (with_count(-(2**70)), ValueError, r"new\[3\]: expected a count; got -1180591620717411303424"),
    (with_count(MAX + 1), ValueError, r"new\[3\]: expected at most 2\*\*60; got 11529215046068469"),
    (with_count(2**63), ValueError, r"new\[3\]: expected at most 2\*\*60; got 9223372036854775808"),
    (with_count(2**70), ValueError, r"new\[3\]: expected at most 2\*\*60; got 1180591620717411303"),
    (np.array(with_count(2**64 - 1), np.uint64), ValueError, r"new\[3\]: expected at most 2\*\*60"),
    (with_count(2.0), TypeError, r"new\[3\]: expected an integer; got float"),
    (with_count("2"), TypeError, r"new\[3\]: expected an integer; got str"),
    (with_count(None), TypeError, r"new\[3\]: expected an integer; got NoneType"),
    (np.zeros((10, 1), int), ValueError, r"new: expected 10 counts; .* of shape \(10, 1\)"),
    (np.array(with_count(-1)), ValueError, r"new\[3\]: expected a count; got -1"),
    (np.array(with_count(MAX + 1)), ValueError, r"new\[3\]: expected at most 2\*\*60; got 11529"),
    (np.array(with_count(9)), ValueError, r"new\[3\]: expected at most \d matches; got 9"),
    (np.array(GOOD, np.float64), TypeError, r"new: expected integers; got float64"),
    (np.array(GOOD, np.float32), TypeError, r"new: expected integers; got float32"),
    (array.array("d", GOOD), TypeError, r"new: expected integers; got float64"),
    (np.array(GOOD, bool), TypeError, r"new: expected integers; got bool"),
    (np.array(GOOD, "M8[s]"), TypeError, r"new: expected integers; got datetime64"),
    (bytes(80), TypeError, r"new: expected an array of integers; got bytes"),
    (None, TypeError, r"new: expected an array of integers; got NoneType"),
    (3, TypeError, r"new: expected an array of integers; got int"),
    (iter(GOOD), TypeError, r"new: expected an array of integers; got list_iterator"),
]


@pytest.mark.parametrize(("new", "error", "message"), BAD_ROWS)
def test_bad_row(running: RunningScore, new: Any, error: type[Exception], message: str) -> None:
    before = state(running)
    with pytest.raises(error, match=message):
        running.replace(1, new)
    with pytest.raises(error, match=message):
        running.append(new)
    assert state(running) == before


NESTED = [
    ([GOOD, SHORT], ValueError, r"rows\[1\]: expected 10 counts; got 9"),
    ([GOOD, []], ValueError, r"rows\[1\]: expected 10 counts; got 0"),
    (GOOD, ValueError, r"rows: expected shape \(m, 10\); got \(10,\)"),
    (np.array(GOOD), ValueError, r"rows: expected shape \(m, 10\); got \(10,\)"),
    (np.array([SHORT]), ValueError, r"rows: expected shape \(m, 10\); got \(1, 9\)"),
    (np.array([[GOOD]]), ValueError, r"rows: expected shape \(m, 10\); got \(1, 1, 10\)"),
    (np.empty((0, 9), np.int64), ValueError, r"rows: expected shape \(m, 10\); got \(0, 9\)"),
    ([GOOD, with_count(-1)], ValueError, r"rows\[1\]\[3\]: expected a count; got -1"),
    (np.array([GOOD, with_count(-1, 9)]), ValueError, r"rows\[1\]\[9\]: expected a count; got -1"),
    (np.array([with_count(-1, 0), GOOD], np.int32), ValueError, r"rows\[0\]\[0\]: expected a coun"),
    ([GOOD, with_count(MAX + 1)], ValueError, r"rows\[1\]\[3\]: expected at most 2\*\*60; got 115"),
    ([GOOD, with_count(2**64)], ValueError, r"rows\[1\]\[3\]: expected at most 2\*\*60; got 18446"),
    (np.array([GOOD, with_count(2**63)], np.uint64), ValueError, r"rows\[1\]\[3\]: expected at mo"),
    ([GOOD, with_count(0.5)], TypeError, r"rows\[1\]\[3\]: expected an integer; got float"),
    (np.array([GOOD, GOOD]) + 0.5, TypeError, r"rows: expected integers; got float64"),
    (None, TypeError, r"rows: expected an array of integers; got NoneType"),
    ("rows", TypeError, r"rows: expected an array of integers; got str"),
]


@pytest.mark.parametrize(("rows", "error", "message"), NESTED)
def test_bad_rows(running: RunningScore, rows: Any, error: type[Exception], message: str) -> None:
    before = state(running)
    for call in (
        lambda: RunningScore(running.metric, rows),
        lambda: running.score_if(1, rows),
        lambda: running.best_of(1, rows),
        lambda: running.score_if_all(rows, [0, 1, 2, 2]),
        lambda: running.replace_many([0, 1], rows),
    ):
        with pytest.raises(error, match=message):
            call()
        assert state(running) == before


@pytest.mark.parametrize("where", [0, 63, 64, 4999, 51_000, 59_999])
def test_bad_counts_are_found_anywhere(running: RunningScore, where: int) -> None:
    rows = np.array([GOOD] * 60_000)
    rows[where, 7] = -3
    offsets = [0, 10, 10, 60_000]
    for call in (lambda: running.score_if(1, rows), lambda: running.score_if_all(rows, offsets)):
        with pytest.raises(ValueError, match=rf"rows\[{where}\]\[7\]: expected a count; got -3"):
            call()


@pytest.mark.parametrize(
    ("index", "error", "message"),
    [
        (3, IndexError, r"i: expected one of 3 segments; got 3"),
        (-4, IndexError, r"i: expected one of 3 segments; got -4"),
        (2**100, IndexError, r"cannot fit 'int'"),
        (1.0, TypeError, r"'float' object cannot be interpreted as an integer"),
        (None, TypeError, r"'NoneType' object cannot be interpreted as an integer"),
    ],
)
def test_bad_index(running: RunningScore, index: Any, error: type[Exception], message: str) -> None:
    before = state(running)
    for call in (
        lambda: running.replace(index, GOOD),
        lambda: running.replace(index, np.array(GOOD)),
        lambda: running.score_if(index, [GOOD]),
        lambda: running.best_of(index, [GOOD]),
        lambda: running.remove(index),
    ):
        with pytest.raises(error, match=message):
            call()
        assert state(running) == before


@pytest.mark.parametrize(
    ("indices", "error", "message"),
    [
        ([0, 3], IndexError, r"indices\[1\]: expected one of 3 segments; got 3"),
        (np.array([-4, 0]), IndexError, r"indices\[0\]: expected one of 3 segments; got -4"),
        ([0], ValueError, r"rows: expected 1, one an index; got 2"),
        ([], ValueError, r"rows: expected 0, one an index; got 2"),
        ([[0, 1]], ValueError, r"indices: expected one dimension; got shape \(1, 2\)"),
        ([0, 1.0], TypeError, r"indices\[1\]: expected an integer; got float"),
        (np.array([0.0, 1.0]), TypeError, r"indices: expected integers; got float64"),
        (0, TypeError, r"indices: expected an array of integers; got int"),
    ],
)
def test_bad_indices(
    running: RunningScore, indices: Any, error: type[Exception], message: str
) -> None:
    before = state(running)
    with pytest.raises(error, match=message):
        running.replace_many(indices, [GOOD, GOOD])
    assert state(running) == before


@pytest.mark.parametrize("bad", [1, 2, 3])
def test_all_or_none(running: RunningScore, bad: int) -> None:
    before = state(running)
    rows = [[9] * 10, [8] * 10, [7] * 10, [6] * 10]
    rows[bad] = with_count(-1)
    with pytest.raises(ValueError, match=rf"rows\[{bad}\]\[3\]: expected a count"):
        running.replace_many([0, 1, 0, 2], rows)
    assert state(running) == before
    indices = [0, 0, 2, 1]
    indices[bad] = -9
    with pytest.raises(IndexError, match=rf"indices\[{bad}\]: expected one of 3 segments"):
        running.replace_many(indices, [GOOD] * 4)
    assert state(running) == before


@pytest.mark.parametrize(
    ("offsets", "error", "message"),
    [
        ([0, 1, 2], ValueError, r"offsets: expected 4, one more than segments; got 3"),
        ([0, 1, 1, 1, 2], ValueError, r"offsets: expected 4, one more than segments; got 5"),
        ([1, 1, 2, 2], ValueError, r"offsets\[0\]: expected 0; got 1"),
        ([-1, 1, 2, 2], ValueError, r"offsets\[0\]: expected 0; got -1"),
        ([0, 2, 1, 2], ValueError, r"offsets\[2\]: expected at least 2; got 1"),
        ([0, 1, 2, 3], ValueError, r"offsets\[3\]: expected 2, as many as rows; got 3"),
        ([0, 1, 1, 1], ValueError, r"offsets\[3\]: expected 2, as many as rows; got 1"),
        ([0, 9, 9, 2], ValueError, r"offsets\[3\]: expected at least 9; got 2"),
        (np.array([0, 1, 2, 2.0]), TypeError, r"offsets: expected integers; got float64"),
        ([[0, 1, 2, 2]], ValueError, r"offsets: expected one dimension; got shape \(1, 4\)"),
        (None, TypeError, r"offsets: expected an array of integers; got NoneType"),
    ],
)
def test_bad_offsets(
    running: RunningScore, offsets: Any, error: type[Exception], message: str
) -> None:
    before = state(running)
    with pytest.raises(error, match=message):
        running.score_if_all([GOOD, GOOD], offsets)
    assert state(running) == before


def test_best_of_none(running: RunningScore) -> None:
    with pytest.raises(ValueError, match="rows: expected at least one alternative; got none"):
        running.best_of(0, [])


@pytest.mark.parametrize("metric", [None, "BLEU", BLEU, object()])
def test_bad_metric(metric: Any) -> None:
    with pytest.raises(TypeError, match="metric: expected a metric; got "):
        RunningScore(metric, [GOOD])


def test_bad_references(bleu: BLEU) -> None:
    references = bleu.prepare([["a", "b"]])
    with pytest.raises(TypeError, match="references: expected References, which a"):
        RunningScore(bleu, [GOOD], [["a"]])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="references: expected 1, as many as rows; got 2"):
        RunningScore(bleu, [GOOD], references)
    with pytest.raises(ValueError, match="segments: expected 1, as many as rows; got 2"):
        RunningScore(bleu, [GOOD], references, [0, 1])
    with pytest.raises(ValueError, match=r"segments\[1\]: expected one of 2 segments, or -1; got "):
        RunningScore(bleu, [GOOD] * 2, references, [1, 2])
    with pytest.raises(ValueError, match=r"segments\[0\]: expected one of 0 segments, or -1; got "):
        RunningScore(bleu, [GOOD], None, [0])


def test_hypotheses_need_references(running: RunningScore) -> None:
    before = state(running)
    for call in (
        lambda: running.replace(0, "a b"),
        lambda: running.replace(0, ["a", "b"]),
        lambda: running.score_if(0, ["a b"]),
        lambda: running.best_of(0, [["a", "b"]]),
        lambda: running.replace_many([0], ["a b"]),
    ):
        with pytest.raises(ValueError, match="references: expected References for hypotheses; got"):
            call()
    with pytest.raises(TypeError, match="rows: expected rows of counts; got hypotheses"):
        running.score_if_all(["a b"], [0, 1, 1, 1])
    with pytest.raises(TypeError, match="rows: expected rows of counts; got hypotheses"):
        RunningScore(running.metric, ["a b"])
    with pytest.raises(TypeError, match="new: expected a row of counts for a new segment; got a "):
        running.append("a b")
    assert state(running) == before
