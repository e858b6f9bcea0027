"""Comparisons against compare-mt: equal numbers in common sections."""

from collections import Counter
from random import Random
from typing import Any

import pytest

from rapidbleu import BLEU, CHRF, Comparison, compare
from support.corpora import random_corpus
from support.places import DATA

bucketers = pytest.importorskip("compare_mt.bucketers")
ngram_utils = pytest.importorskip("compare_mt.ngram_utils")
scorers = pytest.importorskip("compare_mt.scorers")
stat_utils = pytest.importorskip("compare_mt.stat_utils")

NAMES = ["A", "B", "C"]


def corpora() -> Any:
    for kind in ("ascii", "german"):
        rng = Random(f"compare-mt {kind}")
        first, [reference] = random_corpus(rng, 80, kind=kind, n_refs=1)
        second = [
            " ".join(word for word in text.split() if rng.random() > 0.3) for text in reference
        ]
        third = [" ".join(reversed(text.split())) for text in first]
        yield kind, [first, second, third], reference
    hyp, one, other = (
        (DATA / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        for name in ("hyp.en", "ref.en.a", "ref.en.b")
    )
    yield "data", [hyp, other, [""] * len(hyp)], one


CORPORA = {name: (systems, reference) for name, systems, reference in corpora()}


class Case:
    """A corpus for both: texts for rapidbleu, lists of words for compare-mt."""

    def __init__(self, systems: list[list[str]], reference: list[str]) -> None:
        self.outs = [[text.split() for text in texts] for texts in systems]
        self.ref = [text.split() for text in reference]
        self.found: Comparison = compare(
            dict(zip(NAMES, systems, strict=True)),
            [reference],
            [BLEU(tokenize="none", smooth_method="none"), CHRF()],
            n_resamples=2,
        )

    def rows(self, table: Any, system: str) -> list[dict[str, Any]]:
        rows = [dict(zip(table.names, row, strict=True)) for row in table.rows()]
        return [row for row in rows if row["system"] == system]


@pytest.fixture(scope="module", params=CORPORA)
def case(request: pytest.FixtureRequest) -> Case:
    return Case(*CORPORA[request.param])


def test_length_ratio(case: Case) -> None:
    scorer = scorers.LengthScorer()
    theirs = [scorer.score_corpus(case.ref, out)[0] for out in case.outs]
    assert case.found.scores["length_ratio"].tolist() == theirs


@pytest.mark.parametrize("cutoffs", [None, [2, 7, 20]])
def test_words_by_frequency(case: Case, cutoffs: Any) -> None:
    bucketer = bucketers.FreqWordBucketer(freq_data=case.ref, bucket_cutoffs=cutoffs)
    theirs, *_ = bucketer.calc_statistics(case.ref, case.outs)
    table = case.found.words
    if cutoffs is not None:
        systems = {
            name: [" ".join(words) for words in out]
            for name, out in zip(NAMES, case.outs, strict=True)
        }
        references = [[" ".join(words) for words in case.ref]]
        table = compare(
            systems, references, tokenize="none", n_resamples=1, cutoffs={"word_frequency": cutoffs}
        ).words
    for name, statistics in zip(NAMES, theirs, strict=True):
        ours = case.rows(table, name)
        assert [row["bucket"] for row in ours] == bucketer.bucket_strs
        for row, (right, n_refs, n_out, recall, precision, f) in zip(ours, statistics, strict=True):
            assert (row["right"], row["found"]) == (right, right)
            assert (row["reference_words"], row["output_words"]) == (n_refs, n_out)
            shares = (row["recall"], row["precision"], row["f"])
            assert tuple(share or 0.0 for share in shares) == (recall, precision, f)


@pytest.mark.parametrize("by", ["length", "length_difference"])
def test_segments_by_length(case: Case, by: str) -> None:
    """Numbers of segments agree, and BLEU where compare-mt's is BLEU.

    It adds an n-gram to each segment without any, and leaves out precisions of 0.
    """
    differs = by == "length_difference"
    make = bucketers.LengthDiffSentenceBucketer if differs else bucketers.LengthSentenceBucketer
    bucketer, bleu = make(), scorers.BleuScorer()
    n_scores = 0
    for name, out in zip(NAMES, case.outs, strict=True):
        theirs = bucketer.create_bucketed_corpus(out, ref=case.ref)
        ours = case.rows(case.found.buckets[by], name)
        assert [row["bucket"] for row in ours] == bucketer.bucket_strs
        assert [row["segments"] for row in ours] == [len(outs) for outs, _, _ in theirs]
        for row, (outs, refs, _) in zip(ours, theirs, strict=True):
            if outs and min(map(len, outs)) >= 4 and row["bleu"] > 0:
                assert row["bleu"] == pytest.approx(bleu.score_corpus(refs, outs)[0], rel=1e-12)
                n_scores += 1
    assert n_scores


def test_segments_by_score(case: Case) -> None:
    """Buckets agree although scores differ, because compare-mt uses NLTK."""
    bucketer = bucketers.ScoreSentenceBucketer("sentbleu")
    assert bucketer.bucket_cutoffs == [10.0 * k for k in range(1, 10)]
    for name in NAMES:
        scores = case.found.segment_scores["BLEU"][name]
        theirs = Counter(bucketer.cutoff_into_bucket(score) for score in scores)
        ours = case.rows(case.found.buckets["bleu_score"], name)
        assert [row["segments"] for row in ours] == [theirs[k] for k in range(10)]


@pytest.mark.parametrize("what", ["match", "over", "under"])
@pytest.mark.parametrize(("one", "other"), [(0, 1), (2, 0)])
def test_ngrams(case: Case, what: Any, one: int, other: int) -> None:
    """All n-grams that the first system has more often, and compare-mt's smoothed share."""
    place = {"match": 1, "over": 2, "under": 3}[what]
    counts = [ngram_utils.compare_ngrams(case.ref, case.outs[i])[place] for i in (one, other)]
    for alpha in (1.0, 0.5):
        shares = stat_utils.extract_salient_features(*counts, alpha=alpha)
        theirs = {
            " ".join(gram): (share, counts[0][gram], counts[1][gram])
            for gram, share in shares.items()
            if share > 0.5
        }
        table = case.found.ngrams(NAMES[one], NAMES[other], 10**6, what, alpha=alpha)
        assert {gram: tuple(rest) for gram, _, *rest in table.rows()} == theirs
        assert table["share"].tolist() == sorted(table["share"], reverse=True)
