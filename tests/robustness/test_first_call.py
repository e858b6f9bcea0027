"""The first call of a process: nothing is left to import, so signals and forks may interrupt it."""

import os
import subprocess
import sys

import pytest

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

# Children of a process that has imported the package and scored nothing

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


def run(program: str, *args: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SETUP + program, *args],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert not done.stderr, done.stderr
    return done.stdout.strip()


def test_a_first_call_imports_nothing() -> None:
    assert run(IMPORTS) == ""


def test_numpy_is_not_imported_with_the_package() -> None:
    assert run("import sys; print('numpy' in sys.modules)") == "False"


@posix_only
@pytest.mark.parametrize("job", ["corpora", "sentences", "tokenizers", "objects"])
def test_a_signal_handler_may_score_during_the_first_call(job: str) -> None:
    assert run(HANDLERS, job) == "{0}"


@posix_only
@pytest.mark.parametrize("job", ["corpora", "tokenizers"])
def test_a_process_may_fork_while_a_thread_makes_the_first_call(job: str) -> None:
    assert run(FORKS, job) == "{0}"
