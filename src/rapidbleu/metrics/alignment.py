"""The edits of one segment: which words were moved, replaced, left out or added."""

import sys
from array import array
from typing import TYPE_CHECKING, Any

from rapidbleu.explanation.alignment import KINDS, Alignment, Edit, Shift, shifted
from rapidbleu.metrics.contract.reading import identity, tokens_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rapidbleu.metrics.contract.base import Metric
    from rapidbleu.typing import Segment, SegmentReferences

    _Move = tuple[int, int, int]
    _Trace = Callable[[array[int], array[int]], tuple[list[_Move], bytes]]


def align_segment(
    metric: "Metric[Any]",
    hypothesis: "Segment",
    references: "SegmentReferences",
    trace: "_Trace",
    longest: bool,
    among: int = sys.maxsize,
) -> Alignment:
    """Return the alignment with the reference of the fewest edits.

    Parameters
    ----------
    metric : Metric
        Whose tokenizer makes tokens of text.
    hypothesis : str, or list of str tokens or integer ids
    references : sequence of the same
    trace : callable
        Numbered tokens of both texts to moves and the letters of the steps.
    longest : bool
        Whether of several with as few the longest is taken, or else the first.
    among : int
        How many references it is chosen from, which come first.

    Returns
    -------
    Alignment

    Raises
    ------
    TypeError, ValueError
        As `sentence_score` does.
    """
    metric.sentence_score(hypothesis, references)  # which refuses what is no segment
    hyp = tokens_of(metric, hypothesis)
    best: tuple[tuple[int, int], Alignment] | None = None
    given = [(k, ref) for k, ref in enumerate(references) if ref is not None]
    for which, reference in given[:among]:
        ref = tokens_of(metric, reference, of_reference=True)
        found = _align_one(hyp, ref, which, trace)
        rank = found.num_edits, -len(found.reference) if longest else 0
        if best is None or rank < best[0]:
            best = rank, found
    assert best is not None  # the score is one of some reference
    return best[1]


def _align_one(
    hyp: "tuple[Any, ...]", ref: "tuple[Any, ...]", which: int, trace: "_Trace"
) -> Alignment:
    hyp_ids, ref_ids = _numbers(hyp, ref)
    moves, steps = trace(hyp_ids, ref_ids)
    places = list(range(len(hyp)))
    for move in moves:
        shifted(places, move)
    edits = tuple(_edits(steps.decode("ascii"), places))
    return Alignment(hyp, ref, which, tuple(Shift(*move) for move in moves), edits)


def _numbers(hyp: "Sequence[Any]", ref: "Sequence[Any]") -> "tuple[array[int], array[int]]":
    """Number the tokens of a reference from 1, and those of the hypothesis alike or 0."""
    numbers: dict[Any, int] = {}
    ref_ids = array("i", [numbers.setdefault(identity(token), len(numbers) + 1) for token in ref])
    return array("i", [numbers.get(identity(token), 0) for token in hyp]), ref_ids


def _edits(steps: str, places: "Sequence[int]") -> "Iterable[Edit]":
    hyps, refs = iter(places), 0
    for letter in steps:
        hyp = None if letter == "D" else next(hyps)
        ref = None if letter == "I" else refs
        refs += ref is not None
        yield Edit(KINDS[letter], hyp, ref)
