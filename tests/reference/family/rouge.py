"""ROUGE of Lin (2004): N, L and Lsum as rouge-score 0.1.2 has them, W, S and SU of the paper.

At the end the same as ROUGE-1.5.5.pl has them, where it does otherwise than the paper, without its
rounding. A token is a word. Scores are fractions of one.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from reference.counting import Ngram, Tokens, ngrams


class Score(NamedTuple):
    """Precision, recall and F1."""

    precision: float
    recall: float
    fmeasure: float


NOTHING = Score(0.0, 0.0, 0.0)


# The tokenizer of rouge-score


def tokenize(text: str, stem: Callable[[str], str] | None = None) -> list[str]:
    """Runs of a-z and 0-9 of the text in lower case; stems of those with more than three letters.

    In lower case but two characters beyond ASCII have a letter of ASCII: U+0130 (i, then a dot
    which parts words) and U+212A (k).
    """
    tokens = re.findall("[a-z0-9]+", text.lower())
    return [stem(token) if stem and len(token) > 3 else token for token in tokens]


def sentences(text: str, stem: Callable[[str], str] | None = None) -> list[list[str]]:
    """The tokens of each line that is not empty."""
    return [tokenize(line, stem) for line in text.split("\n") if line]


# ROUGE-N, ROUGE-L and ROUGE-Lsum


def score(hits: float, n_hyp: float, n_ref: float) -> Score:
    """What is found of the hypothesis and of the reference; zero of nothing."""
    precision, recall = hits / max(n_hyp, 1), hits / max(n_ref, 1)
    if precision + recall == 0:
        return NOTHING
    return Score(precision, recall, 2 * precision * recall / (precision + recall))


def rouge_n(hypothesis: Tokens, reference: Tokens, n: int) -> Score:
    """Matches of n-grams, clipped."""
    ours, theirs = ngrams(hypothesis, n), ngrams(reference, n)
    return score((ours & theirs).total(), ours.total(), theirs.total())


def rouge_l(hypothesis: Tokens, reference: Tokens) -> Score:
    """The longest common subsequence."""
    n_match = lcs_table(reference, hypothesis)[-1][-1]
    return score(n_match, len(hypothesis), len(reference))


def rouge_lsum(hypothesis: Sequence[Tokens], reference: Sequence[Tokens]) -> Score:
    """The union of the longest common subsequences of each sentence of the reference with all."""
    hits = union_hits(hypothesis, reference)
    return score(hits, sum(map(len, hypothesis)), sum(map(len, reference)))


def best(scores: Sequence[Score]) -> Score:
    """Of several references the first of those with the greatest F, also for P and R."""
    return max(scores, key=lambda each: each.fmeasure)


def lcs_table(reference: Tokens, hypothesis: Tokens) -> list[list[int]]:
    """Lengths of the longest common subsequences of all pairs of prefixes."""
    table = [[0] * (len(hypothesis) + 1) for _ in range(len(reference) + 1)]
    for i, theirs in enumerate(reference, start=1):
        for j, ours in enumerate(hypothesis, start=1):
            if theirs == ours:
                table[i][j] = table[i - 1][j - 1] + 1
            else:
                table[i][j] = max(table[i - 1][j], table[i][j - 1])
    return table


def places(table: Sequence[Sequence[float]], reference: Tokens, hypothesis: Tokens) -> set[int]:
    """Where in the reference one common subsequence of the table stands.

    Read from the ends: equal tokens are taken, else a token of the reference is left out where
    that costs nothing, and one of the hypothesis otherwise.
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
    """How many tokens of the reference are in a union, none more often than in either text."""
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


# ROUGE-W, ROUGE-S and ROUGE-SU of the paper


def wlcs_table(
    reference: Tokens, hypothesis: Tokens, weight: float
) -> tuple[list[list[float]], list[list[int]]]:
    """Weights of common subsequences, k tokens in a row k^weight; lengths of the rows of tokens.

    As in the paper equal tokens always are taken, so that this is not always the greatest weight.
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
    """The weighted longest common subsequence: P = (WLCS / c^weight)^(1/weight), R likewise."""
    if not hypothesis or not reference:
        return NOTHING
    common = wlcs_table(reference, hypothesis, weight)[0][-1][-1]
    precision = (common / len(hypothesis) ** weight) ** (1 / weight)
    recall = (common / len(reference) ** weight) ** (1 / weight)
    return Score(precision, recall, f_measure(precision, recall, beta))


def f_measure(precision: float, recall: float, beta: float = 1) -> float:
    """(1 + beta^2) P R / (R + beta^2 P)."""
    below = recall + beta**2 * precision
    return (1 + beta**2) * precision * recall / below if below else 0.0


def skip_bigrams(
    tokens: Tokens, gap: int | None = None, unigrams: bool = False, drop_last: bool = False
) -> Counter[Ngram]:
    """Pairs of tokens in order with at most `gap` tokens between them, None for any number.

    With `unigrams` (SU) each token counts too; with `drop_last` the last one does not.
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
    """Matches of skip bigrams, clipped."""
    ours = skip_bigrams(hypothesis, gap, unigrams)
    theirs = skip_bigrams(reference, gap, unigrams)
    return score((ours & theirs).total(), ours.total(), theirs.total())


# As ROUGE-1.5.5.pl has them


class PerlRow(NamedTuple):
    """Hits, what the reference has and what the hypothesis has."""

    hits: float
    n_ref: float
    n_hyp: float


def perl_row_n(hypothesis: Tokens, reference: Tokens, n: int) -> PerlRow:
    """ROUGE-N."""
    return _perl_row(ngrams(hypothesis, n), ngrams(reference, n))


def perl_row_s(
    hypothesis: Tokens, reference: Tokens, gap: int | None = None, unigrams: bool = False
) -> PerlRow:
    """ROUGE-S and, with unigrams but the last, ROUGE-SU."""
    ours = skip_bigrams(hypothesis, gap, unigrams, drop_last=True)
    return _perl_row(ours, skip_bigrams(reference, gap, unigrams, drop_last=True))


def _perl_row(ours: Counter[Ngram], theirs: Counter[Ngram]) -> PerlRow:
    return PerlRow((ours & theirs).total(), theirs.total(), ours.total())


def perl_row_l(hypothesis: Sequence[Tokens], reference: Sequence[Tokens]) -> PerlRow:
    """ROUGE-L of sentences."""
    hits = union_hits(hypothesis, reference)
    return PerlRow(hits, sum(map(len, reference)), sum(map(len, hypothesis)))


def perl_row_w(
    hypothesis: Sequence[Tokens], reference: Sequence[Tokens], weight: float = 1.2
) -> PerlRow:
    """ROUGE-W of sentences: rows of hits are counted in the reference alone.

    What the reference has is weighted twice.
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
            # A token that is used up neither lengthens nor ends a row.
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
    """-f A: the sums over the references."""
    return PerlRow(*(sum(column) for column in zip(*rows, strict=True)))
