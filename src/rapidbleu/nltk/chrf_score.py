"""Drop-in for `nltk.translate.chrf_score`: chrF as NLTK computes it (Popovic 2015).

Unlike sacrebleu's, it averages the F-scores of orders and segments, with one reference and beta 3.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias

from rapidbleu._core.metrics.chrf import ChrfKernel
from rapidbleu._core.text.tokenize import ChrfScanner, Reader
from rapidbleu.nltk.grams import COUNTER, ask_nltk, is_order, sum_counts
from rapidbleu.tokenizers.base import OTHER, SPACE, wide_classes

__all__ = ["chrf_precision_recall_fscore_support", "corpus_chrf", "sentence_chrf"]

Text: TypeAlias = str | Iterable[str]

_CLASSES = bytes(SPACE if chr(c) in "\t\n\v\f\r " else OTHER for c in range(128)), wide_classes()
_READERS = {  # keyed by whether white space is ignored
    ignored: Reader(ChrfScanner(*_CLASSES, whitespace=not ignored, words=False), list, False)
    for ignored in (False, True)
}

_kernel = lru_cache(64)(lambda max_len: ChrfKernel(max_len, 0, 0.0, 1.0, False))  # for any beta


def sentence_chrf(
    reference: Text,
    hypothesis: Text,
    min_len: int = 1,
    max_len: int = 6,
    beta: float = 3.0,
    ignore_whitespace: bool = True,
) -> float:
    """Return the chrF of one segment: `corpus_chrf` of a reference and a hypothesis.

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
    """Return precision, recall, F-score and number of matches for the n-grams of one order.

    Examples
    --------
    >>> chrf_precision_recall_fscore_support("abc", "abd", 2)
    (0.5, 0.5, 0.5, 1)
    """
    sums = sum_counts(((reference,),), (hypothesis,), n)
    if sums is None:
        name = "chrf_precision_recall_fscore_support"
        result: tuple[float, float, float, int] = ask_nltk(
            "chrf_score", name, reference, hypothesis, n, beta, epsilon
        )
        return result
    n_hyp, n_ref = (max(0, len(text) - n + 1) for text in (hypothesis, reference))
    return (*_f_score(n_hyp, n_ref, sums[1 + n], beta, epsilon), sums[1 + n])


def corpus_chrf(
    references: Sequence[Text],
    hypotheses: Sequence[Text],
    min_len: int = 1,
    max_len: int = 6,
    beta: float = 3.0,
    ignore_whitespace: bool = True,
) -> float:
    """Return the chrF of a corpus: the mean F-score over orders and segments, from 0 to 1.

    Raises ZeroDivisionError without segments or orders.

    Examples
    --------
    >>> round(corpus_chrf(["the cat sat", "it rained"], ["the cat sits", "it rains"]), 6)
    0.640655
    """
    if len(references) != len(hypotheses):
        raise AssertionError("The number of hypotheses and their references should be the same")
    if not (is_order(min_len) and is_order(max_len)):
        options = min_len, max_len, beta, ignore_whitespace
        score: float = ask_nltk("chrf_score", "corpus_chrf", references, hypotheses, *options)
        return score
    refs = []
    hyps = []
    for reference, hypothesis in zip(references, hypotheses, strict=False):
        refs.append((reference if type(reference) is str else " ".join(reference),))
        hyps.append(hypothesis if type(hypothesis) is str else " ".join(hypothesis))
    rows = COUNTER.rows(_kernel(max_len), refs, hyps, _READERS[bool(ignore_whitespace)])
    begins = range(3 * min_len - 3, 3 * max_len, 3)
    scores = [
        [_f_score(row[k], row[k + 1], row[k + 2], beta)[2] for k in begins] for row in rows or ()
    ]
    totals = list(map(sum, zip(*scores, strict=True)))
    return (sum(totals) / len(totals)) / len(hypotheses)


def _f_score(
    n_hyp: int, n_ref: int, matches: int, beta: float, epsilon: float = 1e-16
) -> tuple[float, float, float]:
    """Return precision, recall and F-score, each `epsilon` if one would divide by zero."""
    try:
        precision = matches / n_hyp
        recall = matches / n_ref
        factor = beta**2
        score = (1 + factor) * (precision * recall) / (factor * precision + recall)
    except ZeroDivisionError:
        return epsilon, epsilon, epsilon
    return precision, recall, score
