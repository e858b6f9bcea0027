"""Explained n-grams and formulas against a slow oracle, the kernel, and each other."""

import itertools
from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF, GLEU, NIST, PER, ROUGE, TER, WeightedBLEU, WordF
from rapidbleu.tokenizers import TOKENIZERS
from reference import bleu as bleu_oracle
from reference import chrf as chrf_oracle
from reference import explaining as oracle
from reference.papers import EXAMPLES, Example
from support.corpora import KINDS, nasty, random_corpus, with_gaps
from support.family import METRICS
from support.selection import few

SMOOTHINGS = ["none", "floor", "add-k", "exp", *(f"nltk{k}" for k in range(1, 8))]


def check_order(order: Any, hyp: list[Any], refs: list[Any], against: list[int]) -> None:
    """Check the n-grams of an order against the oracle."""
    n = order.order
    assert order.total == max(len(hyp) - n + 1, 0)
    assert [list(own.ngram) for own in order.ngrams] == [*oracle.first_occurrences(hyp, n)]
    assert order.ref_totals == tuple(0 if ref is None else max(len(ref) - n + 1, 0) for ref in refs)
    for own in order.ngrams:
        at = oracle.places(hyp, own.ngram)
        in_refs = [[] if ref is None else oracle.places(ref, own.ngram) for ref in refs]
        counts = [len(in_refs[i]) for i in against]
        assert list(own.hyp_places) == at
        assert [list(found) for found in own.ref_places] == in_refs
        assert own.credit == oracle.credit(len(at), counts)
        assert own.credited == tuple(at[: own.credit])
        assert own.clipped == (tuple(at[own.credit :]) if own.credit else ())
        assert (own.hyp_count, own.ref_counts) == (len(at), tuple(map(len, in_refs)))
        best = next((i for i in against if len(in_refs[i]) == max(counts) > 0), None)
        assert own.best == best
    assert order.matches == sum(own.credit for own in order.ngrams)


def check_bleu(metric: Any, hyp: Any, refs: list[Any]) -> None:
    """Check displayed numbers against the kernel's row and score."""
    found = metric.explain(hyp, refs)
    row = metric.segment_stats([hyp], [refs], layout="segment")[0].tolist()
    assert [*found.statistics.values()] == row
    n = len(found.orders)
    assert len(row) == 2 + 2 * n
    assert [own.matches for own in found.orders] == row[2 : 2 + n]
    assert [own.total for own in found.orders] == row[2 + n :]
    assert len(found.hypothesis) == row[0]
    lengths = [None if ref is None else len(ref) for ref in found.references]
    if metric.ref_len == "average":
        assert found.reference is None
    else:
        assert found.reference == lengths.index(row[1])
    assert found.score.format() == metric.sentence_score(hyp, refs).format()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_worked_examples(example: Example) -> None:
    metric = BLEU(tokenize="none", lowercase=True, effective_order=True)
    found = metric.explain(example.hypothesis, example.references)
    assert tuple(own.matches for own in found.orders) == example.correct
    assert tuple(own.total for own in found.orders) == example.total
    assert found.statistics["ref_len"] == example.closest
    hyp = example.hypothesis.lower().split()
    refs = [ref.lower().split() for ref in example.references]
    for own in found.orders:
        check_order(own, hyp, refs, [*range(len(refs))])


@pytest.mark.parametrize("kind", few(KINDS, ["mixed", "adversarial"]))
def test_bleu_of_random_corpora(kind: str) -> None:
    rng = Random(kind)
    hyps, streams = random_corpus(rng, 60, kind=kind, n_refs=3)
    streams = with_gaps(rng, streams)
    lengths, smoothings = ("closest", "shortest", "longest", "average"), itertools.cycle(SMOOTHINGS)
    for i, hyp in enumerate(hyps):
        metric = BLEU(
            lowercase=i % 2 == 0,
            effective_order=i % 3 == 0,
            max_ngram_order=1 + i % 5,
            ref_len=lengths[i % 4],
            smooth_method=next(smoothings),
            force=True,
        )
        check_bleu(metric, hyp, [stream[i] for stream in streams])


def test_every_place_of_random_texts() -> None:
    rng = Random("places")
    metric = BLEU(effective_order=True)
    for _ in range(80):
        hyp, *refs = ([rng.choice("abc") for _ in range(rng.randint(0, 15))] for _ in range(3))
        given = [refs[0], None, refs[1]] if rng.random() < 0.5 else refs
        found = metric.explain(hyp, given)
        for own in found.orders:
            check_order(own, hyp, given, [*range(len(given))])
            counts = bleu_oracle.clipped_counts(hyp, refs, own.order)
            credits = {ngram.ngram: ngram.credit for ngram in own.ngrams if ngram.credit}
            assert credits == dict(+Counter(counts))


