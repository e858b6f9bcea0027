"""Memory: no leaks, no allocation by claims of headers, and every allocation may fail."""

import gzip
import os
import shutil
import subprocess
import sys
import sysconfig
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF, TER
from rapidbleu.cli.moses.learners import _best_of_random
from rapidbleu.tuning import NBestList, mert, read_stats
from support.places import PYTHONPATH, TESTS
from support.processes import PEAK, linux_only, run, unsanitized
from support.programs.leaks import NOTHING
from support.tuning_lists import planted_choices

SETUP = r"""
import gc, resource, sys
from rapidbleu import BLEU, CHRF, TER, sentence_bleu, sentence_chrf, sentence_ter
from rapidbleu.nltk import SmoothingFunction, bleu, chrf, gleu, nist
from rapidbleu.sacrebleu import sentence_bleu as stand_in
texts = [
    "The cat, it sat.", "It sat, the cat did not.", "", "\U0001d11e \ud800 \0",
    "Die Ma\u00dfe der \u201eStra\u00dfe\u201c: 3,5 km", "an incomprehensible incompatibility " * 9,
]
tokens = [text.split() or ["a"] for text in texts]
objects = [[("a",), 1.5, None, 2**70], [1, 2, 3, 4, 5], [1, "a", 1.0, True, ("a",)]]
smoothing = SmoothingFunction().method5
def pair(i):
    return texts[i % 6], [texts[i % 5], texts[(i + 1) % 6]]
bleus, chrfs, ters = (
    metric.running([texts * 9], texts[::-1] * 9) for metric in (BLEU(), CHRF(word_order=2), TER())
)
"""

CALLS = {
    "sentence_bleu": "sentence_bleu(*pair(i))",
    "sentence_chrf": "sentence_chrf(*pair(i), word_order=2)",
    "sentence_ter": "sentence_ter(*pair(i), i % 50 == 0)",
    "nltk": "bleu([tokens[i % 5]], tokens[i % 6], (0.5, 0.5), smoothing)",
    "nltk of objects": "bleu([objects[i % 2]], objects[i % 3], (1.0,))",
    "nltk's others": "gleu([tokens[i % 5]], tokens[i % 6]), nist([tokens[i % 5]], tokens[i % 6], 1)"
    ", chrf(texts[i % 5], texts[i % 6])",
    "stand-in": "stand_in(*pair(i))",
    "replace, BLEU": "bleus.replace(i % 54, texts[i % 6])",
    "replace, chrF": "chrfs.replace(i % 54, texts[i % 6])",
    "replace, TER": "ters.replace(i % 54, texts[i % 6])",
}

MEASURE = """
def calls(n):
    for i in range(n):
        {call}
def held():
    gc.collect()
    pages = int(open("/proc/self/statm").read().split()[1])
    return pages * resource.getpagesize(), sys.getallocatedblocks()
calls(3_000)
calls({n} // 10)
before = held()
calls({n})
print(*(a - b for a, b in zip(held(), before)))
"""


@pytest.mark.slow
@linux_only
@unsanitized
@pytest.mark.parametrize("name", CALLS)
def test_memory_does_not_grow_with_calls(name: str) -> None:
    n = 1_000_000 if name == "sentence_bleu" else 50_000
    growth, blocks = map(int, run(SETUP + MEASURE.format(call=CALLS[name], n=n)).split())
    assert growth < 5_000_000 * n / 1_000_000
    assert blocks < n / 200


# Memory that a metric retains between calls does not grow from call to call.

HYPS = ["The cat, it sat.", "It sat, the cat did not."]
REFS = [["The cat sat.", "It did not."], ["A cat sat.", "It sat."], ["The cat.", "No."]]

METHODS: dict[str, Callable[[Any], object]] = {
    "corpus_score": lambda metric: metric.corpus_score(HYPS, REFS),
    "sentence_score": lambda metric: metric.sentence_score(HYPS[0], ["The cat sat.", "A cat."]),
    "segment_stats": lambda metric: metric.segment_stats(iter(HYPS), REFS),
    "nbest_stats": lambda metric: metric.nbest_stats([HYPS, HYPS], REFS),
    "prepare": lambda metric: metric.prepare(REFS),
}


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("metric", [BLEU(force=True), CHRF(), TER()], ids=["BLEU", "chrF", "TER"])
def test_kept_memory_does_not_grow(metric: Any, name: str) -> None:
    held = []
    tracemalloc.start()
    try:
        for _ in range(30):
            METHODS[name](metric)
            held.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert max(held[10:]) - min(held[10:]) < 4096  # doubled at every call: megabytes


# Memory follows the work, not the claims of a header or an option.

HUGE = 10**12


def row_of(n: int) -> str:
    return "0 " * n + "\n"


SCORES = "SCORES_TXT_BEGIN_0 0 {n} 9 BLEU\n"


@pytest.fixture
def files(tmp_path: Path) -> Callable[[bytes, bytes], tuple[Path, Path]]:
    def write(features: bytes, scores: bytes) -> tuple[Path, Path]:
        paths = tmp_path / "features.gz", tmp_path / "scores.gz"
        for path, data in zip(paths, (features, scores), strict=True):
            path.write_bytes(gzip.compress(data))
        return paths

    return write


