"""RIBES (Isozaki et al. 2010), with the rules of its program 1.03.1, on lists of tokens."""

from collections.abc import Hashable, Sequence
from itertools import combinations
from math import exp

Tokens = Sequence[Hashable]


def places(part: Tokens, text: Tokens) -> list[int]:
    n = len(part)
    return [i for i in range(len(text) - n + 1) if list(text[i : i + n]) == list(part)]


def place_if_single(part: Tokens, hyp: Tokens, ref: Tokens) -> int | None:
    """Return the index of a part in the reference if each text contains it once."""
    found = places(part, ref)
    return found[0] if len(found) == len(places(part, hyp)) == 1 else None


def partner(hyp: Tokens, ref: Tokens, i: int) -> int | None:
    """Return the reference index of a hypothesis token.

    A token that either text contains twice is looked up with the tokens before or after it: one of
    them, then two, and so on.
    """
    for n in range(len(hyp)):
        before, behind = hyp[max(i - n, 0) : i + 1], hyp[i : i + n + 1]
        place = place_if_single(before, hyp, ref) if n <= i else None
        if place is not None:
            return place + n
        place = place_if_single(behind, hyp, ref) if i + n < len(hyp) else None
        if place is not None:
            return place
    return None


def segment(hyp: Tokens, refs: Sequence[Tokens], alpha: float = 0.25, beta: float = 0.1) -> float:
    return max(score(hyp, ref, alpha, beta) for ref in refs)


def score(hyp: Tokens, ref: Tokens, alpha: float, beta: float) -> float:
    """Return share of ordered pairs * share of aligned tokens**alpha * brevity penalty**beta."""
    found = [partner(hyp, ref, i) for i in range(len(hyp))]
    aligned = [place for place in found if place is not None]
    n = len(aligned)
    if n == 1 and len(ref) == 1:
        order = 1.0
    elif n < 2:
        return 0.0
    else:
        order = sum(a < b for a, b in combinations(aligned, 2)) / (n * (n - 1) / 2)
    penalty = min(1.0, exp(1.0 - len(ref) / len(hyp)))
    return order * (n / len(hyp)) ** alpha * penalty**beta
