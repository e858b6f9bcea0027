"""F of words and GLEU against slow oracles, NLTK and examples of papers."""

import math
from fractions import Fraction
from random import Random

import pytest

from rapidbleu import GLEU, WordF
from reference.family import gleu, unigram
from support.corpora import random_corpus

SEED = Random("overlap")
VOCABULARY = ["a", "b", "c", "d", "a-long-token", "another-one"]


def texts(n: int) -> list[list[str]]:
    return [SEED.choices(VOCABULARY, k=SEED.choice([0, 1, 2, 3, 8, 70])) for _ in range(n)]


HYPS, REFS = texts(300), [texts(300) for _ in range(3)]


@pytest.mark.parametrize("beta", [0, Fraction(1, 2), 1, 3])
@pytest.mark.parametrize("n_refs", [1, 3])
def test_f_of_words(beta: float | Fraction, n_refs: int) -> None:
    metric = WordF(beta=float(beta))
    rows = metric.segment_stats(HYPS, REFS[:n_refs])
    square = Fraction(beta)
    expected = [
        unigram.best_row(hyp, refs, lambda row: unigram.f_score(row, square))
        for hyp, *refs in zip(HYPS, *REFS[:n_refs], strict=True)
    ]
    assert rows.tolist() == [list(row) for row in expected]
    found = metric.corpus_score(HYPS, REFS[:n_refs])
    whole = unigram.corpus_row(expected)
    assert found.score == pytest.approx(100 * float(unigram.f_score(whole, square)), rel=1e-15)
    assert found.precision == pytest.approx(100 * float(unigram.precision(whole)), rel=1e-15)
    assert found.recall == pytest.approx(100 * float(unigram.recall(whole)), rel=1e-15)


def test_recall_and_precision_alone() -> None:
    found = WordF(beta=math.inf).corpus_score(HYPS, REFS[:1])
    assert found.score == found.recall > 0
    found = WordF(beta=0).corpus_score(HYPS, REFS[:1])
    assert found.score == found.precision > 0


def test_the_mean_of_meteor_is_f_3() -> None:
    """Lavie's example: 5 of 8 words, 5 of 14."""
    row = unigram.Row(5, 8, 14)
    assert unigram.f_mean(row) == unigram.f_score(row, Fraction(3)) == Fraction(25, 67)
    assert WordF(beta=3).score([5, 8, 14]).score == pytest.approx(2500 / 67, rel=1e-15)


@pytest.mark.parametrize("orders", [(1, 4), (2, 2), (1, 1), (3, 9)])
@pytest.mark.parametrize("n_refs", [1, 3])
def test_gleu(orders: tuple[int, int], n_refs: int) -> None:
    metric = GLEU(min_ngram_order=orders[0], max_ngram_order=orders[1])
    expected = [
        gleu.google_row(hyp, refs, *orders) for hyp, *refs in zip(HYPS, *REFS[:n_refs], strict=True)
    ]
    assert metric.segment_stats(HYPS, REFS[:n_refs]).tolist() == [list(row) for row in expected]
    found = metric.corpus_score(HYPS, REFS[:n_refs])
    assert found.score == 100 * gleu.google_score(expected)
    assert (found.matches, found.totals) == tuple(map(sum, zip(*expected, strict=True)))


def test_gleu_is_that_of_nltk() -> None:
    nltk = pytest.importorskip("nltk.translate.gleu_score")
    hyps, refs = random_corpus(Random("nltk"), 200, kind="mixed", n_refs=2)
    metric = GLEU(tokenize="none")
    tokens = [text.split() for text in hyps]
    of_refs = [[text.split() for text in several] for several in zip(*refs, strict=True)]
    assert metric.corpus_score(hyps, refs).score == 100 * nltk.corpus_gleu(of_refs, tokens)
    scores = [100 * nltk.sentence_gleu(r, h) for r, h in zip(of_refs, tokens, strict=True)]
    assert metric.segment_scores(hyps, refs).tolist() == scores


def test_impossible_rows_and_options_are_refused() -> None:
    with pytest.raises(ValueError, match=r"stats\[0\]\[0\]: expected at most 4 matches; got 5"):
        WordF().score([5, 4, 6])
    with pytest.raises(ValueError, match=r"stats\[0\]\[0\]: expected at most 4 matches; got 5"):
        GLEU().score([5, 4])
    with pytest.raises(ValueError, match="beta: expected 0 to inf; got -1"):
        WordF(beta=-1)
    with pytest.raises(ValueError, match="max_ngram_order: expected at least 3; got 2"):
        GLEU(min_ngram_order=3, max_ngram_order=2)
    with pytest.raises(TypeError, match="beta: expected a number; got str"):
        WordF(beta="1")  # type: ignore[arg-type]
