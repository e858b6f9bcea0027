"""Drop-in for `nltk.translate.nist_score`: NIST as NLTK computes it (Doddington 2002).

Unlike mteval, each order uses its best reference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from rapidbleu.nltk.grams import COUNTER, References, Tokens, ask_nltk, is_order

__all__ = ["corpus_nist", "nist_length_penalty", "sentence_nist"]

_MOST_ORDERS = 16


def sentence_nist(references: References, hypothesis: Tokens, n: int = 5) -> float:
    """Return the NIST of one segment, with n-gram information from its references alone.

    Examples
    --------
    >>> references, hypothesis = [["the", "cat", "sat", "on", "it"]], ["the", "cat", "sat", "on"]
    >>> round(sentence_nist(references, hypothesis, n=2), 6)
    1.882239
    """
    return corpus_nist([references], [hypothesis], n)


def corpus_nist(
    list_of_references: Sequence[References], hypotheses: Sequence[Tokens], n: int = 5
) -> float:
    """Return the NIST of a corpus, at least 0.

    Raises ZeroDivisionError if no hypothesis has at least `n` tokens.

    Examples
    --------
    >>> references = [[["the", "cat", "sat"]], [["a", "dog", "ran"]]]
    >>> round(corpus_nist(references, [["the", "cat", "ran"], ["a", "dog", "ran"]], n=2), 6)
    2.154135
    """
    if len(list_of_references) != len(hypotheses):
        raise AssertionError("The number of hypotheses and their reference(s) should be the same")
    sums = None
    if is_order(n, _MOST_ORDERS):
        sums = COUNTER.nist(list_of_references, hypotheses, n)
    score: float = 0
    if sums is None:
        score = ask_nltk("nist_score", "corpus_nist", list_of_references, hypotheses, n)
        return score
    information, totals, ref_len, hyp_len = sums
    for carried, total in zip(information, totals, strict=True):
        score += carried / total
    return score * nist_length_penalty(ref_len, hyp_len)


def nist_length_penalty(ref_len: float, hyp_len: float) -> float:
    """Return the penalty for short hypotheses (Doddington 2002, equation 3).

    Examples
    --------
    >>> round(nist_length_penalty(3, 2), 12)
    0.5
    """
    ratio = hyp_len / ref_len
    if 0 < ratio < 1:
        beta = math.log(0.5) / math.log(1.5) ** 2
        return math.exp(beta * math.log(ratio) ** 2)
    return max(min(ratio, 1.0), 0.0)
