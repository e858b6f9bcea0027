"""One call, one chrF score: sacrebleu's functions, with its names and defaults."""

from rapidbleu.metrics.chrf import CHRF, CHRFScore
from rapidbleu.metrics.recent import Recent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.typing import Hypotheses, Layout, ReferenceStreams, Segment, SegmentReferences


def _make(
    char_order: int, word_order: int, beta: float, whitespace: bool, eps_smoothing: bool, *_: type
) -> CHRF:
    return CHRF(char_order, word_order, beta, False, whitespace, eps_smoothing)


_recent = Recent(_make)


def _metric(
    char_order: int, word_order: int, beta: float, whitespace: bool, eps_smoothing: bool
) -> CHRF:
    # 2 and 2.0 are the same key but not the same name; True is no order
    metric: CHRF = _recent.of((
        char_order, word_order, beta, whitespace, eps_smoothing,
        type(char_order), type(word_order), type(beta),
    ))  # fmt: skip
    return metric


def corpus_chrf(
    hypotheses: "Hypotheses",
    references: "ReferenceStreams",
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: float = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
    *,
    layout: "Layout" = "stream",
    threads: int = 1,
) -> CHRFScore:
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
    metric = _metric(char_order, word_order, beta, not remove_whitespace, bool(eps_smoothing))
    return metric.corpus_score(hypotheses, references, layout=layout, threads=threads)


def sentence_chrf(
    hypothesis: "Segment",
    references: "SegmentReferences",
    char_order: int = CHRF.CHAR_ORDER,
    word_order: int = CHRF.WORD_ORDER,
    beta: float = CHRF.BETA,
    remove_whitespace: bool = True,
    eps_smoothing: bool = False,
) -> CHRFScore:
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
    metric = _metric(char_order, word_order, beta, not remove_whitespace, bool(eps_smoothing))
    return metric.sentence_score(hypothesis, references)
