"""Drop-in for `nltk.translate.ribes_score`: NLTK's RIBES (Isozaki et al. 2010).

It aligns words by fewer contexts than the authors' program, which `rapidbleu.RIBES` follows. Steps
such as `kendall_tau` are NLTK's own, if it is installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from rapidbleu._core.matching.kernels import RibesKernel
from rapidbleu.nltk.grams import COUNTER, References, Tokens, ask_nltk, names_of

__all__ = ["MAX_ALIGNMENT_LEN", "corpus_ribes", "sentence_ribes"]

MAX_ALIGNMENT_LEN = 2000  # tokens of a text to align

__getattr__ = names_of("ribes_score")


def sentence_ribes(
    references: References, hypothesis: Tokens, alpha: float = 0.25, beta: float = 0.10
) -> float:
    """Return the RIBES of one segment: its best reference's, 0 without references.

    Examples
    --------
    >>> round(sentence_ribes([["he", "read", "the", "book"]], ["the", "book", "he", "read"]), 6)
    0.333333
    """
    return _scores([references], [hypothesis], alpha, beta)[0]


def corpus_ribes(
    list_of_references: Sequence[References],
    hypotheses: Sequence[Tokens],
    alpha: float = 0.25,
    beta: float = 0.10,
) -> float:
    """Return the RIBES of a corpus: the mean of its segments, from 0 to 1.

    Raises ValueError if the numbers of hypotheses and lists of references differ, or a text has
    more than `MAX_ALIGNMENT_LEN` tokens.

    Examples
    --------
    >>> corpus_ribes([[["a", "b", "c"]], [["a", "b"]]], [["a", "b", "c"], ["b", "a"]])
    0.5
    """
    if not hypotheses:
        return 0.0
    if len(list_of_references) != len(hypotheses):
        raise ValueError("The number of reference sets must match the number of hypotheses.")
    total = 0.0
    for score in _scores(list_of_references, hypotheses, alpha, beta):
        total += score
    return total / len(hypotheses)


def _scores(
    list_of_references: Sequence[References],
    hypotheses: Sequence[Tokens],
    alpha: float,
    beta: float,
) -> list[float]:
    hyps = list(hypotheses)
    lists = [  # references may be iterators, and lists may change meanwhile
        tuple(references) if references and hypothesis else None
        for references, hypothesis in zip(list_of_references, hyps, strict=False)
    ]
    if _is_exponent(alpha) and _is_exponent(beta):
        scored = hyps
        if not all(lists):
            scored = [hyp for references, hyp in zip(lists, hyps, strict=True) if references]
        kernel = RibesKernel(alpha, beta, True)
        refs = list(filter(None, lists))
        scores = COUNTER.measures(kernel, refs, scored, MAX_ALIGNMENT_LEN)
        if scores is not None and scored is hyps:
            return scores
        if scores is not None:
            rest = iter(scores)
            return [next(rest) if refs else 0.0 if refs is None else -1.0 for refs in lists]
    texts = [
        text
        for references, hyp in zip(lists, hyps, strict=True)
        if references
        for text in (hyp, *references)
    ]
    if max(map(len, texts), default=0) > MAX_ALIGNMENT_LEN:
        raise ValueError(
            f"word_rank_alignment: expected at most {MAX_ALIGNMENT_LEN} tokens in a text; set "
            "rapidbleu.nltk.ribes_score.MAX_ALIGNMENT_LEN for longer ones"
        )
    return [
        ask_nltk("ribes_score", "sentence_ribes", references or (), hyp, alpha, beta)
        for references, hyp in zip(lists, hyps, strict=True)
    ]


def _is_exponent(value: Any) -> bool:
    return isinstance(value, int | float) and 0 <= value < inf
