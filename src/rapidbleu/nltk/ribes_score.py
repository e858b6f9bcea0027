"""Drop-in for `nltk.translate.ribes_score`: NLTK's RIBES (Isozaki et al. 2010).

It aligns words by fewer contexts than the authors' program, which `rapidbleu.RIBES` follows. Steps
such as `kendall_tau` are NLTK's own, if it is installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, repeat
from math import exp
from typing import Any

from rapidbleu._core.nltk.token_lists import NltkOrderKernel
from rapidbleu.nltk.grams import COUNTER, References, Tokens, ask_nltk, names_of

__all__ = ["MAX_ALIGNMENT_LEN", "corpus_ribes", "sentence_ribes"]

MAX_ALIGNMENT_LEN = 2000  # tokens of a text to align
_KERNEL = NltkOrderKernel()

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
    segments = [  # references may be iterators, and lists may change meanwhile
        (hypothesis, tuple(references) if references and hypothesis else None)
        for references, hypothesis in zip(list_of_references, hypotheses, strict=False)
    ]
    hyps = [hyp for hyp, references in segments for _ in references or ()]
    refs = [reference for _, references in segments for reference in references or ()]
    lengths = [(len(hyp), len(ref)) for hyp, ref in zip(hyps, refs, strict=True)]
    if max(map(max, lengths), default=0) > MAX_ALIGNMENT_LEN:
        raise ValueError(
            f"word_rank_alignment: expected at most {MAX_ALIGNMENT_LEN} tokens in a text; set "
            "rapidbleu.nltk.ribes_score.MAX_ALIGNMENT_LEN for longer ones"
        )
    counts: Any = COUNTER.rows(_KERNEL, [(ref,) for ref in refs], hyps)
    if counts is None:  # tokens without a hash
        return [
            ask_nltk("ribes_score", "sentence_ribes", references or (), hypothesis, alpha, beta)
            for hypothesis, references in segments
        ]
    scores = map(_score, counts, lengths, repeat(alpha), repeat(beta))
    return [
        0.0 if references is None else max([-1.0, *islice(scores, len(references))])
        for _, references in segments
    ]


def _score(counts: tuple[int, int], lengths: tuple[int, int], alpha: float, beta: float) -> float:
    """Return the score of one reference, in NLTK's order of operations."""
    (aligned, ascending), (n, m) = counts, lengths
    penalty = exp(1.0 - m / n) if m > n else 1.0
    tau = 2 * ascending / (aligned * (aligned - 1) // 2) - 1 if aligned > 1 else -1
    score: float = (tau + 1) / 2 * ((aligned / n) ** alpha) * (penalty**beta)
    return score
