"""Threads, signals, memory and processes: the same numbers, no crash, and a way out."""

import os
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, sentence_bleu
from rapidbleu.parallel import check_threads
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

# Any number of threads


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
    """They are not waited for: the calling thread does their work."""
    expected = BLEU().corpus_stats(HYPS, REFS).tolist()
    monkeypatch.setattr("_thread.start_new_thread", lambda *args: 0)
    assert BLEU().corpus_stats(HYPS, REFS, threads=3).tolist() == expected


def together(work: Callable[[int], Any], n: int) -> list[Any]:
    """Results of work(0) ... work(n - 1) in n threads that start at once."""
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
    """Eight threads make their first metric at the same time, in a fresh process."""
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


# Input that changes while it is read


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", ["text", "tokens", "ids"])
def test_lists_that_change_while_they_are_scored(kind: str, threads: int) -> None:
    """Whatever is seen of the changes, it ends in a value, a TypeError or a ValueError."""
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
    """What was given to a call is settled before any tokenizer runs."""
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


# Ctrl-C


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


# Memory


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


# Pickles


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


# Processes


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
    """Metrics and references reach a pool, as multiprocessing with spawn would send them."""
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
    """A metric keeps scratch memory, but not what a giant segment has made of it."""
    giant = np.zeros(1_000_000, np.int8)
    metrics = [BLEU() for _ in range(20)]
    metrics[0].corpus_stats([giant], [[giant]])
    before = resident()
    for metric in metrics:
        assert metric.corpus_stats([giant], [[giant[1:]]])[2] == 999_999
    assert resident() - before < 150_000_000


def test_most_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """More threads than cores can use are not begun."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: range(8), raising=False)
    assert [check_threads(n) for n in (0, 1, 8, 64, 65, 10**12)] == [8, 1, 8, 64, 64, 64]
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: range(100))
    assert [check_threads(n) for n in (0, 64, 65, 100, 10**12)] == [100, 64, 65, 100, 100]
