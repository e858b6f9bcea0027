"""NIST of Doddington (2002), with several references as in mteval-v13a.pl, on hashable tokens."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from reference.counting import Ngram, Tokens, largest_counts, n_ngrams, ngrams

MAX_ORDER = 5
BETA = math.log(0.5) / math.log(1.5) ** 2


class Row(NamedTuple):
    """The additive statistics of a segment or of a corpus, and the references of a segment.

    `ref_len` is the sum over all references, whose number must be the same in every segment.
    """

    ref_len: int
    totals: list[int]
    info: list[float]
    n_refs: int


# Equation 2: the information of an n-gram.
def information(
    references: Iterable[Sequence[Tokens]],
    max_order: int = MAX_ORDER,
    perl_zero: bool = False,
    log2: Callable[[float], float] = math.log2,
) -> dict[Ngram, float]:
    """Return Info(w1 .. wn) = log2(count(w1 .. wn-1) / count(w1 .. wn)) over all references.

    The history of a unigram is as frequent as there are words. With `perl_zero`, so is the history
    "0" of a bigram, because Perl considers it false.
    """
    counts: Counter[Ngram] = Counter()
    n_words = 0
    for of_a_segment in references:
        for reference in of_a_segment:
            n_words += len(reference)
            for n in range(1, max_order + 1):
                counts.update(ngrams(reference, n))
    info = {}
    for ngram, count in counts.items():
        history = ngram[:-1]
        known = history and not (perl_zero and history == ("0",))
        info[ngram] = log2((counts[history] if known else n_words) / count)
    return info


# Equation 3: the information of a hypothesis, and its length.
def segment_row(
    hypothesis: Tokens,
    references: Sequence[Tokens],
    info: Mapping[Ngram, float],
    max_order: int = MAX_ORDER,
) -> Row:
    """Return the row of a segment: matches are clipped as in BLEU and weighted by information."""
    orders = range(1, max_order + 1)
    of_matches = []
    for n in orders:
        clipped = ngrams(hypothesis, n) & largest_counts(references, n)
        of_matches.append(math.fsum(info[ngram] * count for ngram, count in clipped.items()))
    return Row(
        sum(len(reference) for reference in references),
        [n_ngrams(len(hypothesis), n) for n in orders],
        of_matches,
        len(references),
    )


def corpus_row(rows: Sequence[Row]) -> Row:
    numbers_of_refs = {row.n_refs for row in rows}
    if len(numbers_of_refs) != 1:
        raise ValueError("every segment needs the same number of references")
    return Row(
        sum(row.ref_len for row in rows),
        [sum(column) for column in zip(*(row.totals for row in rows), strict=True)],
        [math.fsum(column) for column in zip(*(row.info for row in rows), strict=True)],
        numbers_of_refs.pop(),
    )


def length_penalty(ratio: float) -> float:
    """Return 1 from ratio 1 of the lengths on, 0.5 at 2/3, 0 for an empty hypothesis."""
    if ratio >= 1:
        return 1.0
    if ratio <= 0:
        return 0.0
    return math.exp(BETA * math.log(ratio) ** 2)


def score(row: Row) -> float:
    """Return the sum over the orders of information per n-gram, times the penalty.

    The length is relative to the mean length of the references. If all references are empty, by
    which mteval divides, the score is zero.
    """
    if row.ref_len == 0:
        return 0.0
    gained = sum(info / max(total, 1) for info, total in zip(row.info, row.totals, strict=True))
    return gained * length_penalty(row.totals[0] / (row.ref_len / row.n_refs))


def nist(
    hypotheses: Sequence[Tokens],
    references: Sequence[Sequence[Tokens]],
    max_order: int = MAX_ORDER,
    perl_zero: bool = False,
) -> tuple[float, list[float]]:
    """Return the corpus and segment scores, with the information of this corpus."""
    info = information(references, max_order, perl_zero)
    rows = [
        segment_row(hypothesis, several, info, max_order)
        for hypothesis, several in zip(hypotheses, references, strict=True)
    ]
    return score(corpus_row(rows)), [score(row) for row in rows]
