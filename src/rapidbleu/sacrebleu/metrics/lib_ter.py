"""The edits of TER in plain Python: a beam around the diagonal, and shifts of blocks of words.

`rapidbleu.TER` has the same search compiled; this is for programs that use its parts, also those
that are private in sacrebleu. Every limit is part of the definition: blocks of at most 10 words
move at most 50 words, 1,000 moves are tried, and the beam is 25 words wide on both sides.
"""

import math
from collections.abc import Iterator, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    _Cell = tuple[int, str]

_COST_INS = _COST_DEL = _COST_SUB = 1
_MAX_SHIFT_SIZE = 10
_MAX_SHIFT_DIST = 50
_BEAM_WIDTH = 25
_MAX_CACHE_SIZE = 10_000
_MAX_SHIFT_CANDIDATES = 1_000
_INT_INFINITY = 10**16

_OP_INS, _OP_DEL, _OP_NOP, _OP_SUB, _OP_UNDEF = "i", "d", " ", "s", "x"
_OPERATIONS = (_OP_NOP, _OP_SUB, _OP_INS, _OP_DEL)
_FLIP_OPS = str.maketrans(_OP_INS + _OP_DEL, _OP_DEL + _OP_INS)


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
        gain, shifted, n_tried = _shift(words_hyp, words_ref, distance, n_tried)
        if n_tried >= _MAX_SHIFT_CANDIDATES or gain <= 0:
            break
        n_shifts += 1
        words_hyp = shifted
    return n_shifts + distance(words_hyp)[0], len(words_ref)


def _shift(
    words_h: "list[str]", words_r: "list[str]", cached_ed: "Any", checked_candidates: int
) -> "tuple[int, list[str], int]":
    """Return the gain of the best shift, the shifted words, and how many shifts were tried by now.

    Of equally good shifts the longest is best, of those the leftmost, and of those the one with
    the leftmost target; only blocks that are wrong where they are and wanted elsewhere count.

    Examples
    --------
    >>> _shift(["b", "c", "a"], ["a", "b", "c"], BeamEditDistance(["a", "b", "c"]), 0)
    (2, ['a', 'b', 'c'], 1)
    """
    edits, trace = cached_ed(words_h)
    alignment, ref_errors, hyp_errors = trace_to_alignment(_flip_trace(trace))
    best: Any = None
    for hyp_start, ref_start, length in _find_shifted_pairs(words_h, words_r):
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
            shifted = _perform_shift(words_h, hyp_start, length, target)
            candidate = (edits - cached_ed(shifted)[0], length, -hyp_start, -target, shifted)
            checked_candidates += 1
            if best is None or candidate > best:
                best = candidate
        if checked_candidates >= _MAX_SHIFT_CANDIDATES:
            break
    if best is None:
        return 0, words_h, checked_candidates
    return best[0], best[-1], checked_candidates


def _perform_shift(words: "list[str]", start: int, length: int, target: int) -> "list[str]":
    """Return the words with a block moved in front of the one at `target`.

    A target within the block, or right behind it, moves it on by as many words as it is from the
    start.

    Examples
    --------
    >>> _perform_shift(["a", "b", "c", "d"], 2, 2, 0)
    ['c', 'd', 'a', 'b']
    """
    block, rest = words[start : start + length], words[:start] + words[start + length :]
    if target > start + length:
        target -= length
    return rest[:target] + block + rest[target:]


def _find_shifted_pairs(
    words_h: "list[str]", words_r: "list[str]"
) -> "Iterator[tuple[int, int, int]]":
    """Yield where blocks of the same words begin that are not too far apart, and their lengths.

    Examples
    --------
    >>> list(_find_shifted_pairs(["a", "b"], ["c", "a", "b"]))
    [(0, 1, 1), (0, 1, 2), (1, 2, 1)]
    """
    for hyp_start in range(len(words_h)):
        for ref_start in range(len(words_r)):
            if abs(ref_start - hyp_start) > _MAX_SHIFT_DIST:
                continue
            longest = min(_MAX_SHIFT_SIZE, len(words_h) - hyp_start, len(words_r) - ref_start)
            for length in range(1, longest + 1):
                if words_h[hyp_start + length - 1] != words_r[ref_start + length - 1]:
                    break
                yield hyp_start, ref_start, length


