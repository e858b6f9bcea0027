"""RunningScore in threads, and signals during a call."""

import signal
import sys
import threading
import time
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU
from rapidbleu.running import RunningScore
from support.running_scores import (
    random_rows,
    state,
)


def in_threads(works: list[Any]) -> None:
    """Run all at once; raise any exception of theirs."""
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
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("_hasty")
def test_threads_read_while_one_changes(bleu: BLEU) -> None:
    rng = Random(6)
    rows = random_rows(rng, bleu, 30)
    a, b = random_rows(rng, bleu, 2)
    alternatives = np.array(random_rows(rng, bleu, 9000))
    offsets = np.arange(31) * 300
    running = RunningScore(bleu, rows)
    states = []
    for row in (a, b):
        running.replace(5, row)
        states.append(
            (
                running.score_if_all(alternatives, offsets).tolist(),
                running.score,
                running.stats.tolist(),
                running.rows.tolist(),
            )
        )
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


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="POSIX signals")
def test_signals_end_a_long_call() -> None:
    metric = BLEU(max_ngram_order=1)
    running = RunningScore(metric, [[3, 3, 2, 3]])
    rows = np.full((3_000_000, 4), 2, np.int32)
    start = time.perf_counter()
    running.score_if(0, rows)
    whole = time.perf_counter() - start

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


MANY = 1_200_000
UNIGRAMS = BLEU(max_ngram_order=1)


def of_many(count: int) -> RunningScore:
    return RunningScore(UNIGRAMS, np.full((MANY, 4), count, np.int32))


def whole(running: RunningScore) -> Any:
    """Return the state of a running score in a quickly comparable form."""
    return running.score, running.stats.tolist(), running.rows.tobytes(), len(running)


@pytest.mark.parametrize("where", [0, 300_000, MANY - 1])
def test_all_or_none_of_many_rows(where: int) -> None:
    running = of_many(2)
    before = whole(running)
    rows, indices = np.full((MANY, 4), 1), np.arange(MANY)
    rows[where, 3] = -1
    with pytest.raises(ValueError, match=rf"rows\[{where}\]\[3\]: expected a count; got -1"):
        running.replace_many(indices, rows)
    rows[where, 3], indices[where] = 1, MANY
    with pytest.raises(IndexError, match=rf"indices\[{where}\]: expected one of {MANY} segments"):
        running.replace_many(indices, rows)
    assert whole(running) == before
    indices[where] = -1  # the last row now has another index, or is a repeated one
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
