"""chrF and TER in one call: sacrebleu's functions, with its names and defaults.

As those of BLEU, calls take their metrics from those of recent calls.
"""

from rapidbleu.counts import check_flag
from rapidbleu.metrics.chrf import CHRF, CHRFScore
from rapidbleu.metrics.recent import Recent
from rapidbleu.metrics.ter import TER, TERScore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.typing import (
        Hypotheses,
        Layout,
        ReferenceStreams,
        Segment,
        SegmentReferences,
    )

# chrF


def _make_chrf(
    char_order: int, word_order: int, beta: float, whitespace: bool, eps_smoothing: bool, *_: type
) -> CHRF:
    return CHRF(char_order, word_order, beta, False, whitespace, eps_smoothing)


_chrfs = Recent(_make_chrf)


def _chrf(
    char_order: int, word_order: int, beta: float, remove_whitespace: bool, eps_smoothing: bool
) -> CHRF:
    whitespace = not check_flag("remove_whitespace", remove_whitespace)
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
    metric = _chrf(char_order, word_order, beta, remove_whitespace, eps_smoothing)
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
    metric = _chrf(char_order, word_order, beta, remove_whitespace, eps_smoothing)
    return metric.sentence_score(hypothesis, references)


# TER

_ters = Recent(TER)


def _ter(normalized: bool, no_punct: bool, asian_support: bool, case_sensitive: bool) -> TER:
    return _ters.of((normalized, no_punct, asian_support, case_sensitive))


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
