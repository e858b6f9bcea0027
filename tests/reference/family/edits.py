"""Metrics of edits between a hypothesis and its references: WER, CER, PER and CDER.

They work on lists of hashable tokens, with whole tables. The alignment and its counts follow
rapidfuzz 3.14 and jiwer 4.0.0. Costs are whole numbers, scores fractions of 1.
"""

import struct
from collections import Counter, deque
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

Tokens = Sequence[Hashable]
Edit = tuple[str, int, int]
Row = tuple[int, int]

TABLE_LIMIT = 1024 * 1024


# Levenshtein distance and rapidfuzz's alignment.


class Counts(NamedTuple):
    """Counts of hits and edits between a reference and a hypothesis."""

    hits: int
    substitutions: int
    deletions: int
    insertions: int

    @property
    def edits(self) -> int:
        return self.substitutions + self.deletions + self.insertions

    @property
    def hyp_len(self) -> int:
        return self.hits + self.substitutions + self.insertions

    @property
    def ref_len(self) -> int:
        return self.hits + self.substitutions + self.deletions


def next_row(row: list[int], token: Hashable, ref: Tokens) -> list[int]:
    """Return the distances of one more hypothesis token to all prefixes of the reference."""
    last = row[0] + 1
    new = [last]
    for across, above, other in zip(row, row[1:], ref, strict=False):
        fewest = across + (token != other)
        if above < fewest:
            fewest = above + 1
        if last < fewest:
            fewest = last + 1
        new.append(last := fewest)
    return new


def distances(hyp: Tokens, ref: Tokens) -> list[list[int]]:
    table = [list(range(len(ref) + 1))]
    for token in hyp:
        table.append(next_row(table[-1], token, ref))
    return table


def distance(hyp: Tokens, ref: Tokens) -> int:
    row = list(range(len(ref) + 1))
    for token in hyp:
        row = next_row(row, token, ref)
    return row[-1]


def common_prefix(hyp: Tokens, ref: Tokens) -> int:
    n = 0
    while n < min(len(hyp), len(ref)) and hyp[n] == ref[n]:
        n += 1
    return n


def walk(hyp: Tokens, ref: Tokens) -> list[Edit]:
    """Return the edits of one best alignment, found from the ends of both texts.

    Steps on a best path are preferred in this order: deletion, substitution, insertion, match. An
    insertion thus comes before a match of equal tokens.
    """
    table = distances(hyp, ref)
    i, j = len(hyp), len(ref)
    found: list[Edit] = []
    while i or j:
        here = table[i][j]
        if j and here == table[i][j - 1] + 1:
            j -= 1
            found.append(("delete", j, i))
        elif i and j and here == table[i - 1][j - 1] + 1:
            i, j = i - 1, j - 1
            found.append(("replace", j, i))
        elif i and here == table[i - 1][j] + 1:
            i -= 1
            found.append(("insert", j, i))
        else:
            i, j = i - 1, j - 1
    return found[::-1]


def crossing(hyp: Tokens, ref: Tokens) -> tuple[int, int]:
    """Return where a best path crosses the middle of the hypothesis, nearest to the beginning."""
    middle = len(hyp) // 2
    left = distances(hyp[:middle], ref)[-1]
    right = distances(hyp[middle:][::-1], ref[::-1])[-1][::-1]
    sums = [a + b for a, b in zip(left, right, strict=True)]
    return middle, sums.index(min(sums))


def editops(
    hyp: Tokens, ref: Tokens, limit: int = TABLE_LIMIT, most: int | None = None
) -> list[Edit]:
    """Return the edits (kind, reference index, hypothesis index) in rapidfuzz's order.

    Common prefixes and suffixes are matches. The rest is aligned by `walk` if the bits of its table
    take less than `limit` bytes, else it is cut in the middle of the hypothesis and both parts are
    aligned recursively. `most` is a bound on the distance, known for the parts only: the table has
    a band of twice as many columns.
    """
    start = common_prefix(hyp, ref)
    hyp, ref = hyp[start:], ref[start:]
    end = common_prefix(hyp[::-1], ref[::-1])
    hyp, ref = hyp[: len(hyp) - end], ref[: len(ref) - end]

    band = len(ref) if most is None else min(len(ref), 2 * most + 1)
    if 2 * band * len(hyp) // 8 < limit or len(ref) < 65 or len(hyp) < 10:
        found = walk(hyp, ref)
    else:
        i, j = crossing(hyp, ref)
        left = editops(hyp[:i], ref[:j], limit, distance(hyp[:i], ref[:j]))
        right = editops(hyp[i:], ref[j:], limit, distance(hyp[i:], ref[j:]))
        found = left + [(kind, j + place, i + other) for kind, place, other in right]
    return [(kind, start + place, start + other) for kind, place, other in found]


