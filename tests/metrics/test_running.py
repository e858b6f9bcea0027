"""RunningScore: after every change, what a rebuild from Python integers gives, with ==."""

import array
import copy
import pickle
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rapidbleu import BLEU
from rapidbleu.running import RunningScore
from support.corpora import random_corpus

MAX = 2**60
METRICS = [
    BLEU(),
    BLEU(smooth_method="none"),
    BLEU(smooth_method="floor", smooth_value=0.2),
    BLEU(smooth_method="add-k", smooth_value=2),
    BLEU(smooth_method="add-k", smooth_value=0),
    BLEU(effective_order=True, ref_len="shortest"),
    BLEU(max_ngram_order=1),
    BLEU(max_ngram_order=2, effective_order=True, smooth_method="none"),
    BLEU(max_ngram_order=3, weights=[0.5, 0.3, 0.2], ref_len="longest"),
    BLEU(max_ngram_order=4, weights=[0.7, 0.1, 0.1, 0.1], effective_order=True),
    BLEU(max_ngram_order=5, ref_len="average"),
    BLEU(max_ngram_order=6, smooth_method="floor"),
]
each_metric = pytest.mark.parametrize("metric", METRICS, ids=range(len(METRICS)))


def n_stats(metric: BLEU) -> int:
    return 2 + 2 * metric.max_ngram_order


def random_row(rng: Random, metric: BLEU) -> list[int]:
    """The row of a hypothesis that shares some n-grams with its reference, or none."""
    order = metric.max_ngram_order
    hyp_len, ref_len = rng.choice([0, 1, 3, rng.randrange(60)]), rng.randrange(60)
    totals = [max(0, hyp_len - n) for n in range(order)]
    quality = rng.choice([0, 0.3, 0.7, 1])
    correct = [int(total * quality ** (n + 1)) for n, total in enumerate(totals)]
    return [hyp_len, ref_len, *correct, *totals]


def random_rows(rng: Random, metric: BLEU, n: int) -> list[list[int]]:
    return [random_row(rng, metric) for _ in range(n)]


def totals(rows: list[list[int]], k: int) -> list[int]:
    return [sum(row[j] for row in rows) for j in range(k)]


def rebuilt(metric: BLEU, rows: list[list[int]]) -> float:
    """The oracle."""
    return metric.score(totals(rows, n_stats(metric))).score


def check(running: RunningScore, metric: BLEU, rows: list[list[int]]) -> None:
    k = n_stats(metric)
    assert len(running) == len(rows)
    assert running.score == rebuilt(metric, rows)
    assert type(running.score) is float
    assert running.stats.tolist() == totals(rows, k)
    assert running.stats.dtype == running.rows.dtype == np.int64
    assert running.rows.tolist() == rows
    assert running.rows.shape == (len(rows), k)


def state(running: RunningScore) -> Any:
    return (
        running.score, running.stats.tolist(), running.rows.tolist(), running.segments.tolist(),
        len(running),
    )  # fmt: skip


@pytest.fixture
def bleu() -> BLEU:
    return BLEU()


@pytest.fixture
def running(bleu: BLEU) -> RunningScore:
    return RunningScore(bleu, random_rows(Random(5), bleu, 3))


# Every operation beside a rebuild


@each_metric
@pytest.mark.parametrize("seed", range(3))
def test_random_operations(metric: BLEU, seed: int) -> None:
    rng = Random(seed)
    rows = random_rows(rng, metric, rng.randrange(4))
    running = RunningScore(metric, rows)
    rows = [list(row) for row in rows]
    check(running, metric, rows)
    for _ in range(150):
        operation = rng.choice(["append", "replace", "replace", "replace_many", "remove", "copy"])
        i = rng.randrange(-len(rows), len(rows)) if rows else 0
        new = random_row(rng, metric)
        given = rng.choice([new, tuple(new), np.array(new), np.array(new, np.int32)])
        if operation == "append":
            rows.append(new)
            assert running.append(given) == rebuilt(metric, rows)
        elif not rows:
            with pytest.raises(IndexError):
                running.replace(i, given)
        elif operation == "replace":
            rows[i] = new
            assert running.replace(i, given) == rebuilt(metric, rows)
        elif operation == "replace_many":
            m = rng.randrange(4)
            indices = [rng.randrange(-len(rows), len(rows)) for _ in range(m)]
            several = random_rows(rng, metric, m)
            for k, row in zip(indices, several, strict=True):
                rows[k] = row
            assert running.replace_many(indices, several) == rebuilt(metric, rows)
        elif operation == "remove":
            del rows[i]
            assert running.remove(i) == rebuilt(metric, rows)
        else:
            twin = running.copy()
            twin.replace(i, new)
            running = rng.choice([running, running.copy()])
        check(running, metric, rows)


def with_matches(row: tuple[int, ...]) -> list[int]:
    """A row of BLEU with no more matches than n-grams."""
    half = len(row) // 2 - 1
    return [*row[:2], *map(min, row[2 : 2 + half], row[2 + half :]), *row[2 + half :]]


