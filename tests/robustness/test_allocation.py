"""Failing memory: every allocation of every public operation, refused alone and with all after it.

Whatever fails, the caller gets a MemoryError and can go on with the same objects; nothing leaks.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from support.places import TESTS
from support.processes import linux_only, unsanitized

pytestmark = pytest.mark.slow

PROGRAMS = TESTS / "support" / "programs"
CPYTHON = sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")

has_allocators = pytest.mark.skipif(
    not CPYTHON or sys.platform == "win32", reason="allocators are replaced in CPython, on POSIX"
)


def run(*command: str | Path, **environment: str) -> str:
    """The output of a command that must succeed."""
    result = subprocess.run(
        [sys.executable, *map(str, command)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=1200,
        check=False,
    )
    assert result.returncode == 0, result.stdout[-5000:]
    return result.stdout


def check(output: str) -> None:
    """Most operations do fail when they are refused something."""
    counts = [line.split(": ")[1].split() for line in output.splitlines()]
    assert sum(int(failures) > 0 for _, _, failures, _ in counts) > 200


@has_allocators
def test_every_raw_allocation_may_fail(tmp_path: Path) -> None:
    """All memory of the core: the interpreter's objects come from elsewhere here."""
    pytest.importorskip("Cython")
    shutil.copy(PROGRAMS / "raw_memory.pyx", tmp_path)
    run("-m", "Cython.Build.Cythonize", "-i", "-q", tmp_path / "raw_memory.pyx")
    check(run(PROGRAMS / "allocations.py", "raw", tmp_path, PYTHONMALLOC="malloc"))


@has_allocators
@pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="later interpreters crash where they have no memory"
)
def test_every_allocation_may_fail(tmp_path: Path) -> None:
    """Those of Python objects too."""
    pytest.importorskip("_testcapi")
    check(run(PROGRAMS / "allocations.py", "all", tmp_path))


# Limits of the process, which refuse what is large

LARGE = {
    "TER of tokens": ("text = 'la le ' * 100_000", "TER().corpus_stats([text], [[text[6:]]])"),
    "TER of lists": (
        "texts = [['the cat sat on the mat'] * 50_000]",
        "TER().nbest_scores(texts, [['the mat sat on a cat']])",
    ),
    "NLTK's BLEU": (
        "tokens = [str(i) for i in range(300_000)]",
        "bleu_score.corpus_bleu([[tokens]], [tokens])",
    ),
    "NLTK's BLEU of objects": (
        "tokens = [(i % 999,) for i in range(200_000)]",
        "bleu_score.sentence_bleu([tokens], tokens)",
    ),
    "NLTK's NIST": (
        "tokens = [str(i) for i in range(50_000)]",
        "nist_score.sentence_nist([tokens], tokens)",
    ),
    "NLTK's chrF": (
        "text = 'the cat sat' * 200_000",
        "chrf_score.sentence_chrf(text, text)",
    ),
    "resampling": (
        "rows = np.ones((200_000, 10), np.int64)",
        "bootstrap(BLEU(), rows, n=3)",
    ),
    "weighted rows": (
        "rows, ids = np.ones((200_000, 10), np.int64), [f'é{i}' for i in range(200_000)]",
        "poisson_sums(rows, ids, 999)",
    ),
    "randomization": (
        "rows = np.ones((100_000, 10), np.int64)",
        "paired_randomization({'A': rows, 'B': rows}, None, BLEU(), n=2)",
    ),
    "running score": (
        "rows = np.ones((300_000, 10), np.int64)",
        "RunningScore(BLEU(), rows).score_if_all(rows, np.arange(300_001))",
    ),
    "lists": (
        "texts = [['the cat sat on the mat'] * 300_000]",
        "BLEU().nbest_stats(texts, [['the cat']], dtype='int32')",
    ),
    "word alignment": (
        "texts = [f'a{i} b{i % 99} c{i % 7}' for i in range(60_000)]",
        "IBMModel1.fit(texts, texts, iterations=1)",
    ),
    "a file": (
        "open('nbest', 'w').writelines(f'0 ||| a b ||| F= {i} {i}\\n' for i in range(200_000))",
        "read_nbest('nbest', [['a b c']])",
    ),
    "line search": (
        "features = np.random.default_rng(1).normal(size=(200_000, 5))\n"
        "rows = np.ones((200_000, 10), np.int64)",
        "line_search(NBestList(features, rows, [0, 9, 200_000]), np.ones(5), np.eye(5)[1])",
    ),
    "learning": (
        "features = np.random.default_rng(1).normal(size=(200_000, 5))\n"
        "rows = np.ones((200_000, 10), np.int64)",
        "mira(NBestList(features, rows, range(0, 200_001, 100)), epochs=1)",
    ),
    "expected statistics": (
        "features = np.random.default_rng(1).normal(size=(200_000, 5)).astype(np.float32)\n"
        "nbest = NBestList(features, np.ones((200_000, 10), np.int64), range(0, 200_001, 100))\n"
        "own, totals = make_learner_rows(nbest), np.empty(10)",
        "(Expectation(nbest.columns(), own, None).expect(np.ones(5), totals), totals.tolist())",
    ),
}


@unsanitized
@linux_only
@pytest.mark.parametrize("case", LARGE)
def test_limited_memory(case: str, tmp_path: Path) -> None:
    """Each of many limits makes another allocation fail, and none ends the process."""
    setup, call = LARGE[case]
    program = f"""
import os, resource
import numpy as np
from rapidbleu import BLEU, TER, RunningScore
from rapidbleu.alignment import IBMModel1
from rapidbleu.nltk import bleu_score, chrf_score, nist_score
from rapidbleu.significance import bootstrap, paired_randomization, poisson_sums
from rapidbleu._core.learning.expectation import Expectation
from rapidbleu.tuning import NBestList, line_search, mira, read_nbest
from rapidbleu.tuning.search.learners import make_learner_rows
os.chdir({str(tmp_path)!r})
{setup}
expected, failures = str({call}), 0
unlimited = resource.getrlimit(resource.RLIMIT_AS)
for megabytes in [*range(0, 100, 5), 8000]:
    size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + megabytes * 2**20, unlimited[1]))
    try:
        result = str({call})
    except MemoryError:
        failures += 1
    else:
        assert result == expected
    resource.setrlimit(resource.RLIMIT_AS, unlimited)
print(0 < failures < 21)
"""
    # glibc returns what is freed to the system, so that none of it is left for the next call.
    output = run("-X", "faulthandler", "-c", program, MALLOC_MMAP_THRESHOLD_="65536")
    assert output.strip() == "True"
