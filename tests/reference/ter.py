"""TER of Snover et al. (2006) on lists of tokens, with tercom's and sacrebleu 2.6.0's limits."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor, inf
from typing import Any

Tokens = Sequence[Any]

LONGEST_BLOCK = 10
FURTHEST = 50
MOST_CANDIDATES = 1000
BEAM = 25


def distances(hyp: Tokens, ref: Tokens) -> list[list[float]]:
    """Return edit distances of all pairs of prefixes, infinite outside of the beam."""
    ratio = len(ref) / len(hyp) if hyp else 1
    width = ceil(ratio / 2 + BEAM) if ratio / 2 > BEAM else BEAM
    table: list[list[float]] = [list(range(len(ref) + 1))]
    for i in range(1, len(hyp) + 1):
        middle = floor(i * ratio)
        row = [inf] * (len(ref) + 1)
        for j in range(len(ref) + 1):
            if j < middle - width or (j >= middle + width and i < len(hyp)):
                continue
            row[j] = table[i - 1][j] + 1
            if j:
                different = hyp[i - 1] != ref[j - 1]
                row[j] = min(row[j], row[j - 1] + 1, table[i - 1][j - 1] + different)
        table.append(row)
    return table


def alignment(hyp: Tokens, ref: Tokens) -> tuple[list[int], list[bool], list[bool]]:
    """Return the hyp index at or before each ref token, and the differences in hyp and in ref."""
    table = distances(hyp, ref)
    i, j = len(hyp), len(ref)
    align = [-1] * len(ref)
    hyp_wrong, ref_wrong = [True] * len(hyp), [True] * len(ref)
    while i or j:
        if i and j and table[i][j] == table[i - 1][j - 1] + (hyp[i - 1] != ref[j - 1]):
            i, j = i - 1, j - 1
            align[j] = i
            hyp_wrong[i] = ref_wrong[j] = hyp[i] != ref[j]
        elif i and table[i][j] == table[i - 1][j] + 1:
            i -= 1
        else:
            j -= 1
            align[j] = i - 1
    return align, hyp_wrong, ref_wrong


def moved(hyp: Tokens, start: int, length: int, target: int) -> list[Any]:
    """Return the hypothesis with a block moved before the token at `target`.

    A target in the block or just after it is counted after removing the block.
    """
    block, rest = hyp[start : start + length], [*hyp[:start], *hyp[start + length :]]
    if target > start + length:
        target -= length
    return [*rest[:target], *block, *rest[target:]]


def edits(hyp: Tokens, ref: Tokens) -> int:
    """Return the edits and moves that turn the hypothesis into the reference."""
    hyp = list(hyp)
    if not ref:
        return len(hyp)
    n_moves = n_candidates = 0
    while True:
        before = distances(hyp, ref)[-1][-1]
        align, hyp_wrong, ref_wrong = alignment(hyp, ref)
        best: tuple[float, int, int, int] | None = None
        for start, place, length in blocks(hyp, ref):
            if (
                not any(hyp_wrong[start : start + length])
                or not any(ref_wrong[place : place + length])
                or start <= align[place] < start + length
            ):
                continue
            last = -1
            for k in range(place - 1, place + length):
                target = 0 if k < 0 else align[k] + 1
                if target == last:
                    continue
                last = target
                after = distances(moved(hyp, start, length, target), ref)[-1][-1]
                n_candidates += 1
                best = max(best or (-inf, 0, 0, 0), (before - after, length, -start, -target))
            if n_candidates >= MOST_CANDIDATES:
                break
        if best is None or best[0] <= 0 or n_candidates >= MOST_CANDIDATES:
            return n_moves + int(before)
        hyp = moved(hyp, -best[2], best[1], -best[3])
        n_moves += 1


def blocks(hyp: Tokens, ref: Tokens) -> list[tuple[int, int, int]]:
    """Return starts in both texts and lengths of equal runs that are not too far apart."""
    found = []
    for start in range(len(hyp)):
        for place in range(len(ref)):
            for length in range(1, LONGEST_BLOCK + 1):
                theirs = list(ref[place : place + length])
                if abs(start - place) > FURTHEST or len(theirs) < length:
                    break
                if list(hyp[start : start + length]) != theirs:
                    break
                found.append((start, place, length))
    return found


def stats(hyp: Tokens, refs: Sequence[Tokens]) -> tuple[int, Fraction]:
    """Return the edits to the closest reference, and the mean length of all."""
    return min(edits(hyp, ref) for ref in refs), Fraction(sum(map(len, refs)), len(refs))
