"""Shared by tests of RunningScore: metrics, rows, the oracle."""

from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU
from rapidbleu.running import RunningScore
from support.corpora import random_corpus

MAX = 2**60
METRICS = [
    BLEU(),
    BLEU(smooth_method="none"),
    BLEU(smooth_method="floor", smooth_value=0.2),
    BLEU(smooth_method="add-k", smooth_value=2),
    BLEU(smooth_method="add-k", smooth_value=0),
    BLEU(effective_order=True, ref_len="shortest"),
    BLEU(max_ngram_order=1),
    BLEU(max_ngram_order=2, effective_order=True, smooth_method="none"),
    BLEU(max_ngram_order=3, weights=[0.5, 0.3, 0.2], ref_len="longest"),
    BLEU(max_ngram_order=4, weights=[0.7, 0.1, 0.1, 0.1], effective_order=True),
    BLEU(max_ngram_order=5, ref_len="average"),
    BLEU(max_ngram_order=6, smooth_method="floor"),
]
each_metric = pytest.mark.parametrize("metric", METRICS, ids=range(len(METRICS)))


def n_stats(metric: BLEU) -> int:
    return 2 + 2 * metric.max_ngram_order


def random_row(rng: Random, metric: BLEU) -> list[int]:
    """Return the row of a hypothesis that shares some n-grams with its reference, or none."""
    order = metric.max_ngram_order
    hyp_len, ref_len = rng.choice([0, 1, 3, rng.randrange(60)]), rng.randrange(60)
    totals = [max(0, hyp_len - n) for n in range(order)]
    quality = rng.choice([0, 0.3, 0.7, 1])
    correct = [int(total * quality ** (n + 1)) for n, total in enumerate(totals)]
    return [hyp_len, ref_len, *correct, *totals]


def random_rows(rng: Random, metric: BLEU, n: int) -> list[list[int]]:
    return [random_row(rng, metric) for _ in range(n)]


def totals(rows: list[list[int]], k: int) -> list[int]:
    return [sum(row[j] for row in rows) for j in range(k)]


def rebuilt(metric: BLEU, rows: list[list[int]]) -> float:
    return metric.score(totals(rows, n_stats(metric))).score


def check(running: RunningScore, metric: BLEU, rows: list[list[int]]) -> None:
    k = n_stats(metric)
    assert len(running) == len(rows)
    assert running.score == rebuilt(metric, rows)
    assert type(running.score) is float
    assert running.stats.tolist() == totals(rows, k)
    assert running.stats.dtype == running.rows.dtype == np.int64
    assert running.rows.tolist() == rows
    assert running.rows.shape == (len(rows), k)


def state(running: RunningScore) -> Any:
    return (
        running.score,
        running.stats.tolist(),
        running.rows.tolist(),
        running.segments.tolist(),
        len(running),
    )


GOOD = [9, 9, 8, 7, 6, 5, 9, 8, 7, 6]
SHORT = GOOD[:9]


def with_count(value: Any, column: int = 3) -> list[Any]:
    return [*GOOD[:column], value, *GOOD[column + 1 :]]


HYPS, REFS = random_corpus(Random("running"), 12, kind="ascii", n_refs=2)
OTHERS, _ = random_corpus(Random("others"), 12, kind="ascii", n_refs=1)


def with_references(metric: BLEU) -> RunningScore:
    return RunningScore(metric, metric.segment_stats(HYPS, REFS), metric.prepare(REFS))
