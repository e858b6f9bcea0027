"""The smoothing methods on counts: the same floats as on fractions, without a Fraction.

The logarithm of a Fraction is that of its float, which is numerator / denominator, rounded once
and the same whether reduced or not.  So fractions can stay pairs of ints, sums and products of
them too, and become floats where Python's Fraction does: when they meet a float.
"""

import math
from collections.abc import Callable
from types import MethodType
from typing import Any

from rapidbleu.nltk.grams import COUNTER
from rapidbleu.nltk.smoothing import SmoothingFunction, smallest

__all__ = ["shortcut"]

Exact = tuple[int, int] | float
Shortcut = Callable[..., list[float] | None]


def shortcut(
    smoothing_function: Any, correct: list[int]
) -> tuple[Shortcut, SmoothingFunction] | None:
    """A function from counts to smoothed precisions as floats, if there is one.

    Parameters
    ----------
    smoothing_function : callable or None
    correct : list of int
        Matches of each order, the first not 0.

    Returns
    -------
    tuple of callable and SmoothingFunction or None
        The callable takes the latter, matches, totals, the length of all hypotheses, the references
        and the hypothesis of the last segment; None, or a result of None, where the function itself
        has to be called.
    """
    if smoothing_function is None:
        return _method0, _DEFAULT
    if type(smoothing_function) is not MethodType:
        return None
    method = _METHODS.get(smoothing_function.__func__)
    options = smoothing_function.__self__
    if method is None or type(options) is not SmoothingFunction:
        return None
    if (
        type(options.epsilon) not in _NUMBERS
        or type(options.k) not in _NUMBERS
        or type(options.alpha) not in _NUMBERS
    ):
        return None
    if method is _method6 and not (len(correct) > 2 and correct[2] and 0 < options.alpha < 1e9):
        return None
    return method, options


def _add(a: Exact, b: Exact) -> Exact:
    if type(a) is tuple and type(b) is tuple:
        return a[0] * b[1] + b[0] * a[1], a[1] * b[1]
    return _float(a) + _float(b)


def _float(a: Exact) -> float:
    return a[0] / a[1] if isinstance(a, tuple) else a


def _method0(self: SmoothingFunction, correct: list[int], total: list[int], *_: Any) -> list[float]:
    pairs = enumerate(zip(correct, total, strict=True), 1)
    return [m / t if m else smallest(n) for n, (m, t) in pairs]


def _method1(self: SmoothingFunction, correct: list[int], total: list[int], *_: Any) -> list[float]:
    return [m / t if m else (m + self.epsilon) / t for m, t in zip(correct, total, strict=True)]


def _method2(self: SmoothingFunction, correct: list[int], total: list[int], *_: Any) -> list[float]:
    rest = [(m + 1) / (t + 1) for m, t in zip(correct[1:], total[1:], strict=True)]
    return [correct[0] / total[0], *rest]


def _method3(self: SmoothingFunction, correct: list[int], total: list[int], *_: Any) -> list[float]:
    precisions = []
    n_zeros = 0
    for m, t in zip(correct, total, strict=True):
        n_zeros += m == 0
        precisions.append(m / t if m else 1 / (2**n_zeros * t))
    return precisions


def _fourth(
    self: SmoothingFunction, correct: list[int], total: list[int], hyp_len: int
) -> list[Exact]:
    precisions: list[Exact] = []
    n_zeros = 0
    for m, t in zip(correct, total, strict=True):
        if m == 0 and hyp_len > 1:
            n_zeros += 1
            precisions.append(1 / (2**n_zeros * self.k / math.log(hyp_len)) / t)
        else:
            precisions.append((m, t))
    return precisions


def _fifth(precisions: list[Exact], references: Any, hypothesis: Any) -> list[float] | None:
    counts = COUNTER.bleu((references,), (hypothesis,), 5)
    if counts is None:
        return None
    above = [*precisions[1:], (counts[2][4], counts[3][4])]
    below = _add(precisions[0], (1, 1))
    smoothed = []
    for p, next_above in zip(precisions, above, strict=True):
        if type(below) is tuple and type(p) is tuple and type(next_above) is tuple:
            (b, b_total), (m, m_total), (a, a_total) = below, p, next_above
            total = b_total * m_total
            below = (b * m_total + m * b_total) * a_total + a * total, 3 * total * a_total
        else:
            below = _float(_add(_add(below, p), next_above)) / 3
        smoothed.append(_float(below))
    return smoothed


def _method4(
    self: SmoothingFunction, correct: list[int], total: list[int], hyp_len: int, *_: Any
) -> list[float]:
    return [_float(p) for p in _fourth(self, correct, total, hyp_len)]


def _method5(
    self: SmoothingFunction, correct: list[int], total: list[int], hyp_len: int, references: Any,
    hypothesis: Any,
) -> list[float] | None:  # fmt: skip
    return _fifth(list(zip(correct, total, strict=True)), references, hypothesis)


def _method6(
    self: SmoothingFunction, correct: list[int], total: list[int], hyp_len: int, references: Any,
    hypothesis: Any,
) -> list[float]:  # fmt: skip
    alpha = self.alpha
    smoothed: list[Exact] = list(zip(correct[:2], total[:2], strict=True))
    for i in range(2, len(correct)):
        n_grams = max(0, len(hypothesis) - i)
        a, b = smoothed[i - 1], smoothed[i - 2]
        if isinstance(a, tuple) and isinstance(b, tuple):
            prior: Exact = (a[0] * a[0] * b[1], a[1] * a[1] * b[0])
        else:
            square = a[0] * a[0] / (a[1] * a[1]) if isinstance(a, tuple) else a**2
            prior = square / _float(b)
        if isinstance(prior, tuple) and isinstance(alpha, int):
            matched = (correct[i] * prior[1] + alpha * prior[0], prior[1])
            smoothed.append((matched[0], matched[1] * (n_grams + alpha)))
        else:
            smoothed.append((correct[i] + alpha * _float(prior)) / (n_grams + alpha))
    return [_float(p) for p in smoothed]


def _method7(
    self: SmoothingFunction, correct: list[int], total: list[int], hyp_len: int, references: Any,
    hypothesis: Any,
) -> list[float] | None:  # fmt: skip
    return _fifth(_fourth(self, correct, total, hyp_len), references, hypothesis)


_NUMBERS = (int, float)
_DEFAULT = SmoothingFunction()
_METHODS: dict[Any, Shortcut] = {
    SmoothingFunction.method0: _method0,
    SmoothingFunction.method1: _method1,
    SmoothingFunction.method2: _method2,
    SmoothingFunction.method3: _method3,
    SmoothingFunction.method4: _method4,
    SmoothingFunction.method5: _method5,
    SmoothingFunction.method6: _method6,
    SmoothingFunction.method7: _method7,
}