@pytest.mark.parametrize("name", TOKENIZERS)
def test_every_tokenizer(name: str) -> None:
    try:
        metric = BLEU(tokenize=name, lowercase=True, effective_order=True, force=True)
    except (ImportError, OSError) as error:
        pytest.skip(str(error))
    hyps, streams = random_corpus(Random(name), 25, kind="mixed", n_refs=2)
    for hyp, *refs in zip(hyps, *streams, strict=True):
        check_bleu(metric, hyp, refs)


@pytest.mark.parametrize("lowercase", [False, True])
def test_nasty_strings(lowercase: bool) -> None:
    texts = [*nasty().values()]
    bleu = BLEU(lowercase=lowercase, effective_order=True, force=True)
    chrf = CHRF(char_order=2, word_order=1, lowercase=lowercase)
    for hyp, ref in zip(texts, texts[1:] + texts[:1], strict=True):
        if len(hyp) + len(ref) < 5000:
            check_bleu(bleu, hyp, [ref, hyp])
            check_chrf(chrf, hyp, [ref, hyp])


def test_tokens_and_ids() -> None:
    metric = BLEU(effective_order=True)
    check_bleu(metric, ["a b", "c", "a b"], [["c", "a b"]])
    check_bleu(metric, (1, 2, 1), [(1, 1, 3), None, (2,)])
    check_bleu(metric, np.array([5, 6]), [np.array([6, 5, 6])])
    (both,) = BLEU(max_ngram_order=1, effective_order=True).explain([-1], [[2**64 - 1]]).orders
    assert both.matches == 1
    assert both.ngrams[0].ngram == (-1,)


def check_chrf(metric: Any, hyp: str, refs: list[Any]) -> None:
    found = metric.explain(hyp, refs)
    row = metric.segment_stats([hyp], [refs], layout="segment")[0].tolist()
    assert [*found.statistics.values()] == row
    assert len(found.orders) == metric.char_order + metric.word_order
    rows = [
        None
        if ref is None
        else chrf_oracle.row(
            hyp, ref, metric.char_order, metric.word_order, metric.lowercase, metric.whitespace
        )
        for ref in refs
    ]
    scores = [
        -1.0 if own is None else chrf_oracle.score(own, metric.beta, metric.eps_smoothing)
        for own in rows
    ]
    best = scores.index(max(scores))
    assert found.reference == best
    for k, own in enumerate(found.orders):
        n_hyp, n_ref, matches = row[3 * k : 3 * k + 3]
        assert own.against == (best,)
        assert (own.matches, own.ref_totals[best]) == (matches, n_ref)
        assert n_hyp == (own.total if n_ref else 0)
        assert own.texts.kind == ("characters" if k < metric.char_order else "words")


@pytest.mark.parametrize("kind", few(KINDS, ["mixed", "adversarial"]))
def test_chrf_of_random_corpora(kind: str) -> None:
    rng = Random(kind)
    hyps, streams = random_corpus(rng, 24, kind=kind, n_refs=3)
    streams = with_gaps(rng, streams)
    for i, hyp in enumerate(hyps):
        metric = CHRF(
            char_order=i % 7,
            word_order=1 + i % 3,
            beta=i % 4,
            lowercase=i % 2 == 0,
            whitespace=i % 3 == 0,
            eps_smoothing=i % 5 == 0,
        )
        check_chrf(metric, hyp, [stream[i] for stream in streams])


def test_every_place_of_characters() -> None:
    rng = Random("characters")
    for whitespace in (False, True):
        metric = CHRF(char_order=3, whitespace=whitespace)
        for _ in range(20):
            hyp, ref = ("".join(rng.choices("ab ", k=rng.randint(0, 12))) for _ in range(2))
            found = metric.explain(hyp, [ref])
            both = [chrf_oracle.characters(text.rstrip("x"), whitespace) for text in (hyp, ref)]
            for own in found.orders:
                check_order(own, both[0], both[1:], [0])


def test_other_metrics_of_ngrams() -> None:
    hyps, streams = random_corpus(Random("others"), 40, kind="ascii", n_refs=3)
    weights = {"the": 0.25, "a": 3.0}
    for hyp, *refs in zip(hyps, *streams, strict=True):
        gleu = GLEU(max_ngram_order=3).explain(hyp, refs)
        assert sum(own.matches for own in gleu.orders) == gleu.score.matches
        chosen = gleu.reference
        totals = [
            sum(own.total for own in gleu.orders),
            sum(own.ref_totals[chosen] for own in gleu.orders),
        ]
        assert max(totals) == gleu.score.totals

        for metric in (WordF(), PER()):
            found = metric.explain(hyp, refs)
            assert found.orders[0].matches == found.score.matches
            assert found.orders[0].total == found.statistics["hyp_len"]
            assert found.orders[0].ref_totals[found.reference] == found.statistics["ref_len"]

        rouge = ROUGE("2").explain(hyp, refs)
        (pairs,) = rouge.orders
        assert pairs.matches == round(pairs.total * rouge.score.precision / 100)
        assert pairs.matches == round(pairs.ref_totals[rouge.reference] * rouge.score.recall / 100)

        weighted = WeightedBLEU(weights, default=1.0, max_ngram_order=2).explain(hyp, refs)
        for k, own in enumerate(weighted.orders):
            matched = sum(
                ngram.credit * sum(weights.get(token, 1.0) for token in ngram.ngram)
                for ngram in own.ngrams
            )
            assert matched == pytest.approx(weighted.score.matches[k])

        nist = NIST(information=streams).explain(hyp, refs)
        assert [own.total for own in nist.orders] == nist.score.totals
        for own, bits in zip(nist.orders, nist.score.information, strict=True):
            assert own.matches or not bits
    assert (
        ROUGE("2", aggregate="pooled").explain("a b", ["a b"]).__class__.__name__ == "Explanation"
    )


