"""Adversarially slow input, by kind and in two sizes, for `test_flooding`.

    python tests/support/programs/flooding.py

calls `os.getppid` before and after each job, so that callgrind can separate their instructions:
once for n and once for 2n, after a small one that loads and allocates everything.
"""

import gc
import os
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from rapidbleu import BLEU, CHRF, TER, CharacTER
from rapidbleu._core.moses.files import unique_rows
from rapidbleu.nltk import gleu, nist

MOST = 1 << 64
GOLDEN = 0x9E3779B97F4A7C15  # the factor of hashes without a secret
INVERSE = pow(GOLDEN, -1, MOST)
PRIME = (1 << 61) - 1  # Python's hash of an integer is its remainder


def signed(ids: Any) -> list[int]:
    return [(i % MOST) - (MOST if i % MOST >= MOST // 2 else 0) for i in ids]


def reversed_bits(i: int) -> int:
    return int(f"{i:064b}"[::-1], 2)


IDS: dict[str, Callable[[int], list[int]]] = {
    "in a row": lambda n: list(range(n)),
    "equal low bits": lambda n: signed(i << 32 for i in range(n)),
    "equal but for the highest bits": lambda n: signed(i << 50 for i in range(n)),
    "equal high and low bits": lambda n: signed(i << 20 | 1 << 60 | 5 for i in range(n)),
    "bits turned round": lambda n: signed(reversed_bits(i) for i in range(n)),
    "equal products with the golden ratio": lambda n: signed(i * INVERSE for i in range(n)),
    "low products alone": lambda n: signed((i << 20) * INVERSE for i in range(n)),
    "one hash of Python's for eight": lambda n: signed(i * PRIME for i in range(n)),
    "powers of a number": lambda n: signed(pow(3, i, MOST) for i in range(n)),
}


def fibonacci(n: int) -> str:
    a, b = "a", "ab"
    while len(b) < n:
        a, b = b, b + a
    return b[:n]


def de_bruijn(n: int) -> str:
    """Return a de Bruijn sequence of zeros and ones, by the greedy rule."""
    order = max(4, n.bit_length() - 1)
    state, seen, bits = 0, {0}, ["0"] * order
    while len(bits) < n:
        following = (state << 1 | 1) & ((1 << order) - 1)
        if following in seen:
            following ^= 1
        if following in seen:
            break
        seen.add(following)
        state = following
        bits.append(str(following & 1))
    return "".join(bits)[:n].ljust(n, "0")


LETTERS: dict[str, Callable[[int], str]] = {
    "one letter": lambda n: "a" * n,
    "two letters in turn": lambda n: "ab" * (n // 2),
    "a long period": lambda n: ("abcdefghijklmnop" * n)[:n],
    "a Fibonacci word": fibonacci,
    "a de Bruijn sequence": de_bruijn,
    "letters with one in the middle": lambda n: "a" * (n // 2) + "b" + "a" * (n // 2),
    "different characters": lambda n: "".join(map(chr, range(0x4E00, 0x4E00 + n))),
}
WORDS: dict[str, Callable[[int], list[str]]] = {
    "equal at both ends": lambda n: [f"internatio{i:06d}nalization" for i in range(n)],
    "with NUL": lambda n: [f"{i:x}\0" for i in range(n)],
    "of nine bytes": lambda n: [f"{i:08d}x" for i in range(n)],
    "longer and longer": lambda n: ["a" * (i % 97) + "b" for i in range(n)],
}


def hashed_by_moses(stats: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Hash rows (0.0, count) like `moses_order` of a known key."""
    value, factor = GOLDEN, 0xA0761D6478BD642F
    value = value * factor % MOST ^ value * factor // MOST
    words, low = np.uint64(value) ^ stats, np.uint64(0xFFFFFFFF)
    half = np.uint64(32)
    b0, b1 = np.uint64(0xE7037ED1A0B428DB) & low, np.uint64(0xE7037ED1A0B428DB) >> half
    a0, a1 = words & low, words >> half
    middle = (a0 * b0 >> half) + (a0 * b1 & low) + (a1 * b0 & low)
    high = a1 * b1 + (a0 * b1 >> half) + (a1 * b0 >> half) + (middle >> half)
    return words * np.uint64(0xE7037ED1A0B428DB) ^ high


def moses_rows(n: int) -> Callable[[], Any]:
    """Return different rows for one slot of a table of 1,024."""
    stats = np.arange(1 << 19, dtype=np.uint64)
    stats = stats[hashed_by_moses(stats) % np.uint64(1024) == 0][:n].astype(np.int32)
    features, offsets = np.zeros((n, 1), np.float32), np.array([0, n])
    order, counts = np.empty(n, np.int64), np.empty(1, np.int64)
    return lambda: unique_rows(features, stats[:, None].copy(), offsets, order, counts)


def spelled(n: int) -> Callable[[], Any]:
    """Score a word of the characters whose 32-bit products with the golden ratio are smallest."""
    codes = np.arange(0x10000, 0x110000, dtype=np.uint32)
    least = np.argpartition(codes * np.uint32(0x9E3779B1), n)[:n]
    word = "".join(map(chr, codes[least].tolist()))
    return lambda: CharacTER().segment_stats(["a" + word], [[word]])


Job = tuple[int, Callable[[int], Callable[[], Any]]]  # a size, and a function that prepares it


def rows_of(metric: Any, tokens: Any, *refs: Any) -> Callable[[], Any]:
    return lambda: metric.segment_stats([tokens], [[ref] for ref in refs or (tokens,)])


def arrays_of(metric: Any, ids: list[int], copies: int = 1) -> Callable[[], Any]:
    return rows_of(metric, np.array(ids), np.array(ids[::-1] * copies))


def pairs_of(ids: list[int], n: int) -> Callable[[], Any]:
    texts = [np.array(ids[k::n]) for k in range(n)]
    return lambda: BLEU(effective_order=True).pairwise(texts[:2], texts)


def list_of(texts: list[Any]) -> Callable[[], Any]:
    return lambda: BLEU().nbest_stats([texts], [["a b"]])


def of_ids(ids: Callable[[int], list[int]]) -> dict[str, Job]:
    return {
        "BLEU, table of positions": (95, lambda n: arrays_of(BLEU(), ids(n))),
        "BLEU, sorted n-grams": (500, lambda n: arrays_of(BLEU(), ids(n), 2)),
        "BLEU, refinement": (2500, lambda n: arrays_of(BLEU(), ids(n))),
        "TER": (150, lambda n: arrays_of(TER(case_sensitive=True), sorted(ids(n)))),
        "pairs": (60, lambda n: pairs_of(ids(20 * n), n)),
        "NLTK": (500, lambda n: partial(gleu, [ids(n)], ids(n)[::-1])),
        "NIST": (500, lambda n: partial(nist, [ids(n)], ids(n)[::-1])),
    }


def of_letters(letters: Callable[[int], str]) -> dict[str, Job]:
    return {
        "BLEU": (1500, lambda n: rows_of(BLEU(), [*letters(n)], [*letters(n)[::-1]])),
        "BLEU, three references": (
            1500,
            lambda n: rows_of(BLEU(), [*letters(n)], *([*letters(n)[k:]] for k in range(3))),
        ),
        "chrF++": (1500, lambda n: rows_of(CHRF(word_order=2), letters(n), letters(n)[1:])),
        "NLTK": (1000, lambda n: partial(gleu, [[*letters(n)]], [*letters(n)[::-1]])),
        "n-best list": (300, lambda n: list_of([letters(60)] * n)),
    }


def of_words(words: Callable[[int], list[str]]) -> dict[str, Job]:
    return {
        "BLEU": (1500, lambda n: rows_of(BLEU(), words(n), words(n)[::-1])),
        "BLEU, table of positions": (95, lambda n: rows_of(BLEU(), words(n), words(n)[::-1])),
        "n-best list": (300, lambda n: list_of(words(n))),
    }


FAMILIES: list[tuple[dict[str, Any], Callable[[Any], dict[str, Job]]]] = [
    (IDS, of_ids),
    (LETTERS, of_letters),
    (WORDS, of_words),
]
JOBS: dict[str, Job] = {
    f"{what}: {kind}": job
    for kinds, jobs_of in FAMILIES
    for kind, make in kinds.items()
    for what, job in jobs_of(make).items()
}
JOBS["CharacTER: characters for one slot"] = 1000, spelled
JOBS["Moses' duplicates: rows for one slot"] = 150, moses_rows


def main() -> None:
    warnings.simplefilter("ignore")  # NLTK's, of scores that are 0
    gc.disable()  # it would run in one of the jobs, over all that was ever loaded
    for n, prepare in JOBS.values():
        prepare(max(8, n // 16))()
        for size in (n, 2 * n):
            run = prepare(size)
            os.getppid()
            run()
            os.getppid()


if __name__ == "__main__":
    main()