READ = (
    PEAK
    + """
import sys
from rapidbleu.tuning import read_stats
import numpy, rapidbleu._core.moses.files, rapidbleu.tuning.moses.score_files
before = peak()
try:
    read_stats(sys.argv[1], sys.argv[2])
except ValueError as error:
    print(error)
print(peak() - before)
"""
)


@linux_only
@unsanitized
@pytest.mark.parametrize("binary", [False, True])
def test_headers_of_statistics_claim_no_memory(
    files: Callable[[bytes, bytes], tuple[Path, Path]], binary: bool
) -> None:
    n, kind = 20_000, "BIN" if binary else "TXT"
    names = " ".join(f"F{i}" for i in range(n))
    header = f"FEATURES_{kind}_BEGIN_0 0 {1 << 40} {n} {names}\n".encode()
    row = bytes(4 * n) if binary else row_of(n).encode()
    paths = files(header + 2 * row, SCORES.format(n=1 << 40).encode())
    program = f"import sys; sys.argv = ['', {str(paths[0])!r}, {str(paths[1])!r}]\n{READ}"
    message, megabytes = run(program).strip().splitlines()
    assert "expected" in message and str(1 << 40) in message
    assert float(megabytes) < 60


@pytest.mark.parametrize("mmap", [False, True])
def test_headers_of_arrays_claim_no_memory(nbest: NBestList, tmp_path: Path, mmap: bool) -> None:
    """Version 2 of a header has four length bytes, of which version 1 uses two for text."""
    path = tmp_path / "list.npz"
    nbest.save(path)
    data = path.read_bytes()
    assert data.count(b"NUMPY\1\0") == len(data.split(b"NUMPY")) - 1
    path.write_bytes(data.replace(b"NUMPY\1", b"NUMPY\2"))
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"list\.npz: expected a saved n-best list"):
        NBestList.load(path, metric=nbest.metric, mmap=mmap)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000


def test_binary_rows_without_columns_are_refused(
    files: Callable[[bytes, bytes], tuple[Path, Path]],
) -> None:
    paths = files(f"FEATURES_BIN_BEGIN_0 0 {1 << 40} 0 \n".encode(), b"")
    with pytest.raises(ValueError, match=r"line 1: expected numbers in each of 1099511627776 rows"):
        read_stats(*paths)


@pytest.mark.slow
def test_wide_rows_are_read(files: Callable[[bytes, bytes], tuple[Path, Path]]) -> None:
    n = (1 << 20) // 3
    names = " ".join(f"F{i}" for i in range(n))
    values = np.arange(5 * n, dtype=np.float32).reshape(5, n)
    features = f"FEATURES_BIN_BEGIN_0 0 5 {n} {names}\n".encode() + values.tobytes()
    scores = SCORES.format(n=5) + "4 4 3 3 2 2 1 1 4 \n" * 5 + "SCORES_TXT_END_0\n"
    paths = files(features + b"FEATURES_BIN_END_0\n", scores.encode())
    assert np.array_equal(read_stats(*paths).features, values)


@pytest.fixture
def nbest() -> NBestList:
    return planted_choices(4, 5, 3)[0]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_restarts_are_drawn_one_at_a_time(
    nbest: NBestList, threads: int, error: type[BaseException]
) -> None:
    def stop(done: int, n: int) -> None:
        assert n == HUGE + 1
        if done >= 20:
            raise error

    if error is KeyboardInterrupt:
        result = mert(nbest, restarts=HUGE, threads=threads, progress=stop)
        assert result.interrupted and 20 <= len(result.starts) < 100
    else:
        with pytest.raises(error):
            mert(nbest, restarts=HUGE, threads=threads, progress=stop)


def test_starts_are_those_of_spawned_seeds(nbest: NBestList) -> None:
    ranges = {name: (-2.0, 3.0) for name in nbest.names}
    result = mert(nbest, restarts=9, seed=5, ranges=ranges, max_steps=0)
    seeds = np.random.SeedSequence(5).spawn(10)[1:]
    expected = [np.random.default_rng(seed).uniform([-2] * 3, [3] * 3).tolist() for seed in seeds]
    assert [climb["start"].tolist() for climb in result.starts[1:]] == expected


@pytest.mark.parametrize("n", [0, 1, 1023, 1024, 1025, 3000])
def test_random_weights_are_drawn_as_one_array(nbest: NBestList, n: int) -> None:
    starts, ranges = np.array([[1.0, 1, 1], [0, 0, 1]]), np.array([[-1.0, 1], [0, 2], [-3, 3]])
    drawn = np.random.default_rng(3).uniform(ranges[:, 0], ranges[:, 1], size=(n, 3))
    points = np.concatenate([starts, drawn])
    scores = nbest.evaluate(points)
    found, score = _best_of_random(nbest, starts, ranges, n, 3)
    assert found.tolist() == points[scores.argmax()].tolist() and score == scores.max()


