"""The index of all pairs compared with single pairs, at the sizes at which it changes algorithm.

`Pairs` queries the kernel for each pair and supports any metric; `BleuPairs` counts the n-grams
that segments share. Every score must have the same bits.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU
from rapidbleu._core.input.columns import Column, ReferenceColumns
from rapidbleu._core.scoring.pairs import BleuPairs, Pairs
from support.selection import few

MOST_TOKENS = 255  # of a hypothesis in the index
BLOCK_REFS = 512
BLOCK_TOKENS = 1 << 18
LENGTHS = (0, 1, 2, 3, 4, 5, 9, 30, 62, 63, 64, 65, 66, 127, 128, 129, 254, 255, 256, 257, 400)
OPTIONS: list[dict[str, Any]] = [
    {},
    {"effective_order": True},
    {"smooth_method": "floor", "max_ngram_order": 8},
    {"smooth_method": "add-k", "smooth_value": 0.5, "max_ngram_order": 6},
    {"smooth_method": "none", "effective_order": True, "max_ngram_order": 1},
    {"weights": [0.6, 0.3, 0.1], "max_ngram_order": 3, "effective_order": True},
    {"max_ngram_order": 9, "effective_order": True},
]


def prepare(bleu: BLEU, texts: Sequence[Any]) -> Any:
    return bleu._extractor.prepare(ReferenceColumns(Column(texts, "texts"), "stream", "texts"))


def pairs(cls: type[Pairs], bleu: BLEU, hyps: Any, refs: Any) -> Pairs:
    return cls(bleu._extractor.kernel, hyps, refs, 1)


def matrix(cls: type[Pairs], bleu: BLEU, hyps: Any, refs: Any, *ranges: int) -> Any:
    """Score a range of hypotheses against a range of references, by default all."""
    h0, h1, r0, r1 = ranges or (0, len(hyps), 0, len(refs))
    out = np.full((h1 - h0, r1 - r0), np.nan)
    groups = np.array([[h0, h1, r0, r1, 0, r1 - r0]], np.int64)
    pairs(cls, bleu, hyps, refs).score(groups, 0, 1, out)
    return out


def check(bleu: BLEU, hyps: Any, refs: Any, *ranges: int) -> Any:
    """Return the index's scores after comparing them with single pairs."""
    expected = matrix(Pairs, bleu, hyps, refs, *ranges)
    scores = matrix(BleuPairs, bleu, hyps, refs, *ranges)
    assert scores.tolist() == expected.tolist()
    assert not np.isnan(scores).any()
    return scores


def random_ids(rng: Random, length: int) -> list[int]:
    """Draw ids from an alphabet small enough for clipping and k-th occurrences to matter."""
    alphabet = rng.choice((1, 2, 3, 8, 40))
    return [int(alphabet * rng.random() ** 2) for _ in range(length)]


def random_texts(rng: Random, n: int, longest: int = 40) -> list[list[int]]:
    """Half of the texts are edits of earlier ones, so that many references share a feature."""
    texts: list[list[int]] = []
    for _ in range(n):
        text = random_ids(rng, rng.randrange(longest))
        if texts and rng.random() < 0.5:
            text = [token for token in rng.choice(texts) if rng.random() < 0.9] + text[:2]
        texts.append(text)
    return texts


@pytest.mark.parametrize(
    "n_refs", [1, 2, 22, 23, 24, 25, 26, 63, 64, 65, 127, 128, 129, 191, 193, 255, 256, 257, 600]
)
def test_numbers_of_references(n_refs: int) -> None:
    rng = Random(n_refs)
    hyps, refs = random_texts(rng, 20), random_texts(rng, n_refs)
    for options in OPTIONS[:: 1 if n_refs < 100 else 3]:
        bleu = BLEU(**options)
        table = prepare(bleu, refs)
        check(bleu, prepare(bleu, hyps), table)
        own = check(bleu, table, table, 0, min(n_refs, 40), 0, n_refs)
        # Equal but separate lists: no hypothesis is known to be a reference.
        again = matrix(BleuPairs, bleu, prepare(bleu, refs), table, 0, min(n_refs, 40), 0, n_refs)
        assert again.tolist() == own.tolist()


@pytest.mark.parametrize("n_refs", [BLOCK_REFS - 1, BLOCK_REFS, BLOCK_REFS + 1, 2 * BLOCK_REFS + 2])
def test_blocks_of_references(n_refs: int) -> None:
    rng = Random(n_refs)
    bleu = BLEU(effective_order=True)
    table = prepare(bleu, random_texts(rng, n_refs, 20))
    hyps = prepare(bleu, random_texts(rng, 12))
    check(bleu, hyps, table)
    # Hypotheses that are references of this, the previous and the next block.
    for begin in (0, BLOCK_REFS - 4, n_refs - 6):
        check(bleu, table, table, begin, min(begin + 8, n_refs), 0, n_refs)
    check(bleu, table, table, 3, 9, 5, n_refs)


