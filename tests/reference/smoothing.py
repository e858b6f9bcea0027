"""Segment BLEU with NLTK's seven smoothings of Chen and Cherry (2014), as fractions of one."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from reference.counting import Tokens, largest_counts, n_ngrams, ngrams

Number = Fraction | float


class Row(NamedTuple):
    """Lengths, matches and n-grams of each order, and of one order more."""

    hyp_len: int
    ref_len: int
    correct: list[int]
    totals: list[int]


def row(hypothesis: Tokens, references: Sequence[Tokens], max_order: int = 4) -> Row:
    orders = range(1, max_order + 2)
    c = len(hypothesis)
    return Row(
        c,
        min((len(each) for each in references), key=lambda k: (abs(k - c), k)),
        [(ngrams(hypothesis, n) & largest_counts(references, n)).total() for n in orders],
        [n_ngrams(c, n) for n in orders],
    )


def smoothed(of: Row, method: int, value: float) -> list[Number]:
    """Return a precision per order; an order longer than the text has one n-gram."""
    n_orders = len(of.correct) - 1
    totals = [max(1, total) for total in of.totals]
    precisions: list[Number] = [Fraction(m, t) for m, t in zip(of.correct, totals, strict=True)]
    beyond = precisions.pop()
    if method == 2:
        for n in range(1, n_orders):
            precisions[n] = Fraction(of.correct[n] + 1, totals[n] + 1)
    n_zeros = 0
    for n in range(n_orders):
        if precisions[n] == 0:
            n_zeros += 1
            if method == 1:
                precisions[n] = value / totals[n]
            elif method == 3:
                precisions[n] = 1 / (2**n_zeros * totals[n])
            elif method in (4, 7) and of.hyp_len > 1:
                precisions[n] = 1 / (2**n_zeros * value / math.log(of.hyp_len)) / totals[n]
    if method in (5, 7):
        below = precisions[0] + 1
        for n, above in enumerate([*precisions[1:], beyond]):
            below = precisions[n] = (below + precisions[n] + above) / 3
    if method == 6:
        for n in range(2, n_orders):
            prior = precisions[n - 1] ** 2 / precisions[n - 2] if precisions[n - 2] else 0
            precisions[n] = (of.correct[n] + value * prior) / (of.totals[n] + value)
    return precisions


def score(of: Row, method: int, value: float) -> float:
    """Return brevity penalty times geometric mean, without precisions of 0."""
    if of.correct[0] == 0:
        return 0.0
    precisions = smoothed(of, method, value)
    logs = math.fsum(math.log(p) / len(precisions) for p in precisions if p > 0)
    return math.exp(min(0.0, 1 - of.ref_len / of.hyp_len)) * math.exp(logs)
