"""RunningScore with hypotheses in place of rows."""

import pickle
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU
from rapidbleu.running import RunningScore
from support.running_scores import (
    GOOD,
    HYPS,
    OTHERS,
    REFS,
    check,
    random_rows,
    state,
    with_count,
    with_references,
)


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
    with pytest.raises(IndexError, match="expected one of 12 segments; got 12"):
        running.replace_many([0, 12], OTHERS[:2])
    with pytest.raises(ValueError, match="rows: expected 2, one an index; got 3"):
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
    """A hypothesis must not become the row of a segment that meanwhile is another one."""

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


SIZES = [1, 9, 1_000_000]


class Resizing:
    """An integer whose conversion resizes an array that the call is about to read."""

    def __init__(self, array: Any, size: int) -> None:
        self.array, self.size = array, size

    def __index__(self) -> int:
        self.array.resize(self.size, refcheck=False)
        return 1


@pytest.mark.parametrize("size", SIZES)
def test_conversions_that_resize_the_row(bleu: BLEU, size: int) -> None:
    rows = random_rows(Random(9), bleu, 3)
    running = RunningScore(bleu, rows)
    row = np.array(GOOD)
    with pytest.raises(ValueError, match=f"new: expected 10 counts; got {size}"):
        running.replace(Resizing(row, size), row)
    check(running, bleu, rows)


@pytest.mark.parametrize("size", SIZES)
def test_conversions_that_resize_the_alternatives(bleu: BLEU, size: int) -> None:
    rows = random_rows(Random(9), bleu, 3)
    running = RunningScore(bleu, rows)
    for call in (running.score_if, running.best_of):
        alternatives = np.array([GOOD] * 50)
        with pytest.raises(ValueError, match=r"rows: expected shape \(m, 10\); got"):
            call(Resizing(alternatives, size), alternatives)
    given = np.array([GOOD] * 50)
    with pytest.raises(ValueError, match=r"rows: expected shape \(m, 10\); got"):
        running.replace_many([Resizing(given, size), *[0] * 49], given)
    check(running, bleu, rows)


@pytest.mark.parametrize("size", SIZES)
def test_conversions_that_resize_integers(bleu: BLEU, size: int) -> None:
    rows = random_rows(Random(9), bleu, 3)
    running = RunningScore(bleu, rows)
    indices = np.array([0, 1, 2])
    with pytest.raises(ValueError, match=f"rows: expected {size}, one an index; got 3"):
        running.replace_many(indices, [with_count(Resizing(indices, size)), GOOD, GOOD])
    offsets = np.array([0, 1, 1, 1])
    with pytest.raises(ValueError, match=f"offsets: expected 4, .* got {size}"):
        running.score_if_all([with_count(Resizing(offsets, size))], offsets)
    check(running, bleu, rows)
