"""BLEU in one call: sacrebleu's functions, with its names and defaults.

A call takes its metric from those of recent calls, so that a loop makes one and not thousands.
"""

from rapidbleu.metrics.bleu import BLEU
from rapidbleu.metrics.bleu_options import MAX_NGRAM_ORDER
from rapidbleu.metrics.recent import Recent
from rapidbleu.score import BLEUScore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.typing import (
        Hypotheses,
        Layout,
        ReferenceStreams,
        Segment,
        SegmentReferences,
        SmoothMethod,
        TokenizerName,
        TokenizerRule,
    )


def _make_bleu(
    lowercase: bool, force: bool, tokenize: "TokenizerName | TokenizerRule",
    smooth_method: "SmoothMethod", smooth_value: "float | None", max_ngram_order: int,
    effective_order: bool, *_: type,
) -> BLEU:  # fmt: skip
    return BLEU(
        lowercase, force, tokenize, smooth_method, smooth_value, max_ngram_order, effective_order
    )


_bleus = Recent(_make_bleu)
_TOKENIZE = BLEU.TOKENIZER_DEFAULT
# What `sentence_bleu` takes by default: making and finding a key would be a fifth of a call, and
# asking the metric instead of its extractor a tenth.
_USUAL = BLEU(tokenize=_TOKENIZE, effective_order=True)
_extract_one = _USUAL._extractor.extract_one
_CALLS = _USUAL._calls


def _bleu(
    smooth_method: "SmoothMethod", smooth_value: "float | None", force: bool, lowercase: bool,
    tokenize: "TokenizerName | TokenizerRule", effective_order: bool, max_ngram_order: int,
) -> BLEU:  # fmt: skip
    # 1 and 1.0 are the same key but smooth to counts of different types, and True is no order
    return _bleus.of((
        lowercase, force, tokenize, smooth_method, smooth_value, max_ngram_order, effective_order,
        type(smooth_value), type(max_ngram_order),
    ))  # fmt: skip


def corpus_bleu(
    hypotheses: "Hypotheses", references: "ReferenceStreams", smooth_method: "SmoothMethod" = "exp",
    smooth_value: "float | None" = None, force: bool = False, lowercase: bool = False,
    tokenize: "TokenizerName | TokenizerRule" = BLEU.TOKENIZER_DEFAULT,
    use_effective_order: bool = False, *, max_ngram_order: int = MAX_NGRAM_ORDER,
    layout: "Layout" = "stream", threads: int = 1,
) -> BLEUScore:  # fmt: skip
    """Score a corpus with BLEU.

    Parameters
    ----------
    hypotheses : sequence of str
    references : sequence of sequence of str
        ``references[stream][segment]``; see `Metric.corpus_score` for all that is accepted.
    smooth_method, smooth_value, force, lowercase, tokenize, max_ngram_order
        As in `BLEU`.
    use_effective_order : bool
        `BLEU`'s ``effective_order``.
    layout : {"stream", "segment"}
    threads : int
        0 for all cores.

    Returns
    -------
    BLEUScore

    Examples
    --------
    >>> corpus_bleu(["The cat sat on a mat."], [["The cat sat on the mat."]]).score
    48.892302243490086
    """
    metric = _bleu(
        smooth_method, smooth_value, force, lowercase, tokenize, use_effective_order,
        max_ngram_order,
    )  # fmt: skip
    return metric.corpus_score(hypotheses, references, layout=layout, threads=threads)


def raw_corpus_bleu(
    hypotheses: "Hypotheses", references: "ReferenceStreams", smooth_value: "float | None" = 0.1
) -> BLEUScore:
    """Score text that is tokenized already, with floor smoothing.

    Parameters
    ----------
    hypotheses, references
        As in `corpus_bleu`.
    smooth_value : float, optional
        The floor.

    Returns
    -------
    BLEUScore

    Examples
    --------
    >>> raw_corpus_bleu(["the cat sat ."], [["the cat sat down ."]]).bp
    0.7788007830714049
    """
    return corpus_bleu(
        hypotheses, references, "floor", smooth_value, True, tokenize="none",
        use_effective_order=True,
    )  # fmt: skip


def sentence_bleu(
    hypothesis: "Segment", references: "SegmentReferences", smooth_method: "SmoothMethod" = "exp",
    smooth_value: "float | None" = None, lowercase: bool = False,
    tokenize: "TokenizerName | TokenizerRule" = BLEU.TOKENIZER_DEFAULT,
    use_effective_order: bool = True,
) -> BLEUScore:  # fmt: skip
    """Score one segment with BLEU.

    Parameters
    ----------
    hypothesis : str
    references : sequence of str
        All references of the segment.
    smooth_method, smooth_value, lowercase, tokenize
        As in `BLEU`.
    use_effective_order : bool
        `BLEU`'s ``effective_order``, here on by default.

    Returns
    -------
    BLEUScore

    Examples
    --------
    >>> sentence_bleu("The cat sat on a mat.", ["The cat sat on the mat."]).score
    48.892302243490086
    """
    if (
        smooth_method == "exp" and smooth_value is None and lowercase is False
        and tokenize is _TOKENIZE and use_effective_order is True
    ):  # fmt: skip
        score: BLEUScore | None = _extract_one(hypothesis, references, _CALLS, BLEUScore)
        return _USUAL.sentence_score(hypothesis, references) if score is None else score
    metric = _bleu(
        smooth_method, smooth_value, False, lowercase, tokenize, use_effective_order,
        MAX_NGRAM_ORDER,
    )  # fmt: skip
    return metric.sentence_score(hypothesis, references)
