"""Threads, signals, memory and processes: the same numbers, no crash, and interruptible."""

import contextlib
import gc
import os
import pickle
import random
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, METEOR, sentence_bleu
from rapidbleu._core.scoring.pairs import Pairs
from rapidbleu.nltk import bleu_score, chrf_score, gleu_score, nist_score
from rapidbleu.parallel import check_threads, in_parts
from support.corpora import random_corpus, with_gaps
from support.processes import (
    exhaust_memory,
    forks_with_threads,
    interrupt,
    linux_only,
    posix_only,
    run,
    unsanitized,
)

N = 6000
_RNG = Random("threads")
_HYPS, _REFS = random_corpus(_RNG, 500, kind="mixed", n_refs=2)
HYPS = [text for i in range(N // 500) for text in _HYPS[i:] + _HYPS[:i]]
REFS = [[text for i in range(N // 500) for text in stream[i:] + stream[:i]] for stream in _REFS]
GAPS = with_gaps(_RNG, REFS)


@pytest.mark.parametrize("threads", [0, 2, 3, 8, 100])
@pytest.mark.parametrize("prepared", [False, True])
def test_number_of_threads_changes_nothing(threads: int, prepared: bool) -> None:
    bleu = BLEU()
    references: Any = bleu.prepare(GAPS) if prepared else GAPS
    rows = bleu.segment_stats(HYPS, references)
    assert (bleu.segment_stats(HYPS, references, threads=threads) == rows).all()
    assert (bleu.corpus_stats(HYPS, references, threads=threads) == rows.sum(0)).all()
    scores = bleu.segment_scores(HYPS, references)
    assert (bleu.segment_scores(HYPS, references, threads=threads) == scores).all()
    expected = bleu.corpus_score(HYPS, references)
    assert vars(bleu.corpus_score(HYPS, references, threads=threads)) == vars(expected)


def test_threads_over_other_kinds_of_input() -> None:
    tokens = [text.split() for text in HYPS]
    refs = [[text.split() for text in stream] for stream in REFS]
    bleu, custom = BLEU(tokenize="none"), BLEU(tokenize=lambda text: text.split())
    expected = bleu.segment_stats(HYPS, REFS).tolist()
    assert bleu.segment_stats(tokens, refs, threads=3).tolist() == expected
    assert custom.segment_stats(HYPS, REFS, threads=3).tolist() == expected


def test_first_error_wins() -> None:
    def tokenize(text: str) -> list[str]:
        if text.startswith("bad"):
            raise RuntimeError(text)
        return [text]

    hyps = [f"bad {i}" if i in (5500, 1500, 4000) else "a" for i in range(N)]
    bleu = BLEU(tokenize=tokenize)
    n_threads = threading.active_count()
    for _ in range(5):
        with pytest.raises(RuntimeError, match="bad 1500"):
            bleu.corpus_score(hyps, [hyps[:1] * N], threads=4)
    assert threading.active_count() == n_threads


def test_threads_that_never_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = BLEU().corpus_stats(HYPS, REFS).tolist()
    monkeypatch.setattr("_thread.start_new_thread", lambda *args: 0)
    assert BLEU().corpus_stats(HYPS, REFS, threads=3).tolist() == expected


def together(work: Callable[[int], Any], n: int) -> list[Any]:
    """Return the results of work(0) ... work(n - 1) in n threads that start at once."""
    barrier = threading.Barrier(n)

    def start(i: int) -> Any:
        barrier.wait()
        return work(i)

    with ThreadPoolExecutor(n) as pool:
        return list(pool.map(start, range(n)))


def test_threads_share_a_metric_and_references() -> None:
    bleu = BLEU(effective_order=True)
    references = bleu.prepare(GAPS)
    systems = [HYPS[i:] + HYPS[:i] for i in range(8)]
    texts = [text for text in GAPS[0] if text is not None]

    def work(i: int) -> Any:
        return [
            bleu.segment_stats(systems[i], references).tolist(),
            bleu.segment_stats(systems[i], GAPS, threads=2).tolist(),
            bleu.corpus_score(systems[i], references).score,
            [bleu.sentence_score(systems[i][k], texts[k : k + 2]).score for k in range(300)],
            [sentence_bleu(systems[i][k], texts[k : k + 1]).score for k in range(300)],
            repr(bleu.prepare(REFS)),
        ]

    expected = [work(i) for i in range(8)]
    assert expected[0] != expected[1]
    assert together(work, 8) == expected


def test_threads_share_a_tokenizer_being_made() -> None:
    program = """
import threading
from rapidbleu import BLEU
barrier, scores = threading.Barrier(8), []
def work(name):
    barrier.wait()
    text = "a b, c d 1.5."
    scores.append(BLEU(tokenize=name).corpus_score([text], [[text]]).score)
names = ("13a", "intl", "zh", "char") * 2
threads = [threading.Thread(target=work, args=(name,)) for name in names]
for thread in threads: thread.start()
for thread in threads: thread.join()
print([round(score, 6) for score in scores])
"""
    assert run(program).strip() == str([100.0] * 8)


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", ["text", "tokens", "ids"])
def test_lists_that_change_while_they_are_scored(kind: str, threads: int) -> None:
    program = f"""
import threading, random, time
from rapidbleu import BLEU
kind, threads = {kind!r}, {threads}
texts = ["the cat sat on the mat with an internationalization %d" % i for i in range(2000)]
make = {{"text": str, "tokens": str.split, "ids": lambda t: [len(w) for w in t.split()]}}[kind]
junk = [None, 5, "x", [], ["x", None], [1, "x"], [None], b"x", 10**30, [10**30], [["x"]], 1.5]
hyps, refs = [make(t) for t in texts], [[make(t) for t in texts] for _ in range(2)]
stop = threading.Event()
def change():
    rng = random.Random(1)
    while not stop.is_set():
        time.sleep(0.01 * rng.random())
        column = rng.choice([hyps, *refs])
        what = rng.randrange(12)
        i = rng.randrange(1900)
        if what == 0:
            column.append(rng.choice(junk))
        elif what == 1 and len(column) > 1950:
            column.pop()
        elif what == 2:
            column[i] = rng.choice(junk)
        elif what < 9:
            for column in (hyps, *refs):
                column[:] = [make(t) for t in texts]
        elif isinstance(column[i], list):
            column[i].append(rng.choice(junk))
            column[i][:1] = [rng.choice(junk)]
            del column[i][-3:]
            column[i].extend([rng.choice(junk)] * 100)
changer = threading.Thread(target=change, daemon=True)
changer.start()
bleu, outcomes = BLEU(lowercase=kind == "tokens"), set()
begin = time.monotonic()
while (passed := time.monotonic() - begin) < 1.5 or len(outcomes) < 2 and passed < 30:
    try:
        bleu.segment_stats(hyps, refs, threads=threads)
        bleu.prepare(refs)
        bleu.sentence_score(hyps[0], [refs[0][0], refs[1][0]])
        outcomes.add("value")
    except (TypeError, ValueError) as error:
        outcomes.add(type(error).__name__)
stop.set()
changer.join()
assert BLEU().segment_stats(["a b"], [["a b"]]).tolist() == [[2, 2, 2, 1, 0, 0, 2, 1, 0, 0]]
print(len(outcomes))
"""
    assert int(run(program)) > 1


def test_tokenizers_that_change_the_input() -> None:
    for junk in (None, 5, b"x"):
        hyps, refs = ["a b", "c d", "e f"], ["a b", "c d", "e f"]
        nested = [list(refs), list(refs)]

        def tokenize(text: str, *, junk: Any = junk, hyps: Any = hyps, nested: Any = nested) -> Any:
            hyps[-1] = nested[0][-1] = nested[1][0] = junk
            nested.append(junk)
            return text.split()

        bleu = BLEU(tokenize=tokenize, effective_order=True)
        assert bleu.corpus_stats(hyps, nested).tolist() == [6, 6, 6, 3, 0, 0, 6, 3, 0, 0]

        references = ["a b", "c d"]

        def spoil(text: str, *, junk: Any = junk, references: Any = references) -> list[str]:
            references[1:] = [junk, junk]
            return text.split()

        try:
            BLEU(tokenize=spoil, effective_order=True).sentence_score("a b", references)
        except TypeError as error:
            assert "expected str" in str(error)


SEGMENTS = """
text = "the cat sat on the mat, and it was a long-winded story about internationalization. " * 4
hyps, refs = [text] * 8_000_000, [text] * 8_000_000
bleu = BLEU()
bleu.corpus_score(hyps[:10], [refs[:10]])
"""
GIANT = """
ids, text = [0] * 4_000_000, "la " * 4_000_000
bleu = BLEU(max_ngram_order=1000)
bleu.corpus_score(["a b"], [["a b"]])
"""


@pytest.mark.slow
@posix_only
@pytest.mark.parametrize(
    ("setup", "call"),
    [
        (SEGMENTS, "bleu.corpus_score(hyps, [refs])"),
        (SEGMENTS, "bleu.corpus_score(hyps, [refs], threads=2)"),
        (SEGMENTS, "bleu.segment_stats(hyps, [refs], threads=4)"),
        (SEGMENTS, "for _ in range(50): bleu.prepare([refs[:300_000]])"),
        (GIANT, "bleu.corpus_score([ids], [[ids]])"),
        (GIANT, "bleu.corpus_score([text], [[text]])"),
        (GIANT, "bleu.corpus_score([text], [[text]], threads=2)"),
        (GIANT, "bleu.corpus_score([text] * 2000, [['a'] * 1999 + [text]], threads=2)"),
        (GIANT, "bleu.sentence_score(text, [text])"),
    ],
)
def test_interrupt(setup: str, call: str) -> None:
    (line, *rest), waited = interrupt(setup, call, 0.6)
    assert line.startswith("interrupted"), line
    assert waited < 3.0
    assert rest == ["still scores"]


@pytest.mark.slow
@unsanitized
@linux_only
@pytest.mark.parametrize(
    ("setup", "call"),
    [
        ("text = 'la ' * 2_000_000", "bleu.corpus_stats([text], [[text]])"),
        ("ids = np.zeros(2_000_000, np.int64)", "bleu.corpus_stats([ids], [[ids]])"),
        ("text = 'internationalization ' * 500_000", "bleu.corpus_stats([text], [[text]])"),
        ("text = 'internationalization ' * 500_000", "bleu.prepare([[text]])"),
        ("texts = ['the cat sat on the mat'] * 1_000_000", "bleu.prepare([texts])"),
        ("texts = ['the cat sat'] * 500_000", "bleu.segment_stats(texts, [texts])"),
        ("refs = bleu.prepare([['la ' * 2_000_000]])", "bleu.pairwise(['la'], refs)"),
        ("texts = [f'the cat {i} sat' for i in range(200_000)]", "bleu.self_scores(texts)"),
        ("texts = [f'the cat {i} sat' for i in range(3_000)]", "bleu.pairwise(texts, texts)"),
        ("refs = bleu.prepare([['la ' * 2_000_000]])", "pickle.dumps(refs)"),
        ("refs = pickle.dumps(bleu.prepare([['la ' * 2_000_000]]))", "pickle.loads(refs)"),
    ],
)
def test_out_of_memory(setup: str, call: str) -> None:
    make = "metric = bleu = rapidbleu.BLEU()\n"
    exhaust_memory(make + setup, call, most=120 * 2**20, step=3 * 2**20)


@pytest.mark.slow
@unsanitized
@linux_only
def test_memory_does_not_grow() -> None:
    program = """
import pickle, resource
from rapidbleu import BLEU, sentence_bleu
from rapidbleu.parallel import check_threads
texts = ["The cat, it sat.", "Die Ma\u00dfe der \u201eStra\u00dfe\u201c: 3,5 km", "", "x" * 500]
bleu, custom, lower = BLEU(), BLEU(tokenize=str.split), BLEU(lowercase=True)
def broken(text):
    raise RuntimeError
wrong = BLEU(tokenize=broken)
def attempt(call, *args):
    try:
        call(*args)
    except (RuntimeError, TypeError, ValueError):
        return
    raise AssertionError("no error")
def calls(n):
    for i in range(n):
        sentence_bleu(texts[i % 4], [texts[i % 3], texts[0]])
        if i % 20 == 0:
            custom.corpus_score(texts, [texts])
            lower.segment_scores(texts, [texts, texts])
            bleu.corpus_score([["a", "b"], [texts[3]]], bleu.prepare([[["a"], [texts[3]]]]))
            bleu.corpus_score([[1, 2]], [[[1, 3]]], threads=2)
            pickle.loads(pickle.dumps(bleu.prepare([texts])))
            attempt(bleu.corpus_score, [*texts, None], [texts])
            attempt(bleu.corpus_score, texts, [texts[1:]])
            attempt(wrong.corpus_score, texts, [texts])
            attempt(wrong.sentence_score, texts[0], texts)
            attempt(bleu.corpus_score, [[1, 2**70]], [[[1]]])
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
calls(20_000)
before = resident()
calls(200_000)
print(resident() - before)
"""
    assert int(run(program)) < 1_000_000


@pytest.mark.slow
def test_metrics_travel_by_pickle() -> None:
    metrics = [
        BLEU(),
        BLEU(tokenize="char", lowercase=True, smooth_method="add-k", smooth_value=2),
        BLEU(tokenize=str.split, max_ngram_order=2, effective_order=True, ref_len="average"),
        BLEU(weights=[0.1, 0.2, 0.3, 0.4], trg_lang="zh", force=True),
        BLEU(references=REFS),
        BLEU(references=BLEU().prepare(REFS)),
    ]
    for metric in metrics:
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            clone = pickle.loads(pickle.dumps(metric, protocol))
            assert type(clone) is BLEU
            references = None if metric in metrics[4:] else REFS
            expected = metric.corpus_score(HYPS, references)
            assert vars(clone.corpus_score(HYPS, references)) == vars(expected)
            assert str(clone.get_signature()) == str(metric.get_signature())


def test_results_travel_by_pickle() -> None:
    bleu = BLEU(smooth_method="add-k")
    score = bleu.corpus_score(HYPS, REFS)
    clone = pickle.loads(pickle.dumps(score))
    assert type(clone) is type(score)
    assert vars(clone) == vars(score) and str(clone) == str(score)
    signature = bleu.get_signature()
    assert str(pickle.loads(pickle.dumps(signature))) == str(signature)


@pytest.mark.slow
@linux_only
@forks_with_threads
def test_fork_while_threads_score() -> None:
    program = """
import os, signal, threading, time, warnings
from rapidbleu import BLEU
warnings.simplefilter("ignore")
texts = ["the cat sat on the mat with a hat, %d internationalizations" % i for i in range(20_000)]
bleu = BLEU()
references = bleu.prepare([texts[::-1]])
expected = bleu.corpus_stats(texts, references).tolist()
stop = threading.Event()
def work():
    while not stop.is_set():
        bleu.corpus_stats(texts, references)
        bleu.sentence_score(texts[0], texts[:2])
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads: thread.start()
outcomes = []
for i in range(20):
    time.sleep(0.005)
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # a deadlock ends the child
        same = bleu.corpus_stats(texts, references, threads=1 + i % 2).tolist() == expected
        same &= bleu.corpus_stats(texts[:99], [texts[-99:][::-1]]).tolist()[0] > 0
        os._exit(0 if same else 1)
    outcomes.append(os.waitpid(child, 0)[1])
stop.set()
for thread in threads: thread.join()
print(outcomes)
"""
    assert run(program, timeout=120.0).strip() == str([0] * 20)


@pytest.mark.slow
@linux_only
def test_results_in_worker_processes() -> None:
    program = """
import multiprocessing
from rapidbleu import BLEU
def score(job):
    bleu, hyps, references = job
    return bleu.corpus_stats(hyps, references).tolist()
if __name__ == "__main__":
    bleu = BLEU()
    texts = ["a b c internationalization", "d e f"]
    references = bleu.prepare([texts])
    job = bleu, texts, references
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(score, [job] * 4) == [score(job)] * 4)
"""
    assert run(program).strip() == "True"


def resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE")


@pytest.mark.slow
@linux_only
def test_giants_leave_no_memory_behind() -> None:
    """A metric keeps scratch memory, except for the growth by a giant segment."""
    giant = np.zeros(1_000_000, np.int8)
    metrics = [BLEU() for _ in range(20)]
    metrics[0].corpus_stats([giant], [[giant]])
    before = resident()
    for metric in metrics:
        assert metric.corpus_stats([giant], [[giant[1:]]])[2] == 999_999
    assert resident() - before < 150_000_000


def test_most_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only as many threads are started as cores can use."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: range(8), raising=False)
    assert [check_threads(n) for n in (0, 1, 8, 64, 65, 10**12)] == [8, 1, 8, 64, 64, 64]
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: range(100))
    assert [check_threads(n) for n in (0, 64, 65, 100, 10**12)] == [100, 64, 65, 100, 100]


# Threads that run simultaneously, as in free-threaded Python; under the interpreter's lock, the
# same tests switch threads at any moment.

SECONDS = 0.4
WORDS = ["a", "b", "c", "d", "e", "f", "g", "h", "internationalization", "größer"]


def corpus(n: int) -> tuple[list[str], list[str]]:
    rng = random.Random(5)
    refs = [" ".join(rng.choices(WORDS, k=15)) for _ in range(n)]
    return [" ".join(rng.choices(ref.split(), k=13)) for ref in refs], refs


def run_in_threads(
    *works: Callable[[random.Random], object], suppressed: type[Exception] | tuple[()] = ()
) -> None:
    """Do each work repeatedly in its own thread."""
    end = time.monotonic() + SECONDS
    errors: list[BaseException] = []

    def run(work: Callable[[random.Random], object], seed: int) -> None:
        rng = random.Random(seed)
        try:
            while time.monotonic() < end:
                with contextlib.suppress(suppressed):
                    work(rng)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(work, i)) for i, work in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="always locked")
def test_the_lock_stays_off() -> None:
    program = """
import importlib, pkgutil, sys
import rapidbleu._core
for module in pkgutil.walk_packages(rapidbleu._core.__path__, "rapidbleu._core."):
    importlib.import_module(module.name)
    assert not sys._is_gil_enabled(), module.name
"""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHON_GIL"}
    subprocess.run([sys.executable, "-W", "error", "-c", program], env=environment, check=True)


def test_changes_of_one_score_from_many_threads() -> None:
    hyps, refs = corpus(50)
    bleu = BLEU()
    rows = bleu.segment_stats(hyps, [refs])
    running = bleu.running(bleu.prepare([refs]), hyps)

    def replace(rng: random.Random) -> None:
        running.replace(rng.randrange(50), rows[rng.randrange(50)])

    def add(rng: random.Random) -> None:
        running.append(rows[rng.randrange(50)])
        running.remove(-1)

    run_in_threads(*[replace] * 5, *[add] * 3)
    assert len(running) == 50
    assert running.rows.sum(0).tolist() == running.stats.tolist()
    assert running.score == bleu.score(running.stats).score


def test_reads_of_one_score_while_it_changes() -> None:
    hyps, refs = corpus(50)
    bleu = BLEU()
    rows = bleu.segment_stats(hyps, [refs])
    running = bleu.running(bleu.prepare([refs]), hyps)

    def change(rng: random.Random) -> None:
        running.replace(rng.randrange(50), rows[rng.randrange(50)])
        running.replace(rng.randrange(50), hyps[rng.randrange(50)])
        running.replace_many([0, 1], rows[rng.randrange(48) :][:2])
        running.append(rows[rng.randrange(50)].tolist())
        running.remove(-1)

    def read(rng: random.Random) -> None:
        copy = running.copy()
        assert copy.rows.sum(0).tolist() == copy.stats.tolist()
        assert copy.score == bleu.score(copy.stats).score
        whole = pickle.loads(pickle.dumps(running))
        assert len(whole.rows) == len(whole.segments) == len(whole)
        assert len(running) in range(50, 54)

    def ask(rng: random.Random) -> None:
        i = rng.randrange(50)
        assert len(running.score_if(i, rows[:3])) == len(running.score_if(i, hyps[:3])) == 3
        assert running.best_of(i, rows)[0] in range(50)
        with contextlib.suppress(ValueError):  # of another number of segments
            assert len(running.score_if_all(rows, range(51))) == 50

    run_in_threads(*[change] * 3, *[read] * 3, *[ask] * 2, suppressed=RuntimeError)
    assert len(running) == 50
    assert running.rows.sum(0).tolist() == running.stats.tolist()


def test_copies_that_share_their_scratch() -> None:
    hyps, refs = corpus(50)
    bleu = BLEU()
    rows = bleu.segment_stats(hyps, [refs])
    running = bleu.running(bleu.prepare([refs]), hyps)
    expected = [running.copy().replace(0, row) for row in rows]

    def search(rng: random.Random) -> None:
        own, k = running.copy(), rng.randrange(50)
        assert own.replace(0, rows[k]) == own.replace(0, rows[k].tolist()) == expected[k]
        assert own.score_if(0, rows).tolist() == expected
        assert own.score_if_all(rows, [0, 50] + [50] * 49).tolist() == expected

    run_in_threads(*[search] * 6)


def test_each_thread_has_its_last_call() -> None:
    bleu = BLEU()

    def score(rng: random.Random) -> None:
        n = rng.randint(1, 9)
        bleu.sentence_score("a b", ["a b"] * n)
        assert bleu.num_refs == n
        for seed in map(str, range(1000, 1100)):
            bleu._calls.remember(n + 1, 2, seed)
            assert bleu._calls.own() == (n + 1, 2, seed)

    run_in_threads(*[score] * 4)


def count_workspaces() -> int:
    return sum(type(each).__name__ == "Workspace" for each in gc.get_objects())


def test_few_of_many_workspaces_are_kept() -> None:
    gate = threading.Barrier(30)

    def tokenize(text: str) -> list[str]:
        gate.wait()
        return text.split()

    before = count_workspaces()
    bleu = BLEU(tokenize=tokenize)
    threads = [threading.Thread(target=bleu.sentence_score, args=("a", ["a"])) for _ in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 1 <= count_workspaces() - before <= 8


def test_lists_of_tokens_that_change() -> None:
    hyps, refs = corpus(50)
    tokens, ref_tokens = [hyp.split() for hyp in hyps], [ref.split() for ref in refs]
    bleu = BLEU(tokenize="none")

    def change(rng: random.Random) -> None:
        several = tokens[rng.randrange(50)]
        del several[:]
        several.extend(WORDS * rng.randint(1, 20))

    def score(rng: random.Random) -> None:
        assert bleu.segment_stats(tokens, [ref_tokens]).shape == (50, 10)

    run_in_threads(*[change] * 3, *[score] * 3)


def test_lists_of_tokens_that_change_under_nltk() -> None:
    hyps, refs = corpus(20)
    tokens, several = [hyp.split() for hyp in hyps], [[ref.split()] for ref in refs]

    def change(rng: random.Random) -> None:
        tokens[rng.randrange(20)][:] = WORDS * rng.randint(1, 20)
        several[rng.randrange(20)][:] = [[*WORDS] for _ in range(rng.randint(1, 9))]
        several[rng.randrange(20)][0][:] = WORDS * rng.randint(1, 20)

    def score(rng: random.Random) -> None:
        i = rng.randrange(20)
        assert 0.0 < bleu_score.sentence_bleu(several[i], tokens[i], (0.5, 0.5)) <= 1.0
        assert 0.0 < bleu_score.corpus_bleu(several, tokens, (0.5, 0.5)) <= 1.0
        assert 0.0 < gleu_score.corpus_gleu(several, tokens) <= 1.0
        assert nist_score.corpus_nist(several, tokens, 2) > 0.0
        assert chrf_score.corpus_chrf([each[0] for each in several], tokens) > 0.0

    run_in_threads(*[change] * 3, *[score] * 3)


def first_letters(word: str) -> str:
    return word[:3]


def test_words_of_meteor_are_asked_for_by_all_threads() -> None:
    hyps, refs = corpus(20)
    meteor = METEOR(modules=["exact", "stem"], stem=first_letters)
    expected = meteor.segment_scores(hyps, [refs]).tolist()

    def score(rng: random.Random) -> None:
        assert meteor.segment_scores(hyps, [refs]).tolist() == expected
        fresh = METEOR(modules=["exact", "stem"], stem=first_letters)
        assert fresh.segment_scores(hyps * 30, [refs * 30], threads=3).tolist() == expected * 30

    run_in_threads(*[score] * 3)


def test_threads_that_end_by_the_same_interrupt() -> None:
    class Stop(BaseException):
        pass

    found: list[BaseException] = []
    stop = Stop()

    def work(begin: int, end: int, stops: list[BaseException]) -> None:
        stops.append(stop)
        try:
            pairs.score(groups, 0, 1, np.empty(1), None, stops)
        except BaseException as error:
            found.append(error)
            raise

    bleu = BLEU()
    texts = bleu.prepare([["a b"]])._prepared
    pairs, groups = Pairs(bleu._kernel, texts, texts), np.array([[0, 1, 0, 1, 0, 1]])
    for _ in range(50):
        with pytest.raises(Stop):
            in_parts(work, 8, 8, 1)
    assert {type(error) for error in found} == {Stop}
    assert len({id(error) for error in found}) == len(found) and stop not in found
