"""Lazy imports, interrupted by signal handlers and forks."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.peers import need
from support.processes import forks_with_threads, posix_only

pytestmark = posix_only

PROGRAM = Path(__file__).parents[1] / "support" / "programs" / "first_use.py"

# The packages that a user imports, and jobs that load only their modules and NumPy.
PACKAGES = "alignment meta nltk sacrebleu significance tuning"
NEED_NUMPY = (
    "reward",
    "oracle",
    "links",
    "table",
    "stats_table",
    "resampled",
    "compare",
    "significance",
    "correlate",
)
TUNING = "mert", "mira", "pro", "risk", "line_search", "tune", "folds"
OTHERS = (
    "CDER",
    "CER",
    "CIDErD",
    "CharacTER",
    "EED",
    "GLEU",
    "GTM",
    "METEOR",
    "NIST",
    "PER",
    "RIBES",
    "ROUGE",
    "SkipNgramF",
    "WER",
    "WordF",
    "GECGLEU",
    "HTER",
    "WeightedBLEU",
    "explain BLEU",
    "explain CHRF",
    "explain WER",
    "align TER",
    "align WER",
    "align CER",
    "tokenizers",
    "scan",
    "nltk",
    "sacrebleu",
)


def disturb(how: str, every: int, *jobs: str, libraries: str = "") -> str:
    """Return the jobs of `first_use.py` that failed, and where."""
    modules = f"{libraries} " + " ".join(f"rapidbleu.{package}" for package in PACKAGES.split())
    done = subprocess.run(
        [sys.executable, "-W", "ignore", PROGRAM, how, modules, str(every), *jobs],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        timeout=1800,
        check=True,
    )
    return done.stdout


def test_the_loader_imports_all_that_first_uses_import() -> None:
    need("Stemmer")
    assert disturb("list", 1, *OTHERS, *TUNING) == ""


def test_where_numpy_is_loaded_the_loader_imports_the_rest() -> None:
    assert disturb("list", 1, *NEED_NUMPY, libraries="numpy.random") == ""


@pytest.mark.parametrize("how", [pytest.param("fork", marks=forks_with_threads), "signal"])
def test_first_uses_disturbed_at_their_ends(how: str) -> None:
    need("Stemmer")
    assert disturb(how, 10**6, "WER", "METEOR", "explain CHRF", "align TER", "line_search") == ""


@pytest.mark.slow
@pytest.mark.parametrize("how", [pytest.param("fork", marks=forks_with_threads), "signal"])
@pytest.mark.parametrize(("jobs", "every"), [(OTHERS, 4), (TUNING, 60)], ids=["others", "tuning"])
def test_first_uses_disturbed_anywhere(how: str, jobs: tuple[str, ...], every: int) -> None:
    need("Stemmer")
    assert disturb(how, every, *jobs) == ""


# The loader alone, with a module `half` that does `job` in the middle of its import.

START = """
import _thread, os, signal, sys, threading, time
import rapidbleu
from rapidbleu._lib import loader
from rapidbleu._lib.loader import load

def handle(function):
    signal.signal(signal.SIGUSR1, lambda *_: function())

def send():
    os.kill(os.getpid(), signal.SIGUSR1)
    time.sleep(0.05)  # in which the handler begins