def _flip_trace(trace: str) -> str:
    """Return the edits in the other direction: insertions are deletions there.

    Examples
    --------
    >>> _flip_trace(" sid")
    ' sdi'
    """
    return trace.translate(_FLIP_OPS)


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
        if operation not in _OPERATIONS:
            raise Exception(f"unknown operation {operation!r}")
        error = int(operation != _OP_NOP)
        if operation != _OP_DEL:
            hyp_errors.append(error)
        if operation != _OP_INS:
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
        self._n_words_ref = len(words_ref)
        self._initial_row: list[_Cell] = [
            (i * _COST_INS, _OP_INS) for i in range(len(words_ref) + 1)
        ]
        self._empty_row: list[_Cell] = [(_INT_INFINITY, _OP_UNDEF)] * (len(words_ref) + 1)
        self._cache: dict[str, Any] = {}  # word: (what may follow it, row after it)
        self._cache_size = 0

    def __call__(self, words_hyp: "Sequence[str]") -> "tuple[int, str]":
        """Return the number of edits, and what they are, as a string."""
        start, rows = self._find_cache(words_hyp)
        distance, new_rows, trace = self._edit_distance(words_hyp, start, rows)
        self._add_cache(words_hyp, new_rows)
        return distance, trace

    def _edit_distance(
        self, words_h: "Sequence[str]", start_h: int, cache: "list[Any]"
    ) -> "tuple[int, list[list[_Cell]], str]":
        """Return the number of edits, the rows that were missing, and the edits as a string.

        `cache` has the first row and those of the first `start_h` words.
        """
        rows = list(cache)
        for i in range(start_h + 1, len(words_h) + 1):
            rows.append(self._next_row(rows[-1], words_h[i - 1], i, len(words_h)))
        return rows[-1][-1][0], rows[len(cache) :], self._trace(rows)

    def _find_cache(self, words_hyp: "Sequence[str]") -> "tuple[int, list[Any]]":
        """Return how many of the first words have rows, and these rows behind the first one."""
        rows: list[Any] = [self._initial_row]
        node = self._cache
        for word in words_hyp:
            if word not in node:
                break
            node, row = node[word]
            rows.append(row)
        return len(rows) - 1, rows

    def _add_cache(self, words_hyp: "Sequence[str]", mat: "list[list[_Cell]]") -> None:
        """Keep the rows of the last words of a hypothesis, unless there are many rows already."""
        if self._cache_size >= _MAX_CACHE_SIZE:
            return
        node = self._cache
        n_known = len(words_hyp) - len(mat)
        for word in words_hyp[:n_known]:
            node = node[word][0]
        for word, row in zip(words_hyp[n_known:], mat, strict=True):
            if word not in node:
                node[word] = ({}, tuple(row))
                self._cache_size += 1
            node = node[word][0]

    def _next_row(self, above: "Sequence[_Cell]", word: str, i: int, n_hyp: int) -> "list[_Cell]":
        """Return row `i` of the matrix; of equally cheap edits the first listed wins."""
        ratio = self._n_words_ref / n_hyp
        width = _BEAM_WIDTH
        if width < ratio / 2:  # rows of long references would not overlap
            width = math.ceil(ratio / 2 + width)
        diagonal = math.floor(i * ratio)
        row = list(self._empty_row)
        end = len(row) if i == n_hyp else min(len(row), diagonal + width)
        for j in range(max(0, diagonal - width), end):
            if j == 0:
                row[0] = above[0][0] + _COST_DEL, _OP_DEL
                continue
            same = word == self._words_ref[j - 1]
            for cell in (
                (above[j - 1][0] + (0 if same else _COST_SUB), _OP_NOP if same else _OP_SUB),
                (above[j][0] + _COST_DEL, _OP_DEL),
                (row[j - 1][0] + _COST_INS, _OP_INS),
            ):
                if cell[0] < row[j][0]:
                    row[j] = cell
        return row

    def _trace(self, rows: "list[Any]") -> str:
        """Return the edits along the cheapest path, from the first to the last."""
        i, j = len(rows) - 1, self._n_words_ref
        operations = []
        while i > 0 or j > 0:
            operation = rows[i][j][1]
            if operation not in _OPERATIONS:
                raise Exception(f"unknown operation {operation!r}")
            operations.append(operation)
            i -= operation != _OP_INS
            j -= operation != _OP_DEL
        return "".join(reversed(operations))
