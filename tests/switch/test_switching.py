"""Switches that threads, forks and signal handlers enter and leave in any order."""

import importlib
import inspect
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import jiwer
import pytest
import sacrebleu
from nltk.translate import bleu_score, gleu_score
from rouge_score import rouge_scorer

from rapidbleu import switch
from rapidbleu._lib import loader
from rapidbleu.switch import PEERS, modules_of, patch
from support.processes import posix_only
from support.served import CALLS, switched_functions

N_ROUNDS = 500
NAMES = ("sacrebleu", "nltk", "rouge_score", "jiwer")


def state() -> list[Any]:
    """Return everything of the libraries that a switch could leave changed."""
    with patch():
        functions = [own.function for own in switched_functions()]
    found: list[Any] = [list(sys.meta_path)]
    for function in functions:
        code = getattr(function, "__code__", None)
        own = dict(getattr(function, "__dict__", {}))
        found.append((id(function), id(code), own, inspect.signature(function)))
    for name in modules_of(NAMES):
        found.append(dict(vars(sys.modules[name])))
    found += [dict(vars(cls)) for cls in (sacrebleu.BLEU, sacrebleu.CHRF, sacrebleu.TER)]
    found.append(dict(vars(rouge_scorer.RougeScorer)))
    return found


def race(work: Callable[[int], None], n_threads: int = 8) -> None:
    errors: list[BaseException] = []
    interval = sys.getswitchinterval()

    def run(i: int) -> None:
        try:
            work(i)
        except BaseException as error:
            errors.append(error)

    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=run, args=(i,)) for i in range(n_threads)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not errors


def test_threads_that_enter_and_leave() -> None:
    calls = [CALLS[name] for name in ("sentence_gleu", "wer", "RougeScorer.score", "chrF")]
    expected = [call() for call in calls]
    before = state()

    def work(i: int) -> None:
        for k in range(N_ROUNDS):
            names = NAMES[(i + k) % 4 :][: k % 3]
            with patch(*names):
                if k % 5 == 0:
                    with patch(NAMES[k % 4]):
                        assert calls[k % 4]() == expected[k % 4]
                if k % 7 == i % 7:
                    assert calls[i % 4]() == expected[i % 4]

    race(work)
    assert state() == before


def test_switches_that_end_in_any_order() -> None:
    before = state()
    switches = [patch(*names) for names in ((), ("nltk",), ("jiwer", "nltk"), ("sacrebleu",))]
    for k in (2, 0, 3, 1):
        code = jiwer.wer.__code__
        assert ("served" in code.co_varnames) == (k in (2, 0))
        switches[k]()
        switches[k]()  # again has no effect
    assert state() == before


def test_a_switch_that_fails_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    before = state()
    put, n = switch.Switched.put, 0

    def interrupted(self: Any, active: bool) -> None:
        nonlocal n
        n += 1
        if n == 5:
            raise KeyboardInterrupt
        put(self, active)

    monkeypatch.setattr(switch.Switched, "put", interrupted)
    with pytest.raises(KeyboardInterrupt):
        patch()
    n = -30
    monkeypatch.undo()
    assert state() == before


@posix_only
def test_handlers_that_switch_within_a_switch() -> None:
    before = state()
    n = 0

    def handler(*_: object) -> None:
        nonlocal n
        with patch("nltk"):
            bleu_score.sentence_bleu([["a", "b", "c", "d"]], ["a", "b", "c", "d"])
            n += 1
        signal.setitimer(signal.ITIMER_REAL, 0.001)

    outer = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    try:
        end = time.monotonic() + 3
        while time.monotonic() < end:
            with patch(), patch("jiwer"):
                jiwer.wer("a b", "a c")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, outer)
    assert n > 50
    assert state() == before