@pytest.mark.parametrize("threads", [1, 2])
def test_directions_are_drawn_some_at_a_time(
    nbest: NBestList, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = np.random.default_rng(3).normal(size=(3, nbest.n_features))
    options: dict[str, Any] = {"restarts": 0, "random_directions": 20, "threads": threads}
    options["start"] = starts
    expected = mert(nbest, **options)
    monkeypatch.setattr("rapidbleu.tuning.search.mert.TOGETHER", 7)
    found = mert(nbest, **options)
    assert {step["direction"] for step in expected.history} >= {"random"}
    assert (found.history, found.weights.tolist()) == (expected.history, expected.weights.tolist())


@pytest.mark.slow
@linux_only
@unsanitized
@pytest.mark.parametrize("option", ["restarts", "random_directions"])
def test_what_is_drawn_takes_no_memory_before(option: str) -> None:
    program = (
        f"{PEAK}\noptions = {{{option!r}: {HUGE}}}"
        + """
import signal
import numpy as np
from support.tuning_lists import planted_choices
from rapidbleu.tuning import mert
nbest, _ = planted_choices(4, 5, 3)
mert(nbest, restarts=3)
before = peak()
def stop(*_):
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, stop)
signal.setitimer(signal.ITIMER_REAL, 0.3)
result = mert(nbest, **options)
assert result.interrupted
print(peak() - before)
"""
    )
    megabytes = float(run(f"import sys; sys.path.insert(0, {str(TESTS)!r})\n{program}"))
    assert megabytes < 15


# No public operation and no refused call leaks. A separate process counts, because earlier work
# slows each count, and caches filled by other tests hide leaks.

CPYTHON = sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")


@pytest.mark.slow
@pytest.mark.skipif(not CPYTHON, reason="references are counted in CPython")
@pytest.mark.parametrize("kind", ["operations", "refusals"])
def test_nothing_leaks(kind: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(TESTS / "support" / "programs" / "leaks.py"), kind, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": PYTHONPATH},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=1200,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, NOTHING)


# Every allocation of every public operation is refused, alone and with all later ones. The caller
# gets a MemoryError and can continue with the same objects; nothing leaks.

PROGRAMS = TESTS / "support" / "programs"

has_allocators = pytest.mark.skipif(
    not CPYTHON or sys.platform == "win32", reason="allocators are replaced in CPython, on POSIX"
)


def run_python(*command: str | Path, **environment: str) -> str:
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
    """Check that most operations do fail when refused memory."""
    counts = [line.split(": ")[1].split() for line in output.splitlines()]
    assert sum(int(failures) > 0 for _, _, failures, _ in counts) > 200


@pytest.mark.slow
@has_allocators
def test_every_raw_allocation_may_fail(tmp_path: Path) -> None:
    """All memory of the core: the interpreter's objects come from elsewhere here."""
    pytest.importorskip("Cython")
    shutil.copy(PROGRAMS / "raw_memory.pyx", tmp_path)
    run_python("-m", "Cython.Build.Cythonize", "-i", "-q", tmp_path / "raw_memory.pyx")
    check(run_python(PROGRAMS / "allocations.py", "raw", tmp_path, PYTHONMALLOC="malloc"))


@pytest.mark.slow
@has_allocators
@pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="later interpreters crash where they have no memory"
)
def test_every_allocation_may_fail(tmp_path: Path) -> None:
    pytest.importorskip("_testcapi")
    check(run_python(PROGRAMS / "allocations.py", "all", tmp_path))


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
        "bootstrap(rows, None, BLEU(), n_resamples=3)",
    ),
    "weighted rows": (
        "rows, ids = np.ones((200_000, 10), np.int64), [f'é{i}' for i in range(200_000)]",
        "sum_resamples(rows, ids, 999)",
    ),
    "randomization": (
        "rows = np.ones((100_000, 10), np.int64)",
        "paired_randomization({'A': rows, 'B': rows}, None, BLEU(), n_trials=2)",
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
        "own, totals = make_learner_rows(nbest), np.empty(10)\n"
        "columns = nbest._feature_columns(), own, np.ones((10, 208_000), np.uint16), None",
        "(Expectation(*columns).expect(np.ones(5), totals), totals.tolist())",
    ),
}


@pytest.mark.slow
@unsanitized
@linux_only
@pytest.mark.parametrize("case", LARGE)
def test_limited_memory(case: str, tmp_path: Path) -> None:
    setup, call = LARGE[case]
    program = f"""
import os, resource
import numpy as np
from rapidbleu import BLEU, TER, RunningScore
from rapidbleu.alignment import IBMModel1
from rapidbleu.nltk import bleu_score, chrf_score, nist_score
from rapidbleu.significance import bootstrap, paired_randomization, sum_resamples
from rapidbleu._core.tuning.gradients import Expectation
from rapidbleu.tuning import NBestList, line_search, mira, read_nbest
from rapidbleu.tuning.search.shared import make_learner_rows
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
    # glibc returns freed memory to the system, so that none is left for the next call.
    output = run_python("-X", "faulthandler", "-c", program, MALLOC_MMAP_THRESHOLD_="65536")
    assert output.strip() == "True"
