"""The smoothing methods of NLTK's BLEU (Chen and Cherry 2014), on real fractions.

`corpus_bleu` computes the same from counts (shortcuts.py) when a method of this very class is its
smoothing function; the methods themselves are for those who call or extend them.
"""

import math
import sys
import warnings
from typing import Any

from rapidbleu.metrics.options import Recent
from rapidbleu.nltk.grams import Fraction, grams
from rapidbleu.nltk.precision import modified_precision

__all__ = ["SmoothingFunction", "smallest"]


def smallest(order: int) -> float:
    """What a precision of zero becomes without smoothing, with a warning."""
    warnings.warn(_warnings[order,], stacklevel=1)
    return sys.float_info.min


def _warning(order: int) -> str:
    return (
        f"\nThe hypothesis contains 0 counts of {order}-gram overlaps.\n"
        "Therefore the BLEU score evaluates to 0, independently of\n"
        "how many N-gram overlaps of lower order it contains.\n"
        "Consider using lower n-gram order or use SmoothingFunction()"
    )


_warnings = Recent(_warning)  # a str that is known to `warnings` is not hashed again


class SmoothingFunction:
    """Ways to replace precisions without matches; every method takes and returns a list of them.

    Parameters
    ----------
    epsilon : float
        What method 1 counts instead of no match.
    alpha : float
        Weight of the prior in method 6.
    k : float
        Divisor of method 4.

    References
    ----------
    Chen and Cherry (2014), A Systematic Comparison of Smoothing Techniques for Sentence-Level BLEU.

    Examples
    --------
    >>> from rapidbleu.nltk.bleu_score import sentence_bleu
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
        """Leave precisions alone; one of zero becomes the smallest float, with a warning."""
        return [p if p.numerator != 0 else smallest(n) for n, p in enumerate(p_n, 1)]

    def method1(self, p_n: Any, *args: Any, **kwargs: Any) -> list[Any]:
        """Count `epsilon` instead of no match."""
        return [
            p if p.numerator != 0 else (p.numerator + self.epsilon) / p.denominator for p in p_n
        ]

    def method2(self, p_n: Any, *args: Any, **kwargs: Any) -> list[Any]:
        """Count one more match and one more n-gram above the first order (Lin and Och 2004)."""
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
        self, p_n: Any, references: Any, hypothesis: Any, hyp_len: Any = None, *args: Any,
        **kwargs: Any,
    ) -> Any:  # fmt: skip
        """Method 3 with smaller counts for shorter hypotheses, in place."""
        hyp_len = hyp_len if hyp_len else len(hypothesis)
        n_zeros = 0
        for i, p in enumerate(p_n):
            if p.numerator == 0 and hyp_len > 1:
                n_zeros += 1
                count = 1 / (2**n_zeros * self.k / math.log(hyp_len))
                p_n[i] = count / p.denominator
        return p_n

    def method5(
        self, p_n: Any, references: Any, hypothesis: Any, hyp_len: Any = None, *args: Any,
        **kwargs: Any,
    ) -> Any:  # fmt: skip
        """Average each precision with its neighbours, the smoothed one below, in place."""
        hyp_len = hyp_len if hyp_len else len(hypothesis)
        above = [*p_n[1:], modified_precision(references, hypothesis, 5)]
        below = p_n[0] + 1
        for i, p in enumerate(p_n):
            below = p_n[i] = (below + p + above[i]) / 3
        return p_n

    def method6(
        self, p_n: Any, references: Any, hypothesis: Any, hyp_len: Any = None, *args: Any,
        **kwargs: Any,
    ) -> Any:  # fmt: skip
        """Interpolate from order 3 on with a prior: the ratio of the two orders below, in place."""
        hyp_len = hyp_len if hyp_len else len(hypothesis)
        if not p_n[2]:
            raise AssertionError(
                "This smoothing method requires non-zero precision for bigrams."
            )
        for i, p in enumerate(p_n):
            if i >= 2:
                prior = 0 if p_n[i - 2] == 0 else p_n[i - 1] ** 2 / p_n[i - 2]
                n_grams = sum(1 for _ in grams(hypothesis, i + 1))
                p_n[i] = (p.numerator + self.alpha * prior) / (n_grams + self.alpha)
        return p_n

    def method7(
        self, p_n: Any, references: Any, hypothesis: Any, hyp_len: Any = None, *args: Any,
        **kwargs: Any,
    ) -> Any:  # fmt: skip
        """Method 4, then method 5, in place."""
        hyp_len = hyp_len if hyp_len else len(hypothesis)
        p_n = self.method4(p_n, references, hypothesis, hyp_len)
        return self.method5(p_n, references, hypothesis, hyp_len)
