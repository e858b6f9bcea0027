"""RunningScore: copies, pickles, sums, and memory that is released."""

import array
import copy
import pickle
from random import Random
from typing import Any

import pytest

from rapidbleu import BLEU
from rapidbleu.running import RunningScore
from support.running_scores import (
    GOOD,
    HYPS,
    SHORT,
    check,
    each_metric,
    n_stats,
    random_row,
    random_rows,
    rebuilt,
    state,
    with_count,
    with_references,
)


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
        ({"tokenize": "char"}, "tokenize"),
    ],
)
def test_sum_of_other_options(bleu: BLEU, options: Any, names: str) -> None:
    other = BLEU(**options)
    a, b = RunningScore(bleu, [GOOD]), RunningScore(other, [[0] * n_stats(other)])
    with pytest.raises(ValueError, match="metric: expected the same options; got another ") as info:
        a + b
    assert set(str(info.value).split("another ")[1].split(", ")) == set(names.split(", "))
    with pytest.raises(TypeError, match="unsupported operand"):
        a + 3  # type: ignore[operator]


def test_options_that_decide_no_score_may_differ(bleu: BLEU) -> None:
    other = BLEU(force=True, references=[["a b c d"]])
    other.corpus_score(["a b c d"])
    check(RunningScore(bleu, [GOOD]) + RunningScore(other, [GOOD]), bleu, [GOOD, GOOD])


def test_repr(bleu: BLEU) -> None:
    assert repr(RunningScore(bleu, [])) == "<RunningScore of 0 segments, BLEU = 0.00>"
    assert repr(RunningScore(bleu, [GOOD])) == "<RunningScore of 1 segments, BLEU = 86.33>"


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
