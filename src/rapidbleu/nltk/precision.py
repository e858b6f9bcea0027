"""The parts of NLTK's BLEU: precision of one segment, closest reference length, brevity penalty."""

import math
from typing import Any

from rapidbleu.nltk.grams import COUNTER, Fraction, References, Tokens, count_grams, is_order

__all__ = ["brevity_penalty", "closest_ref_length", "count_matches", "modified_precision"]


def modified_precision(references: References, hypothesis: Tokens, n: int) -> Fraction:
    """Clipped n-gram precision of one segment (Papineni et al. 2002, 2.1).

    Parameters
    ----------
    references : sequence of sequences of hashable tokens
    hypothesis : sequence of hashable tokens
    n : int
        Order of the n-grams.

    Returns
    -------
    Fraction
        Matches over n-grams, not reduced; the denominator is at least 1.

    Notes
    -----
    Linear in the number of tokens.

    Examples
    --------
    >>> float(modified_precision([["the", "cat", "is", "here"]], ["the", "the", "the", "cat"], 1))
    0.5
    """
    if is_order(n):
        counts = COUNTER.bleu((references,), (hypothesis,), n)
        if counts is not None:
            return Fraction(counts[2][-1], counts[3][-1])
    return Fraction(*count_matches(references, hypothesis, n))


def count_matches(references: References, hypothesis: Tokens, n: int) -> tuple[int, int]:
    """Numerator and denominator of `modified_precision` for input of any kind."""
    counts = count_grams(hypothesis, n)
    most: dict[tuple[Any, ...], int] = {}
    for reference in references:
        of_reference = count_grams(reference, n)
        for gram in counts:
            most[gram] = max(most.get(gram, 0), of_reference[gram])
    matches = sum(min(count, most[gram]) for gram, count in counts.items())
    return matches, max(1, sum(counts.values()))


def closest_ref_length(references: References, hyp_len: int) -> int:
    """Length of the reference closest to a hypothesis, of two equally close ones the shorter.

    Parameters
    ----------
    references : iterable of sequences
    hyp_len : int
        Length of the hypothesis in tokens.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If there is no reference.

    Examples
    --------
    >>> closest_ref_length([["a"] * 13, ["a"] * 11], 12)
    11
    """
    lengths = (len(reference) for reference in references)
    return min(lengths, key=lambda length: (abs(length - hyp_len), length))


def brevity_penalty(closest_ref_len: float, hyp_len: float) -> float:
    """Penalty of hypotheses shorter than their references (Papineni et al. 2002, 2.2.2).

    Parameters
    ----------
    closest_ref_len : int
        Sum of the closest reference lengths in tokens.
    hyp_len : int
        Sum of the lengths of the hypotheses in tokens.

    Returns
    -------
    float
        From 0 to 1; 1 and 0 are ints where nothing is computed.

    Examples
    --------
    >>> brevity_penalty(28, 12)
    0.2635971381157267
    """
    if hyp_len > closest_ref_len:
        return 1
    if hyp_len == 0:
        return 0
    return math.exp(1 - closest_ref_len / hyp_len)