@posix_only
def test_handlers_that_raise_within_a_switch() -> None:
    """The exception may arrive anywhere; then the next switch that ends restores everything."""
    before = state()

    class Ring(Exception):
        pass

    def handler(*_: object) -> None:
        raise Ring

    outer = signal.signal(signal.SIGALRM, handler)
    rings, made = 0, patch()
    try:
        for k in range(400):
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.0001 + 0.00001 * (k % 100))
                while True:
                    made = switch.Switch(())
                    made()
            except Ring:
                rings += 1
                made()
            for left in list(switch._switches):
                left()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, outer)
    assert rings == 400
    assert state() == before


IMPORTS = """
import sys, threading, time
from rapidbleu.switch import patch

sys.setswitchinterval(1e-6)
names = ["nltk.translate.bleu_score", "jiwer", "sacrebleu.significance", "rouge_score.rouge_scorer",
         "nltk.translate.ribes_score", "sacrebleu.metrics.bleu"]

def load(i):
    for name in names[i:] + names[:i]:
        __import__(name)

def switch(i):
    while any(thread.is_alive() for thread in loading):
        with patch(), patch("nltk", "jiwer"):
            time.sleep(0)

loading = [threading.Thread(target=load, args=(i,)) for i in range(4)]
switching = [threading.Thread(target=switch, args=(i,)) for i in range(4)]
for thread in loading + switching:
    thread.start()
for thread in loading + switching:
    thread.join()
from nltk.translate.bleu_score import sentence_bleu
assert "served" not in sentence_bleu.__code__.co_varnames
with patch():
    assert "served" in sentence_bleu.__code__.co_varnames
    import jiwer
    assert "served" in jiwer.wer.__code__.co_varnames
print("done")
"""


def test_no_deadlock_with_imports() -> None:
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", IMPORTS], capture_output=True, encoding="utf-8", timeout=120
        )
        assert (done.stdout, done.stderr) == ("done\n", "")


FORKS = """
import os, sys, threading
from nltk.translate import bleu_score, gleu_score
from rapidbleu.switch import patch

sys.setswitchinterval(1e-6)
stop = False

def switch():
    while not stop:
        with patch("nltk"):
            gleu_score.sentence_gleu([["a"]], ["a"])

threads = [threading.Thread(target=switch) for _ in range(3)]
for thread in threads:
    thread.start()
failures = 0
for _ in range(10):
    pid = os.fork()
    if not pid:
        with patch("nltk"):
            score = bleu_score.sentence_bleu([["a", "b", "c", "d"]], ["a", "b", "c", "d"])
        os._exit(score != 1.0)
    failures += os.waitpid(pid, 0)[1] != 0
stop = True
for thread in threads:
    thread.join()
assert "served" not in bleu_score.sentence_bleu.__code__.co_varnames
print(failures)
"""


@posix_only
def test_children_of_threads_that_switch() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKS],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    assert (done.stdout, done.stderr) == ("0\n", "")


@posix_only
def test_the_lock_is_free_in_a_child() -> None:
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with switch._lock:
            held.set()
            release.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    pid = os.fork()
    if not pid:
        with patch("nltk"):
            os._exit("served" not in bleu_score.sentence_bleu.__code__.co_varnames)
    release.set()
    thread.join()
    assert os.waitpid(pid, 0)[1] == 0


def test_no_lock_is_held_while_something_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Import locks and the lock of the switch would otherwise wait for each other.

    The lock of the loader is held, so that a fork waits for the import.
    """
    loads = []

    class Watching:
        def find_spec(self, name: str, *_: object) -> None:
            loads.append((name, switch._lock._is_owned(), loader._lock._is_owned()))

    monkeypatch.setattr(switch, "_groups", {})
    monkeypatch.setattr(switch, "_finder", None)
    for name in ("rapidbleu.switch.answers", "rapidbleu.assets.sitecustomize", "rapidbleu.nltk"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(sys, "meta_path", [Watching(), *sys.meta_path])
    with patch(*PEERS[:2]):
        importlib.reload(gleu_score)
        bleu_score.sentence_bleu([["a", "b", "c", "d"]], ["a", "b", "c", "d"])
    assert loads and not any(owned for _, owned, _ in loads)
    assert [name for name, _, awaited in loads if not awaited] == ["nltk.translate.gleu_score"]
