"""NIST against its slow oracle, NLTK and mteval's rules."""

import math
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import numpy as np
import pytest

from rapidbleu import NIST, CIDErD
from reference.family import nist as oracle
from support.corpora import random_corpus
from support.selection import few

LENGTHS = [0, 1, 2, 3, 5, 20, 64, 65, 400]


def corpus(rng: Random, n: int, n_refs: int) -> tuple[list[list[str]], list[list[list[str]]]]:
    words = [
        "0",
        "00",
        *(f"w{i}" for i in range(rng.choice([1, 3, 50]))),
        "a-long-token",
        "another",
    ]
    texts = [
        [rng.choices(words, k=rng.choice(LENGTHS[: rng.randint(2, 9)])) for _ in range(n_refs + 1)]
        for _ in range(n)
    ]
    for several in texts:
        if rng.random() < 0.5:
            several[0] = [word for word in several[1] if rng.random() > 0.2]
    return [several[0] for several in texts], [several[1:] for several in texts]


def run_threads(calls: list[Callable[[], Any]]) -> list[Any]:
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(lambda call: call(), calls))


@pytest.mark.parametrize("n_refs", [1, 2, 3])
@pytest.mark.parametrize("seed", few(range(8), [0]))
def test_scores_are_those_of_the_oracle(seed: int, n_refs: int) -> None:
    rng = Random(f"{seed} {n_refs}")
    hyps, refs = corpus(rng, rng.choice([1, 4, 40]), n_refs)
    for order, perl_zero in ((5, False), (5, True), (1, False), (9, True)):
        metric = NIST(max_ngram_order=order, perl_zero=perl_zero)
        expected, of_segments = oracle.nist(hyps, refs, order, perl_zero)
        found = metric.corpus_score(hyps, refs, layout="segment")
        assert found.score == pytest.approx(expected, rel=1e-12, abs=1e-15)
        scores = metric.segment_scores(hyps, refs, layout="segment")
        assert scores.tolist() == pytest.approx(of_segments, rel=1e-12, abs=1e-14)
        info = oracle.information(refs, order, perl_zero)
        pairs = zip(hyps, refs, strict=True)
        row = oracle.corpus_row([oracle.segment_row(*pair, info, order) for pair in pairs])
        assert found.totals == row.totals
        assert found.information == pytest.approx(row.info, rel=1e-12, abs=1e-14)
        assert found.ref_len == pytest.approx(row.ref_len / n_refs, rel=1e-12)


def test_scores_are_those_of_nltk_with_one_reference() -> None:
    nltk = pytest.importorskip("nltk.translate.nist_score")
    hyps, (refs,) = random_corpus(Random("nltk"), 100, kind="ascii", n_refs=1)
    tokens, of_refs = [text.split() for text in hyps], [[text.split()] for text in refs]
    expected = nltk.corpus_nist(of_refs, tokens)
    found = NIST(tokenize="none").corpus_score(hyps, [refs]).score
    assert found == pytest.approx(expected, rel=1e-12)


def test_given_information() -> None:
    rng = Random("given")
    hyps, refs = corpus(rng, 30, 2)
    metric = NIST().with_information(refs, layout="segment")
    own = NIST().segment_stats(hyps, refs, layout="segment")
    assert metric.segment_stats(hyps, refs, layout="segment").tolist() == own.tolist()
    for i in range(10):
        score = metric.sentence_score(hyps[i], refs[i])
        assert score.score == metric.score_rows(own)[i]
    prepared = metric.prepare(refs, layout="segment")
    same = NIST(information=prepared)
    assert same.segment_stats(hyps, prepared).tolist() == own.tolist()
    with pytest.raises(ValueError, match="information: expected references prepared for tok:intl"):
        NIST(tokenize="intl", information=prepared)
    other = [[["quite", "other", "words"]] for _ in refs]
    assert NIST(information=other).corpus_score(hyps, refs, layout="segment").score == 0


def test_a_sentence_alone_is_its_own_corpus() -> None:
    hyp, refs = "the cat sat", ["the cat slept", "a cat sat down"]
    expected, _ = oracle.nist([hyp.split()], [[ref.split() for ref in refs]])
    assert NIST().sentence_score(hyp, refs).score == pytest.approx(expected, rel=1e-12)
    assert NIST().sentence_score(hyp.split(), [ref.split() for ref in refs]).score == (
        pytest.approx(expected, rel=1e-12)
    )
    with pytest.raises(TypeError, match="references: expected a sequence of references"):
        NIST().sentence_score(hyp, "the cat slept")  # type: ignore[arg-type]