def status(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

class job:
    def __new__(cls): pass

signal.alarm(30)
results = []
"""

HALF = "import __main__; first = 1; __main__.job(); last = 2"


def run(folder: Path, program: str) -> str:
    (folder / "half.py").write_text(HALF, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", START + program],
        env={**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout.strip()


def test_a_handler_sees_the_whole_module(tmp_path: Path) -> None:
    program = """
job = send
handle(lambda: results.append(load("half").last))
results.append(load("half").last)
print(*results, threading.current_thread() is threading.main_thread(), threading.active_count())
"""
    assert run(tmp_path, program) == "2 2 True 1"


def test_a_handler_within_a_handler(tmp_path: Path) -> None:
    program = """
job = send
def both():
    results.append("begin")
    if len(results) == 1:
        send()
    results.append(load("half").last)
handle(both)
load("half")
print(*results)
"""
    assert run(tmp_path, program) == "begin begin 2 2"


def test_without_handlers_no_thread_starts(tmp_path: Path) -> None:
    program = """
job = lambda: results.append(_thread.get_ident() == threading.main_thread().ident)
print(load("half", "last"), *results)
"""
    assert run(tmp_path, program) == "2 True"


def test_whole_modules_need_no_thread(tmp_path: Path) -> None:
    program = """
import half
handle(lambda: None)
loader.start_new_thread = loader._import = None
print(load("half").last, load("half", "first"), load("sys") is sys)
"""
    assert run(tmp_path, program) == "2 1 True"


def test_threads_that_are_imported_late(tmp_path: Path) -> None:
    program = """
del sys.modules["threading"]
handle(lambda: None)
job = lambda: __import__("threading")
load("half")
import threading
print(threading.main_thread().ident == _thread.get_ident())
"""
    assert run(tmp_path, program) == "True"


def test_a_handler_that_raises_leaves_the_load_alone(tmp_path: Path) -> None:
    program = """
def job():
    send()
    time.sleep(0.5)
signal.signal(signal.SIGUSR1, signal.default_int_handler)
signal.signal(signal.SIGUSR2, lambda *_: None)
started = time.monotonic()
try:
    load("half")
except KeyboardInterrupt:
    print(time.monotonic() - started < 0.4, hasattr(sys.modules["half"], "last"))
print(load("half").last)
"""
    assert run(tmp_path, program).split() == ["True", "False", "2"]


def test_ctrl_c_without_handlers(tmp_path: Path) -> None:
    program = """
def job():
    if not results:
        results.append(1)
        signal.raise_signal(signal.SIGINT)
try:
    load("half")
except KeyboardInterrupt:
    print("half" in sys.modules, loader._lock._is_owned())
print(load("half").last)
"""
    assert run(tmp_path, program).split() == ["False", "False", "2"]


def test_modules_that_are_not_there(tmp_path: Path) -> None:
    program = """
handle(lambda: None)
for name in "half", "whole":
    try:
        load(name, "middle")
    except (ImportError, AttributeError) as error:
        print(type(error).__name__, end=" ")
print(loader._lock._is_owned(), load("half").last)
"""
    assert run(tmp_path, program) == "AttributeError ModuleNotFoundError False 2"


def test_where_no_thread_starts(tmp_path: Path) -> None:
    program = """
handle(lambda: None)
threading.stack_size(1 << 47)
job = lambda: results.append(_thread.get_ident() == threading.main_thread().ident)
print(load("half").last, *results)
"""
    assert run(tmp_path, program) == "2 True"


def test_a_handler_that_raises_while_the_thread_starts(tmp_path: Path) -> None:
    program = """
def refuse(*_):
    raise RuntimeError("of the handler")
handle(lambda: None)
loader.start_new_thread = refuse
try:
    load("half")
except RuntimeError as error:
    print(error)
"""
    assert run(tmp_path, program) == "of the handler"


@forks_with_threads
def test_a_fork_waits_for_the_load_of_another_thread(tmp_path: Path) -> None:
    program = """
reached = threading.Event()
def job():
    reached.set()
    time.sleep(0.2)
thread = threading.Thread(target=load, args=("half",))
thread.start()
reached.wait()
child = os.fork()
if not child:
    signal.alarm(5)
    os._exit(load("half").last)
thread.join()
print(status(child), loader._lock._is_owned(), load("math", "isqrt")(9))
"""
    assert run(tmp_path, program) == "2 False 3"


@forks_with_threads
def test_a_handler_that_forks(tmp_path: Path) -> None:
    program = """
job = send
def fork():
    child = os.fork()
    signal.alarm(5)
    results.append(status(child) if child else load("half").last)
handle(fork)
found = load("half").last
if results[0] == found:
    os._exit(7)
print(*results, found)
"""
    assert run(tmp_path, program) == "7 2"


@forks_with_threads
def test_a_child_whose_load_was_to_begin(tmp_path: Path) -> None:
    program = """
def start(work, args):
    child = os.fork()
    if child:
        results.append(status(child))
        return start_new_thread(work, args)
    signal.alarm(5)
    loader.start_new_thread = start_new_thread
handle(lambda: None)
main = os.getpid()
start_new_thread, loader.start_new_thread = loader.start_new_thread, start
found = load("half").last
if os.getpid() != main:
    os._exit(found)
print(*results, found)
"""
    assert run(tmp_path, program) == "2 2"


@forks_with_threads
def test_a_module_that_forks(tmp_path: Path) -> None:
    program = """
def job():
    child = os.fork()
    if not child:
        os._exit(3)
    results.append(status(child))
print(load("half").last, *results)
"""
    assert run(tmp_path, program) == "2 3"


@forks_with_threads
def test_a_load_that_needs_the_lock_of_logging(tmp_path: Path) -> None:
    """The hook of logging, which is imported after the package, takes its lock first."""
    program = """
import logging
reached = threading.Event()
def job():
    reached.set()
    time.sleep(0.1)
    logging.getLogger("half")
thread = threading.Thread(target=load, args=("half",))
thread.start()
reached.wait()
started = time.monotonic()
child = os.fork()
if not child:
    signal.alarm(5)
    logging.getLogger("child")
    os._exit(load("half").last)
thread.join()
took = time.monotonic() - started
free = threading.Thread(target=logging.getLogger, args=("parent",))
free.start()
free.join()
print(status(child), took < loader.PATIENCE)
"""
    assert run(tmp_path, program) == "2 True"


@forks_with_threads
def test_a_fork_does_not_wait_for_ever(tmp_path: Path) -> None:
    program = """
lock = threading.Lock()
os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
loader.PATIENCE = 0.2
reached = threading.Event()
def job():
    reached.set()
    time.sleep(0.1)
    with lock:
        pass
thread = threading.Thread(target=load, args=("half",))
thread.start()
reached.wait()
child = os.fork()
if not child:
    os._exit(5)
thread.join()
print(status(child), load("half").last)
"""
    assert run(tmp_path, program) == "5 2"


@pytest.mark.parametrize("helper", ["load('half')", "None"], ids=["waited for", "alone"])
def test_handlers_in_imports_of_the_program(tmp_path: Path, helper: str) -> None:
    """The handler's load needs a module that its own or a waiting thread imports."""
    program = f"""
thread = threading.Thread(target=lambda: {helper})
def job():
    thread.start()
    time.sleep(0.05)
    send()
handle(lambda: results.append(hasattr(load("half"), "last")))
import half
thread.join()
print(*results, load("half").last)
"""
    assert run(tmp_path, program) == "False 2"


def test_loads_of_the_thread_that_forks(tmp_path: Path) -> None:
    program = """
handle(lambda: None)
with loader._lock:  # as in functions that run before and after a fork
    print(load("half").last)
"""
    assert run(tmp_path, program) == "2"


def test_names_in_modules_of_the_program(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("from rapidbleu._lib.loader import load; load('half')")
    program = """
job = lambda: results.append(loader._lock._is_owned())
import own
print(*results)
"""
    assert run(tmp_path, program) == "True"


# The first call of a process: everything is imported, so signals and forks may interrupt it.

posix_only = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks processes")

SETUP = """
import rapidbleu
from rapidbleu import BLEU, CHRF, TER, corpus_bleu, corpus_chrf, corpus_ter
from rapidbleu import sentence_bleu, sentence_chrf, sentence_ter
HYPS, REFS = ["a b c d e", "f"], [["a b c d f", "f"]]
JOBS = {
    "corpora": lambda: [f(HYPS, REFS).score for f in (corpus_bleu, corpus_chrf, corpus_ter)],
    "sentences": lambda: [
        f(HYPS[0], REFS[0][:1]).score for f in (sentence_bleu, sentence_chrf, sentence_ter)
    ],
    "tokenizers": lambda: [
        BLEU(tokenize=name).corpus_score(HYPS, REFS).score
        for name in ("intl", "zh", "char", "none", "13a")
    ],
    "objects": lambda: [
        make(references=REFS).corpus_score(HYPS, None).score for make in (BLEU, CHRF, TER)
    ] + [len(CHRF(word_order=2).prepare(REFS)), str(BLEU(references=REFS).get_signature())],
}
"""

IMPORTS = """
import sys
before = set(sys.modules)
for job in JOBS.values():
    job()
print(*sorted(set(sys.modules) - before))
"""

# Children of a process that has imported the package and scored nothing.

HANDLERS = """
import os, signal, sys
job, found = JOBS[sys.argv[1]], []
for i in range(60):
    child = os.fork()
    if child:
        found.append(os.waitpid(child, 0)[1])
        continue
    results = []
    signal.signal(signal.SIGALRM, lambda *_: results.append(job()))
    signal.setitimer(signal.ITIMER_REAL, 2e-5 * (i + 1))
    results.append(job())
    signal.setitimer(signal.ITIMER_REAL, 0)
    os._exit(any(result != results[0] for result in results))
print(set(found))
"""

FORKS = """
import os, signal, sys, threading, time
job, found = JOBS[sys.argv[1]], []
for i in range(40):
    child = os.fork()
    if child:
        found.append(os.waitpid(child, 0)[1])
        continue
    signal.alarm(30)
    thread = threading.Thread(target=job)
    thread.start()
    time.sleep(2e-5 * i)
    grandchild = os.fork()
    if not grandchild:
        signal.alarm(20)
        job()
        os._exit(0)
    status = os.waitpid(grandchild, 0)[1]
    thread.join()
    os._exit(status != 0)
print(set(found))
"""


def run_program(program: str, *args: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SETUP + program, *args],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr, done.stderr
    return done.stdout.strip()


def test_a_first_call_imports_nothing() -> None:
    assert run_program(IMPORTS) == ""


def test_numpy_is_not_imported_with_the_package() -> None:
    assert run_program("import sys; print('numpy' in sys.modules)") == "False"


@posix_only
@pytest.mark.parametrize("job", ["corpora", "sentences", "tokenizers", "objects"])
def test_a_signal_handler_may_score_during_the_first_call(job: str) -> None:
    assert run_program(HANDLERS, job) == "{0}"


@posix_only
@pytest.mark.parametrize("job", ["corpora", "tokenizers"])
def test_a_process_may_fork_while_a_thread_makes_the_first_call(job: str) -> None:
    assert run_program(FORKS, job) == "{0}"
