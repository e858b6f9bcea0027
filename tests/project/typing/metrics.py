"""Metrics as type checkers see them; each ``type: ignore`` must hide an error."""

from collections.abc import Sequence
from typing import assert_type

import numpy as np
import numpy.typing as npt

from rapidbleu import (
    BLEU,
    CHRF,
    TER,
    BLEUScore,
    CHRFScore,
    References,
    SegmentScores,
    TERScore,
    WeightedSum,
    corpus_bleu,
    corpus_chrf,
    corpus_ter,
    sentence_bleu,
)
from rapidbleu._types import FloatArray, Hypotheses, IntArray, ReferenceStreams
from rapidbleu.metrics.metric import Metric
from rapidbleu.score import RowScoring, Score

bleu, chrf, ter, comet = BLEU(), CHRF(), TER(), SegmentScores("COMET")
hyps = ["a b", "c"]
refs = [["a b", "c"]]


class Column:
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


def scores() -> None:
    assert_type(bleu.corpus_score(hyps, refs), BLEUScore)
    assert_type(bleu.corpus_score(hyps, refs, n_bootstrap=100), BLEUScore)
    assert_type(chrf.corpus_score(hyps, refs), CHRFScore)
    assert_type(ter.corpus_score(hyps, refs), TERScore)
    assert_type(bleu.sentence_score("a", ["b"]), BLEUScore)
    assert_type(chrf.sentence_score("a", ["b"]), CHRFScore)
    assert_type(ter.sentence_score("a", ["b"]), TERScore)
    assert_type(bleu.score([1, 2]), BLEUScore)
    assert_type(chrf.score([[1, 2]]), CHRFScore)
    assert_type(ter.score(np.ones((3, 4), np.int64)), TERScore)
    assert_type(comet.score(comet.stats([0.5])), Score)
    assert_type(corpus_bleu(hyps, refs), BLEUScore)
    assert_type(corpus_chrf(hyps, refs), CHRFScore)
    assert_type(corpus_ter(hyps, refs), TERScore)
    assert_type(sentence_bleu("a", ["b"]), BLEUScore)


def any_metric(metric: Metric, rows: RowScoring, of_bleu: Metric[BLEUScore]) -> None:
    assert_type(metric.corpus_score(hyps, refs), Score)
    assert_type(rows.score([1, 2]), Score)
    assert_type(of_bleu.corpus_score(hyps, refs), BLEUScore)


def metrics() -> None:
    several = [bleu, chrf, ter]
    any_metric(several[0], several[0], bleu)
    any_metric(ter, comet, chrf)  # type: ignore[arg-type]
    any_metric(comet, comet, bleu)  # type: ignore[arg-type]
    WeightedSum([bleu, comet], [0.5, 50])
    WeightedSum([bleu, 3])  # type: ignore[list-item]


def texts(
    some: Sequence[str], streams: Sequence[Sequence[str]], lacking: list[list[str | None]]
) -> None:
    bleu.corpus_score(some, streams)
    bleu.corpus_score(tuple(some), lacking)
    bleu.corpus_score([text.strip() for text in some], [[text for text in own] for own in streams])
    bleu.corpus_score([["a", "b"]], [[["a", "b"]]])
    bleu.corpus_score([[1, 2], np.array([3])], [[[1], [2]]])
    bleu.corpus_score(np.array(hyps), [np.array(hyps)])
    bleu.corpus_score(Column(), [Column()])
    bleu.corpus_score(Column(), Column(), layout="segment")
    assert_type(bleu.prepare(refs), References)
    bleu.corpus_score(hyps, bleu.prepare(refs))
    bleu.corpus_score(hyps)
    bleu.corpus_score("a b", refs)  # type: ignore[arg-type]
    bleu.corpus_score(hyps, hyps)  # type: ignore[arg-type]
    bleu.corpus_score(hyps, ["a b", "c"])  # type: ignore[list-item]
    bleu.corpus_score(3, refs)  # type: ignore[arg-type]
    bleu.corpus_score(hyps, 4)  # type: ignore[arg-type]
    bleu.corpus_score([1.5], refs)  # type: ignore[list-item]
    bleu.corpus_score({1, 2}, refs)  # type: ignore[arg-type]
    bleu.sentence_score("a", "b")  # type: ignore[arg-type]
    bleu.sentence_score(None, ["b"])  # type: ignore[arg-type]
    bleu.score("abc")  # type: ignore[arg-type]
    bleu.score([0.5])  # type: ignore[arg-type]


def options() -> None:
    BLEU(smooth_method="add-k", smooth_value=2, ref_len="average", tokenize="intl")
    BLEU(tokenize=str.split)
    BLEU(tokenize=lambda text: text.split(), weights=[0.5, 0.5], max_ngram_order=2)
    BLEU(smooth_method="expp")  # type: ignore[arg-type]
    BLEU(ref_len="mean")  # type: ignore[arg-type]
    BLEU(tokenize="14a")  # type: ignore[arg-type]
    BLEU(tokenize=len)  # type: ignore[arg-type]
    BLEU().corpus_score(hyps, refs, layout="rows")  # type: ignore[arg-type]
    BLEU(max_ngram_order="4")  # type: ignore[arg-type]
    corpus_bleu(hyps, refs, smooth_method="expp")  # type: ignore[arg-type]
    corpus_bleu(hyps, refs, layout="segments")  # type: ignore[arg-type]
    corpus_ter(hyps, refs, case=True)  # type: ignore[call-arg]


def arrays() -> None:
    assert_type(bleu.segment_stats(hyps, refs), npt.NDArray[np.int64])
    assert_type(bleu.segment_stats(hyps, refs), IntArray)
    assert_type(bleu.segment_scores(hyps, refs), FloatArray)
    assert_type(bleu.score_rows([[1, 2]]), FloatArray)
    bleu.nbest_stats([["a"], ["b", "c"]], refs, dtype="int32")
    bleu.nbest_stats(["a", "b"], refs, segments=[0, 1], dtype=np.int64)
    bleu.nbest_stats(["a", "b"], refs, offsets=np.array([0, 1, 2]))
    bleu.nbest_stats([["a"]], refs, dtype="int16")  # type: ignore[arg-type]
    assert_type(bleu.nbest_scores([["a"], ["b"]], refs), FloatArray)


def pairs(groups: list[list[str]]) -> None:
    assert_type(bleu.pairwise(hyps), FloatArray)
    assert_type(bleu.pairwise(hyps, bleu.prepare(refs)), FloatArray)
    assert_type(bleu.pairwise(groups, groups=True), list[FloatArray])
    assert_type(bleu.mbr(hyps, weights=[0.5, 0.5]), FloatArray)
    assert_type(bleu.mbr(groups, groups, [[1.0]], groups=True), list[FloatArray])
    assert_type(bleu.select(hyps), int)
    assert_type(bleu.select(groups, groups=True), IntArray)
    assert_type(bleu.self_scores(hyps), FloatArray)
    assert_type(bleu.self_scores(groups, groups=True), list[FloatArray])
    bleu.pairwise(3)  # type: ignore[call-overload]
    bleu.pairwise("a b")  # type: ignore[call-overload]


def own(hypotheses: Hypotheses, references: ReferenceStreams) -> float:
    return bleu.corpus_score(hypotheses, references).score