@pytest.mark.parametrize(
    "lengths",
    [
        [BLOCK_TOKENS - 10, 10, 1, 30],  # ends where the block does
        [BLOCK_TOKENS - 10, 11, 0, 30],
        [5, BLOCK_TOKENS + 9, 0, 0, 7],  # longer than a block
        [BLOCK_TOKENS // 30] * 70,
    ],
    ids=["full", "over", "giant", "many"],
)
def test_blocks_of_tokens(lengths: list[int]) -> None:
    rng = np.random.default_rng(len(lengths))
    bleu = BLEU(effective_order=True)
    refs = [rng.integers(0, 40, n) for n in lengths]
    hyps = [rng.integers(0, 40, n) for n in (1, 20, 200, 255, 256)]
    hyps += [refs[i][-200:] for i in range(len(lengths))][:4]
    check(bleu, prepare(bleu, hyps), prepare(bleu, refs))


def lengths_of_texts(rng: Random) -> Iterator[list[int]]:
    for length in LENGTHS:
        yield [7] * length
        yield [i % 3 for i in range(length)]
        yield random_ids(rng, length)
        yield list(range(length))


@pytest.mark.parametrize("order", few([1, 2, 4, 7, 8, 9, 17], [1, 4, 9]))
def test_lengths(order: int) -> None:
    """Counters are bytes, so longer hypotheses take another path; the penalty table ends at 511."""
    rng = Random(order)
    texts = list(lengths_of_texts(rng))
    refs = texts + [[7] * n for n in (500, 510, 511, 512, 513, 700)]
    for smoothing in ("exp", "none"):
        bleu = BLEU(smooth_method=smoothing, max_ngram_order=order, effective_order=order != 4)
        table = prepare(bleu, refs)
        assert check(bleu, prepare(bleu, texts), table).max() == pytest.approx(100.0)
        check(bleu, table, table)
        check(bleu, table, table, 0, len(refs), 30, 45)  # too few for bit rows


@pytest.mark.parametrize("n_rows", [1, 6, 7, 8, 13, 14, 15, 127, 128, 250, 253, 254, 255])
def test_numbers_of_rows_added(n_rows: int) -> None:
    """Every counter is known: reference r has the first r of the hypothesis's tokens."""
    bleu = BLEU(max_ngram_order=1, smooth_method="none")
    hyp = list(range(n_rows))
    refs = [hyp[:r] + [-1] * (n_rows - r) for r in range(n_rows + 1)] * 3
    scores = check(bleu, prepare(bleu, [hyp]), prepare(bleu, refs))[0]
    expected = [100.0 * r / n_rows for r in range(n_rows + 1)] * 3
    assert scores == pytest.approx(expected, rel=1e-12)


def test_groups_of_one_call() -> None:
    rng = Random(5)
    bleu = BLEU(effective_order=True)
    hyps, refs = (prepare(bleu, random_texts(rng, n)) for n in (60, 90))
    groups = np.array(
        [
            [0, 20, 0, 30, 7, 30],
            [20, 20, 0, 90, 0, 90],
            [30, 40, 0, 90, 700, 90],
            [59, 60, 89, 90, 1650, 1],
        ],
        np.int64,
    )
    out = np.full(1700, -1.0)
    pairs(BleuPairs, bleu, hyps, refs).score(groups, 0, 3, out)
    whole = matrix(Pairs, bleu, hyps, refs)
    first, third = whole[:20, :30].ravel().tolist(), whole[30:40].ravel().tolist()
    expected = [-1.0] * 7 + first + [-1.0] * 93 + third
    assert out.tolist() == expected + [-1.0] * 100
    weights = np.array([rng.random() for _ in range(90)])
    sums = np.zeros(60)
    pairs(BleuPairs, bleu, hyps, refs).score(
        np.array([[5, 15, 40, 90, 5, 0]], np.int64), 0, 1, sums, weights
    )
    products = (whole[5:15, 40:] * weights[40:]).tolist()
    expected = [[*accumulate(row)][-1] for row in products]
    assert sums.tolist() == [0.0] * 5 + expected + [0.0] * 45


@pytest.mark.parametrize("n", few([2, 3, 50, 300], [2, 3, 50]))
@pytest.mark.parametrize("policy", ["closest", "shortest", "longest", "average"])
def test_each_against_the_others(n: int, policy: str) -> None:
    rng = Random(f"{n} {policy}")
    for options in OPTIONS:
        bleu = BLEU(**options, ref_len=policy)
        texts: list[Any] = random_texts(rng, n + 5)
        if len(options) > 1:
            texts = [[f"the long token {token}" for token in text] + ["."] for text in texts]
        table = prepare(bleu, texts)
        groups = np.array([[2, n + 2, 0, 0, 4, 0]], np.int64)
        scores, expected = np.full((2, n + 5), -1.0)
        pairs(BleuPairs, bleu, table, table).score_each(groups, 0, 1, scores)
        pairs(Pairs, bleu, table, table).score_each(groups, 0, 1, expected)
        assert scores.tolist() == expected.tolist()
        assert (scores[[0, 1, 2, 3, -1]] == -1.0).all() and (scores[4:-1] >= 0.0).all()


@pytest.mark.parametrize("cls", [Pairs, BleuPairs])
def test_work_ends_when_told(cls: type[Pairs]) -> None:
    bleu = BLEU()
    table = prepare(bleu, [[1, 2, 3, 4]] * 3)
    scorer, groups = pairs(cls, bleu, table, table), np.array([[0, 3, 0, 3, 0, 3]], np.int64)
    out = np.zeros(9)
    for call in (
        lambda: scorer.score(groups, 0, 1, out, None, [RuntimeError("elsewhere")]),
        lambda: scorer.score_each(groups, 0, 1, out, [RuntimeError("elsewhere")]),
    ):
        with pytest.raises(RuntimeError, match="elsewhere"):
            call()
    scorer.score(groups, 0, 1, out, None, [])
    assert out == pytest.approx(100.0)
