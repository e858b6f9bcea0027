"""RunningScore: after every change it equals a rebuild from Python integers, with ==."""

import array
import pickle
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rapidbleu import BLEU
from rapidbleu.running import RunningScore
from support.running_scores import (
    MAX,
    METRICS,
    check,
    each_metric,
    n_stats,
    random_row,
    random_rows,
    rebuilt,
    state,
)


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
    """Return a row of BLEU with at most as many matches as n-grams."""
    half = len(row) // 2 - 1
    return [*row[:2], *map(min, row[2 : 2 + half], row[2 + half :]), *row[2 + half :]]


@given(st.data())
def test_any_small_counts(data: st.DataObject) -> None:
    metric = data.draw(st.sampled_from(METRICS))
    k = n_stats(metric)
    some, one = st.integers(0, 5), st.integers(1, 5)  # no matches without n-grams
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
    """Many alternatives release the GIL; even more also poll for signals."""
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
    parts = [running.score_if(i, alternatives[a:b]) for i, (a, b) in enumerate(pairwise(offsets))]
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


def unaligned(array: Any) -> Any:
    """Return a copy that starts at an odd byte."""
    memory = np.frombuffer(bytearray(b"." + array.tobytes()), np.uint8)
    return memory[1:].view(array.dtype).reshape(array.shape)


class Rows(np.ndarray):
    """Arrays of another type."""


def forms(row: list[int]) -> list[Any]:
    wide = np.array(row, np.int64)
    read_only = wide.copy()
    read_only.flags.writeable = False
    strided = np.repeat(wide, 2)[::2]
    assert not strided.flags.c_contiguous
    return [
        row,
        tuple(row),
        wide,
        wide.astype(np.int32),
        read_only,
        strided,
        wide[::-1].copy()[::-1],
        wide.astype(np.int16),
        wide.astype(np.uint8),
        wide.astype(np.uint64),
        wide.astype(">i8"),
        wide.astype(">i4"),
        wide.astype(object),
        list(wide),
        wide.astype(np.longlong),
        wide.view(Rows),
        pickle.loads(pickle.dumps(wide)),
        np.array([row, row])[1],
        np.array(row * 3)[10:-10],
        array.array("q", row),
        array.array("i", row),
        array.array("H", row),
        memoryview(wide),
        unaligned(wide),
        [True if count == 1 else count for count in row],
    ]


@pytest.mark.parametrize(
    "new", [[21, 25, 17, 11, 6, 1, 21, 20, 19, 18], [5, 0, 0, 0, 0, 0, 5, 4, 3, 2]]
)
def test_every_form_of_a_row(bleu: BLEU, new: list[int]) -> None:
    rows = random_rows(Random(3), bleu, 3)
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
        rows,
        tuple(map(tuple, rows)),
        wide,
        wide.astype(np.int32),
        read_only,
        np.asfortranarray(wide),
        np.repeat(wide, 2, axis=0)[::2],
        wide[:, ::-1].copy()[:, ::-1],
        wide.astype(np.uint64),
        wide.astype(np.int8),
        wide.astype(">i8"),
        wide.astype(object),
        list(wide),
        memoryview(array.array("q", wide.ravel())).cast("B").cast("q", wide.shape),
        unaligned(wide),
    ]
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
    running = RunningScore(bleu, [[MAX - 1] * 10, [1] * 10])
    before = state(running)
    with pytest.raises(ValueError, match=r"rows\[0\]\[0\]: expected a total"):
        running.replace_many([1, 0], [[2] * 10, [0] * 10])
    assert state(running) == before
    assert running.replace_many([0, 1], [[0] * 10, [2] * 10]) == rebuilt(bleu, [[2] * 10])
