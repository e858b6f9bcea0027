"""The edits of TER in plain Python: a beam around the diagonal, and shifts of blocks of words.

`rapidbleu.TER` has the same search compiled; this is for programs that use its parts. Every limit
is part of the definition: blocks of at most 10 words move at most 50 words, 1,000 moves are tried,
and the edit distance looks at 25 words on both sides of the diagonal.
"""

import math
from collections.abc import Iterator, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    _Cell = tuple[int, str]

MAX_SHIFT_SIZE = 10
MAX_SHIFT_DIST = 50
BEAM_WIDTH = 25
MAX_CACHE_SIZE = 10000
MAX_SHIFT_CANDIDATES = 1000
UNREACHED = int(1e16)

KEEP, SUBSTITUTE, INSERT, DELETE, UNDEFINED = " ", "s", "i", "d", "x"


def translation_edit_rate(words_hyp: "list[str]", words_ref: "list[str]") -> "tuple[int, int]":
    """Count the edits and shifts that turn a hypothesis into a reference.

    Parameters
    ----------
    words_hyp, words_ref : list of str

    Returns
    -------
    int
        Edits and shifts.
    int
        Length of the reference.

    Examples
    --------
    >>> translation_edit_rate("on the mat the cat sat".split(), "the cat sat on the mat".split())
    (1, 6)
    """
    if not words_ref:
        return len(words_hyp), 0
    distance = BeamEditDistance(words_ref)
    n_shifts = n_tried = 0
    while True:
        gain, shifted, n_tried = _best_shift(words_hyp, words_ref, distance, n_tried)
        if n_tried >= MAX_SHIFT_CANDIDATES or gain <= 0:
            break
        n_shifts += 1
        words_hyp = shifted
    return n_shifts + distance(words_hyp)[0], len(words_ref)


def _best_shift(
    hyp: "list[str]", ref: "list[str]", distance: "BeamEditDistance", n_tried: int
) -> "tuple[int, list[str], int]":
    """Return the gain of the best shift, the shifted words, and how many shifts were tried.

    Of equally good shifts the longest is best, of those the leftmost, and of those the one with
    the leftmost target; only blocks that are wrong where they are and wanted elsewhere count.
    """
    edits, trace = distance(hyp)
    swap = str.maketrans(INSERT + DELETE, DELETE + INSERT)  # from the reference's point of view
    alignment, ref_errors, hyp_errors = trace_to_alignment(trace.translate(swap))
    best: Any = None
    for hyp_start, ref_start, length in _common_blocks(hyp, ref):
        if not any(hyp_errors[hyp_start : hyp_start + length]):
            continue
        if not any(ref_errors[ref_start : ref_start + length]):
            continue
        if hyp_start <= alignment[ref_start] < hyp_start + length:
            continue
        previous = -1
        for ref_position in range(ref_start - 1, ref_start + length):
            if ref_position == -1:
                target = 0
            elif ref_position in alignment:
                target = alignment[ref_position] + 1
            else:
                break
            if target == previous:
                continue
            previous = target
            shifted = _shift(hyp, hyp_start, length, target)
            candidate = (edits - distance(shifted)[0], length, -hyp_start, -target, shifted)
            n_tried += 1
            if best is None or candidate > best:
                best = candidate
        if n_tried >= MAX_SHIFT_CANDIDATES:
            break
    if best is None:
        return 0, hyp, n_tried
    return best[0], best[-1], n_tried


def _shift(words: "list[str]", start: int, length: int, target: int) -> "list[str]":
    """Return the words with a block moved in front of the one at `target`.

    A target within the block, or right behind it, moves it on by as many words as it is from the
    start.
    """
    block, rest = words[start : start + length], words[:start] + words[start + length :]
    if target > start + length:
        target -= length
    return rest[:target] + block + rest[target:]


def _common_blocks(hyp: "list[str]", ref: "list[str]") -> "Iterator[tuple[int, int, int]]":
    """Yield (start in hyp, start in ref, length) of blocks of the same words, not too far apart."""
    for hyp_start in range(len(hyp)):
        for ref_start in range(len(ref)):
            if abs(ref_start - hyp_start) > MAX_SHIFT_DIST:
                continue
            longest = min(MAX_SHIFT_SIZE, len(hyp) - hyp_start, len(ref) - ref_start)
            for length in range(1, longest + 1):
                if hyp[hyp_start + length - 1] != ref[ref_start + length - 1]:
                    break
                yield hyp_start, ref_start, length


