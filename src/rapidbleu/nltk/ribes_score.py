"""Drop-in for `nltk.translate.ribes_score`: NLTK's RIBES (Isozaki et al. 2010).

It aligns words by fewer contexts than the authors' program, which `rapidbleu.RIBES` follows.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, repeat
from math import comb, exp
from typing import Any

from rapidbleu._core.nltk.sums import NltkOrderKernel
from rapidbleu.nltk.grams import COUNTER, References, Tokens

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
_KERNEL = NltkOrderKernel()


def sentence_ribes(
    references: References, hypothesis: Tokens, alpha: float = 0.25, beta: float = 0.10
) -> float:
    """RIBES of one segment: the best score of its references, 0 if there are none.

    The parameters are those of `corpus_ribes`, for one segment.

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
        Exponents of the share of aligned words, and of the brevity penalty.

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
    hyps = [hyp for hyp, references in segments for _ in references or ()]
    refs = [reference for _, references in segments for reference in references or ()]
    lengths = [(len(hyp), len(ref)) for hyp, ref in zip(hyps, refs, strict=True)]
    for n, m in lengths:
        _check_length(n, m)
    counts: Any = COUNTER.rows(_KERNEL, [(ref,) for ref in refs], hyps)
    if counts is None:  # tokens without a hash
        orders = map(word_rank_alignment, refs, hyps)
        counts = [(len(order), _count_ascending(order)) for order in orders]
    scores = map(_score, counts, lengths, repeat(alpha), repeat(beta))
    return [
        0.0 if references is None else max([-1.0, *islice(scores, len(references))])
        for _, references in segments
    ]


def _score(counts: tuple[int, int], lengths: tuple[int, int], alpha: float, beta: float) -> float:
    """Return the score of one reference, in NLTK's operations."""
    (aligned, ascending), (n, m) = counts, lengths
    penalty = exp(1.0 - m / n) if m > n else 1.0
    tau = _tau(ascending, aligned)
    score: float = (tau + 1) / 2 * ((aligned / n) ** alpha) * (penalty**beta)
    return score


def _tau(ascending: int, n: int) -> float:
    """Return Kendall's tau of n places, of which so many pairs ascend."""
    return 2 * ascending / (n * (n - 1) // 2) - 1 if n > 1 else -1


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

    `character_based` has no effect, as in NLTK.

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

    places = []
    for i, word in enumerate(hyp):
        if word not in ref:
            continue
        aligned = place(i, i + 1)
        for n in range(1, min(max(i, len(hyp) - i + 1), len(ref))):
            if aligned is not None:
                break
            if i + n < len(hyp):
                aligned = place(i, i + n + 1)
            if aligned is None and n <= i:
                aligned = place(i - n, i + 1)
                aligned = None if aligned is None else aligned + n
        if aligned is not None:
            places.append(aligned)
    return places


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


def position_of_ngram(ngram: tuple[Any, ...], sentence: Sequence[Any]) -> int | None:
    """Return where an n-gram is first in a sentence, or None.

    Examples
    --------
    >>> position_of_ngram(("the", "cat"), ["see", "the", "cat"])
    1
    """
    n = len(ngram)
    for i in range(len(sentence) - n + 1):
        if tuple(sentence[i : i + n]) == ngram:
            return i
    return None


def find_increasing_sequences(worder: Iterable[int]) -> Iterator[tuple[int, ...]]:
    """Yield the runs of at least two places, each one more than the one before.

    Examples
    --------
    >>> list(find_increasing_sequences([7, 8, 9, 10, 6, 0, 1]))
    [(7, 8, 9, 10), (0, 1)]
    """
    run: list[int] = []
    for place in worder:
        if run and place != run[-1] + 1:
            if len(run) > 1:
                yield tuple(run)
            run = []
        run.append(place)
    if len(run) > 1:
        yield tuple(run)


def _count_ascending(worder: Sequence[int]) -> int:
    """Return how many pairs of places come in the same order."""
    before: list[int] = []
    pairs = 0
    for place in worder:
        pairs += bisect_left(before, place)
        insort(before, place)
    return pairs


def kendall_tau(worder: Sequence[int], normalize: bool = True) -> float:
    """Return Kendall's tau of places, from 0 to 1 or else from -1 to 1: how many pairs ascend.

    Examples
    --------
    >>> kendall_tau([2, 1, 0, 3])
    0.5
    """
    tau = _tau(_count_ascending(worder), len(worder))
    return (tau + 1) / 2 if normalize else tau


def spearman_rho(worder: Sequence[int], normalize: bool = True) -> float:
    """Return Spearman's rho of places, from 0 to 1 or else from -1 to 1: their squared distances.

    Raises
    ------
    ZeroDivisionError
        If there are fewer than two places.

    Examples
    --------
    >>> round(spearman_rho([7, 8, 9, 10, 6, 0, 1, 2, 3, 4, 5]), 3)
    0.205
    """
    squares = sum((place - i) ** 2 for i, place in enumerate(worder))
    rho = 1 - squares / comb(len(worder) + 1, 3)
    return (rho + 1) / 2 if normalize else rho
