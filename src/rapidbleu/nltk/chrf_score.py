"""Drop-in for `nltk.translate.chrf_score`: chrF as NLTK computes it (Popovic 2015).

The F-scores of all orders of all segments are averaged, with one reference and a beta of 3, which
is not what sacrebleu's chrF does.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache

from rapidbleu._core.metrics.chrf import ChrfKernel
from rapidbleu._core.text.scanners import ChrfScanner
from rapidbleu._core.text.tokenize import Reader
from rapidbleu.nltk.grams import COUNTER, grams, is_order, sum_counts
from rapidbleu.tokenizers.base import OTHER, SPACE, WIDE_SPACES, wide_classes

__all__ = ["chrf_precision_recall_fscore_support", "corpus_chrf", "sentence_chrf"]

Text = str | Iterable[str]

# White space by Unicode, to which `str.isspace` adds four separators of ASCII.
_SPACES = "\t\n\v\f\r "
_NO_SPACES = dict.fromkeys(
    [*map(ord, _SPACES), *(c for first, last in WIDE_SPACES for c in range(first, last + 1))]
)
_CLASSES = bytes(SPACE if chr(c) in _SPACES else OTHER for c in range(128)), wide_classes()
_READERS = {  # by whether white space is ignored
    ignored: Reader(ChrfScanner(*_CLASSES, whitespace=not ignored, words=False), list, False)
    for ignored in (False, True)
}

# Rows do not depend on beta.
_kernel = lru_cache(64)(lambda max_len: ChrfKernel(max_len, 0, 0.0, 1.0, False))


def sentence_chrf(
    reference: Text, hypothesis: Text, min_len: int = 1, max_len: int = 6, beta: float = 3.0,
    ignore_whitespace: bool = True,
) -> float:  # fmt: skip
    """chrF of one segment: `corpus_chrf` of a reference and a hypothesis.

    Examples
    --------
    >>> round(sentence_chrf("the cat sat", "the cat sits"), 6)
    0.675977
    """
    return corpus_chrf(
        [reference], [hypothesis], min_len, max_len, beta=beta, ignore_whitespace=ignore_whitespace
    )


def chrf_precision_recall_fscore_support(
    reference: Sequence[Hashable],
    hypothesis: Sequence[Hashable],
    n: int,
    beta: float = 3.0,
    epsilon: float = 1e-16,
) -> tuple[float, float, float, int]:
    """Precision, recall, F-score and number of matches of the n-grams of one order.

    Parameters
    ----------
    reference, hypothesis : iterable of hashable tokens
        The characters of a str.
    n : int
        Order of the n-grams.
    beta : float
        How many times recall outweighs precision.
    epsilon : float
        All three scores if one of them would divide by zero.

    Examples
    --------
    >>> chrf_precision_recall_fscore_support("abc", "abd", 2)
    (0.5, 0.5, 0.5, 1)
    """
    sums = sum_counts(((reference,),), (hypothesis,), n)
    if sums is None:
        counts = _count(reference, hypothesis, n)
    else:
        counts = max(0, len(hypothesis) - n + 1), max(0, len(reference) - n + 1), sums[1 + n]
    return (*_f_score(*counts, beta, epsilon), counts[2])


def corpus_chrf(
    references: Sequence[Text], hypotheses: Sequence[Text], min_len: int = 1, max_len: int = 6,
    beta: float = 3.0, ignore_whitespace: bool = True,
) -> float:  # fmt: skip
    """chrF of a corpus: the mean over orders and segments of the F-scores of each.

    Parameters
    ----------
    references, hypotheses : sequence of str or of iterables of str
        One reference for each hypothesis; tokens are joined by spaces.
    min_len, max_len : int
        Lowest and highest order of character n-grams.
    beta : float
        How many times recall outweighs precision.
    ignore_whitespace : bool
        Leave white space out.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    AssertionError
        If there are not as many references as hypotheses.
    ZeroDivisionError
        If there are no segments or no orders.

    Notes
    -----
    Linear in the number of characters; safe to call from several threads.

    Examples
    --------
    >>> round(corpus_chrf(["the cat sat", "it rained"], ["the cat sits", "it rains"]), 6)
    0.640655
    """
    if len(references) != len(hypotheses):
        raise AssertionError("The number of hypotheses and their references should be the same")
    refs, hyps = [], []
    for reference, hypothesis in zip(references, hypotheses, strict=False):
        refs.append(reference if type(reference) is str else " ".join(reference))
        hyps.append(hypothesis if type(hypothesis) is str else " ".join(hypothesis))
    rows = None
    if is_order(min_len) and is_order(max_len):
        reader = _READERS[bool(ignore_whitespace)]
        rows = COUNTER.rows(_kernel(max_len), [(text,) for text in refs], hyps, reader)
    elif ignore_whitespace:
        refs, hyps = ([text.translate(_NO_SPACES) for text in texts] for texts in (refs, hyps))
    if rows is not None:
        begins = range(3 * min_len - 3, 3 * max_len, 3)
        scores = [
            [_f_score(row[k], row[k + 1], row[k + 2], beta)[2] for k in begins] for row in rows
        ]
    else:
        scores = [
            [_f_score(*_count(ref, hyp, n), beta)[2] for n in range(min_len, max_len + 1)]
            for ref, hyp in zip(refs, hyps, strict=True)
        ]
    totals = list(map(sum, zip(*scores, strict=True)))
    return (sum(totals) / len(totals)) / len(hypotheses)


def _count(
    reference: Iterable[Hashable], hypothesis: Iterable[Hashable], n: int
) -> tuple[int, int, int]:
    """N-grams of a hypothesis, of a reference, and of both, for what the core does not count."""
    of_reference, of_hypothesis = Counter(grams(reference, n)), Counter(grams(hypothesis, n))
    both = of_reference & of_hypothesis
    return sum(of_hypothesis.values()), sum(of_reference.values()), sum(both.values())


def _f_score(
    n_hyp: int, n_ref: int, matches: int, beta: float, epsilon: float = 1e-16
) -> tuple[float, float, float]:
    """Precision, recall and F-score; all of them `epsilon` if one would divide by zero."""
    try:
        precision, recall = matches / n_hyp, matches / n_ref
        factor = beta**2
        score = (1 + factor) * (precision * recall) / (factor * precision + recall)
    except ZeroDivisionError:
        return epsilon, epsilon, epsilon
    return precision, recall, score
