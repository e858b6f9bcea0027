"""Free-threaded Python: the core asks for the interpreter's lock, and what it does under it holds.

The core is not declared safe without the lock.  Before it is, these tests must pass on a
free-threaded interpreter with ``PYTHON_GIL=0``, which they do not today.
"""

import os
import random
import sys
import sysconfig
import threading
import time
from collections.abc import Callable

import pytest

from rapidbleu import BLEU

SECONDS = 0.4
WORDS = ["a", "b", "c", "d", "e", "f", "g", "h", "internationalization", "größer"]


def corpus(n: int) -> tuple[list[str], list[str]]:
    rng = random.Random(5)
    refs = [" ".join(rng.choices(WORDS, k=15)) for _ in range(n)]
    return [" ".join(rng.choices(ref.split(), k=13)) for ref in refs], refs


def together(*works: Callable[[random.Random], object]) -> None:
    """Do each work again and again in a thread of its own."""
    end = time.monotonic() + SECONDS
    errors: list[BaseException] = []

    def run(work: Callable[[random.Random], object], seed: int) -> None:
        rng = random.Random(seed)
        try:
            while time.monotonic() < end:
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
@pytest.mark.skipif(os.environ.get("PYTHON_GIL") == "0", reason="it was asked to stay off")
def test_the_lock_is_on() -> None:
    assert sys._is_gil_enabled()  # type: ignore[attr-defined,unused-ignore]


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