def test_other_calls_weigh_by_their_references() -> None:
    hyps, refs = corpus(Random("others"), 20, 2)
    streams: Any = [list(stream) for stream in zip(*refs, strict=True)]
    metric = NIST()
    rows = metric.segment_stats(hyps, streams)
    prepared = metric.prepare(streams)
    assert metric.segment_stats(hyps, prepared).tolist() == rows.tolist()
    assert metric.nbest_stats([[hyp] for hyp in hyps], prepared).tolist() == rows.tolist()
    assert metric.nbest_stats([[hyp] for hyp in hyps], streams).tolist() == rows.tolist()
    running = metric.running(prepared, hyps)
    assert running.score == metric.corpus_score(hyps, streams).score
    assert running.replace(3, hyps[3]) == running.score
    matrix = metric.pairwise(hyps, streams[0])
    info = oracle.information([[ref] for ref in streams[0]])
    expected = [[oracle.score(oracle.segment_row(h, [r], info)) for r in streams[0]] for h in hyps]
    assert np.allclose(matrix, expected, rtol=1e-12, atol=1e-14)


def test_counts_kept_with_references() -> None:
    """Counts of one metric are not used by another, and copies of a metric share nothing."""
    hyps, refs = corpus(Random("kept"), 40, 2)
    prepared = NIST().prepare(refs, layout="segment")
    kinds: list[Any] = [
        lambda: NIST(),
        lambda: NIST(max_ngram_order=3),
        lambda: NIST(perl_zero=True),
        lambda: CIDErD(tokenize="13a"),
        lambda: CIDErD(tokenize="13a", max_ngram_order=5),
    ]
    expected = [make().segment_stats(hyps, refs, layout="segment").tolist() for make in kinds]
    metrics = [make() for make in kinds]
    for order in ([0, 0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [0, 3, 0, 3]):
        for k in order:
            assert metrics[k].segment_stats(hyps, prepared).tolist() == expected[k]
            copy = pickle.loads(pickle.dumps((metrics[k], prepared)))
            assert copy[0].segment_stats(hyps, copy[1]).tolist() == expected[k]
    found = run_threads(
        [lambda k=k: metrics[k].segment_stats(hyps, prepared).tolist() for k in range(5)] * 2
    )
    assert found == expected * 2


def test_idle_memory_of_counts() -> None:
    """Memory of a larger corpus is used for a smaller one, and the reverse; also by threads."""
    parts = [corpus(Random(f"idle {k}"), n, 2) for k, n in enumerate((2, 60, 1, 30, 100, 5))]
    for make in NIST, CIDErD:
        expected = [make().segment_stats(*part, layout="segment").tolist() for part in parts]
        metric = make()
        calls = [
            lambda p=p, m=metric: m.segment_stats(*p, layout="segment").tolist() for p in parts
        ]
        assert [call() for call in calls * 2] == expected * 2
        assert run_threads(calls * 3) == expected * 3


def test_edges() -> None:
    assert NIST().corpus_score(["", ""], [["a", ""]]).score == 0
    assert NIST().corpus_score(["a"], [[""]]).score == 0
    assert NIST().corpus_score(["a b"], [["a b"]]).score == pytest.approx(1.0)
    assert NIST().sentence_score("0 x", ["0 x 0 y"]).score != (
        NIST(perl_zero=True).sentence_score("0 x", ["0 x 0 y"]).score
    )
    penalty = NIST().corpus_score(["a b"], [["a b c"]]).score / math.log2(3)
    assert penalty == pytest.approx(0.5, rel=1e-12)
    for order, wanted in ((0, "at least 1; got 0"), (17, "at most 16; got 17")):
        with pytest.raises(ValueError, match=f"max_ngram_order: expected {wanted}"):
            NIST(max_ngram_order=order)
    with pytest.raises(TypeError, match="max_ngram_order: expected int; got str"):
        NIST(max_ngram_order="5")  # type: ignore[arg-type]


def test_weights_that_are_all_0_are_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    metric = NIST()
    for _ in range(2):
        assert metric.corpus_score(["a", "a a"], [["a", "a"]]).score == 0
    (record,) = caplog.records
    assert record.name == "rapidbleu"
    assert "All n-grams of the references weigh 0, so NIST is 0" in record.getMessage()
    caplog.clear()
    NIST().corpus_score([""], [[""]])
    NIST().corpus_score(["a b", "c"], [["a b", "c"]])
    assert not caplog.records
    NIST(information=[["a", "a"]])
    assert len(caplog.records) == 1
