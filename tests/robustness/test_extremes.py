"""Extreme input: strange characters, giants, crowds, and sizes at which the algorithm changes."""

import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU
from reference import bleu as oracle
from support.corpora import random_corpus, with_gaps
from support.places import PYTHONPATH, TESTS
from support.processes import LOWER_LEVELS
from support.programs.flooding import JOBS
from support.selection import few

# A word of the matcher has 64 positions; longer references use several, and then another path.
BOUNDARIES = (63, 64, 65, 127, 128, 129, 191, 192, 193, 383, 384, 385, 512, 1000)


def row_of(hyp: Any, *refs: Any, **options: Any) -> list[int]:
    rows: list[list[int]] = BLEU(**options).segment_stats([hyp], [[ref] for ref in refs]).tolist()
    return rows[0]


def perfect(n: int, max_order: int = 4) -> list[int]:
    possible = [max(0, n - order) for order in range(max_order)]
    return [n, n, *possible, *possible]


def check_ids(hyp: Sequence[int], refs: Sequence[Sequence[int]], max_order: int = 4) -> None:
    expected = oracle.segment_stats(hyp, refs, max_order)
    assert row_of(hyp, *refs, max_ngram_order=max_order) == expected


@pytest.mark.parametrize("tokenize", ["none", "13a", "intl"])
def test_nul(tokenize: str) -> None:
    assert row_of("\0", "\0", tokenize=tokenize) == perfect(1)
    assert row_of("a", "a\0", tokenize=tokenize) == [1, 1, 0, 0, 0, 0, 1, 0, 0, 0]
    assert row_of("a\0", "a\0\0", tokenize=tokenize)[2] == 0
    assert row_of("\0\0", "\0", tokenize=tokenize)[2] == 0
    assert row_of("x\0y a\0", "a\0 x\0y", tokenize=tokenize) == [2, 2, 2, 0, 0, 0, 2, 1, 0, 0]
    assert row_of("abcdefg\0 abcdefg", "abcdefg abcdefg\0", tokenize=tokenize)[2:4] == [2, 0]


def test_tokens_at_the_length_that_is_its_own_identity() -> None:
    """Up to eight bytes a token is its own identity; beyond, bytes are compared."""
    for n in range(1, 40):
        word = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnop"[:n]
        others = [word[:-1] + "Z", "Z" + word[1:], word + "Z", word[:-1]]
        assert row_of(word, word) == perfect(1)
        for other in others:
            assert row_of(word, other)[2] == 0
        wide = "\xe9" * n
        assert row_of(wide, wide) == perfect(1)
        assert row_of(wide, wide[:-1] + "\xe8")[2] == 0
        assert row_of([word, wide, *others], [*others[::-1], wide, word])[2] == 6


@pytest.mark.slow
def test_token_of_50_megabytes() -> None:
    token = "x" * 50_000_000
    assert row_of(token, token) == perfect(1)
    assert row_of(token, token[:-1] + "y") == [1, 1, 0, 0, 0, 0, 1, 0, 0, 0]
    assert row_of(f"a {token} b", f"a {token} b") == perfect(3)


def test_blank_segment_of_50_megabytes() -> None:
    assert row_of(" " * 50_000_000, "a") == [0, 1, *[0] * 8]
    assert row_of("\u3000" * 10_000_000 + "a", "a") == perfect(1)


@pytest.mark.parametrize("n", [1000, 1_000_000])
def test_segment_against_itself_and_reordered(n: int) -> None:
    """n different tokens: a reversed copy shares all unigrams and nothing longer."""
    words = [f"w{i}" for i in range(n)]
    text = " ".join(words)
    assert row_of(text, text, tokenize="none") == perfect(n)
    possible = perfect(n)[6:]
    backwards = " ".join(words[::-1])
    assert row_of(text, backwards, tokenize="none") == [n, n, n, 0, 0, 0, *possible]
    half = n // 2
    swapped = " ".join(words[half:] + words[:half])  # loses the n-grams across the cut
    expected = [n, n, n, n - 2, n - 4, n - 6, *possible]
    assert row_of(text, swapped, tokenize="none") == expected
    if n == 1000:
        check_ids(range(n), [[*range(half, n), *range(half)]])


