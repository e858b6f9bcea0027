"""Drop-in for `nltk.translate.bleu_score`: BLEU as NLTK computes it (Papineni et al. 2002).

It differs from sacrebleu's BLEU: scores are fractions; segments count at least one n-gram of each
order, which matters for hypotheses of fewer than four tokens; precisions still zero after smoothing
are skipped in the geometric mean; and smoothing functions receive a corpus's last segment.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable, Sequence
from fractions import Fraction as _Fraction
from functools import lru_cache
from types import MethodType
from typing import Any, overload

from rapidbleu._core.nltk.token_lists import Ratio, SentenceBleu
from rapidbleu._lib.handing import hand_back
from rapidbleu.nltk.grams import COUNTER, References, Tokens, ask_nltk, sum_counts

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
_TAKES_NORMALIZE = sys.version_info < (3, 12)


class Fraction(_Fraction):
    """A fraction that preserves its numerator and denominator.

    Parameters
    ----------
    numerator, denominator : int
    _normalize : bool
        Whether to reduce the fraction.

    Examples
    --------
    >>> Fraction(2, 4).numerator, float(Fraction(2, 4))
    (2, 0.5)
    """

    _normalize: bool = True  # for results of comparisons
    _given: tuple[Any, Any]

    def __new__(
        cls, numerator: Any = 0, denominator: Any = None, _normalize: bool = False
    ) -> Fraction:
        options = {"_normalize": _normalize} if _TAKES_NORMALIZE else {}
        self: Fraction = super().__new__(cls, numerator, denominator, **options)
        self._normalize = _normalize
        self._given = (numerator, denominator)
        return self

    @property
    def numerator(self) -> Any:
        """The numerator passed, unless normalized."""
        return super().numerator if self._normalize else self._given[0]

    @property
    def denominator(self) -> Any:
        """The denominator passed, unless normalized."""
        return super().denominator if self._normalize else self._given[1]


def modified_precision(references: References, hypothesis: Tokens, n: int) -> Fraction:
    """Return the clipped n-gram precision of one segment (Papineni et al. 2002, 2.1).

    Examples
    --------
    >>> float(modified_precision([["the", "cat", "is", "here"]], ["the", "the", "the", "cat"], 1))
    0.5
    """
    sums = sum_counts((references,), (hypothesis,), n)
    if sums is not None:
        return Fraction(sums[1 + n], sums[1 + 2 * n])
    precision: Fraction = ask_nltk("bleu_score", "modified_precision", references, hypothesis, n)
    return precision


def closest_ref_length(references: References, hyp_len: int) -> int:
    """Return the reference length closest to the hypothesis; ties go to the shorter.

    Examples
    --------
    >>> closest_ref_length([["a"] * 13, ["a"] * 11], 12)
    11
    """
    lengths = (len(reference) for reference in references)
    return min(lengths, key=lambda length: (abs(length - hyp_len), length))


def brevity_penalty(closest_ref_len: float, hyp_len: float) -> float:
    """Return the penalty for hypotheses shorter than the references (Papineni et al. 2002, 2.2.2).

    A constant result, 1 or 0, is an int.

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


_WARNING = (
    "\nThe hypothesis contains 0 counts of {}-gram overlaps.\n"
    "Therefore the BLEU score evaluates to 0, independently of\n"
    "how many N-gram overlaps of lower order it contains.\n"
    "Consider using lower n-gram order or use SmoothingFunction()"
)
_warning = lru_cache(64)(_WARNING.format)  # `warnings` does not rehash the same str


def _smallest(order: int) -> float:
    """Return the unsmoothed value of a precision of zero, with a warning."""
    hand_back("a warning")
    warnings.warn(_warning(order), stacklevel=1)
    return sys.float_info.min


