"""Drop-in for `nltk.translate.bleu_score`: BLEU as NLTK has it (Papineni et al. 2002).

What differs from sacrebleu's: every segment counts at least one n-gram of each order, so that a
corpus with hypotheses of fewer than four tokens has another score; scores are fractions of one;
precisions of zero that smoothing leaves are skipped in the geometric mean; a smoothing function
gets the last segment of a corpus, whatever it does with it.
"""

from collections.abc import Callable, Sequence
from math import exp, fsum, log
from typing import Any, overload

from rapidbleu._core.nltk.sums import SentenceBleu
from rapidbleu.nltk.grams import COUNTER, Fraction, References, Tokens, is_order
from rapidbleu.nltk.precision import (
    brevity_penalty,
    closest_ref_length,
    count_matches,
    modified_precision,
)
from rapidbleu.nltk.shortcuts import shortcut
from rapidbleu.nltk.smoothing import SmoothingFunction, smallest

__all__ = [
    "Fraction",
    "SmoothingFunction",
    "brevity_penalty",
    "closest_ref_length",
    "corpus_bleu",
    "modified_precision",
    "sentence_bleu",
]

_UNIFORM = (0.25, 0.25, 0.25, 0.25)
_SENTENCES = SentenceBleu(COUNTER, SmoothingFunction, smallest)


@overload
def sentence_bleu(
    references: References, hypothesis: Tokens, weights: Sequence[float] = ...,
    smoothing_function: Callable[..., Any] | None = None, auto_reweigh: bool = False,
) -> float: ...  # fmt: skip
@overload
def sentence_bleu(
    references: References, hypothesis: Tokens, weights: Sequence[Sequence[float]],
    smoothing_function: Callable[..., Any] | None = None, auto_reweigh: bool = False,
) -> float | list[float]: ...  # fmt: skip
def sentence_bleu(
    references: References,
    hypothesis: Tokens,
    weights: Sequence[float] | Sequence[Sequence[float]] = (0.25, 0.25, 0.25, 0.25),
    smoothing_function: Callable[..., Any] | None = None,
    auto_reweigh: bool = False,
) -> float | list[float]:
    """BLEU of one segment.

    Parameters
    ----------
    references : sequence of sequences of hashable tokens
        A str is a sequence of characters.
    hypothesis : sequence of hashable tokens
    weights : tuple of float or list of tuples of float
        A weight for each order; several tuples give several scores.
    smoothing_function : callable, optional
        A method of `SmoothingFunction` or anything that is called alike.
    auto_reweigh : bool
        Give as many orders as there are tokens equal weights if there are fewer than four.

    Returns
    -------
    float or list of float
        From 0 to 1; 0 as an int if no token matches.

    Notes
    -----
    Linear in the number of tokens; safe to call from several threads.

    Examples
    --------
    >>> references, hypothesis = [["the", "cat", "sat", "on", "it"]], ["the", "cat", "sat", "on"]
    >>> round(sentence_bleu(references, hypothesis), 6)
    0.778801
    """
    if not auto_reweigh:
        score = _SENTENCES.score(references, hypothesis, weights, smoothing_function)
        if score is not None:
            return score
    return corpus_bleu([references], [hypothesis], weights, smoothing_function, auto_reweigh)