def test_shuffled_million() -> None:
    """In blocks of ten tokens, so that the counts of the orders are known."""
    n_blocks = 100_000
    order = np.random.default_rng(1).permutation(n_blocks)
    order = order[np.r_[True, np.diff(order) != 1]]  # no two blocks stay neighbours
    n = 10 * len(order)
    tokens = (10 * order[:, None] + np.arange(10)).ravel()
    row = row_of(tokens, np.arange(10 * n_blocks))
    k = len(order)
    assert row == [n, 10 * n_blocks, n, 9 * k, 8 * k, 7 * k, n, n - 1, n - 2, n - 3]


@pytest.mark.parametrize("n", [1, 3, 63, 64, 65, 500, 1_000_000])
def test_one_token_repeated(n: int) -> None:
    text = "la " * n
    assert row_of(text, text) == perfect(n)
    half = n // 2
    clipped = [max(0, half - order) for order in range(4)]
    assert row_of(text, "la " * half) == [n, half, *clipped, *perfect(n)[6:]]
    assert row_of("la " * half, text) == [half, n, *clipped, *clipped]


def test_period_of_two_in_long_segments() -> None:
    n = 200_000
    row = row_of(np.arange(n) % 2, np.arange(n + 1) % 2)
    assert row == [n, n + 1, n, n - 1, n - 2, n - 3, n, n - 1, n - 2, n - 3]


def test_million_empty_segments() -> None:
    stats = BLEU().corpus_stats([""] * 1_000_000, [[""] * 1_000_000])
    assert stats.tolist() == [0] * 10
    score = BLEU().corpus_score([""] * 1_000_000, [["a"] * 1_000_000])
    assert (score.score, score.bp, score.sys_len, score.ref_len) == (0.0, 0.0, 0, 1_000_000)


