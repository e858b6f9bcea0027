"""BLEU of Papineni et al. (2002), section by section, on lists of tokens.

Where the paper is silent (zero counts, segments shorter than N, two reference lengths equally
near), the rules are sacrebleu 2.6.0's. A token is anything hashable. Scores and precisions are in
percent.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

Tokens = Sequence[Hashable]
Ngram = tuple[Hashable, ...]

SMOOTH_DEFAULTS = {"none": None, "floor": 0.1, "add-k": 1, "exp": None}
REF_LEN_POLICIES = ("closest", "shortest", "longest", "average")
LOG_OF_ZERO = -9999999999


class Score(NamedTuple):
    """A BLEU score with its parts; add-k smoothing shows in counts and totals."""

    score: float
    precisions: list[float]
    bp: float
    counts: list[float]
    totals: list[float]


# Section 2.1: modified n-gram precision of one segment.
def ngrams(tokens: Tokens, n: int) -> Counter[Ngram]:
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def clipped_counts(hypothesis: Tokens, references: Sequence[Tokens], n: int) -> Counter[Ngram]:
    """Return Count_clip = min(Count, Max_Ref_Count) of each n-gram (footnote 2)."""
    of_references = [ngrams(reference, n) for reference in references]
    clipped: Counter[Ngram] = Counter()
    for ngram, count in ngrams(hypothesis, n).items():
        max_ref_count = max(counts[ngram] for counts in of_references)
        clipped[ngram] = min(count, max_ref_count)
    return clipped


# Section 2.2.2: the reference length for the brevity penalty.
def effective_ref_len(hyp_len: int, ref_lens: Sequence[int], policy: str = "closest") -> int:
    """Return the best match length of one segment: closest as in the paper, or another policy.

    The paper leaves a tie of the closest lengths open: the shorter one is used. The average is
    rounded down to a whole number of tokens in each segment.
    """
    if not ref_lens:
        raise ValueError("a segment needs at least one reference")
    if policy == "closest":
        return min(ref_lens, key=lambda ref_len: (abs(ref_len - hyp_len), ref_len))
    if policy == "shortest":
        return min(ref_lens)
    if policy == "longest":
        return max(ref_lens)
    if policy == "average":
        return sum(ref_lens) // len(ref_lens)
    raise ValueError(f"policy: expected one of {REF_LEN_POLICIES}; got {policy!r}")


# Section 2.1.1: sufficient statistics, of a segment and of a block of text.
def segment_stats(
    hypothesis: Tokens,
    references: Sequence[Tokens],
    max_order: int = 4,
    ref_len: str = "closest",
) -> list[int]:
    """Return the row [hyp_len, ref_len, correct 1..N, total 1..N] of one segment."""
    ref_lens = [len(reference) for reference in references]
    orders = range(1, max_order + 1)
    return [
        len(hypothesis),
        effective_ref_len(len(hypothesis), ref_lens, ref_len),
        *(sum(clipped_counts(hypothesis, references, n).values()) for n in orders),
        *(sum(ngrams(hypothesis, n).values()) for n in orders),
    ]


def corpus_stats(rows: Iterable[Sequence[int]]) -> list[int]:
    return [sum(column) for column in zip(*rows, strict=True)]


# Sections 2.2.2 (brevity penalty), 2.1.2 and 2.3 (combination of the precisions).
def brevity_penalty(hyp_len: int, ref_len: int) -> float:
    """Return 1 if the candidate is as long as its references, else e^(1 - r/c); 0 if empty."""
    if hyp_len >= ref_len:
        return 1.0
    return math.exp(1 - ref_len / hyp_len) if hyp_len > 0 else 0.0


def score_from_stats(
    stats: Sequence[int],
    *,
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    effective_order: bool = False,
    weights: Sequence[float] | None = None,
) -> Score:
    """Return BP * exp(sum of w_n log p_n) of one row, smoothed as in Chen and Cherry (2014).

    `none` keeps a precision of zero, `floor` sets its numerator to the smoothing value (method 1),
    `add-k` adds that value to counts and totals of the orders above one (method 2), `exp` uses 1/2,
    1/4, 1/8 ... as numerators of successive zeros (method 3). Orders that the hypothesis lacks keep
    precision zero; `effective_order` leaves them out. Without a single match nothing is smoothed:
    the score is zero.

    `weights` are the w_n of section 2.3: positive, one per order, normalized over the orders in
    use. None means uniform weights.
    """
    max_order = (len(stats) - 2) // 2
    hyp_len, ref_len = stats[0], stats[1]
    correct: list[float] = list(stats[2 : 2 + max_order])
    total: list[float] = list(stats[2 + max_order :])
    bp = brevity_penalty(hyp_len, ref_len)
    precisions = [0.0] * max_order
    if not any(correct):
        return Score(0.0, precisions, bp, correct, total)

    value = SMOOTH_DEFAULTS[smooth_method] if smooth_value is None else smooth_value
    n_zeros = 0
    used = max_order
    for i in range(max_order):
        if smooth_method == "add-k" and i > 0:
            assert value is not None
            correct[i] += value
            total[i] += value
        if total[i] == 0:
            break
        if effective_order:
            used = i + 1
        if correct[i] > 0:
            precisions[i] = 100.0 * correct[i] / total[i]
        elif smooth_method == "floor":
            assert value is not None
            precisions[i] = 100.0 * value / total[i]
        elif smooth_method == "exp":
            n_zeros += 1
            precisions[i] = 100.0 / (2.0**n_zeros * total[i])

    logs = [math.log(p) if p > 0 else LOG_OF_ZERO for p in precisions[:used]]
    if weights is None:
        mean_log = sum(logs) / used
    else:
        mean_log = sum(w * log for w, log in zip(weights, logs, strict=False)) / sum(weights[:used])
    return Score(bp * math.exp(mean_log), precisions, bp, correct, total)
