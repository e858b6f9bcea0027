"""Drop-in for `nltk.translate.gleu_score`: Google's BLEU for single segments (Wu et al. 2016)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from rapidbleu._core.counting.overlap import GleuKernel
from rapidbleu.nltk.grams import COUNTER, References, Tokens

__all__ = ["corpus_gleu", "sentence_gleu"]

_MOST_ORDERS = 64
_MOST_TOKENS = 256  # of a sequence whose n-grams of all orders are asked for

_kernel = lru_cache(64)(GleuKernel)


def sentence_gleu(
    references: References, hypothesis: Tokens, min_len: int = 1, max_len: int = 4
) -> float:
    """GLEU of one segment: the lesser of precision and recall over all orders together.

    The parameters are those of `corpus_gleu`, for one segment.

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
    """GLEU of a corpus: matches over n-grams, added up with the best reference of each segment.

    Parameters
    ----------
    list_of_references : sequence of sequences of sequences of hashable tokens
        The references of each segment.
    hypotheses : sequence of sequences of hashable tokens
    min_len, max_len : int
        Lowest and highest order of n-grams.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    AssertionError
        If there are not as many lists of references as hypotheses.

    Notes
    -----
    Linear in the number of tokens; safe to call from several threads.

    Examples
    --------
    >>> corpus_gleu([[["a", "b"]], [["c", "d"]]], [["a", "b"], ["c", "e"]])
    0.6666666666666666
    """
    if len(list_of_references) != len(hypotheses):
        raise AssertionError("The number of hypotheses and their reference(s) should be the same")
    sums = None
    if type(min_len) is type(max_len) is int and 1 <= min_len <= max_len <= _MOST_ORDERS:
        sums = COUNTER.sums(_kernel(min_len, max_len), list_of_references, hypotheses)
    matches, n_all = sums or _count(list_of_references, hypotheses, min_len, max_len)
    return matches / n_all if n_all else 0.0


def _count(
    list_of_references: Sequence[References],
    hypotheses: Sequence[Tokens],
    min_len: int,
    max_len: int,
) -> tuple[int, int]:
    """What the core counts, for segments that it cannot read."""
    sum_matches = sum_all = 0
    for references, hypothesis in zip(list_of_references, hypotheses, strict=False):
        of_hypothesis = Counter(_grams_of_range(hypothesis, min_len, max_len))
        n_hypothesis = sum(of_hypothesis.values())
        counts = []
        for reference in references:
            of_reference = Counter(_grams_of_range(reference, min_len, max_len))
            n_all = max(n_hypothesis, sum(of_reference.values()))
            if n_all:
                counts.append((sum((of_reference & of_hypothesis).values()), n_all))
        if counts:
            matches, n_all = max(counts, key=lambda pair: pair[0] / pair[1])
            sum_matches += matches
            sum_all += n_all
    return sum_matches, sum_all


def _grams_of_range(tokens: Iterable[Any], min_len: int, max_len: int) -> Iterator[tuple[Any, ...]]:
    """Yield the n-grams of a range of orders; a `max_len` of -1 is the length of the sequence."""
    if max_len == -1:
        try:
            max_len = len(tokens)  # type: ignore[arg-type]
        except TypeError:
            tokens = list(tokens)
            max_len = len(tokens)
        if max_len > _MOST_TOKENS:
            raise ValueError(
                f"max_len: expected the highest order for more than {_MOST_TOKENS} tokens, "
                f"got -1 for {max_len}"
            )
    rest = iter(tokens)
    window = list(islice(rest, max_len))
    while window:
        for n in range(min_len, len(window) + 1):
            yield tuple(window[:n])
        window.extend(islice(rest, 1))
        del window[0]
