"""Drop-in for `nltk.translate.ribes_score`: NLTK's RIBES (Isozaki et al. 2010).

It aligns words by fewer contexts than the authors' program, which `rapidbleu.RIBES` follows.
"""

from collections.abc import Sequence
from math import exp
from typing import Any

from rapidbleu._core.nltk.sums import count_orders
from rapidbleu.nltk.grams import References, Tokens
from rapidbleu.nltk.ranks import (
    count_ascending,
    find_increasing_sequences,
    kendall_tau,
    position_of_ngram,
    spearman_rho,
)

__all__ = [
    "MAX_ALIGNMENT_LEN",
    "corpus_ribes",
    "find_increasing_sequences",
    "kendall_tau",
    "position_of_ngram",
    "sentence_ribes",
    "spearman_rho",
    "word_rank_alignment",
]

MAX_ALIGNMENT_LEN = 2000  # tokens of a text that is aligned


def sentence_ribes(
    references: References, hypothesis: Tokens, alpha: float = 0.25, beta: float = 0.10
) -> float:
    """RIBES of one segment: the best score of several references.

    Parameters
    ----------
    references : sequence of sequences of tokens
    hypothesis : sequence of tokens
    alpha, beta : float
        Exponents of the share of aligned words, and of the brevity penalty.

    Returns
    -------
    float
        From 0 to 1; 0 if there is no hypothesis or no reference.

    Raises
    ------
    ValueError
        If a text has more than `MAX_ALIGNMENT_LEN` tokens.

    Notes
    -----
    Time is that of the pairs of places with equal words.

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
    """RIBES of a corpus: the mean of its segments.

    Parameters
    ----------
    list_of_references : sequence of sequences of sequences of tokens
        The references of each segment.
    hypotheses : sequence of sequences of tokens
    alpha, beta : float
        As of `sentence_ribes`.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    ValueError
        If there are not as many lists of references as hypotheses, or a text has more than
        `MAX_ALIGNMENT_LEN` tokens.

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
    """Return the scores of segments."""
    segments = [  # references may be iterators, and lists may change meanwhile
        (hypothesis, tuple(references) if references and hypothesis else None)
        for references, hypothesis in zip(list_of_references, hypotheses, strict=False)
    ]
    pairs = [
        (hypothesis, reference)
        for hypothesis, references in segments
        for reference in references or ()
    ]
    lengths = [(len(hypothesis), len(reference)) for hypothesis, reference in pairs]
    for n, m in lengths:
        _check_length(n, m)
    found = iter(
        [
            _score(*counts, *both, alpha, beta)
            for counts, both in zip(_count(pairs), lengths, strict=True)
        ]
    )
    return [
        0.0 if references is None else max([-1.0, *(next(found) for _ in references)])
        for _, references in segments
    ]


def _score(aligned: int, ascending: int, n: int, m: int, alpha: float, beta: float) -> float:
    """Return the score of a hypothesis of n words and a reference of m, in NLTK's operations."""
    tau = 2 * ascending / (aligned * (aligned - 1) // 2) - 1 if aligned > 1 else -1
    penalty = exp(1.0 - m / n) if m > n else 1.0
    score: float = (tau + 1) / 2 * ((aligned / n) ** alpha) * (penalty**beta)
    return score


def _count(pairs: list[tuple[Tokens, Tokens]]) -> list[tuple[int, int]]:
    """Return of each pair how many words are aligned, and how many pairs of these ascend."""
    counts = count_orders(pairs)
    if counts is None:  # other tokens than strings are numbered
        known: dict[Any, str] = {}
        try:
            numbered = [
                tuple([known.setdefault(each, str(len(known))) for each in text] for text in pair)
                for pair in pairs
            ]
            counts = count_orders(numbered)
        except TypeError:  # tokens without a hash
            orders = [word_rank_alignment(ref, hyp) for hyp, ref in pairs]
            counts = [(len(order), count_ascending(order)) for order in orders]
    return counts or []


def _check_length(n: int, m: int) -> None:
    if n > MAX_ALIGNMENT_LEN or m > MAX_ALIGNMENT_LEN:
        raise ValueError(
            f"word_rank_alignment: expected at most {MAX_ALIGNMENT_LEN} tokens in a text; set "
            "rapidbleu.nltk.ribes_score.MAX_ALIGNMENT_LEN for longer ones"
        )


def word_rank_alignment(
    reference: Sequence[Any], hypothesis: Sequence[Any], character_based: bool = False
) -> list[int]:
    """Return the places in the reference of all words of the hypothesis that are aligned.

    Parameters
    ----------
    reference, hypothesis : sequence of tokens
    character_based : bool
        Of no effect, as in NLTK.

    Returns
    -------
    list of int

    Raises
    ------
    ValueError
        If a text has more than `MAX_ALIGNMENT_LEN` tokens.

    Examples
    --------
    >>> word_rank_alignment("John hit Bob yesterday".split(), "Bob hit John yesterday".split())
    [2, 1, 0, 3]
    """
    _check_length(len(reference), len(hypothesis))
    hyp, ref = list(hypothesis), list(reference)

    def place(begin: int, end: int) -> int | None:
        """Where hyp[begin:end] is in the reference, if both texts have it once."""
        words = hyp[begin:end]
        in_ref = _occurrences(words, ref)
        return in_ref[0] if len(in_ref) == 1 and len(_occurrences(words, hyp)) == 1 else None

    found = []
    for i, word in enumerate(hyp):
        if word not in ref:
            continue
        own = place(i, i + 1)
        for n in range(1, min(max(i, len(hyp) - i + 1), len(ref))):
            if own is not None:
                break
            if i + n < len(hyp):
                own = place(i, i + n + 1)
            if own is None and n <= i:
                own = place(i - n, i + 1)
                own = None if own is None else own + n
        if own is not None:
            found.append(own)
    return found


def _occurrences(words: list[Any], text: list[Any]) -> list[int]:
    """Return the first two places of some words in a text."""
    n, places, start = len(words), [], 0
    for _ in range(text.count(words[0])):
        start = text.index(words[0], start)
        if text[start : start + n] == words:
            places.append(start)
            if len(places) == 2:
                break
        start += 1
    return places
