"""Formulas in explanations are true: their sides have equal values, the last is the score."""

from random import Random
from typing import Any

import pytest

from rapidbleu import BLEU, CHRF, ROUGE, TER, WordF
from reference import explaining as oracle
from support.corpora import random_corpus
from support.family import METRICS

SMOOTHINGS = ["none", "floor", "add-k", "exp", *(f"nltk{k}" for k in range(1, 8))]
EDGES = [
    ("", ["a b"]), ("a", [""]), ("", [""]), ("a", ["a"]), ("a b", ["b a"]), ("x", ["y z"]),
    ("a a a", ["a"]), ("a b c", ["a b c d e f g"]), ("a b c d e", ["a b c d e"]),
    ("the cat the", ["the dog", "a cat the cat", ""]), ("a " * 2, ["a " * 900]),
]  # fmt: skip


def check(metric: Any, hyp: str, refs: list[str]) -> list[str]:
    found = metric.explain(hyp, refs)
    for line in found.formula:
        for sides in oracle.values(line):
            for value in sides:
                assert value == pytest.approx(sides[-1], rel=0.05, abs=0.02), line
    if found.formula and " = " in found.formula[-1]:
        (*_, last), = oracle.values(found.formula[-1])  # fmt: skip
        assert f"{last:.2f}" == f"{metric.sentence_score(hyp, refs).score:.2f}"
    return found.formula


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_bleu(smoothing: Any) -> None:
    hyps, streams = random_corpus(Random(smoothing), 5, kind="ascii", n_refs=2)
    cases = [*EDGES, *((hyp, list(refs)) for hyp, *refs in zip(hyps, *streams, strict=True))]
    options: list[dict[str, Any]] = [
        {}, {"effective_order": True}, {"max_ngram_order": 2}, {"max_ngram_order": 1},
        {"weights": (0.4, 0.3, 0.2, 0.1)}, {"weights": (0.0, 0.0, 0.5, 0.5)},
        {"weights": (0.4, 0.3, 0.2, 0.1), "effective_order": True},
        {"weights": (0.0, 0.0, 0.5, 0.5), "effective_order": True},
        {"ref_len": "average"}, {"ref_len": "longest"},
    ]  # fmt: skip
    if not smoothing.startswith("nltk"):
        options += [own | {"mean": "arithmetic"} for own in options]
        if smoothing in ("floor", "add-k"):
            options += [{"smooth_value": 0}, {"smooth_value": 0.5}]
    for own in options:
        metric = BLEU(smooth_method=smoothing, **{"effective_order": False} | own)
        for hyp, refs in cases:
            check(metric, hyp, refs)


def test_bleu_names_what_is_smoothed_and_left_out() -> None:
    def formula(hyp: str, ref: str, **options: Any) -> list[str]:
        return BLEU(**{"max_ngram_order": 3, "effective_order": True} | options).explain(
            hyp, [ref]
        ).formula  # fmt: skip

    assert formula("a b", "a b") == [
        "p1 = 100 * 2 / 2 = 100.00",
        "p2 = 100 * 1 / 1 = 100.00",
        "p3: left out  (the hypothesis has no 3-grams)",
        "BP = 1  (hyp_len 2 >= ref_len 2, the closest: REF 1)",
        "mean = (100.00 * 100.00)^(1/2) = 100.00",
        "BLEU = 1 * 100.00 = 100.00",
    ]
    assert formula("a", "a b")[1] == "p2 to p3: left out  (the hypothesis has no 2-grams)"
    assert formula("a c", "a b", smooth_method="floor")[1] == (
        "p2 = 100 * 0.1 / 1 = 10.00  (no match of 1: smoothed by floor)"
    )
    assert formula("a c", "a b", smooth_method="add-k")[1] == (
        "p2 = 100 * (0 + 1) / (1 + 1) = 50.00  (no match of 1: smoothed by add-k)"
    )
    assert formula("a c", "b d")[-1] == "BLEU = 0.00  (no n-gram matches)"
    assert formula("a b", "a b", effective_order=False)[2:] == [
        "BLEU = 0.00  (the hypothesis has no 3-grams)"
    ]
    assert formula("a", "a b c")[2] == (
        "BP = exp(1 - 3 / 1) = 0.1353  (hyp_len 1 < ref_len 3, the closest: REF 1)"
    )
    tiny = {"weights": (1 - 2e-10, 1e-10, 1e-10), "smooth_method": "none"}
    assert "logarithm counts as" in formula("a c d", "a b d", **tiny)[-2]
    assert formula("a", "a", smooth_method="nltk6")[1] == "p2 = 100 * 0 / 1 = 0.00"
    assert "without p2" in formula("a c d", "a b d", smooth_method="nltk6")[-2]


@pytest.mark.parametrize("beta", [0, 0.5, 1, 2, 3])
def test_chrf(beta: float) -> None:
    hyps, streams = random_corpus(Random(beta), 12, kind="mixed", n_refs=2)
    cases = [*EDGES, *((hyp, list(refs)) for hyp, *refs in zip(hyps, *streams, strict=True))]
    for options in ({}, {"word_order": 2}, {"eps_smoothing": True}, {"char_order": 1}):
        metric = CHRF(beta=beta, **options)  # type: ignore[arg-type]
        for hyp, refs in cases:
            check(metric, hyp, refs)


@pytest.mark.parametrize("name", METRICS)
def test_every_metric(name: str) -> None:
    hyps, streams = random_corpus(Random(name), 15, kind="ascii", n_refs=2)
    for hyp, *refs in zip(hyps, *streams, strict=True):
        check(METRICS[name], hyp, refs)
    for hyp, refs in EDGES:
        check(METRICS[name], hyp, refs)


@pytest.mark.parametrize("beta", [0, 0.5, 1, 3, float("inf")])
def test_overlaps(beta: float) -> None:
    hyps, (refs,) = random_corpus(Random(beta), 15, kind="ascii", n_refs=1)
    for hyp, ref in [*zip(hyps, refs, strict=True), ("", "a"), ("a", ""), ("a", "b")]:
        for metric in (WordF(beta=beta), ROUGE("L", beta=beta), ROUGE("1", beta=beta)):
            assert check(metric, hyp, [ref])


def test_an_empty_reference() -> None:
    (line,) = TER().explain("a", [""]).formula
    assert line == "TER = 100.00  (any edits are 100 % of an empty reference)"
