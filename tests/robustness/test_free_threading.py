"""Threads that run at the same time, as those of free-threaded Python do.

The same tests run under the interpreter's lock, where threads take turns at any moment.
"""

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

import numpy as np
import pytest

from rapidbleu import BLEU, METEOR
from rapidbleu._core.scoring.pairs import Pairs
from rapidbleu.nltk import bleu_score, chrf_score, gleu_score, nist_score
from rapidbleu.parallel import in_parts

SECONDS = 0.4
WORDS = ["a", "b", "c", "d", "e", "f", "g", "h", "internationalization", "größer"]


def corpus(n: int) -> tuple[list[str], list[str]]:
    rng = random.Random(5)
    refs = [" ".join(rng.choices(WORDS, k=15)) for _ in range(n)]
    return [" ".join(rng.choices(ref.split(), k=13)) for ref in refs], refs


def together(
    *works: Callable[[random.Random], object], suppressed: type[Exception] | tuple[()] = ()
) -> None:
    """Do each work again and again in a thread of its own."""
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
    """No module of the core turns it on."""
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

    together(*[replace] * 5, *[add] * 3)
    assert len(running) == 50
    assert running.rows.sum(0).tolist() == running.stats.tolist()
    assert running.score == bleu.score(running.stats).score


def test_reads_of_one_score_while_it_changes() -> None:
    """Whatever is read belongs to one moment."""
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

    together(*[change] * 3, *[read] * 3, *[ask] * 2, suppressed=RuntimeError)
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

    together(*[search] * 6)


def test_each_thread_has_its_last_call() -> None:
    bleu = BLEU()

    def score(rng: random.Random) -> None:
        n = rng.randint(1, 9)
        bleu.sentence_score("a b", ["a b"] * n)
        assert bleu.num_refs == n
        for seed in map(str, range(1000, 1100)):
            bleu._calls.remember(n + 1, 2, seed)
            assert bleu._calls.own() == (n + 1, 2, seed)

    together(*[score] * 4)


def count_workspaces() -> int:
    return sum(type(each).__name__ == "Workspace" for each in gc.get_objects())


def test_few_of_many_workspaces_are_kept() -> None:
    """Memory does not grow with the number of threads that ever scored at once."""
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

    together(*[change] * 3, *[score] * 3)


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

    together(*[change] * 3, *[score] * 3)


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

    together(*[score] * 3)


def test_threads_that_end_by_the_same_interrupt() -> None:
    """Each raises an exception of its own, of the same type."""

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
