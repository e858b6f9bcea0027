"""Clusters, drawn and swapped as a whole: slow oracle, invariants, invalid input."""

import logging
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, TER, SegmentScores, WeightedSum
from rapidbleu.significance import (
    bootstrap,
    estimate_power,
    estimate_standard_error,
    paired_bootstrap,
    paired_randomization,
)
from reference import significance as oracle
from support.corpora import random_corpus
from support.paired_tests import repeats

N = 60
A, REFS = random_corpus(Random("clusters"), N, kind="german", n_refs=1)
B = [text.partition(" ")[2] if i % 3 else text for i, text in enumerate(A)]
LABELS = [f"doc {i * i % 23}" for i in range(N)]
BLEU_2 = BLEU(max_ngram_order=2, smooth_method="add-k")
COMET = SegmentScores("COMET")


def rows_of(metric: Any) -> list[Any]:
    if metric is COMET:
        return [COMET.stats(np.random.default_rng(i).normal(size=N).round(2)) for i in range(2)]
    if isinstance(metric, WeightedSum):
        return [np.hstack(pair) for pair in zip(rows_of(BLEU_2), rows_of(COMET), strict=True)]
    return [metric.segment_stats(own, REFS) for own in (A, B)]


METRICS = [BLEU_2, TER(), COMET, WeightedSum([BLEU_2, COMET], [1, -20])]
CASES = [(metric, rows_of(metric)) for metric in METRICS]
each_metric = pytest.mark.parametrize(("metric", "rows"), CASES, ids=range(len(CASES)))


def slow_sums(rows: Any, labels: list[Any]) -> list[list[int]]:
    return [
        oracle.total([row for row, own in zip(rows.tolist(), labels, strict=True) if own == label])
        for label in dict.fromkeys(labels)
    ]


def slow(seed: int = 12345) -> oracle.Pcg64:
    state: Any = np.random.PCG64(seed).state["state"]
    return oracle.Pcg64(state["state"], state["inc"])


def slow_scores(metric: Any, rows: Any, labels: list[Any], n: int) -> list[float]:
    return [metric.score(row).score for row in oracle.resampled(slow_sums(rows, labels), n, slow())]


@each_metric
def test_the_bootstrap_is_that_of_the_oracle(metric: Any, rows: list[Any]) -> None:
    found = bootstrap(rows[0], None, metric, clusters=LABELS, n_resamples=50)
    expected = slow_scores(metric, rows[0], LABELS, 50)
    assert found.samples is not None
    assert found.samples.tolist() == expected
    assert found.interval == oracle.interval(expected, 0.95)
    assert found.score == metric.score(rows[0]).score


@each_metric
@pytest.mark.parametrize("ties", [False, True])
def test_paired_tests_are_those_of_the_oracle(metric: Any, rows: list[Any], ties: bool) -> None:
    systems, options = dict(zip("AB", rows, strict=True)), {"clusters": LABELS, "ties": ties}
    scores = [metric.score(own).score for own in rows]
    found: Any = paired_bootstrap(systems, None, {"m": metric}, n_resamples=50, **options)
    samples = [slow_scores(metric, own, LABELS, 50) for own in rows]
    p = oracle.bootstrap_p(samples[1], samples[0], abs(scores[0] - scores[1]), ties)
    assert found["m"]["B"].p_value == p
    assert [own.samples.tolist() for own in found["m"].values()] == samples
    assert [own.score for own in found["m"].values()] == scores

    found = paired_randomization(systems, None, {"m": metric}, n_trials=60, **options)
    p = oracle.randomization_p(
        lambda row: metric.score(row).score,
        slow_sums(rows[0], LABELS),
        slow_sums(rows[1], LABELS),
        60,
        slow(),
        ties,
    )
    assert found["m"]["B"].p_value == p
    assert [own.score for own in found["m"].values()] == scores


def everything(clusters: Any, **options: Any) -> list[Any]:
    rows = dict(zip("AB", CASES[0][1], strict=True))
    one: Any = bootstrap(rows["A"], None, BLEU_2, clusters=clusters, n_resamples=30, **options)
    found = [one.samples.tolist(), one.interval]
    for test in (paired_bootstrap, paired_randomization):
        pair: Any = test(rows, None, BLEU_2, clusters=clusters, **repeats(test, 30), **options)
        found.append(pair.to_dict())
    power = estimate_power(rows, None, BLEU_2, clusters=clusters, n_resamples=30, **options)
    return [*found, power]


