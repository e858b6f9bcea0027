"""ROUGE of Lin (2004): N, L and Lsum as in rouge-score 0.1.2, W, S and SU as in the paper.

The last part follows ROUGE-1.5.5.pl, where it differs from the paper, without its rounding. A token
is a word. Scores are fractions of one.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from reference.counting import Ngram, Tokens, ngrams


class Score(NamedTuple):
    precision: float
    recall: float
    fmeasure: float


NOTHING = Score(0.0, 0.0, 0.0)


# The tokenizer of rouge-score.
def tokenize(text: str, stem: Callable[[str], str] | None = None) -> list[str]:
    """Split lower-cased text into runs of a-z and 0-9, stemming those of more than three letters.

    Two characters beyond ASCII become ASCII letters in lower case: U+0130 (i, then a dot, which
    separates words) and U+212A (k).
    """
    tokens = re.findall("[a-z0-9]+", text.lower())
    return [stem(token) if stem and len(token) > 3 else token for token in tokens]


def sentences(text: str, stem: Callable[[str], str] | None = None) -> list[list[str]]:
    return [tokenize(line, stem) for line in text.split("\n") if line]


def score(hits: float, n_hyp: float, n_ref: float) -> Score:
    """Return the matched shares of hypothesis and reference; 0 for an empty text."""
    precision, recall = hits / max(n_hyp, 1), hits / max(n_ref, 1)
    if precision + recall == 0:
        return NOTHING
    return Score(precision, recall, 2 * precision * recall / (precision + recall))


def rouge_n(hypothesis: Tokens, reference: Tokens, n: int) -> Score:
    ours, theirs = ngrams(hypothesis, n), ngrams(reference, n)
    return score((ours & theirs).total(), ours.total(), theirs.total())


def rouge_l(hypothesis: Tokens, reference: Tokens) -> Score:
    n_match = lcs_table(reference, hypothesis)[-1][-1]
    return score(n_match, len(hypothesis), len(reference))


def rouge_lsum(hypothesis: Sequence[Tokens], reference: Sequence[Tokens]) -> Score:
    """Score the union of the longest common subsequences of each reference sentence with all."""
    hits = union_hits(hypothesis, reference)
    return score(hits, sum(map(len, hypothesis)), sum(map(len, reference)))


def best(scores: Sequence[Score]) -> Score:
    return max(scores, key=lambda each: each.fmeasure)


def lcs_table(reference: Tokens, hypothesis: Tokens) -> list[list[int]]:
    table = [[0] * (len(hypothesis) + 1) for _ in range(len(reference) + 1)]
    for i, theirs in enumerate(reference, start=1):
        for j, ours in enumerate(hypothesis, start=1):
            if theirs == ours:
                table[i][j] = table[i - 1][j - 1] + 1
            else:
                table[i][j] = max(table[i - 1][j], table[i][j - 1])
    return table


def places(table: Sequence[Sequence[float]], reference: Tokens, hypothesis: Tokens) -> set[int]:
    """Return the reference indices of one common subsequence of the table.

    Read from the ends: equal tokens are taken, else a reference token is skipped where that costs
    nothing, and a hypothesis token otherwise.
    """
    found = set()
    i, j = len(reference), len(hypothesis)
    while i and j:
        if reference[i - 1] == hypothesis[j - 1]:
            i, j = i - 1, j - 1
            found.add(i)
        elif table[i - 1][j] >= table[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return found


def union_hits(hypothesis: Sequence[Tokens], reference: Sequence[Tokens]) -> int:
    """Count the reference tokens in a union, each at most as often as in either text."""
    left = Counter(token for sentence in hypothesis for token in sentence)
    left &= Counter(token for sentence in reference for token in sentence)
    hits = 0
    for theirs in reference:
        union: set[int] = set()
        for ours in hypothesis:
            union |= places(lcs_table(theirs, ours), theirs, ours)
        for place in sorted(union):
            if left[theirs[place]] > 0:
                left[theirs[place]] -= 1
                hits += 1
    return hits


# ROUGE-W, ROUGE-S and ROUGE-SU of the paper.


def wlcs_table(
    reference: Tokens, hypothesis: Tokens, weight: float
) -> tuple[list[list[float]], list[list[int]]]:
    """Return weights of common subsequences, k tokens in a row k^weight, and lengths of runs.

    As in the paper equal tokens are always taken, so the weight is not always the maximum.
    """
    table = [[0.0] * (len(hypothesis) + 1) for _ in range(len(reference) + 1)]
    runs = [[0] * (len(hypothesis) + 1) for _ in range(len(reference) + 1)]
    for i, theirs in enumerate(reference, start=1):
        for j, ours in enumerate(hypothesis, start=1):
            if theirs == ours:
                run = runs[i - 1][j - 1]
                table[i][j] = table[i - 1][j - 1] + (run + 1) ** weight - run**weight
                runs[i][j] = run + 1
            else:
                table[i][j] = max(table[i - 1][j], table[i][j - 1])
    return table, runs


def rouge_w(hypothesis: Tokens, reference: Tokens, weight: float = 1.2, beta: float = 1) -> Score:
    """Score weighted longest common subsequences: P = (WLCS / c^weight)^(1/weight), R likewise."""
    if not hypothesis or not reference:
        return NOTHING
    common = wlcs_table(reference, hypothesis, weight)[0][-1][-1]
    precision = (common / len(hypothesis) ** weight) ** (1 / weight)
    recall = (common / len(reference) ** weight) ** (1 / weight)
    return Score(precision, recall, f_measure(precision, recall, beta))


def f_measure(precision: float, recall: float, beta: float = 1) -> float:
    """Return (1 + beta^2) P R / (R + beta^2 P)."""
    below = recall + beta**2 * precision
    return (1 + beta**2) * precision * recall / below if below else 0.0


def skip_bigrams(
    tokens: Tokens, gap: int | None = None, unigrams: bool = False, drop_last: bool = False
) -> Counter[Ngram]:
    """Count ordered token pairs with at most `gap` tokens between them, None for any number.

    `unigrams` (SU) adds each token; `drop_last` skips the last one.
    """
    found: Counter[Ngram] = Counter()
    for i, first in enumerate(tokens):
        furthest = len(tokens) if gap is None else i + 2 + gap
        found.update((first, second) for second in tokens[i + 1 : furthest])
        if unigrams and not (drop_last and i == len(tokens) - 1):
            found[first,] += 1
    return found


def rouge_s(
    hypothesis: Tokens, reference: Tokens, gap: int | None = None, unigrams: bool = False
) -> Score:
    ours = skip_bigrams(hypothesis, gap, unigrams)
    theirs = skip_bigrams(reference, gap, unigrams)
    return score((ours & theirs).total(), ours.total(), theirs.total())


# Rules of ROUGE-1.5.5.pl.
class PerlRow(NamedTuple):
    hits: float
    n_ref: float
    n_hyp: float


def perl_row_n(hypothesis: Tokens, reference: Tokens, n: int) -> PerlRow:
    return _perl_row(ngrams(hypothesis, n), ngrams(reference, n))


def perl_row_s(
    hypothesis: Tokens, reference: Tokens, gap: int | None = None, unigrams: bool = False
) -> PerlRow:
    """Return ROUGE-S and, with unigrams except the last, ROUGE-SU."""
    ours = skip_bigrams(hypothesis, gap, unigrams, drop_last=True)
    return _perl_row(ours, skip_bigrams(reference, gap, unigrams, drop_last=True))


def _perl_row(ours: Counter[Ngram], theirs: Counter[Ngram]) -> PerlRow:
    return PerlRow((ours & theirs).total(), theirs.total(), ours.total())


def perl_row_l(hypothesis: Sequence[Tokens], reference: Sequence[Tokens]) -> PerlRow:
    hits = union_hits(hypothesis, reference)
    return PerlRow(hits, sum(map(len, reference)), sum(map(len, hypothesis)))


def perl_row_w(
    hypothesis: Sequence[Tokens], reference: Sequence[Tokens], weight: float = 1.2
) -> PerlRow:
    """Return ROUGE-W of sentences: runs of hits are counted in the reference alone.

    The reference total is weighted twice.
    """
    left = Counter(token for sentence in hypothesis for token in sentence)
    left &= Counter(token for sentence in reference for token in sentence)
    hits = 0.0
    for theirs in reference:
        union: set[int] = set()
        for ours in hypothesis:
            union |= places(wlcs_table(theirs, ours, weight)[0], theirs, ours)
        run = 0
        for place in sorted(union):
            # A token that is used up neither extends nor ends a run.
            if left[theirs[place]] > 0:
                left[theirs[place]] -= 1
                run += 1
                if place + 1 not in union:
                    hits += run**weight
                    run = 0
    base = sum(len(sentence) ** weight for sentence in reference)
    n_hyp = sum(map(len, hypothesis))
    return PerlRow(hits, base**weight, n_hyp**weight)


def perl_pooled(rows: Sequence[PerlRow]) -> PerlRow:
    """Sum over the references (-f A)."""
    return PerlRow(*(sum(column) for column in zip(*rows, strict=True)))
