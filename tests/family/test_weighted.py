"""Weighted n-grams against their slow oracles, BLEU and CodeBLEU."""

from random import Random

import pytest

from rapidbleu import BLEU, WeightedBLEU, WeightedMatch, idf
from reference.family import weighted as oracle
from support.selection import few

Corpus = tuple[list[list[str]], list[list[list[str]]]]


def corpus(rng: Random, n: int, n_refs: int) -> Corpus:
    words = ["def", "return", *(f"w{i}" for i in range(rng.choice([2, 10, 60])))]
    hyps, refs = [], []
    for _ in range(n):
        several = [rng.choices(words, k=rng.choice([0, 1, 3, 8, 30])) for _ in range(n_refs)]
        hyps.append([word for word in several[0] if rng.random() > 0.1])
        refs.append(several)
    return hyps, refs


def weights_of(rng: Random, hyps: list[list[str]]) -> dict[str, float]:
    words = sorted({word for hyp in hyps for word in hyp})
    return {word: rng.choice([0, 0.5, 1, 3.75]) for word in words if rng.random() < 0.8}


@pytest.mark.parametrize("seed", few(range(8), [0]))
def test_weighted_bleu_is_that_of_the_oracle(seed: int) -> None:
    rng = Random(f"bleu {seed}")
    hyps, refs = corpus(rng, 40, rng.randint(1, 3))
    weights = weights_of(rng, hyps)
    for order, default in ((4, 0.25), (2, 0), (1, 1)):
        metric = WeightedBLEU(weights, default, max_ngram_order=order)
        pairs = zip(hyps, refs, strict=True)
        rows = [oracle.weighted_row(*pair, weights, default, order) for pair in pairs]
        scores = metric.segment_scores(hyps, refs, layout="segment")
        expected = [100 * oracle.weighted_score(row) for row in rows]
        assert scores.tolist() == pytest.approx(expected, rel=1e-12)
        sums = [sum(column) for column in zip(*rows, strict=True)]
        found = metric.corpus_score(hyps, refs, layout="segment")
        assert found.score == pytest.approx(100 * oracle.weighted_score(sums), rel=1e-12)
        assert found.matches == pytest.approx(sums[2::2], rel=1e-12)
        assert found.totals == pytest.approx(sums[3::2], rel=1e-12)


def test_equal_weights_are_bleu() -> None:
    hyps, refs = corpus(Random("equal"), 60, 2)
    found = WeightedBLEU({}, 1.0).corpus_score(hyps, refs, layout="segment")
    expected = BLEU(smooth_method="none").corpus_score(hyps, refs, layout="segment")
    assert found.score == pytest.approx(expected.score, rel=1e-12)


@pytest.mark.parametrize("seed", few(range(8), [0]))
def test_weighted_match_is_that_of_the_oracle(seed: int) -> None:
    rng = Random(f"match {seed}")
    hyps, refs = corpus(rng, 40, rng.randint(1, 3))
    weights = weights_of(rng, hyps)
    metric = WeightedMatch(weights)
    rows = [oracle.match_row(*pair, weights, 0.2) for pair in zip(hyps, refs, strict=True)]
    scores = metric.segment_scores(hyps, refs, layout="segment")
    expected = [100 * oracle.match_score(row) for row in rows]
    assert scores.tolist() == pytest.approx(expected, rel=1e-12)
    sums = [sum(column) for column in zip(*rows, strict=True)]
    found = metric.corpus_score(hyps, refs, layout="segment")
    assert found.score == pytest.approx(100 * oracle.match_score(sums), rel=1e-12)


def test_weighted_match_is_that_of_codebleu() -> None:
    peer = pytest.importorskip("codebleu.weighted_ngram_match")
    rng = Random("code")
    hyps, refs = corpus(rng, 30, 2)
    keywords = ["def", "return", "w1"]
    of_refs = [
        [[ref, {word: 1 if word in keywords else 0.2 for word in ref}] for ref in several]
        for several in refs
    ]
    metric = WeightedMatch(dict.fromkeys(keywords, 1.0))
    expected = peer.corpus_bleu(of_refs, hyps)
    found = metric.corpus_score(hyps, refs, layout="segment")
    assert found.score == pytest.approx(100 * expected, rel=1e-12)


def test_idf() -> None:
    weights = idf([["the", "cat", "the"], ["the", "dog"], []])
    assert weights == pytest.approx({"the": 0.405465108, "cat": 1.098612289, "dog": 1.098612289})
    assert idf([]) == {}
    for documents, place in ((["the cat sat"], 0), ([["the"], "the cat"], 1), ("the", 0)):
        with pytest.raises(TypeError, match=rf"^documents\[{place}\]: expected a list of tokens"):
            idf(documents)


def test_tokens_of_any_kind() -> None:
    texts = WeightedBLEU({"a": 2.0, "b": 1.0}, max_ngram_order=1)
    ids = WeightedBLEU({7: 2.0, 8: 1.0}, max_ngram_order=1)
    assert texts.corpus_score(["a c b"], [["b a d"]]).score == pytest.approx(100)
    assert ids.corpus_score([[7, 9, 8]], [[[8, 7, 5]]]).score == pytest.approx(100)
    lower = WeightedBLEU({"A": 2.0}, lowercase=True, max_ngram_order=1)
    assert lower.corpus_score(["a"], [["A"]]).score == pytest.approx(100)


def test_bad_weights() -> None:
    for weights, error, message in (
        ({"a": -1}, ValueError, r"weights\['a'\]: expected 0 to 1024; got -1"),
        ({"a": "x"}, TypeError, r"weights\['a'\]: expected a number; got str"),
        ({"a": float("nan")}, ValueError, r"weights\['a'\]: expected 0 to 1024; got nan"),
        (["a"], TypeError, "weights: expected a mapping of tokens to numbers; got list"),
        ({"a": 1, 2: 1}, TypeError, "weights"),
    ):
        for make in (WeightedBLEU, WeightedMatch):
            with pytest.raises(error, match=message):
                make(weights)
    with pytest.raises(ValueError, match="default: expected 0 to 1024; got 4096"):
        WeightedBLEU({}, 4096)


def test_signatures_tell_weights_apart() -> None:
    def signature(weights: dict[str, float]) -> str:
        metric = WeightedBLEU(weights)
        metric.corpus_score(["a"], [["a"]])
        return str(metric.get_signature())

    assert signature({"a": 1.0}) == signature({"a": 1.0}) != signature({"a": 2.0})
