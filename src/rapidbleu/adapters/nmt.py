"""BLEU as in `compute_bleu` of TensorFlow's NMT tutorial and its many copies.

A segment's reference length is its shortest reference. A precision of zero makes the score zero;
smoothing adds one to the counts of every order (Lin & Och 2004).
"""

from functools import lru_cache
from math import exp, log
from typing import Any, NamedTuple

from rapidbleu.adapters import brevity_penalty, by_segment
from rapidbleu.metrics import BLEU

__all__ = ["compute_bleu"]


class Result(NamedTuple):
    """Result of `compute_bleu`: fractions, and lengths in tokens. Prints as a tuple, as there."""

    bleu: float
    precisions: list[float]
    brevity_penalty: float
    length_ratio: float
    translation_length: int
    reference_length: int

    def __repr__(self) -> str:
        return tuple.__repr__(self)


def compute_bleu(
    reference_corpus: Any, translation_corpus: Any, max_order: int = 4, smooth: bool = False
) -> Result:
    """Return the BLEU of a corpus of tokens; parameters are as in the tutorial's function.

    A segment is a sequence of str tokens or integer ids, or a str of characters. Raises
    ZeroDivisionError if the references or the translations have no tokens.

    Examples
    --------
    >>> references = [["the cat sat on the mat".split(), "a cat sat there".split()]]
    >>> compute_bleu(references, ["the cat sat on a mat".split()], max_order=2).precisions
    [1.0, 0.6]
    """
    hyps = [_tokens(segment) for segment in translation_corpus]
    refs = [[_tokens(segment) for segment in several] for several in reference_corpus]
    refs = by_segment(refs, "reference_corpus")
    return score(metric(max_order).corpus_stats(hyps, refs, layout="segment").tolist(), smooth)


@lru_cache
def metric(max_order: int) -> BLEU:
    """Return the metric, immutable, with the rows of these scores; text is tokenized by 13a."""
    return BLEU(force=True, max_ngram_order=max_order, ref_len="shortest")


def score(row: list[int], smooth: bool) -> Result:
    """Score one row of statistics.

    Examples
    --------
    >>> score([6, 4, 6, 4, 6, 5], smooth=False).bleu == 0.8**0.5
    True
    """
    hyp_len, ref_len, *counts = row
    n = len(counts) // 2
    correct = counts[:n]
    total = counts[n:]
    if not hyp_len or not ref_len:
        name = "reference_corpus" if hyp_len else "translation_corpus"
        raise ZeroDivisionError(f"{name}: expected at least one token; got none")
    if smooth:
        precisions = [(m + 1.0) / (t + 1.0) for m, t in zip(correct, total, strict=True)]
    else:
        precisions = [m / t if t else 0.0 for m, t in zip(correct, total, strict=True)]
    mean = exp(sum((1.0 / n) * log(p) for p in precisions)) if min(precisions) > 0 else 0.0
    ratio = hyp_len / ref_len
    penalty = brevity_penalty(ratio)
    return Result(mean * penalty, precisions, penalty, ratio, hyp_len, ref_len)


def _tokens(segment: Any) -> Any:
    return list(segment) if isinstance(segment, str) else segment