@pytest.mark.parametrize("threads", [1, 2])
def test_many_segments_of_one_token(threads: int) -> None:
    n = 300_000
    hyps = [f"w{i % 1000}" for i in range(n)]
    refs = [f"w{i % 1000}" if i % 3 else "other" for i in range(n)]
    stats = BLEU().corpus_stats(hyps, [refs], threads=threads).tolist()
    assert stats == [n, n, n * 2 // 3, 0, 0, 0, n, 0, 0, 0]


def test_empty_references() -> None:
    assert row_of("a b", "") == [2, 0, 0, 0, 0, 0, 2, 1, 0, 0]
    assert row_of("", "") == [0] * 10
    assert row_of("a b", "", "b a c") == [2, 3, 2, 0, 0, 0, 2, 1, 0, 0]
    assert row_of("a b", "b a", "", "\n") == [2, 2, 2, 0, 0, 0, 2, 1, 0, 0]
    assert row_of([], []) == [0] * 10
    assert row_of([1, 2], [], [2]) == [2, 1, 1, 0, 0, 0, 2, 1, 0, 0]
    assert row_of("a", "", "", "") == [1, 0, 0, 0, 0, 0, 1, 0, 0, 0]
    assert row_of("a " * 1000, "", "a " * 500)[2:6] == [500, 499, 498, 497]


def test_hundred_references() -> None:
    rng = random.Random(100)
    for longest in (5, 30, 70, 500):
        hyp = rng.choices(range(9), k=longest)
        refs = [rng.choices(range(9), k=rng.randrange(longest + 1)) for _ in range(100)]
        check_ids(hyp, refs)
        check_ids(hyp, refs, 6)


@pytest.mark.parametrize("max_order", [*range(1, 21), 1000])
def test_orders(max_order: int) -> None:
    rng = random.Random(max_order)
    for n in (1, 5, 40, 70, 450):
        hyp = rng.choices(range(3), k=n)
        near = hyp[: n // 3] + rng.choices(range(3), k=2) + hyp[n // 3 :]
        if max_order == 1000 and n > 70:
            continue  # the oracle is slow there
        check_ids(hyp, [near], max_order)
        check_ids(hyp, [near, rng.choices(range(3), k=n + 3), hyp[5:]], max_order)


def test_order_beyond_all_segments() -> None:
    for n in (3, 100, 2000):
        assert row_of(list(range(n)), list(range(n)), max_ngram_order=5000) == perfect(n, 5000)


@pytest.mark.parametrize("n", few(BOUNDARIES, range(300)))
def test_reference_lengths_at_boundaries(n: int) -> None:
    rng = random.Random(n)
    for vocabulary in (1, 2, 40, 4 * n):
        ref = rng.choices(range(vocabulary), k=n)
        for hyp in (
            ref,
            ref[1:] + ref[:1],
            [*ref[: n // 2], -1, *ref[n // 2 :]],
            ref * 2,
            rng.choices(range(vocabulary), k=20),
            rng.choices(range(vocabulary), k=n + 3),
        ):
            check_ids(hyp, [ref])
            check_ids(hyp, [ref, rng.choices(range(vocabulary), k=n - 1), ref[: n // 2]])


@pytest.mark.parametrize("n", BOUNDARIES)
def test_matches_that_cross_a_word(n: int) -> None:
    for end in {4, n, *(64 * k + shift for k in range(1, n // 64 + 1) for shift in range(4))}:
        if 4 <= end <= n:
            ref = list(range(n))
            row = row_of([-1, *ref[end - 4 : end], -2], ref)
            assert row == [6, n, 4, 3, 2, 1, 6, 5, 4, 3]


@pytest.mark.parametrize("n", BOUNDARIES)
def test_long_tokens_at_boundaries(n: int) -> None:
    rng = random.Random(n)
    words = [f"a word of many letters, number {i}" for i in range(n // 2)] + list("abcdef")
    ref = rng.choices(words, k=n)
    hyp = rng.choices(words, k=30) + ref[n - 20 :]
    assert row_of(hyp, ref) == oracle.segment_stats(hyp, [ref])
    assert row_of(hyp, ref[:9], ref) == oracle.segment_stats(hyp, [ref[:9], ref])


@pytest.mark.parametrize("seed", range(40))
def test_texts_full_of_duplicates(seed: int) -> None:
    rng = random.Random(seed)
    vocabulary = rng.choice((1, 2, 3, 5))
    refs = [
        rng.choices(range(vocabulary), k=rng.choice((0, 1, 9, 64, 65, 130, 400)))
        for _ in range(rng.randint(1, 4))
    ]
    check_ids(rng.choices(range(vocabulary), k=rng.choice((1, 3, 10, 64, 200))), refs)


PROGRAM = """
import hashlib, sys
from random import Random
sys.path.insert(0, sys.argv[1])
from support.corpora import KINDS, random_corpus, with_gaps
from rapidbleu import BLEU
digest = hashlib.sha256()
for kind in KINDS:
    rng = Random("extremes " + kind)
    hyps, refs = random_corpus(rng, 150, kind=kind, n_refs=3)
    for tokenize in ("none", "13a", "intl", "char", "zh"):
        for lowercase in (False, True):
            bleu = BLEU(tokenize=tokenize, lowercase=lowercase)
            for references in (refs[:1], with_gaps(rng, refs)):
                digest.update(bleu.segment_stats(hyps, references).tobytes())
                digest.update(bleu.segment_scores(hyps, references).tobytes())
print(digest.hexdigest())
"""


def digest(**environment: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(TESTS)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.fixture(scope="module")
def usual_digest() -> str:
    return digest(PYTHONHASHSEED="0")


@pytest.mark.parametrize("level", LOWER_LEVELS)
def test_lower_levels_give_the_same_rows(usual_digest: str, level: str) -> None:
    assert len(usual_digest) == 65
    assert digest(PYTHONHASHSEED="0", RAPIDBLEU_SIMD=level) == usual_digest


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["1", "4242"])
def test_results_do_not_depend_on_the_hash_seed(usual_digest: str, seed: str) -> None:
    assert digest(PYTHONHASHSEED=seed) == usual_digest


def test_portable_code_against_the_oracle() -> None:
    """The digest compares two of our paths; this compares the portable one with the paper."""
    program = (
        "import sys; from rapidbleu import BLEU; import ast; "
        "hyps, refs = ast.literal_eval(sys.stdin.read()); "
        "print(BLEU(tokenize='none').segment_stats(hyps, refs).tolist())"
    )
    rng = random.Random("portable")
    hyps, refs = random_corpus(rng, 60, kind="german", n_refs=2)
    result = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "RAPIDBLEU_SIMD": "portable", "PYTHONIOENCODING": "utf-8"},
        input=repr((hyps, with_gaps(rng, refs))),
        encoding="utf-8",
        capture_output=True,
        check=True,
    )
    rng = random.Random("portable")
    hyps, streams = random_corpus(rng, 60, kind="german", n_refs=2)
    holed = with_gaps(rng, streams)
    expected = []
    for i, hyp in enumerate(hyps):
        texts = [stream[i] for stream in holed]
        tokens = [text.split() for text in texts if text is not None]
        expected.append(oracle.segment_stats(hyp.split(), tokens))
    assert result.stdout.strip() == str(expected)


def test_memory_of_high_orders() -> None:
    tracemalloc = pytest.importorskip("tracemalloc")
    row = 8 * (2 + 2 * 1_000_000)
    tracemalloc.start()
    try:
        metric = BLEU(max_ngram_order=1_000_000)
        references = metric.prepare([["a b c", "d e"]])
        metric.segment_scores(["a b", "d e"], references)
        metric.nbest_scores([["a b", "a"], ["d e"]], references)
        assert tracemalloc.get_traced_memory()[1] < 12 * row
    finally:
        tracemalloc.stop()


# No input makes scoring superlinear: instructions of jobs of `flooding`, counted by callgrind. The
# exception: NLTK's functions store tokens that are neither strings nor 64-bit integers in a Python
# dictionary, which a chosen `__hash__` can slow down, as in NLTK.
MOST = 2.7  # times the instructions for twice the input; 4 is quadratic
SEED = "20"  # of Python's hashes, on which nothing here may depend


@pytest.fixture(scope="module")
def counts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, int]]:
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed")
    out = tmp_path_factory.mktemp("callgrind") / "out"
    program = [sys.executable, TESTS / "support" / "programs" / "flooding.py"]
    tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--dump-before=getppid"]
    done = subprocess.run(
        [*tool, *program],
        env={**os.environ, "PYTHONHASHSEED": SEED, "PYTHONPATH": PYTHONPATH},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found = []
    for i in range(4 * len(JOBS)):  # before, n, between, 2n
        total = re.search(r"^totals: (\d+)", Path(f"{out}.{i + 1}").read_text(), re.M)
        assert total is not None
        found.append(int(total[1]))
    return {name: (found[4 * i + 1], found[4 * i + 3]) for i, name in enumerate(JOBS)}


@pytest.mark.slow
@pytest.mark.parametrize("name", JOBS)
def test_twice_as_much_takes_about_twice_as_long(
    counts: dict[str, tuple[int, int]], name: str
) -> None:
    one, two = counts[name]
    assert 0 < two < MOST * one, (one, two)


COLLIDING = """
import os, sys, time
key = "abcdefga"
if sys.argv[1] == "known":
    os.urandom = lambda n: (key.encode() * n)[:n]
from rapidbleu import BLEU

def duration(start):
    words = [f"{start}{i:08d}" for i in range(8000)]
    begin = time.process_time()
    BLEU().segment_stats([words], [[words[::-1]]])
    return time.process_time() - begin

duration("warm-up!")
print(duration(key) / duration("abcdefgb"))
"""


@pytest.mark.slow
@pytest.mark.parametrize("keys", ["known", "secret"])
def test_keys_come_from_the_operating_system(keys: str) -> None:
    """Words that collide under one key make scoring slow if `os.urandom` returns that key."""
    ratio = float(
        subprocess.run(
            [sys.executable, "-c", COLLIDING, keys],
            env={**os.environ, "PYTHONHASHSEED": SEED},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    )
    assert (ratio > 10) == (keys == "known"), ratio
