"""One call, one score: sacrebleu's functions, with its names and defaults.

A call takes its metric from those of recent calls, so that a loop makes one and not thousands.
"""

from rapidbleu.metrics.bleu import BLEU
from rapidbleu.metrics.bleu_options import MAX_NGRAM_ORDER
from rapidbleu.metrics.chrf import CHRF, CHRFScore
from rapidbleu.metrics.recent import Recent
from rapidbleu.metrics.ter import TER, TERScore
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

# BLEU


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
_usual: "list[BLEU]" = []  # the metric of `sentence_bleu` with its default options, once made


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
    usual = (
        use_effective_order is True and lowercase is False and smooth_value is None
        and smooth_method == "exp" and tokenize is _TOKENIZE
    )  # fmt: skip
    if usual and _usual:  # a fifth of a call is spent on making and finding a key
        return _usual[0].sentence_score(hypothesis, references)
    metric = _bleu(
        smooth_method, smooth_value, False, lowercase, tokenize, use_effective_order,
        MAX_NGRAM_ORDER,
    )  # fmt: skip
    if usual:
        _usual.append(metric)
    return metric.sentence_score(hypothesis, references)


# chrF


def _make_chrf(
    char_order: int, word_order: int, beta: float, whitespace: bool, eps_smoothing: bool, *_: type
) -> CHRF:
    return CHRF(char_order, word_order, beta, False, whitespace, eps_smoothing)


_chrfs = Recent(_make_chrf)


def _chrf(
    char_order: int, word_order: int, beta: float, whitespace: bool, eps_smoothing: bool
) -> CHRF:
    # 2 and 2.0 are the same key but not the same name; True is no order
    return _chrfs.of((
        char_order, word_order, beta, whitespace, eps_smoothing,
        type(char_order), type(word_order), type(beta),
    ))  # fmt: skip


def corpus_chrf(
    hypotheses: "Hypotheses", references: "ReferenceStreams", char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER, beta: float = CHRF.BETA, remove_whitespace: bool = True,
    eps_smoothing: bool = False, *, layout: "Layout" = "stream", threads: int = 1,
) -> CHRFScore:  # fmt: skip
    """Score a corpus with chrF.

    Parameters
    ----------
    hypotheses : sequence of str
    references : sequence of sequence of str
        ``references[stream][segment]``; see `Metric.corpus_score` for all that is accepted.
    char_order, word_order, beta, eps_smoothing
        As in `CHRF`.
    remove_whitespace : bool
        The opposite of `CHRF`'s ``whitespace``.
    layout : {"stream", "segment"}
    threads : int
        0 for all cores.

    Returns
    -------
    CHRFScore

    Examples
    --------
    >>> corpus_chrf(["The cat sat on a mat."], [["The cat sat on the mat."]]).score
    65.8003432933587
    """
    metric = _chrf(char_order, word_order, beta, not remove_whitespace, bool(eps_smoothing))
    return metric.corpus_score(hypotheses, references, layout=layout, threads=threads)


def sentence_chrf(
    hypothesis: "Segment", references: "SegmentReferences", char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER, beta: float = CHRF.BETA, remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:  # fmt: skip
    """Score one segment with chrF.

    Parameters
    ----------
    hypothesis : str
    references : sequence of str
        All references of the segment; the one with the greatest score counts.
    char_order, word_order, beta, remove_whitespace, eps_smoothing
        As in `corpus_chrf`.

    Returns
    -------
    CHRFScore

    Examples
    --------
    >>> sentence_chrf("The cat sat on a mat.", ["The cat sat on the mat."], word_order=2)
    chrF2++ = 68.44
    """
    metric = _chrf(char_order, word_order, beta, not remove_whitespace, bool(eps_smoothing))
    return metric.sentence_score(hypothesis, references)


# TER

_ters = Recent(TER)


def _ter(normalized: bool, no_punct: bool, asian_support: bool, case_sensitive: bool) -> TER:
    return _ters[bool(normalized), bool(no_punct), bool(asian_support), bool(case_sensitive)]


def corpus_ter(
    hypotheses: "Hypotheses", references: "ReferenceStreams", normalized: bool = False,
    no_punct: bool = False, asian_support: bool = False, case_sensitive: bool = False, *,
    layout: "Layout" = "stream", threads: int = 1,
) -> TERScore:  # fmt: skip
    """Score a corpus with TER.

    Parameters
    ----------
    hypotheses : sequence of str
    references : sequence of sequence of str
        ``references[stream][segment]``; see `Metric.corpus_score` for all that is accepted.
    normalized, no_punct, asian_support, case_sensitive
        As in `TER`.
    layout : {"stream", "segment"}
    threads : int
        0 for all cores.

    Returns
    -------
    TERScore

    Examples
    --------
    >>> corpus_ter(["on the mat the cat sat"], [["the cat sat on the mat"]]).num_edits
    1
    """
    metric = _ter(normalized, no_punct, asian_support, case_sensitive)
    return metric.corpus_score(hypotheses, references, layout=layout, threads=threads)


def sentence_ter(
    hypothesis: "Segment", references: "SegmentReferences", normalized: bool = False,
    no_punct: bool = False, asian_support: bool = False, case_sensitive: bool = False,
) -> TERScore:  # fmt: skip
    """Score one segment with TER.

    Parameters
    ----------
    hypothesis : str
    references : sequence of str
        All references of the segment.
    normalized, no_punct, asian_support, case_sensitive
        As in `TER`.

    Returns
    -------
    TERScore

    Examples
    --------
    >>> sentence_ter("on the mat the cat sat", ["the cat sat on the mat"])
    TER = 16.67
    """
    metric = _ter(normalized, no_punct, asian_support, case_sensitive)
    return metric.sentence_score(hypothesis, references)
