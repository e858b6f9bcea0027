"""RunningScore in threads, and signals that come in the midst of a call."""

import pickle
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
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