def test_each_segment_as_a_cluster_is_none() -> None:
    assert everything(range(N)) == everything(None)


def test_forms_of_labels() -> None:
    numbers = [int(label[4:]) for label in LABELS]
    expected = everything(LABELS)
    assert expected != everything(None)
    forms: list[Any] = [tuple(LABELS), np.array(LABELS), numbers, np.array(numbers, np.uint8)]
    for name in ("pandas", "polars"):
        forms.append(pytest.importorskip(name).Series(LABELS))
    for labels in (*forms, [-(2**62) + number for number in numbers]):
        assert everything(labels) == expected


def test_copies_of_segments_tell_nothing_new() -> None:
    order = np.random.default_rng(1).permutation(np.repeat(np.arange(N), 3))
    order = order[np.argsort(np.unique(order, return_index=True)[1][order], kind="stable")]
    scores = np.random.default_rng(0).normal(size=N)
    firsts = list(dict.fromkeys(order.tolist()))
    one: Any = bootstrap(COMET.stats(scores[firsts]), None, COMET, n_resamples=99)
    copies: Any = bootstrap(COMET.stats(scores[order]), None, COMET, n_resamples=99, clusters=order)
    assert copies.samples == pytest.approx(one.samples, abs=1e-14)
    narrow: Any = bootstrap(COMET.stats(scores[order]), None, COMET, n_resamples=99)
    assert narrow.standard_error < one.standard_error * 0.75
    error = estimate_standard_error(scores)
    assert estimate_standard_error(scores[order], order) == pytest.approx(error, rel=1e-12)
    assert estimate_standard_error(scores[order]) < error * 0.6


@pytest.mark.parametrize("threads", [0, 3])
def test_number_of_threads_changes_nothing(threads: int) -> None:
    assert everything(LABELS, threads=threads) == everything(LABELS)


def test_few_clusters_are_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    scores = np.linspace(0, 1, N)
    with caplog.at_level(logging.WARNING, "rapidbleu"):
        estimate_standard_error(scores, [i % 20 for i in range(N)])
        assert caplog.messages == []
        estimate_standard_error(scores, [i % 19 for i in range(N)])
        bootstrap(COMET.stats(scores), None, COMET, clusters=[i % 2 for i in range(N)])
        paired_bootstrap({"A": A, "B": B}, REFS, [BLEU(), TER()], clusters=["a", "b"] * (N // 2))
    assert [text.partition(" clusters: ")[0] for text in caplog.messages] == ["19", "2", "2"]


BAD: list[tuple[Any, type[Exception], str]] = [
    (["a"] * N, ValueError, "clusters: expected at least two; got 1"),
    ([], ValueError, "clusters: expected at least two; got 0"),
    (LABELS[1:], ValueError, f"clusters: expected {N}, one a segment; got {N - 1}"),
    ([*LABELS[1:], None], ValueError, rf"clusters\[{N - 1}\]: expected a label; got None"),
    ([*LABELS[1:], 5], TypeError, "clusters: expected numbers or texts; got both"),
    ([i / 2 for i in range(N)], TypeError, "clusters: expected texts or integers; got other"),
    ([*range(N - 1), None], TypeError, "clusters: expected texts or integers; got other"),
    ([True] * N, TypeError, r"clusters\[0\]: expected a number, a str or None; got bool"),
    ([[1]] * N, TypeError, r"clusters\[0\]: expected a number, a str or None; got list"),
    ("a" * N, TypeError, "clusters: expected a sequence of .*; got a single str"),
    (5, TypeError, "clusters: expected a sequence of .*; got int"),
]


@pytest.mark.parametrize(("clusters", "kind", "message"), BAD)
def test_wrong_clusters_are_refused(clusters: Any, kind: type[Exception], message: str) -> None:
    pair = {"A": CASES[0][1][0], "B": CASES[0][1][1]}
    for call in (
        lambda: bootstrap(pair["A"], None, BLEU_2, clusters=clusters),
        lambda: paired_bootstrap(pair, None, BLEU_2, clusters=clusters),
        lambda: paired_randomization(pair, None, BLEU_2, clusters=clusters),
        lambda: estimate_power(pair, None, BLEU_2, clusters=clusters),
        lambda: estimate_standard_error(range(N), clusters),
    ):
        with pytest.raises(kind, match=f"^{message}"):
            call()