class SmoothingFunction:
    """Methods that smooth precisions without matches; each takes and returns a list of precisions.

    Precisions are fractions; `corpus_bleu` passes lighter, equal ones to methods of this class.

    Parameters
    ----------
    epsilon : float
        Count of a missing match in method 1.
    alpha : float
        Weight of the prior in method 6.
    k : float
        Divisor in method 4.

    References
    ----------
    Chen and Cherry (2014), A Systematic Comparison of Smoothing Techniques for Sentence-Level BLEU.

    Examples
    --------
    >>> smoothing = SmoothingFunction().method1
    >>> score = sentence_bleu([["a", "b", "c"]], ["a", "b", "d"], smoothing_function=smoothing)
    >>> round(score, 6)
    0.240281
    """

    def __init__(self, epsilon: float = 0.1, alpha: float = 5, k: float = 5) -> None:
        self.epsilon = epsilon
        self.alpha = alpha
        self.k = k

    def method0(self, p_n: Any, *args: Any, **kwargs: Any) -> list[Any]:
        """Leave precisions unchanged; zero becomes the smallest float, with a warning."""
        return [p if p.numerator != 0 else _smallest(n) for n, p in enumerate(p_n, 1)]

    def method1(self, p_n: Any, *args: Any, **kwargs: Any) -> list[Any]:
        """Count `epsilon` matches if there are none."""
        return [
            p if p.numerator != 0 else (p.numerator + self.epsilon) / p.denominator for p in p_n
        ]

    def method2(self, p_n: Any, *args: Any, **kwargs: Any) -> list[Any]:
        """Count one more match and n-gram above the first order (Lin and Och 2004)."""
        return [
            Fraction(p_n[i].numerator + 1, p_n[i].denominator + 1) if i else p_n[0]
            for i in range(len(p_n))
        ]

    def method3(self, p_n: Any, *args: Any, **kwargs: Any) -> Any:
        """Count 1/2 match in the first order without any, 1/4 in the next and so on, in place."""
        n_zeros = 0
        for i, p in enumerate(p_n):
            if p.numerator == 0:
                n_zeros += 1
                p_n[i] = 1 / (2**n_zeros * p.denominator)
        return p_n

    def method4(
        self,
        p_n: Any,
        references: Any,
        hypothesis: Any,
        hyp_len: Any = None,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """Apply method 3 with smaller counts for shorter hypotheses, in place."""
        hyp_len = hyp_len if hyp_len else len(hypothesis)
        n_zeros = 0
        for i, p in enumerate(p_n):
            if p.numerator == 0 and hyp_len > 1:
                n_zeros += 1
                count = 1 / (2**n_zeros * self.k / math.log(hyp_len))
                p_n[i] = count / p.denominator
        return p_n

    def method5(
        self,
        p_n: Any,
        references: Any,
        hypothesis: Any,
        hyp_len: Any = None,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """Average each precision with its neighbors, the smoothed one below, in place."""
        hyp_len = hyp_len if hyp_len else len(hypothesis)
        fifth: Any = modified_precision(references, hypothesis, 5)
        if type(p_n[0]) is Ratio:
            fifth = Ratio(fifth.numerator, fifth.denominator)
        above = [*p_n[1:], fifth]
        below = p_n[0] + 1
        for i, p in enumerate(p_n):
            below = p_n[i] = (below + p + above[i]) / 3
        return p_n

    def method6(
        self,
        p_n: Any,
        references: Any,
        hypothesis: Any,
        hyp_len: Any = None,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """Interpolate from order 3 with a prior, the ratio of the two orders below, in place."""
        hyp_len = hyp_len if hyp_len else len(hypothesis)
        if not p_n[2]:
            raise AssertionError("This smoothing method requires non-zero precision for bigrams.")
        for i, p in enumerate(p_n):
            if i >= 2:
                prior = p_n[i - 1] ** 2 / p_n[i - 2] if p_n[i - 2] else 0
                n_grams = max(0, len(hypothesis) - i)
                p_n[i] = (p.numerator + self.alpha * prior) / (n_grams + self.alpha)
        return p_n

    def method7(
        self,
        p_n: Any,
        references: Any,
        hypothesis: Any,
        hyp_len: Any = None,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """Apply method 4, then method 5, in place."""
        hyp_len = hyp_len if hyp_len else len(hypothesis)
        p_n = self.method4(p_n, references, hypothesis, hyp_len)
        return self.method5(p_n, references, hypothesis, hyp_len)


_METHODS = frozenset(getattr(SmoothingFunction, f"method{k}") for k in range(8))
_score_sentence = SentenceBleu(COUNTER, SmoothingFunction, _smallest).score


def _takes_ratios(smoothing_function: Any) -> bool:
    """Return whether this is a method of exactly the class above, with plain numeric options."""
    if smoothing_function is None:
        return True
    if type(smoothing_function) is not MethodType or smoothing_function.__func__ not in _METHODS:
        return False
    options = smoothing_function.__self__
    return (
        type(options) is SmoothingFunction
        and (type(options.k) is int or type(options.k) is float)
        and (type(options.alpha) is int or type(options.alpha) is float)
        and 0 < options.alpha < 1e9
    )


@overload
def sentence_bleu(
    references: References,
    hypothesis: Tokens,
    weights: Sequence[float] = ...,
    smoothing_function: Callable[..., Any] | None = None,
    auto_reweigh: bool = False,
) -> float: ...
@overload
def sentence_bleu(
    references: References,
    hypothesis: Tokens,
    weights: Sequence[Sequence[float]],
    smoothing_function: Callable[..., Any] | None = None,
    auto_reweigh: bool = False,
) -> float | list[float]: ...
def sentence_bleu(
    references: References,
    hypothesis: Tokens,
    weights: Sequence[float] | Sequence[Sequence[float]] = (0.25, 0.25, 0.25, 0.25),
    smoothing_function: Callable[..., Any] | None = None,
    auto_reweigh: bool = False,
) -> float | list[float]:
    """Return the BLEU of one segment: `corpus_bleu` of its references and hypothesis.

    Examples
    --------
    >>> references, hypothesis = [["the", "cat", "sat", "on", "it"]], ["the", "cat", "sat", "on"]
    >>> round(sentence_bleu(references, hypothesis), 6)
    0.778801
    """
    if not auto_reweigh:
        score = _score_sentence(references, hypothesis, weights, smoothing_function)
        if score is not None:
            return score
    return corpus_bleu([references], [hypothesis], weights, smoothing_function, auto_reweigh)


@overload
def corpus_bleu(
    list_of_references: Sequence[References],
    hypotheses: Sequence[Tokens],
    weights: Sequence[float] = ...,
    smoothing_function: Callable[..., Any] | None = None,
    auto_reweigh: bool = False,
) -> float: ...
@overload
def corpus_bleu(
    list_of_references: Sequence[References],
    hypotheses: Sequence[Tokens],
    weights: Sequence[Sequence[float]],
    smoothing_function: Callable[..., Any] | None = None,
    auto_reweigh: bool = False,
) -> float | list[float]: ...
def corpus_bleu(
    list_of_references: Sequence[References],
    hypotheses: Sequence[Tokens],
    weights: Sequence[float] | Sequence[Sequence[float]] = (0.25, 0.25, 0.25, 0.25),
    smoothing_function: Callable[..., Any] | None = None,
    auto_reweigh: bool = False,
) -> float | list[float]:
    """Return the BLEU of a corpus from summed counts: a fraction, or one for each tuple of weights.

    A custom `smoothing_function` is called once with the list of precisions and, by keyword,
    ``references`` and ``hypothesis`` of the last segment and ``hyp_len``, the length of all
    hypotheses. The score is an int 0 without matches; no segments raise ZeroDivisionError.

    Examples
    --------
    >>> hypotheses = [["a", "b", "c", "d"], ["e", "f", "g", "i"]]
    >>> references = [[["a", "b", "c", "d"]], [["e", "f", "g", "h"]]]
    >>> several = [(0.5, 0.5), (0.25, 0.25, 0.25, 0.25)]
    >>> [round(score, 6) for score in corpus_bleu(references, hypotheses, several)]
    [0.853913, 0.723127]
    """
    if len(list_of_references) != len(hypotheses):
        raise AssertionError("The number of hypotheses and their reference(s) should be the same ")
    each, max_order = _listed(weights)
    sums = sum_counts(list_of_references, hypotheses, max_order)
    if sums is None:
        options = weights, smoothing_function, auto_reweigh
        result: float | list[float] = ask_nltk(
            "bleu_score", "corpus_bleu", list_of_references, hypotheses, *options
        )
        return result
    hyp_len, ref_len = sums[:2]
    correct = sums[2 : 2 + max_order]
    total = sums[2 + max_order :]
    penalty = brevity_penalty(ref_len, hyp_len)
    if not correct[0]:
        Fraction(0, total[0])  # an error if there are no segments
        return 0 if len(each) == 1 else [0] * len(each)
    make: Any = Ratio if _takes_ratios(smoothing_function) else Fraction
    p_n = list(map(make, correct, total))
    smoothing_function = smoothing_function or SmoothingFunction().method0
    p_n = smoothing_function(
        p_n, references=[*list_of_references][-1], hypothesis=[*hypotheses][-1], hyp_len=hyp_len
    )
    if make is Ratio:
        p_n = list(map(float, p_n))
    scores = []
    for weight in each:
        if auto_reweigh and hyp_len < 4 and weight == _UNIFORM:
            weight = (1 / hyp_len,) * hyp_len
        logs = [w_i * math.log(p_i) for w_i, p_i in zip(weight, p_n, strict=False) if p_i > 0]
        scores.append(penalty * math.exp(math.fsum(logs)))
    return scores[0] if len(each) == 1 else scores


def _listed(weights: Any) -> tuple[Any, int]:
    if type(weights) is tuple and weights and type(weights[0]) is float:
        return (weights,), len(weights)
    try:
        weights[0][0]
    except (TypeError, IndexError):
        weights = [weights]
    return weights, max(len(weight) for weight in weights)