@overload
def corpus_bleu(
    list_of_references: Sequence[References], hypotheses: Sequence[Tokens],
    weights: Sequence[float] = ..., smoothing_function: Callable[..., Any] | None = None,
    auto_reweigh: bool = False,
) -> float: ...  # fmt: skip
@overload
def corpus_bleu(
    list_of_references: Sequence[References], hypotheses: Sequence[Tokens],
    weights: Sequence[Sequence[float]], smoothing_function: Callable[..., Any] | None = None,
    auto_reweigh: bool = False,
) -> float | list[float]: ...  # fmt: skip
def corpus_bleu(
    list_of_references: Sequence[References],
    hypotheses: Sequence[Tokens],
    weights: Sequence[float] | Sequence[Sequence[float]] = (0.25, 0.25, 0.25, 0.25),
    smoothing_function: Callable[..., Any] | None = None,
    auto_reweigh: bool = False,
) -> float | list[float]:
    """BLEU of a corpus: counts are added up before anything is divided.

    Parameters
    ----------
    list_of_references : sequence of sequences of sequences of hashable tokens
        The references of each segment.
    hypotheses : sequence of sequences of hashable tokens
    weights : tuple of float or list of tuples of float
        A weight for each order; several tuples give several scores.
    smoothing_function : callable, optional
        Called once with the list of precisions and, by name, ``references`` and ``hypothesis`` of
        the last segment and ``hyp_len``, the length of all hypotheses.
    auto_reweigh : bool
        Give as many orders as there are tokens equal weights if there are fewer than four.

    Returns
    -------
    float or list of float
        From 0 to 1; 0 as an int if no token matches.

    Raises
    ------
    AssertionError
        If there are not as many lists of references as hypotheses.
    ZeroDivisionError
        If there are no segments.

    Notes
    -----
    Linear in the number of tokens; safe to call from several threads.

    Examples
    --------
    >>> hypotheses = [["a", "b", "c", "d"], ["e", "f", "g", "i"]]
    >>> references = [[["a", "b", "c", "d"]], [["e", "f", "g", "h"]]]
    >>> several = [(0.5, 0.5), (0.25, 0.25, 0.25, 0.25)]
    >>> [round(score, 6) for score in corpus_bleu(references, hypotheses, several)]
    [0.853913, 0.723127]
    """
    if len(list_of_references) != len(hypotheses):
        raise AssertionError(
            "The number of hypotheses and their reference(s) should be the same "
        )
    each, max_order = _listed(weights)
    counts = None
    if is_order(max_order):
        counts = COUNTER.bleu(list_of_references, hypotheses, max_order)
    read = counts is not None
    if counts is None:
        counts = _count(list_of_references, hypotheses, max_order)
    hyp_len, ref_len, correct, total = counts
    penalty = brevity_penalty(ref_len, hyp_len)
    if not correct or not correct[0]:
        if correct:
            Fraction(0, total[0])  # an error if there are no segments
        return 0 if len(each) == 1 else [0] * len(each)
    references, hypothesis = _last(list_of_references), _last(hypotheses)
    quick = shortcut(smoothing_function, correct) if read else None
    p_n: Any = None
    if quick is not None:
        method, options = quick
        p_n = method(options, correct, total, hyp_len, references, hypothesis)
    if p_n is None:
        p_n = [Fraction(m, t) for m, t in zip(correct, total, strict=True)]
        smoothing_function = smoothing_function or SmoothingFunction().method0
        p_n = smoothing_function(
            p_n, references=references, hypothesis=hypothesis, hyp_len=hyp_len
        )
    scores = []
    for weight in each:
        if auto_reweigh and hyp_len < 4 and weight == _UNIFORM:
            weight = (1 / hyp_len,) * hyp_len
        logs = [w_i * log(p_i) for w_i, p_i in zip(weight, p_n, strict=False) if p_i > 0]
        scores.append(penalty * exp(fsum(logs)))
    return scores[0] if len(each) == 1 else scores


def _listed(weights: Any) -> tuple[Any, int]:
    """Weights as a list of tuples, and the highest order."""
    if type(weights) is tuple and weights and type(weights[0]) is float:
        return (weights,), len(weights)
    try:
        weights[0][0]
    except (TypeError, IndexError):
        weights = [weights]
    return weights, max(len(weight) for weight in weights)


def _count(
    list_of_references: Sequence[References], hypotheses: Sequence[Tokens], max_order: int
) -> tuple[int, int, list[int], list[int]]:
    """What the core counts, for segments that it cannot read."""
    correct, total = [0] * max_order, [0] * max_order
    hyp_lengths = ref_lengths = 0
    for references, hypothesis in zip(list_of_references, hypotheses, strict=False):
        for n in range(1, max_order + 1):
            matches, possible = count_matches(references, hypothesis, n)
            correct[n - 1] += matches
            total[n - 1] += possible
        hyp_len = len(hypothesis)
        hyp_lengths += hyp_len
        ref_lengths += closest_ref_length(references, hyp_len)
    return hyp_lengths, ref_lengths, correct, total


def _last(segments: Any) -> Any:
    """The last element of anything that can be iterated."""
    if type(segments) is list or type(segments) is tuple:
        return segments[-1]
    for segment in segments:
        last = segment
    return last