@given(st.data())
def test_any_small_counts(data: st.DataObject) -> None:
    metric = data.draw(st.sampled_from(METRICS))
    k = n_stats(metric)
    some, one = st.integers(0, 5), st.integers(1, 5)  # where nothing could match, nothing may
    row = st.tuples(*[one if j == k // 2 + 1 else some for j in range(k)]).map(with_matches)
    rows = data.draw(st.lists(row, min_size=1, max_size=5))
    running = RunningScore(metric, rows)
    for i, new in data.draw(st.lists(st.tuples(st.integers(0, len(rows) - 1), row), max_size=5)):
        expected = rebuilt(metric, [*rows[:i], new, *rows[i + 1 :]])
        assert running.score_if(i, [new]).tolist() == [expected]
        old = rows[i]
        before = state(running)
        assert running.replace(i, new) == expected
        running.replace(i, old)
        assert state(running) == before
        running.replace(i, new)
        rows[i] = new
        check(running, metric, rows)


@each_metric
@pytest.mark.parametrize("m", [0, 1, 2, 63, 64, 65, 127, 128, 129, 700])
def test_what_if(metric: BLEU, m: int) -> None:
    rng = Random(m)
    rows = random_rows(rng, metric, 4)
    running = RunningScore(metric, rows)
    before = state(running)
    alternatives = random_rows(rng, metric, m)
    for i in (0, 2, -1):
        scores = running.score_if(i, alternatives)
        expected = []
        for new in alternatives:
            changed = [list(row) for row in rows]
            changed[i] = new
            expected.append(rebuilt(metric, changed))
        assert scores.tolist() == expected
        assert scores.dtype == np.float64
        if m:
            best = max(range(m), key=lambda k: expected[k])
            index, score = running.best_of(i, alternatives)
            assert (index, score) == (best, expected[best])
            assert (type(index), type(score)) == (int, float)
        twin = running.copy()
        assert [twin.replace(i, new) for new in alternatives[:50]] == expected[:50]
    assert state(running) == before


@each_metric
@pytest.mark.parametrize("largest", [0, 1, 3, 200])
def test_what_if_for_all(metric: BLEU, largest: int) -> None:
    """Segments with many, few and no alternatives; also without the GIL."""
    rng = Random(largest)
    rows = random_rows(rng, metric, 90)
    running = RunningScore(metric, rows)
    sizes = [rng.choice([0, rng.randrange(largest + 1)]) for _ in rows]
    offsets = [sum(sizes[:i]) for i in range(len(rows) + 1)]
    alternatives = np.array(random_rows(rng, metric, sum(sizes)), np.int64)
    alternatives = alternatives.reshape(-1, n_stats(metric))
    before = state(running)
    scores = running.score_if_all(alternatives, offsets)
    assert state(running) == before
    parts = [
        running.score_if(i, alternatives[offsets[i] : offsets[i + 1]]) for i in range(len(rows))
    ]
    assert scores.tolist() == [score for part in parts for score in part.tolist()]
    narrow = alternatives.astype(np.int32)
    assert (running.score_if_all(narrow, np.array(offsets, np.int32)) == scores).all()


@pytest.mark.parametrize("m", [4096, 4097, 52_428, 52_429, 120_000])
def test_many_alternatives(bleu: BLEU, m: int) -> None:
    """Beyond some thousand the GIL is released, beyond more signals are looked at."""
    rng = Random(m)
    pool = random_rows(rng, bleu, 50)
    rows = pool[:7]
    running = RunningScore(bleu, rows)
    choice = np.random.default_rng(m).integers(0, 50, m)
    alternatives = np.array(pool)[choice]
    for i in (0, 6):
        expected = [rebuilt(bleu, [*rows[:i], new, *rows[i + 1 :]]) for new in pool]
        assert running.score_if(i, alternatives).tolist() == [expected[c] for c in choice]
    offsets = [0, 0, 0, 1, m // 3, m // 3, m, m]
    parts = [running.score_if(i, alternatives[a:b])
             for i, (a, b) in enumerate(pairwise(offsets))]  # fmt: skip
    assert (running.score_if_all(alternatives, offsets) == np.concatenate(parts)).all()


def test_first_of_equally_good_ones_is_best(running: RunningScore) -> None:
    rows = running.rows
    better = rows[0] + [0, 0, 9, 9, 9, 9, 9, 9, 9, 9]
    assert running.best_of(0, [rows[0], better, rows[0], better])[0] == 1
    assert running.best_of(0, [rows[0]] * 3) == (0, running.score)


def test_last_of_repeated_indices_wins(bleu: BLEU) -> None:
    rows = random_rows(Random(1), bleu, 3)
    new = random_rows(Random(2), bleu, 4)
    running = RunningScore(bleu, rows)
    score = running.replace_many([1, -1, 1, -2], new)
    assert score == rebuilt(bleu, [rows[0], new[3], new[1]])
    check(running, bleu, [rows[0], new[3], new[1]])


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65])
def test_growth(bleu: BLEU, n: int) -> None:
    rows = random_rows(Random(n), bleu, n)
    running = RunningScore(bleu, rows)
    for new in random_rows(Random("more"), bleu, 70):
        rows.append(new)
        running.append(new)
    check(running, bleu, rows)
    while rows:
        i = len(rows) // 2
        del rows[i]
        running.remove(i)
    check(running, bleu, rows)
    assert running.score == 0.0
    running.append([5, 5, 5, 4, 3, 2, 5, 4, 3, 2])
    assert running.score == pytest.approx(100)


def test_very_many_columns() -> None:
    metric = BLEU(max_ngram_order=3000)
    rng = Random(3000)
    rows = random_rows(rng, metric, 2)
    running = RunningScore(metric, rows)
    new = random_rows(rng, metric, 20)
    expected = [rebuilt(metric, [rows[0], row]) for row in new]
    assert running.score_if(1, new).tolist() == expected
    assert running.score_if_all(new, [0, 0, 20]).tolist() == expected
    assert running.replace(1, new[5]) == expected[5]
    check(running, metric, [rows[0], new[5]])


def test_many_changes_leave_no_trace(bleu: BLEU) -> None:
    rng = Random(9)
    rows = random_rows(rng, bleu, 20)
    running = RunningScore(bleu, rows)
    before = state(running)
    for _ in range(20_000):
        running.replace(rng.randrange(20), rows[rng.randrange(20)])
    assert running.rows.tolist() != rows
    assert running.score == rebuilt(bleu, running.rows.tolist())
    running.replace_many(range(20), rows)
    assert state(running) == before


# Kinds of input


def unaligned(array: Any) -> Any:
    """A copy that begins one byte behind where it should."""
    memory = np.frombuffer(bytearray(b"." + array.tobytes()), np.uint8)
    return memory[1:].view(array.dtype).reshape(array.shape)


def forms(row: list[int]) -> list[Any]:
    wide = np.array(row, np.int64)
    read_only = wide.copy()
    read_only.flags.writeable = False
    strided = np.repeat(wide, 2)[::2]
    assert not strided.flags.c_contiguous
    return [
        row, tuple(row), wide, wide.astype(np.int32), read_only, strided, wide[::-1].copy()[::-1],
        wide.astype(np.int16), wide.astype(np.uint8), wide.astype(np.uint64),
        wide.astype(">i8"), wide.astype(">i4"), wide.astype(object), list(wide),
        array.array("q", row), array.array("i", row), array.array("H", row), memoryview(wide),
        unaligned(wide), [True if count == 1 else count for count in row],
    ]  # fmt: skip


def test_every_form_of_a_row(bleu: BLEU) -> None:
    rows = random_rows(Random(3), bleu, 3)
    new = [21, 25, 17, 11, 6, 1, 21, 20, 19, 18]
    for form in forms(new):
        running = RunningScore(bleu, rows)
        assert running.replace(1, form) == rebuilt(bleu, [rows[0], new, rows[2]])
        running.append(form)
        check(running, bleu, [rows[0], new, rows[2], new])


def test_every_form_of_rows(bleu: BLEU) -> None:
    rows = random_rows(Random(4), bleu, 5)
    wide = np.array(rows, np.int64)
    read_only = wide.copy()
    read_only.flags.writeable = False
    given = [
        rows, tuple(map(tuple, rows)), wide, wide.astype(np.int32), read_only,
        np.asfortranarray(wide), np.repeat(wide, 2, axis=0)[::2], wide[:, ::-1].copy()[:, ::-1],
        wide.astype(np.uint64), wide.astype(np.int8), wide.astype(">i8"), wide.astype(object),
        list(wide), memoryview(array.array("q", wide.ravel())).cast("B").cast("q", wide.shape),
        unaligned(wide),
    ]  # fmt: skip
    ours = RunningScore(bleu, rows)
    expected = ours.score_if(1, rows).tolist()
    for form in given:
        running = RunningScore(bleu, form)
        check(running, bleu, rows)
        assert running.score_if(1, form).tolist() == expected
        assert running.best_of(1, form) == ours.best_of(1, rows)
        assert running.score_if_all(form, [0, 0, 5, 5, 5, 5]).tolist() == expected
        assert running.replace_many(np.arange(5)[::-1], form) == ours.score
        check(running, bleu, rows[::-1])


@pytest.mark.parametrize("empty", [[], (), np.empty((0, 10), np.int64), np.empty((0, 10))])
def test_no_rows(bleu: BLEU, running: RunningScore, empty: Any) -> None:
    check(RunningScore(bleu, empty), bleu, [])
    before = state(running)
    assert running.score_if(0, empty).tolist() == []
    assert running.score_if_all(empty, [0] * 4).tolist() == []
    assert running.replace_many([], empty) == running.score
    assert RunningScore(bleu, empty).score_if_all(empty, [0]).tolist() == []
    assert state(running) == before


def test_copies_are_copies(running: RunningScore) -> None:
    before = state(running)
    running.rows[:] = 7
    running.stats[:] = 7
    running.segments[:] = 7
    assert state(running) == before
    mine = running.rows
    other = RunningScore(running.metric, mine)
    mine[:] = 1
    assert state(other) == before


@pytest.mark.parametrize("index", [1, -2, np.int64(1), np.int8(-2), True])
def test_forms_of_an_index(running: RunningScore, index: Any) -> None:
    new = [9, 9, 8, 7, 6, 5, 9, 8, 7, 6]
    expected = running.score_if(1, [new])[0]
    assert running.score_if(index, [new])[0] == expected
    assert running.replace(index, new) == expected
    assert running.rows[1].tolist() == new
    running.remove(index)
    assert new not in running.rows.tolist()


# Large counts


def test_counts_up_to_the_highest(bleu: BLEU) -> None:
    huge = [MAX] * 10
    running = RunningScore(bleu, [huge])
    assert running.score == rebuilt(bleu, [huge])
    assert running.replace(0, np.array(huge)) == running.score
    assert running.append([0] * 10) == running.score
    expected = [running.score, rebuilt(bleu, [[1] * 10])]
    assert running.score_if(0, [huge, [1] * 10]).tolist() == expected
    assert running.score_if_all([huge], [0, 1, 1]).tolist() == [running.score]
    assert running.stats.tolist() == huge
    halves = [[MAX // 2] * 10] * 2
    check(RunningScore(bleu, halves), bleu, halves)


@pytest.mark.parametrize("column", range(10))
@pytest.mark.parametrize("wide", [False, True])
def test_totals_over_the_highest_are_refused(bleu: BLEU, column: int, wide: bool) -> None:
    columns = [column, column + 4] if 2 <= column < 6 else [column]  # of matches and n-grams
    first = [3] * 10
    for j in columns:
        first[j] = MAX - 1
    running = RunningScore(bleu, [first, [0] * 10])
    new: Any = [1] * 10
    running.replace(1, new)
    before = state(running)
    for j in columns:
        new[j] = 2
    other = [[0] * 10, new]
    if wide:
        new, other = np.array(new), np.array(other)
    message = r"\]: expected a total of at most 2\*\*60"
    for call in (
        lambda: running.replace(1, new),
        lambda: running.append([1] * 10),
        lambda: running.replace_many([1, 1], other),
        lambda: running.score_if(1, other),
        lambda: running.best_of(1, other),
        lambda: running.score_if_all(other, [0, 1, 2]),
        lambda: RunningScore(bleu, [first, [0] * 10, new]),
        lambda: running + running,
    ):
        with pytest.raises(ValueError, match=message):
            call()
        assert state(running) == before
    assert running.score_if_all(other, [0, 2, 2]).tolist() == [
        rebuilt(bleu, [row, [1] * 10]) for row in np.asarray(other).tolist()
    ]


@pytest.mark.parametrize("where", [0, 63, 64, 150, 55_000])
def test_totals_over_the_highest_are_found_anywhere(bleu: BLEU, where: int) -> None:
    running = RunningScore(bleu, [[MAX - 1] * 10, [0] * 10])
    rows = np.ones((60_000, 10), np.int64)
    assert set(running.score_if(1, rows)) == {rebuilt(bleu, [[MAX] * 10])}
    rows[where, 9] = 2
    message = rf"rows\[{where}\]\[9\]: expected a total of at most 2\*\*60, but 2 exceeds that"
    for call in (
        lambda: running.score_if(1, rows),
        lambda: running.score_if_all(rows, [0, 0, 60_000]),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_refused_in_passing_though_not_in_the_end(bleu: BLEU) -> None:
    """Replacements are made one after the other."""
    running = RunningScore(bleu, [[MAX - 1] * 10, [1] * 10])
    before = state(running)
    with pytest.raises(ValueError, match=r"rows\[0\]\[0\]: expected a total"):
        running.replace_many([1, 0], [[2] * 10, [0] * 10])
    assert state(running) == before
    assert running.replace_many([0, 1], [[0] * 10, [2] * 10]) == rebuilt(bleu, [[2] * 10])


# Bad input: a precise error, and nothing has changed

GOOD = [9, 9, 8, 7, 6, 5, 9, 8, 7, 6]
SHORT = GOOD[:9]


def with_count(value: Any, column: int = 3) -> list[Any]:
    return [*GOOD[:column], value, *GOOD[column + 1 :]]


BAD_ROWS = [
    (SHORT, ValueError, r"new: expected 10 counts, got 9"),
    ([*GOOD, 1], ValueError, r"new: expected 10 counts, got 11"),
    ([], ValueError, r"new: expected 10 counts, got 0"),
    (np.array(SHORT), ValueError, r"new: expected 10 counts, got 9"),
    (np.array([GOOD]), ValueError, r"new: expected 10 counts, got an array of shape \(1, 10\)"),
    ([GOOD], ValueError, r"new: expected 10 counts, got an array of shape \(1, 10\)"),
    (with_count(-1), ValueError, r"new\[3\]: expected a count, got -1"),
    (np.array(with_count(-7)), ValueError, r"new\[3\]: expected a count, got -7"),
    (np.array(with_count(-7), np.int32), ValueError, r"new\[3\]: expected a count, got -7"),
    (np.array(with_count(-7), np.int8), ValueError, r"new\[3\]: expected a count, got -7"),
    (with_count(-(2**63)), ValueError, r"new\[3\]: expected a count, got -9223372036854775808"),
    (with_count(-(2**70)), ValueError, r"new\[3\]: expected a count, got -1180591620717411303424"),
    (with_count(MAX + 1), ValueError, r"new\[3\]: expected at most 2\*\*60, got 11529215046068469"),
    (with_count(2**63), ValueError, r"new\[3\]: expected at most 2\*\*60, got 9223372036854775808"),
    (with_count(2**70), ValueError, r"new\[3\]: expected at most 2\*\*60, got 1180591620717411303"),
    (np.array(with_count(2**64 - 1), np.uint64), ValueError, r"new\[3\]: expected at most 2\*\*60"),
    (with_count(2.0), TypeError, r"new\[3\]: expected an integer, got float"),
    (with_count("2"), TypeError, r"new\[3\]: expected an integer, got str"),
    (with_count(None), TypeError, r"new\[3\]: expected an integer, got NoneType"),
    (np.array(GOOD, np.float64), TypeError, r"new: expected integers, got float64"),
    (np.array(GOOD, np.float32), TypeError, r"new: expected integers, got float32"),
    (array.array("d", GOOD), TypeError, r"new: expected integers, got float64"),
    (np.array(GOOD, bool), TypeError, r"new: expected integers, got bool"),
    (np.array(GOOD, "M8[s]"), TypeError, r"new: expected integers, got datetime64"),
    (bytes(80), TypeError, r"new: expected an array of integers, got bytes"),
    (None, TypeError, r"new: expected an array of integers, got NoneType"),
    (3, TypeError, r"new: expected an array of integers, got int"),
    (iter(GOOD), TypeError, r"new: expected an array of integers, got list_iterator"),
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
    ([GOOD, SHORT], ValueError, r"rows\[1\]: expected 10 counts, got 9"),
    ([GOOD, []], ValueError, r"rows\[1\]: expected 10 counts, got 0"),
    (GOOD, ValueError, r"rows: expected shape \(m, 10\), got \(10,\)"),
    (np.array(GOOD), ValueError, r"rows: expected shape \(m, 10\), got \(10,\)"),
    (np.array([SHORT]), ValueError, r"rows: expected shape \(m, 10\), got \(1, 9\)"),
    (np.array([[GOOD]]), ValueError, r"rows: expected shape \(m, 10\), got \(1, 1, 10\)"),
    (np.empty((0, 9), np.int64), ValueError, r"rows: expected shape \(m, 10\), got \(0, 9\)"),
    ([GOOD, with_count(-1)], ValueError, r"rows\[1\]\[3\]: expected a count, got -1"),
    (np.array([GOOD, with_count(-1, 9)]), ValueError, r"rows\[1\]\[9\]: expected a count, got -1"),
    (np.array([with_count(-1, 0), GOOD], np.int32), ValueError, r"rows\[0\]\[0\]: expected a coun"),
    ([GOOD, with_count(MAX + 1)], ValueError, r"rows\[1\]\[3\]: expected at most 2\*\*60, got 115"),
    ([GOOD, with_count(2**64)], ValueError, r"rows\[1\]\[3\]: expected at most 2\*\*60, got 18446"),
    (np.array([GOOD, with_count(2**63)], np.uint64), ValueError, r"rows\[1\]\[3\]: expected at mo"),
    ([GOOD, with_count(0.5)], TypeError, r"rows\[1\]\[3\]: expected an integer, got float"),
    (np.array([GOOD, GOOD]) + 0.5, TypeError, r"rows: expected integers, got float64"),
    (None, TypeError, r"rows: expected an array of integers, got NoneType"),
    ("rows", TypeError, r"rows: expected an array of integers, got str"),
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
        with pytest.raises(ValueError, match=rf"rows\[{where}\]\[7\]: expected a count, got -3"):
            call()


@pytest.mark.parametrize(
    ("index", "error", "message"),
    [
        (3, IndexError, r"i: expected one of 3 segments, got 3"),
        (-4, IndexError, r"i: expected one of 3 segments, got -4"),
        (2**100, IndexError, r"cannot fit 'int'"),
        (1.0, TypeError, r"'float' object cannot be interpreted as an integer"),
        (None, TypeError, r"'NoneType' object cannot be interpreted as an integer"),
    ],
)
def test_bad_index(running: RunningScore, index: Any, error: type[Exception], message: str) -> None:
    before = state(running)
    for call in (
        lambda: running.replace(index, GOOD),
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
        ([0, 3], IndexError, r"indices\[1\]: expected one of 3 segments, got 3"),
        (np.array([-4, 0]), IndexError, r"indices\[0\]: expected one of 3 segments, got -4"),
        ([0], ValueError, r"rows: expected 1, one an index, got 2"),
        ([], ValueError, r"rows: expected 0, one an index, got 2"),
        ([[0, 1]], ValueError, r"indices: expected one dimension, got shape \(1, 2\)"),
        ([0, 1.0], TypeError, r"indices\[1\]: expected an integer, got float"),
        (np.array([0.0, 1.0]), TypeError, r"indices: expected integers, got float64"),
        (0, TypeError, r"indices: expected an array of integers, got int"),
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
    """An error in the midst takes back what was replaced before it, repetitions too."""
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
        ([0, 1, 2], ValueError, r"offsets: expected 4, one more than segments, got 3"),
        ([0, 1, 1, 1, 2], ValueError, r"offsets: expected 4, one more than segments, got 5"),
        ([1, 1, 2, 2], ValueError, r"offsets\[0\]: expected 0, got 1"),
        ([-1, 1, 2, 2], ValueError, r"offsets\[0\]: expected 0, got -1"),
        ([0, 2, 1, 2], ValueError, r"offsets\[2\]: expected at least 2, got 1"),
        ([0, 1, 2, 3], ValueError, r"offsets\[3\]: expected 2, as many as rows, got 3"),
        ([0, 1, 1, 1], ValueError, r"offsets\[3\]: expected 2, as many as rows, got 1"),
        ([0, 9, 9, 2], ValueError, r"offsets\[3\]: expected at least 9, got 2"),
        (np.array([0, 1, 2, 2.0]), TypeError, r"offsets: expected integers, got float64"),
        ([[0, 1, 2, 2]], ValueError, r"offsets: expected one dimension, got shape \(1, 4\)"),
        (None, TypeError, r"offsets: expected an array of integers, got NoneType"),
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
    with pytest.raises(ValueError, match="rows: expected at least one alternative, got none"):
        running.best_of(0, [])


@pytest.mark.parametrize("metric", [None, "BLEU", BLEU, object()])
def test_bad_metric(metric: Any) -> None:
    with pytest.raises(TypeError, match="metric: expected a metric, got "):
        RunningScore(metric, [GOOD])


def test_bad_references(bleu: BLEU) -> None:
    references = bleu.prepare([["a", "b"]])
    with pytest.raises(TypeError, match="references: expected References, which a"):
        RunningScore(bleu, [GOOD], [["a"]])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="references: expected 1, as many as rows, got 2"):
        RunningScore(bleu, [GOOD], references)
    with pytest.raises(ValueError, match="segments: expected 1, as many as rows, got 2"):
        RunningScore(bleu, [GOOD], references, [0, 1])
    with pytest.raises(ValueError, match=r"segments\[1\]: expected one of 2 segments, or -1, got "):
        RunningScore(bleu, [GOOD] * 2, references, [1, 2])
    with pytest.raises(ValueError, match=r"segments\[0\]: expected one of 0 segments, or -1, got "):
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
        with pytest.raises(ValueError, match="references: expected References for hypotheses, got"):
            call()
    with pytest.raises(TypeError, match="rows: expected rows of counts, got hypotheses"):
        running.score_if_all(["a b"], [0, 1, 1, 1])
    with pytest.raises(TypeError, match="rows: expected rows of counts, got hypotheses"):
        RunningScore(running.metric, ["a b"])
    with pytest.raises(TypeError, match="new: expected a row of counts for a new segment, got a "):
        running.append("a b")
    assert state(running) == before


# Hypotheses

HYPS, REFS = random_corpus(Random("running"), 12, kind="ascii", n_refs=2)
OTHERS, _ = random_corpus(Random("others"), 12, kind="ascii", n_refs=1)


def with_references(metric: BLEU) -> RunningScore:
    return RunningScore(metric, metric.segment_stats(HYPS, REFS), metric.prepare(REFS))


@pytest.mark.parametrize("tokens", [False, True])
def test_hypotheses(tokens: bool) -> None:
    metric = BLEU(tokenize="none")
    split = (lambda text: text.split()) if tokens else (lambda text: text)
    refs = [[split(text) for text in stream] for stream in REFS]
    hyps = [split(text) for text in HYPS]
    references = metric.prepare(refs)
    running = RunningScore(metric, metric.segment_stats(hyps, refs), references)
    assert running.score == metric.corpus_score(hyps, refs).score
    segments = list(range(len(hyps)))
    rng = Random(7)
    for _ in range(60):
        i = rng.randrange(-len(hyps), len(hyps))
        new = [split(text) for text in rng.sample([*OTHERS, *HYPS], 3)]
        expected = []
        for text in new:
            changed = list(hyps)
            changed[i] = text
            here = [[stream[s] for s in segments] for stream in refs]
            expected.append(metric.corpus_score(changed, here).score)
        assert running.score_if(i, new).tolist() == expected
        best = max(range(3), key=lambda k: expected[k])
        assert running.best_of(i, tuple(new)) == (best, expected[best])
        operation = rng.randrange(4)
        if operation == 0 and len(hyps) > 2:
            running.remove(i)
            del hyps[i], segments[i]
        elif operation == 1:
            assert running.replace_many([i, i], new[:2]) == expected[1]
            hyps[i] = new[1]
        else:
            assert running.replace(i, new[0]) == expected[0]
            hyps[i] = new[0]
        assert running.segments.tolist() == segments
        running = rng.choice([running, running.copy(), pickle.loads(pickle.dumps(running))])
        metric = running.metric


def test_empty_hypotheses() -> None:
    metric = BLEU(tokenize="none")
    running = with_references(metric)
    changed = ["", *HYPS[1:]]
    assert running.replace(0, "") == metric.corpus_score(changed, REFS).score
    refs = [[text.split() for text in stream] for stream in REFS]
    hyps = [text.split() for text in HYPS]
    running = RunningScore(metric, metric.segment_stats(hyps, refs), metric.prepare(refs))
    expected = metric.corpus_score([[], *hyps[1:]], refs).score
    assert running.score_if(0, [["a"], []])[1] == expected
    assert running.replace(0, []) == expected


def test_hypotheses_of_several_segments(bleu: BLEU) -> None:
    running = with_references(bleu)
    for indices in ([3, 0, -1, 3], np.array([3, 0, -1, 3]), (3, 0, 11, 3)):
        changed = list(HYPS)
        for i, text in zip(indices, OTHERS[:4], strict=True):
            changed[i] = text
        expected = bleu.corpus_score(changed, REFS).score
        assert running.copy().replace_many(indices, OTHERS[:4]) == expected
        assert running.copy().replace_many(indices, np.array(OTHERS[:4], object)) == expected
    before = state(running)
    with pytest.raises(IndexError, match="expected one of 12 segments, got 12"):
        running.replace_many([0, 12], OTHERS[:2])
    with pytest.raises(ValueError, match="rows: expected 2, one an index, got 3"):
        running.replace_many([0, 1], OTHERS[:3])
    assert state(running) == before


def test_segment_without_references(bleu: BLEU) -> None:
    running = with_references(bleu)
    running.append(GOOD)
    before = state(running)
    assert before[3] == [*range(12), -1]
    for call in (
        lambda: running.replace(12, "a b"),
        lambda: running.score_if(-1, ["a b"]),
        lambda: running.replace_many([0, 12], ["a b", "c"]),
    ):
        with pytest.raises(ValueError, match=r"segment (12|-1): expected a row of counts; it has"):
            call()
    assert state(running) == before
    running.replace(12, GOOD)


def test_segments_moved_while_arguments_are_read(bleu: BLEU) -> None:
    """A hypothesis must not become the row of a segment that is another one by now."""

    class Moving(BLEU):
        def nbest_stats(self, *args: Any, **options: Any) -> Any:
            running.remove(0)
            return np.array([GOOD])

    metric = Moving()
    running = RunningScore(metric, metric.segment_stats(HYPS, REFS), metric.prepare(REFS))
    for call in (lambda: running.replace(3, "a"), lambda: running.score_if(3, ["a"])):
        with pytest.raises(RuntimeError, match="segments were added or removed while"):
            call()
    assert running.rows.tolist() == metric.segment_stats(HYPS, REFS)[2:].tolist()


class Nasty:
    """An integer whose conversion changes the object that is about to use it."""

    def __init__(self, value: int, running: RunningScore) -> None:
        self.value, self.running = value, running

    def __index__(self) -> int:
        while len(self.running):
            self.running.remove(0)
        return self.value


def test_conversions_that_empty_the_object(bleu: BLEU) -> None:
    rows = random_rows(Random(8), bleu, 40)
    for call in (
        lambda running, nasty: running.replace(nasty, GOOD),
        lambda running, nasty: running.score_if(nasty, [GOOD] * 3),
        lambda running, nasty: running.remove(nasty),
        lambda running, nasty: running.replace_many([nasty, 39], [GOOD, GOOD]),
        lambda running, nasty: running.score_if_all([with_count(nasty)], [0, *[1] * 40]),
        lambda running, nasty: running.replace(39, with_count(nasty)),
    ):
        running = RunningScore(bleu, rows)
        with pytest.raises((IndexError, RuntimeError, ValueError)):
            call(running, Nasty(39, running))
        check(running, bleu, [])


# Copies, pickles, sums


@each_metric
def test_pickle(metric: BLEU) -> None:
    rows = random_rows(Random(2), metric, 5)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        twin = pickle.loads(pickle.dumps(RunningScore(metric, rows), protocol))
        check(twin, metric, rows)
        new = random_row(Random(3), metric)
        assert twin.replace(2, new) == rebuilt(metric, [*rows[:2], new, *rows[3:]])
        assert type(twin) is RunningScore


def test_pickle_with_references(bleu: BLEU) -> None:
    running = with_references(bleu)
    running.remove(3)
    running.append(GOOD)
    twin = pickle.loads(pickle.dumps(running))
    assert state(twin) == state(running)
    assert twin.segments.tolist() == [0, 1, 2, *range(4, 12), -1]
    assert bleu.segment_stats(HYPS, twin.references).tolist() == with_references(bleu).rows.tolist()


@pytest.mark.parametrize(
    "duplicate", [RunningScore.copy, copy.copy, copy.deepcopy], ids=["copy", "shallow", "deep"]
)
def test_copy(bleu: BLEU, duplicate: Any) -> None:
    running = with_references(bleu)
    running.remove(0)
    before = state(running)
    twin = duplicate(running)
    assert state(twin) == before
    twin.append(GOOD)
    twin.replace(0, GOOD)
    twin.remove(1)
    assert state(running) == before
    after = state(twin)
    running.replace(3, [0] * 10)
    assert state(twin) == after
    assert type(twin) is RunningScore


def test_copy_of_nothing(bleu: BLEU) -> None:
    twin = RunningScore(bleu, []).copy()
    check(twin, bleu, [])
    twin.append(GOOD)
    check(twin, bleu, [GOOD])


def test_subclasses_stay(bleu: BLEU) -> None:
    class Mine(RunningScore):
        pass

    mine = Mine(bleu, [GOOD])
    assert type(mine.copy()) is Mine
    assert type(mine + mine) is Mine


def test_sum(bleu: BLEU) -> None:
    a, b = random_rows(Random(1), bleu, 4), random_rows(Random(2), bleu, 3)
    first, second = RunningScore(bleu, a), RunningScore(BLEU(), b)
    both = first + second
    check(both, bleu, a + b)
    both.replace(0, GOOD)
    check(first, bleu, a)
    check(second, bleu, b)
    check(first + pickle.loads(pickle.dumps(second)), bleu, a + b)
    check(first + RunningScore(bleu, []), bleu, a)


def test_sum_keeps_one_set_of_references(bleu: BLEU) -> None:
    one, plain = with_references(bleu), RunningScore(bleu, [GOOD, GOOD])
    every = list(range(12))
    half = one.copy()
    half.remove(0)
    for total, references, segments in (
        (one + plain, one.references, [*every, -1, -1]),
        (plain + one, one.references, [-1, -1, *every]),
        (one + half, one.references, [*every, *every[1:]]),
        (one + with_references(bleu), None, [-1] * 24),
        (plain + plain, None, [-1] * 4),
    ):
        assert total.references is references
        assert total.segments.tolist() == segments


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"smooth_method": "none"}, "smooth_method"),
        ({"max_ngram_order": 3}, "max_ngram_order"),
        ({"effective_order": True}, "effective_order"),
        ({"weights": [0.1, 0.2, 0.3, 0.4]}, "weights"),
        ({"lowercase": True}, "lowercase"),
        ({"ref_len": "shortest", "smooth_value": 1}, "smooth_value, ref_len"),
        ({"tokenize": "char"}, "tokenizer_signature, tokenizer"),
    ],
)
def test_sum_of_other_options(bleu: BLEU, options: Any, names: str) -> None:
    other = BLEU(**options)
    a, b = RunningScore(bleu, [GOOD]), RunningScore(other, [[0] * n_stats(other)])
    with pytest.raises(ValueError, match="metric: expected the same options, got another ") as info:
        a + b
    assert set(str(info.value).split("another ")[1].split(", ")) == set(names.split(", "))
    with pytest.raises(TypeError, match="unsupported operand"):
        a + 3  # type: ignore[operator]


def test_options_that_decide_no_score_may_differ(bleu: BLEU) -> None:
    other = BLEU(force=True, threads=2, references=[["a b c d"]])
    other.corpus_score(["a b c d"])
    check(RunningScore(bleu, [GOOD]) + RunningScore(other, [GOOD]), bleu, [GOOD, GOOD])


def test_repr(bleu: BLEU) -> None:
    assert repr(RunningScore(bleu, [])) == "<RunningScore of 0 segments, BLEU = 0.00>"
    assert repr(RunningScore(bleu, [GOOD])) == "<RunningScore of 1 segments, BLEU = 86.33>"


# Buffers and memory are given back


def test_buffers_are_released(running: RunningScore) -> None:
    for values, error in ((GOOD, None), (SHORT, ValueError), (with_count(-1), ValueError)):
        row = array.array("q", values)
        for call in (lambda row: running.replace(0, row), running.append):
            try:
                call(row)
            except ValueError:
                assert error
            else:
                assert error is None
            row.append(1)  # raises while the buffer is held
            row.pop()
    many = array.array("q", GOOD * 2)
    where = array.array("q", [0, 7])
    rows = memoryview(many).cast("B").cast("q", (2, 10))
    for indices in (array.array("q", [0, 1]), where):
        try:
            running.replace_many(indices, rows)
        except IndexError:
            assert indices is where
        indices.append(1)
    running.score_if(0, rows)
    n = len(running)
    for end in (2, 3):
        offsets = array.array("q", [0] * n + [end])
        try:
            running.score_if_all(rows, offsets)
        except ValueError:
            assert end == 3
        offsets.append(1)
    rows.release()
    many.append(1)


def test_no_memory_is_lost(running: RunningScore) -> None:
    tracemalloc = pytest.importorskip("tracemalloc")
    rows = np.array([GOOD] * 30)
    bad = rows.copy()
    bad[29, 3] = -1
    offsets = [0, 10, 20, 30]

    def work() -> None:
        twin = running.copy()
        twin.append(GOOD)
        twin.remove(0)
        twin.replace(0, GOOD)
        twin.replace_many([0, 1] * 15, rows)
        twin.score_if(0, rows)
        twin.score_if_all(rows, offsets)
        assert twin + twin
        for call in (
            lambda: twin.replace(0, bad[29]),
            lambda: twin.append(bad[29]),
            lambda: twin.replace_many([0, 1] * 15, bad),
            lambda: twin.score_if(0, bad),
            lambda: twin.score_if_all(bad, offsets),
            lambda: twin.score_if_all(rows, [0]),
            lambda: RunningScore(twin.metric, bad),
        ):
            with pytest.raises(ValueError, match="expected"):
                call()

    for _ in range(20):
        work()
    tracemalloc.start()
    try:
        work()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(50):
            work()
        assert tracemalloc.get_traced_memory()[0] - before < 20_000
    finally:
        tracemalloc.stop()


# Threads and signals


def in_threads(works: list[Any]) -> None:
    """Run all at once; raise what any of them raises."""
    errors: list[BaseException] = []
    barrier = threading.Barrier(len(works))

    def run(work: Any) -> None:
        barrier.wait()
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@pytest.fixture
def _hasty() -> Any:
    """Threads take turns often."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("_hasty")
def test_threads_with_copies_of_one(bleu: BLEU) -> None:
    running = with_references(bleu)
    rows = np.array(random_rows(Random(1), bleu, 6000))
    expected = running.score_if(3, rows).tolist()

    def work() -> None:
        mine = running.copy()
        for k in range(40):
            assert mine.score_if(3, rows).tolist() == expected
            assert [mine.replace(3, row) for row in rows[k : k + 50]] == expected[k : k + 50]

    in_threads([work] * 8)


@pytest.mark.usefixtures("_hasty")
def test_threads_read_while_one_changes(bleu: BLEU) -> None:
    """Every result belongs to one of the two states, whole."""
    rng = Random(6)
    rows = random_rows(rng, bleu, 30)
    a, b = random_rows(rng, bleu, 2)
    alternatives = np.array(random_rows(rng, bleu, 9000))
    offsets = np.arange(31) * 300
    running = RunningScore(bleu, rows)
    states = []
    for row in (a, b):
        running.replace(5, row)
        states.append((running.score_if_all(alternatives, offsets).tolist(), running.score,
                       running.stats.tolist(), running.rows.tolist()))  # fmt: skip
    done = threading.Event()

    def change() -> None:
        try:
            for _ in range(200):
                for row in (a, b):
                    assert running.replace(5, row) in (states[0][1], states[1][1])
                    time.sleep(0)
        finally:
            done.set()

    def read() -> None:
        while not done.is_set():
            assert running.score_if_all(alternatives, offsets).tolist() in [s[0] for s in states]
            assert running.score_if(7, alternatives[2100:2400]).tolist() in [
                s[0][2100:2400] for s in states
            ]
            assert running.score in (states[0][1], states[1][1])
            assert running.stats.tolist() in (states[0][2], states[1][2])
            assert running.rows.tolist() in (states[0][3], states[1][3])

    in_threads([change, read, read, read])


@pytest.mark.usefixtures("_hasty")
def test_threads_read_while_one_grows_and_shrinks(bleu: BLEU) -> None:
    rng = Random(7)
    running = RunningScore(bleu, random_rows(rng, bleu, 3))
    new = np.array(random_rows(rng, bleu, 5000))
    done = threading.Event()

    def change() -> None:
        try:
            for _ in range(20):
                for row in new[:200]:
                    running.append(row)
                for _ in range(200):
                    running.remove(0)
        finally:
            done.set()

    def read() -> None:
        while not done.is_set():
            rows = running.rows
            assert RunningScore(bleu, rows).rows.shape == rows.shape
            assert len(running.copy()) >= 3
            assert len(pickle.loads(pickle.dumps(running)) + running) >= 6
            assert np.isfinite(running.score_if(0, new)).all()
            offsets = [0] * len(running) + [len(new)]
            try:
                assert np.isfinite(running.score_if_all(new, offsets)).all()
            except ValueError as error:
                assert "one more than segments" in str(error)
            assert len(running.segments) >= 3

    in_threads([change, read, read])


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="POSIX signals")
def test_signals_end_a_long_call() -> None:
    metric = BLEU(max_ngram_order=1)
    running = RunningScore(metric, [[3, 3, 2, 3]])
    rows = np.full((6_000_000, 4), 2, np.int32)
    times = []
    for _ in range(3):
        start = time.perf_counter()
        running.score_if(0, rows)
        times.append(time.perf_counter() - start)
    whole = min(times)

    def handler(*_: Any) -> None:
        raise InterruptedError

    previous = signal.signal(signal.SIGALRM, handler)
    before = state(running)
    try:
        start = time.perf_counter()
        signal.setitimer(signal.ITIMER_REAL, whole / 20)
        with pytest.raises(InterruptedError):
            running.score_if(0, rows)
        assert time.perf_counter() - start < whole / 2
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert state(running) == before


# Changes of very many rows, which are made in a copy between polls for signals

MANY = 1_200_000
UNIGRAMS = BLEU(max_ngram_order=1)


def of_many(count: int) -> RunningScore:
    return RunningScore(UNIGRAMS, np.full((MANY, 4), count, np.int32))


def whole(running: RunningScore) -> Any:
    """What a running score says, in a form that is compared quickly."""
    return running.score, running.stats.tolist(), running.rows.tobytes(), len(running)


@contextmanager
def at_tick(fatal: int, action: Any) -> Iterator[list[int]]:
    """Do something at a certain signal; the list gets an item for each one seen.

    Signals come after some processor time, so however busy the machine is the action comes in the
    midst of a long call.
    """
    seen: list[int] = []

    def handler(*_: Any) -> None:
        seen.append(1)
        if len(seen) == fatal:
            action()

    before = signal.signal(signal.SIGPROF, handler)
    signal.setitimer(signal.ITIMER_PROF, 0.002, 0.002)
    try:
        yield seen
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


with_signals = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="POSIX signals")


@with_signals
@pytest.mark.parametrize("fatal", [1, 2, 3])
def test_signals_end_the_change_of_many_rows(fatal: int) -> None:
    """Signals come throughout; when one raises, nothing has changed."""
    running = of_many(2)
    before = whole(running)
    rows, indices = np.full((MANY, 4), 1), np.arange(MANY)

    def fail() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError), at_tick(fatal, fail) as seen:
        running.replace_many(indices, rows)
    assert len(seen) >= fatal
    assert whole(running) == before
    running.replace_many(indices, rows)
    assert whole(running) == whole(of_many(1))


@with_signals
@pytest.mark.parametrize("fatal", [1, 2, 3])
def test_handlers_that_change_a_row(fatal: int) -> None:
    """A change that is made meanwhile comes first; what is read has all of a change or nothing."""
    running = of_many(2)
    indices, rows = np.arange(1, MANY), np.full((MANY - 1, 4), 1)
    with at_tick(fatal, lambda: running.replace(0, [3] * 4)):
        running.replace_many(indices, rows)
    expected = of_many(1)
    expected.replace(0, [3] * 4)
    assert whole(running) == whole(expected)
    ends = [0, -1]
    for i, read in enumerate((lambda: running.copy().rows, lambda: running.rows)):
        before, after = running.rows[ends].tolist(), [[5 + i] * 4] * 2
        with at_tick(fatal, lambda rows=after: running.replace_many(ends, rows)):
            assert read()[ends].tolist() in (before, after)


@with_signals
def test_handlers_that_move_segments() -> None:
    for n in (-1, 1):
        running = of_many(2)

        def change(running: RunningScore = running, n: int = n) -> None:
            if n < 0:
                running.remove(0)
            else:
                running.append([2] * 4)

        indices, rows = np.arange(MANY), np.full((MANY, 4), 1)
        message = "segments were added or removed during this call"
        with pytest.raises(RuntimeError, match=message), at_tick(2, change):
            running.replace_many(indices, rows)
        assert len(running) == MANY + n
        assert running.stats.tolist() == [2 * (MANY + n)] * 4
        with at_tick(2, change):
            rows = running.rows
        assert len(rows) in (MANY + n, MANY + 2 * n)
        assert (rows == 2).all()


@pytest.mark.parametrize("where", [0, 300_000, MANY - 1])
def test_all_or_none_of_many_rows(where: int) -> None:
    running = of_many(2)
    before = whole(running)
    rows, indices = np.full((MANY, 4), 1), np.arange(MANY)
    rows[where, 3] = -1
    with pytest.raises(ValueError, match=rf"rows\[{where}\]\[3\]: expected a count, got -1"):
        running.replace_many(indices, rows)
    rows[where, 3], indices[where] = 1, MANY
    with pytest.raises(IndexError, match=rf"indices\[{where}\]: expected one of {MANY} segments"):
        running.replace_many(indices, rows)
    assert whole(running) == before
    indices[where] = -1  # the last row is that of another place then, or a repeated one
    rows[where], rows[-1] = 3, 0
    rows[where, 2] = 0
    running.replace_many(indices, rows)
    assert (len(running), running.rows[-1].tolist()) == (MANY, rows[-1].tolist())
    assert running.stats.tolist() == running.rows.sum(axis=0).tolist()
    running.append([2] * 4)
    running.remove(0)
    assert running.stats.tolist() == running.rows.sum(axis=0).tolist()


@pytest.mark.slow
@pytest.mark.usefixtures("_hasty")
def test_threads_read_while_many_rows_change() -> None:
    running = of_many(2)
    indices = np.arange(MANY)
    states = {2: [2 * MANY] * 4, 1: [MANY] * 4}
    done = threading.Event()
    turns: list[int] = []

    def change() -> None:
        try:
            for count in (1, 2) * 2:
                running.replace_many(indices, np.full((MANY, 4), count))
                turns.append(count)
        finally:
            done.set()

    def read() -> None:
        while not done.is_set():
            assert running.stats.tolist() in states.values()
            copied = running.copy()
            count = int(copied.rows[0, 0])
            assert copied.stats.tolist() == states[count]
            assert (copied.rows == count).all()

    def write() -> None:
        while not done.is_set():
            turns.append(0)
            running.replace(5, running.rows[5])
            time.sleep(0.02)

    in_threads([change, read])
    done.clear()
    in_threads([change, write])
    assert running.stats.tolist() == running.rows.sum(axis=0).tolist()
