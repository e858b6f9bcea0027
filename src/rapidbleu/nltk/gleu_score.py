"""Drop-in for `nltk.translate.gleu_score`: Google's BLEU for single segments (Wu et al. 2016)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from rapidbleu._core.counting.kernels import GleuKernel
from rapidbleu.nltk.grams import COUNTER, References, Tokens, ask_nltk, is_order

__all__ = ["corpus_gleu", "sentence_gleu"]

_MOST_ORDERS = 64

_kernel = lru_cache(64)(GleuKernel)


def sentence_gleu(
    references: References, hypothesis: Tokens, min_len: int = 1, max_len: int = 4
) -> float:
    """Return the GLEU of one segment: the minimum of precision and recall over all orders.

    Examples
    --------
    >>> sentence_gleu([["the", "cat", "sat"]], ["the", "cat", "slept"])
    0.5
    """
    return corpus_gleu([references], [hypothesis], min_len=min_len, max_len=max_len)


def corpus_gleu(
    list_of_references: Sequence[References],
    hypotheses: Sequence[Tokens],
    min_len: int = 1,
    max_len: int = 4,
) -> float:
    """Return the GLEU of a corpus: summed matches over summed n-grams, by best references.

    Examples
    --------
    >>> corpus_gleu([[["a", "b"]], [["c", "d"]]], [["a", "b"], ["c", "e"]])
    0.6666666666666666
    """
    if len(list_of_references) != len(hypotheses):
        raise AssertionError("The number of hypotheses and their reference(s) should be the same")
    sums = None
    if is_order(min_len) and is_order(max_len, _MOST_ORDERS) and min_len <= max_len:
        sums = COUNTER.sums(_kernel(min_len, max_len), list_of_references, hypotheses)
    if sums is None:
        score: float = ask_nltk(
            "gleu_score", "corpus_gleu", list_of_references, hypotheses, min_len, max_len
        )
        return score
    matches, n_all = sums
    return matches / n_all if n_all else 0.0
