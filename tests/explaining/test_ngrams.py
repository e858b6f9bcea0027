"""Explained n-grams: an oracle that places them one by one, and the statistics of the kernel."""

import itertools
from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, CHRF, GLEU, NIST, PER, ROUGE, WeightedBLEU, WordF
from rapidbleu.tokenizers import TOKENIZERS
from reference import bleu as bleu_oracle
from reference import chrf as chrf_oracle
from reference import explaining as oracle
from reference.papers import EXAMPLES, Example
from support.corpora import KINDS, nasty, random_corpus, with_gaps
from support.selection import few

SMOOTHINGS = ["none", "floor", "add-k", "exp", *(f"nltk{k}" for k in range(1, 8))]


def check_order(order: Any, hyp: list[Any], refs: list[Any], against: list[int]) -> None:
    """The n-grams of an order are those of the oracle."""
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
    """The numbers shown are the row of the kernel, and the score its score."""
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
            lowercase=i % 2 == 0, effective_order=i % 3 == 0, max_ngram_order=1 + i % 5,
            ref_len=lengths[i % 4], smooth_method=next(smoothings), force=True,
        )  # fmt: skip
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
        None if ref is None else chrf_oracle.row(
            hyp, ref, metric.char_order, metric.word_order, metric.lowercase, metric.whitespace
        )
        for ref in refs
    ]  # fmt: skip
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
            char_order=i % 7, word_order=1 + i % 3, beta=i % 4, lowercase=i % 2 == 0,
            whitespace=i % 3 == 0, eps_smoothing=i % 5 == 0,
        )  # fmt: skip
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
        gleu = GLEU(max_order=3).explain(hyp, refs)
        assert sum(own.matches for own in gleu.orders) == gleu.score.matches
        chosen = gleu.reference
        totals = [sum(own.total for own in gleu.orders),
                  sum(own.ref_totals[chosen] for own in gleu.orders)]  # fmt: skip
        assert max(totals) == gleu.score.total

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
            assert matched == pytest.approx(weighted.score.matched[k])

        nist = NIST(information=streams).explain(hyp, refs)
        assert [own.total for own in nist.orders] == nist.score.totals
        for own, bits in zip(nist.orders, nist.score.information, strict=True):
            assert own.matches or not bits
    assert ROUGE("2", multiple="pooled").explain("a b", ["a b"]).__class__.__name__ == "Explanation"
