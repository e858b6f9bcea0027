"""Scores as numbers: immutable, ordered within a metric, rounded and printed."""

import pickle
from typing import Any

import pytest

import rapidbleu
from rapidbleu import BLEU, CHRF, METEOR, TER, WER, BLEUScore, CHRFScore, SegmentScores, TERScore
from rapidbleu.score import Score, better
from support.family import MAKERS

HYPS, WORSE = ["the cat sat on a mat", "it rained today"], ["a dog sat", "snow"]
REFS = [["the cat sat on the mat", "it rained"]]
of_every_metric = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
CHANGEABLE = (BLEUScore, CHRFScore, TERScore)


@of_every_metric
def test_scores_are_numbers(make: Any) -> None:
    metric = make()
    a, b = metric.corpus_score(HYPS, REFS), metric.corpus_score(WORSE, REFS)
    assert (a < b, a <= b, a > b, a >= b) == (
        a.score < b.score,
        a.score <= b.score,
        a.score > b.score,
        a.score >= b.score,
    )
    assert better(a, b) == (a > b if metric.higher_is_better else a < b)
    assert better(a, b) or better(b, a) or a.score == b.score
    assert max(a, b).score == max(a.score, b.score)
    assert sorted([a, b])[0].score == min(a.score, b.score)
    assert (round(a, 1), round(a), float(a)) == (round(a.score, 1), round(a.score), a.score)
    assert f"{a:.2f}" == f"{a.score:.2f}"
    assert a.interval is None
    for entry in a.signature.split("|"):
        assert entry in str(metric.get_signature()).split("|")
    twin = pickle.loads(pickle.dumps(a))
    assert (twin.signature, twin <= a, twin == a) == (a.signature, True, True)


@of_every_metric
def test_scores_do_not_change(make: Any) -> None:
    score = make().corpus_score(HYPS, REFS, n_bootstrap=10)
    low, high = score.interval
    assert low <= score._mean <= high
    if type(score) in CHANGEABLE:
        score.score, score.remark = 1.0, "mine"
        del score.remark
        return
    before, number = dict(vars(score)), hash(score)
    for name in (*before, "name", "remark", "_mean"):
        with pytest.raises(AttributeError, match=f"{name}: a score does not change"):
            setattr(score, name, 1)
        with pytest.raises(AttributeError, match=f"{name}: a score does not change"):
            delattr(score, name)
    assert (vars(score), hash(score)) == (before, number)


def test_scores_of_different_options_have_no_order() -> None:
    bleu = BLEU().corpus_score(HYPS, REFS)
    for other in (
        BLEU(lowercase=True).corpus_score(HYPS, REFS),
        CHRF().corpus_score(HYPS, REFS),
        Score("BLEU", 1.0),
        SegmentScores().score(SegmentScores().stats([0.5])),
    ):
        with pytest.raises(TypeError, match=r"^expected scores of one metric and its options; got"):
            _ = bleu < other
        with pytest.raises(TypeError, match=r"BLEU\|case:mixed\|eff:no\|tok:13a\|smooth:exp"):
            better(other, bleu)
    with pytest.raises(TypeError, match="'<' not supported"):
        _ = bleu < 3
    with pytest.raises(TypeError, match="b: expected a score; got float"):
        better(bleu, 3.0)  # type: ignore[arg-type]
    assert bleu == BLEU(references=REFS).corpus_score(HYPS)
    assert not bleu < BLEU(references=REFS).corpus_score(HYPS)


def test_segments_are_of_the_same_metric_as_corpora() -> None:
    bleu = BLEU(effective_order=True)
    corpus, segment = bleu.corpus_score(HYPS, REFS), rapidbleu.sentence_bleu(HYPS[0], [REFS[0][0]])
    assert (segment.signature, segment > corpus) == (corpus.signature, True)
    rows = bleu.segment_stats(HYPS, REFS)
    assert bleu.score(rows[:1]) == segment
    assert (
        bleu.score(rows[:1]).signature
        == segment.signature
        == bleu.sentence_score(HYPS[0], [REFS[0][0]]).signature
    )


BOTH = {
    BLEUScore: {"counts": "matches", "sys_len": "hyp_len", "ratio": "length_ratio"},
    TERScore: {"ref_length": "ref_len"},
    CHRFScore: {},
}
THEIRS = {
    "counts",
    "sys_len",
    "sys_units",
    "ratio",
    "ref_length",
    "estimate_ci",
    "total",
    "correct",
    "hits",
    "matched",
    "fmeasure",
    "f_mean",
    "half_width",
}


def test_scores_of_sacrebleu_have_both_words() -> None:
    for metric in (BLEU(), TER(), CHRF()):
        score: Any = metric.corpus_score(HYPS, REFS, n_bootstrap=10)
        for theirs, ours in BOTH[type(score)].items():
            assert getattr(score, theirs) == getattr(score, ours)
        low, high = score.interval
        assert (low, high) == (score._mean - score._ci, score._mean + score._ci)


@of_every_metric
def test_other_scores_have_our_words(make: Any) -> None:
    score = make().corpus_score(HYPS, REFS)
    if not isinstance(score, CHANGEABLE):
        assert THEIRS.isdisjoint(dir(score))


def test_results_have_the_same_names() -> None:
    assert {"matches", "hyp_len", "ref_len"} <= vars(WER().corpus_score(HYPS, REFS)).keys()
    assert {"f", "precision", "recall"} <= vars(
        METEOR(modules=["exact"]).corpus_score(HYPS, REFS)
    ).keys()


def test_calls_on_the_class_are_refused() -> None:
    calls: Any = BLEU.corpus_score, WER.segment_scores, TER.segment_stats
    for call in calls:
        with pytest.raises(TypeError, match=r"^self: expected a metric, as in .*; got list; call"):
            call(HYPS, REFS)


def test_errors_come_before_advice(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(TypeError, match="references: expected a sequence of references; got a"):
        BLEU().sentence_score("the cat", "the cat")
    assert not caplog.records


def test_signatures_before_scoring_say_what_to_call() -> None:
    with pytest.raises(ValueError, match=r"^Number of references unknown, .* with `corpus_score`"):
        BLEU().get_signature()
