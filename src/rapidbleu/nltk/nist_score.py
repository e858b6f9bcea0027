"""Drop-in for `nltk.translate.nist_score`: NIST as NLTK has it (Doddington 2002).

With several references each order takes the one that is best for it, which is not what mteval
does.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from rapidbleu._core.nltk.sums import nist_sums
from rapidbleu.nltk.grams import References, Tokens, count_grams, grams, is_order

__all__ = ["corpus_nist", "nist_length_penalty", "sentence_nist"]

_MOST_ORDERS = 16


def sentence_nist(references: References, hypothesis: Tokens, n: int = 5) -> float:
    """NIST of one segment, whose references alone determine how much information an n-gram carries.

    The parameters are those of `corpus_nist`, for one segment.

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
    """NIST of a corpus.

    Parameters
    ----------
    list_of_references : sequence of sequences of sequences of hashable tokens
        The references of each segment.
    hypotheses : sequence of sequences of hashable tokens
    n : int
        Highest order of n-grams.

    Returns
    -------
    float
        At least 0.

    Raises
    ------
    AssertionError
        If there are not as many lists of references as hypotheses.
    ZeroDivisionError
        If no hypothesis has as many as `n` tokens.

    Notes
    -----
    Linear in the number of tokens; safe to call from several threads.

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
        sums = nist_sums(list_of_references, hypotheses, n)
    if sums is None:
        sums = _sums(list_of_references, hypotheses, n)
    information, totals, ref_len, hyp_len = sums
    score: float = 0
    for carried, total in zip(information, totals, strict=True):
        score += carried / total
    return score * nist_length_penalty(ref_len, hyp_len)


def nist_length_penalty(ref_len: float, hyp_len: float) -> float:
    """Penalty of hypotheses shorter than their references (Doddington 2002, equation 3).

    Parameters
    ----------
    ref_len, hyp_len : int
        In tokens.

    Returns
    -------
    float
        From 0 to 1; 0.5 where the hypothesis has two thirds of the reference's length.

    Raises
    ------
    ZeroDivisionError
        If `ref_len` is 0.

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


def _sums(
    list_of_references: Sequence[References], hypotheses: Sequence[Tokens], n: int
) -> tuple[list[float], list[int], int, int]:
    """What the core adds up, for segments that it cannot read."""
    counts: Counter[tuple[Any, ...]] = Counter()
    n_words = 0
    for references in list_of_references:
        for reference in references:
            for order in range(1, n + 1):
                counts.update(grams(reference, order))
            n_words += len(reference)
    weights = {}
    for gram, count in counts.items():
        before = counts[gram[:-1]] if gram[:-1] and gram[:-1] in counts else n_words
        weights[gram] = math.log(before / count, 2)
    information: dict[int, float] = {}
    totals: dict[int, int] = {}
    sum_refs = sum_hyps = 0
    for order in range(1, n + 1):
        for references, hypothesis in zip(list_of_references, hypotheses, strict=False):
            hyp_len = len(hypothesis)
            found = []
            for reference in references:
                ref_len = len(reference)
                of_hypothesis = count_grams(hypothesis, order)
                matched = of_hypothesis & count_grams(reference, order)
                carried = sum(weights[gram] * count for gram, count in matched.items())
                total = sum(of_hypothesis.values())
                found.append((0 if total == 0 else carried / total, carried, total, ref_len))
            _, carried, total, ref_len = max(found)
            information[order] = information.get(order, 0) + carried
            totals[order] = totals.get(order, 0) + total
            sum_refs += ref_len
            sum_hyps += hyp_len
    return list(information.values()), list(totals.values()), sum_refs, sum_hyps
