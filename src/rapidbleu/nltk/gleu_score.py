"""Drop-in for `nltk.translate.gleu_score`: Google's BLEU for single segments (Wu et al. 2016)."""

from collections import Counter
from collections.abc import Sequence

from rapidbleu.nltk.grams import COUNTER, References, Tokens, grams_of_range, is_order

__all__ = ["corpus_gleu", "sentence_gleu"]


def sentence_gleu(
    references: References, hypothesis: Tokens, min_len: int = 1, max_len: int = 4
) -> float:
    """GLEU of one segment: the lesser of precision and recall over all orders together.

    Parameters
    ----------
    references : sequence of sequences of hashable tokens
    hypothesis : sequence of hashable tokens
    min_len, max_len : int
        Lowest and highest order of n-grams.

    Returns
    -------
    float
        From 0 to 1.

    Notes
    -----
    Linear in the number of tokens; safe to call from several threads.

    Examples
    --------
    >>> sentence_gleu([["the", "cat", "sat"]], ["the", "cat", "slept"])
    0.5
    """
    sums = COUNTER.sentence_gleu(references, hypothesis, min_len, max_len)
    if sums is not None:
        return sums[0] / sums[1] if sums[1] else 0.0
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
    if is_order(min_len) and is_order(max_len):
        sums = COUNTER.gleu(list_of_references, hypotheses, min_len, max_len)
    if sums is None:
        sums = _count(list_of_references, hypotheses, min_len, max_len)
    return sums[0] / sums[1] if sums[1] else 0.0


def _count(
    list_of_references: Sequence[References],
    hypotheses: Sequence[Tokens],
    min_len: int,
    max_len: int,
) -> tuple[int, int]:
    """What the core counts, for segments that it cannot read."""
    sum_matches = sum_all = 0
    for references, hypothesis in zip(list_of_references, hypotheses, strict=False):
        of_hypothesis = Counter(grams_of_range(hypothesis, min_len, max_len))
        n_hypothesis = sum(of_hypothesis.values())
        found = []
        for reference in references:
            of_reference = Counter(grams_of_range(reference, min_len, max_len))
            n_all = max(n_hypothesis, sum(of_reference.values()))
            if n_all:
                found.append((sum((of_reference & of_hypothesis).values()), n_all))
        if found:
            matches, n_all = max(found, key=lambda counts: counts[0] / counts[1])
            sum_matches += matches
            sum_all += n_all
    return sum_matches, sum_all