# Formulas: the sides of each line have equal values, the last is the score

EDGES = [
    ("", ["a b"]),
    ("a", [""]),
    ("", [""]),
    ("a", ["a"]),
    ("a b", ["b a"]),
    ("x", ["y z"]),
    ("a a a", ["a"]),
    ("a b c", ["a b c d e f g"]),
    ("a b c d e", ["a b c d e"]),
    ("the cat the", ["the dog", "a cat the cat", ""]),
    ("a " * 2, ["a " * 900]),
]


def check_formula(metric: Any, hyp: str, refs: list[str]) -> list[str]:
    found = metric.explain(hyp, refs)
    for line in found.formula:
        for sides in oracle.values(line):
            for value in sides:
                assert value == pytest.approx(sides[-1], rel=0.05, abs=0.02), line
    if found.formula and " = " in found.formula[-1]:
        ((*_, last),) = oracle.values(found.formula[-1])
        assert f"{last:.2f}" == f"{metric.sentence_score(hyp, refs).score:.2f}"
    return found.formula


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_formulas_of_bleu(smoothing: Any) -> None:
    hyps, streams = random_corpus(Random(smoothing), 5, kind="ascii", n_refs=2)
    cases = [*EDGES, *((hyp, list(refs)) for hyp, *refs in zip(hyps, *streams, strict=True))]
    options: list[dict[str, Any]] = [
        {},
        {"effective_order": True},
        {"max_ngram_order": 2},
        {"max_ngram_order": 1},
        {"weights": (0.4, 0.3, 0.2, 0.1)},
        {"weights": (0.0, 0.0, 0.5, 0.5)},
        {"weights": (0.4, 0.3, 0.2, 0.1), "effective_order": True},
        {"weights": (0.0, 0.0, 0.5, 0.5), "effective_order": True},
        {"ref_len": "average"},
        {"ref_len": "longest"},
    ]
    if not smoothing.startswith("nltk"):
        options += [own | {"average": "arithmetic"} for own in options]
        if smoothing in ("floor", "add-k"):
            options += [{"smooth_value": 0}, {"smooth_value": 0.5}]
    for own in options:
        metric = BLEU(smooth_method=smoothing, **{"effective_order": False} | own)
        for hyp, refs in cases:
            check_formula(metric, hyp, refs)


def test_formulas_name_what_is_smoothed_and_left_out() -> None:
    def formula(hyp: str, ref: str, **options: Any) -> list[str]:
        return (
            BLEU(**{"max_ngram_order": 3, "effective_order": True} | options)
            .explain(hyp, [ref])
            .formula
        )

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
def test_formulas_of_chrf(beta: float) -> None:
    hyps, streams = random_corpus(Random(beta), 12, kind="mixed", n_refs=2)
    cases = [*EDGES, *((hyp, list(refs)) for hyp, *refs in zip(hyps, *streams, strict=True))]
    for options in ({}, {"word_order": 2}, {"eps_smoothing": True}, {"char_order": 1}):
        metric = CHRF(beta=beta, **options)  # type: ignore[arg-type]
        for hyp, refs in cases:
            check_formula(metric, hyp, refs)


@pytest.mark.parametrize("name", METRICS)
def test_formulas_of_every_metric(name: str) -> None:
    hyps, streams = random_corpus(Random(name), 15, kind="ascii", n_refs=2)
    for hyp, *refs in zip(hyps, *streams, strict=True):
        check_formula(METRICS[name], hyp, refs)
    for hyp, refs in EDGES:
        check_formula(METRICS[name], hyp, refs)


@pytest.mark.parametrize("beta", [0, 0.5, 1, 3, float("inf")])
def test_formulas_of_overlaps(beta: float) -> None:
    hyps, (refs,) = random_corpus(Random(beta), 15, kind="ascii", n_refs=1)
    for hyp, ref in [*zip(hyps, refs, strict=True), ("", "a"), ("a", ""), ("a", "b")]:
        for metric in (WordF(beta=beta), ROUGE("L", beta=beta), ROUGE("1", beta=beta)):
            assert check_formula(metric, hyp, [ref])


def test_the_formula_of_an_empty_reference() -> None:
    (line,) = TER().explain("a", [""]).formula
    assert line == "TER = 100.00  (any edits are 100 % of an empty reference)"