def counts(hyp: Tokens, ref: Tokens) -> Counts:
    kinds = Counter(kind for kind, _, _ in editops(hyp, ref))
    n_changed = kinds["replace"] + kinds["delete"]
    return Counts(len(ref) - n_changed, kinds["replace"], kinds["delete"], kinds["insert"])


def best(row: Callable[[Tokens, Tokens], Row], hyp: Tokens, refs: Sequence[Tokens]) -> Row:
    """Return the row (edits, reference length) of fewest edits, the longest reference on ties."""
    return min((row(hyp, ref) for ref in refs), key=lambda r: (r[0], -r[1]))


def wer_row(hyp: Tokens, ref: Tokens) -> Row:
    return distance(hyp, ref), len(ref)


def wer_stats(hyp: Tokens, refs: Sequence[Tokens]) -> Row:
    """Return edits and length of the best reference; CER is the same on characters."""
    return best(wer_row, hyp, refs)


def n_common(hyp: Tokens, ref: Tokens) -> int:
    return sum((Counter(hyp) & Counter(ref)).values())


def per_row(hyp: Tokens, ref: Tokens) -> Row:
    """Return edits in any order, max(c, r) - m, and the length of the reference."""
    return max(len(hyp), len(ref)) - n_common(hyp, ref), len(ref)


def per_stats(hyp: Tokens, refs: Sequence[Tokens]) -> Row:
    return best(per_row, hyp, refs)


def cder_by_definition(hyp: Tokens, ref: Tokens) -> int:
    """CDER (Leusch, Ueffing and Ney 2006): the cheapest path through the grid of all positions.

    A step consumes a token of both (free if they are equal), one of the reference, or one of the
    hypothesis, or jumps to any position of the hypothesis.
    """
    goal = len(ref), len(hyp)
    costs = {(0, 0): 0}
    waiting = deque([(0, 0)])
    while waiting:
        here = waiting.popleft()
        j, i = here
        steps = [((j, other), 1) for other in range(len(hyp) + 1) if other != i]
        if j < len(ref):
            steps.append(((j + 1, i), 1))
            if i < len(hyp):
                steps.append(((j + 1, i + 1), int(hyp[i] != ref[j])))
        for there, cost in steps:
            if costs[here] + cost < costs.get(there, len(hyp) + len(ref) + 1):
                costs[there] = costs[here] + cost
                (waiting.append if cost else waiting.appendleft)(there)
    return costs[goal]


def cder_rows(hyp: Tokens, ref: Tokens) -> list[list[int]]:
    """Return the costs of all hypothesis positions after each token of the reference."""
    row = [0] + [1] * len(hyp)
    rows = [row]
    for token in ref:
        new = [cost + 1 for cost in row]
        for i, other in enumerate(hyp):
            new[i + 1] = min(new[i + 1], row[i] + (token != other))
        row = [min(cost, min(new) + 1) for cost in new]
        rows.append(row)
    return rows


def cder_edits(hyp: Tokens, ref: Tokens) -> int:
    """Return the edits with long jumps: the cost of the last position after the last token."""
    return cder_rows(hyp, ref)[-1][-1]


def cder_row(hyp: Tokens, ref: Tokens) -> Row:
    return cder_edits(hyp, ref), len(ref)


def cder_stats(hyp: Tokens, refs: Sequence[Tokens]) -> Row:
    return best(cder_row, hyp, refs)


# The score of Moses' mert.
def single(x: float) -> float:
    return struct.unpack("f", struct.pack("f", x))[0]


def moses_per(row: Sequence[float]) -> float:
    """Return 1 - PER of sums: (m - max(0, c - r)) / r in single precision; 0 if r is 0."""
    matches, hyp_len, ref_len = (single(x) for x in row)
    if not ref_len:
        return 0.0
    return single(single(matches - max(0.0, single(hyp_len - ref_len))) / ref_len)
