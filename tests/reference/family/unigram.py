"""Precision, recall and means of clipped unigrams (Lavie et al. 2004), as fractions of one."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

from reference.counting import Tokens, ngrams


class Row(NamedTuple):
    """The additive statistics: matches, length of the hypothesis and of the selected reference."""

    n_match: int
    hyp_len: int
    ref_len: int


def row(hypothesis: Tokens, reference: Tokens) -> Row:
    n_match = (ngrams(hypothesis, 1) & ngrams(reference, 1)).total()
    return Row(n_match, len(hypothesis), len(reference))


def precision(of: Row) -> Fraction:
    """Return the share of the hypothesis that is in the reference; zero if it is empty."""
    return Fraction(of.n_match, of.hyp_len) if of.hyp_len else Fraction(0)


def recall(of: Row) -> Fraction:
    """Return the share of the reference that is in the hypothesis; zero if it is empty."""
    return Fraction(of.n_match, of.ref_len) if of.ref_len else Fraction(0)


def f_score(of: Row, beta: Fraction = Fraction(1)) -> Fraction:
    """Return (1 + beta^2) P R / (beta^2 P + R)."""
    p, r = precision(of), recall(of)
    below = beta**2 * p + r
    return (1 + beta**2) * p * r / below if below else Fraction(0)


def f_mean(of: Row) -> Fraction:
    """Return 10 P R / (R + 9 P), which weighs recall nine times as much as precision."""
    p, r = precision(of), recall(of)
    return 10 * p * r / (r + 9 * p) if p and r else Fraction(0)


def best_row(
    hypothesis: Tokens, references: Sequence[Tokens], score: Callable[[Row], Fraction] = f_mean
) -> Row:
    return max((row(hypothesis, reference) for reference in references), key=score)


def corpus_row(rows: Sequence[Row]) -> Row:
    return Row(*(sum(column) for column in zip(*rows, strict=True)))