def trace_to_alignment(trace: str) -> "tuple[dict[int, int], list[int], list[int]]":
    """Read an alignment off the edits from one text to another.

    Parameters
    ----------
    trace : str
        One of the characters ``" "`` (the same), ``s``, ``i`` and ``d`` for each edit.

    Returns
    -------
    dict
        Position in the hypothesis for each position in the reference; -1: before the first.
    list of int
        1 for each wrong word of the reference, 0 for the others.
    list of int
        The same for the hypothesis.

    Examples
    --------
    >>> trace_to_alignment(" sd")
    ({0: 0, 1: 1, 2: 1}, [0, 1, 1], [0, 1])
    """
    alignment: dict[int, int] = {}
    ref_errors: list[int] = []
    hyp_errors: list[int] = []
    for operation in trace:
        if operation not in (KEEP, SUBSTITUTE, INSERT, DELETE):
            raise Exception(f"unknown operation {operation!r}")
        error = int(operation != KEEP)
        if operation != DELETE:
            hyp_errors.append(error)
        if operation != INSERT:
            alignment[len(ref_errors)] = len(hyp_errors) - 1
            ref_errors.append(error)
    return alignment, ref_errors, hyp_errors


class BeamEditDistance:
    """Edit distances of many hypotheses from one reference, within a beam.

    Rows of the matrix are kept for each beginning of a hypothesis, as shifted hypotheses have long
    beginnings in common.

    Parameters
    ----------
    words_ref : list of str

    Examples
    --------
    >>> BeamEditDistance(["a", "b", "c"])(["a", "c", "c", "d"])
    (2, ' s d')
    """

    def __init__(self, words_ref: "Sequence[str]") -> None:
        self._words_ref = words_ref
        self._first_row: list[_Cell] = [(i, INSERT) for i in range(len(words_ref) + 1)]
        self._cache: dict[str, Any] = {}  # word: (what may follow it, row after it)
        self._cache_size = 0

    def __call__(self, words_hyp: "Sequence[str]") -> "tuple[int, str]":
        """Return the number of edits, and what they are, as a string."""
        rows, node = [self._first_row], self._cache
        for word in words_hyp:
            if word not in node:
                break
            node, row = node[word]
            rows.append(row)
        n_hyp = len(words_hyp)
        may_add = self._cache_size < MAX_CACHE_SIZE
        for i in range(len(rows), n_hyp + 1):
            row = self._next_row(rows[-1], words_hyp[i - 1], i, n_hyp)
            rows.append(row)
            if may_add:
                children: dict[str, Any] = {}
                node[words_hyp[i - 1]] = children, row
                node = children
                self._cache_size += 1
        return rows[-1][-1][0], self._trace(rows)

    def _next_row(
        self, above: "list[_Cell]", word: str, i: int, n_hyp: int
    ) -> "list[_Cell]":
        """Return row `i` of the matrix; of equally cheap edits the first listed wins."""
        ratio = len(self._words_ref) / n_hyp
        width = BEAM_WIDTH
        if width < ratio / 2:  # rows of long references would not overlap
            width = math.ceil(ratio / 2 + width)
        diagonal = math.floor(i * ratio)
        row: list[_Cell] = [(UNREACHED, UNDEFINED)] * (len(self._words_ref) + 1)
        end = len(row) if i == n_hyp else min(len(row), diagonal + width)
        for j in range(max(0, diagonal - width), end):
            if j == 0:
                row[0] = above[0][0] + 1, DELETE
                continue
            same = word == self._words_ref[j - 1]
            best = row[j]
            for cost, operation in (
                (above[j - 1][0] + (not same), KEEP if same else SUBSTITUTE),
                (above[j][0] + 1, DELETE),
                (row[j - 1][0] + 1, INSERT),
            ):
                if cost < best[0]:
                    best = cost, operation
            row[j] = best
        return row

    def _trace(self, rows: "list[list[_Cell]]") -> str:
        """Return the edits along the cheapest path, from the first to the last."""
        i, j = len(rows) - 1, len(self._words_ref)
        operations = []
        while i > 0 or j > 0:
            operation = rows[i][j][1]
            if operation not in (KEEP, SUBSTITUTE, INSERT, DELETE):
                raise Exception(f"unknown operation {operation!r}")
            operations.append(operation)
            i -= operation != INSERT
            j -= operation != DELETE
        return "".join(reversed(operations))
