"""The edits of one segment as data: which words were moved, replaced, left out or added."""

import sys
from array import array
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rapidbleu.metrics.contract.base import Metric
    from rapidbleu.typing import Segment, SegmentReferences

    _Move = tuple[int, int, int]
    _Trace = Callable[[array[int], array[int]], tuple[list[_Move], bytes]]

KINDS = {"=": "equal", "S": "substitute", "I": "insert", "D": "delete"}
LETTERS = {kind: letter.replace("=", " ") for letter, kind in KINDS.items()}


class Shift(NamedTuple):
    """A block of the hypothesis that is moved, in the hypothesis as earlier shifts left it.

    Attributes
    ----------
    begin, end : int
        The block, which is taken out.
    target : int
        Where the block begins when it has been put in again.
    """

    begin: int
    end: int
    target: int


class Edit(NamedTuple):
    """A step through both texts.

    Attributes
    ----------
    kind : {"equal", "substitute", "insert", "delete"}
        What turns the reference into the hypothesis: a token that only the hypothesis has is an
        insertion.
    hypothesis, reference : int or None
        The places of the tokens; shifts do not change that of the hypothesis.
    """

    kind: str
    hypothesis: int | None
    reference: int | None


class Alignment(NamedTuple):
    """How a metric aligns a hypothesis with the reference that it chooses.

    Attributes
    ----------
    hypothesis, reference : tuple of str or int
        Their tokens.
    which : int
        The place of that reference among those of the segment.
    shifts : tuple of Shift
        In the order in which they are made.
    edits : tuple of Edit
        After all shifts, from the beginning of both texts to the end.

    Examples
    --------
    >>> alignment = Alignment(("b", "a"), ("a",), 0, (Shift(0, 1, 1),), (
    ...     Edit("equal", 1, 0), Edit("insert", 0, None)))
    >>> alignment.num_edits
    2
    >>> print(alignment)
    shift [0:1] to 1: b
    REF: a *
    HYP: a b
           I
    """

    hypothesis: "tuple[Any, ...]"
    reference: "tuple[Any, ...]"
    which: int
    shifts: tuple[Shift, ...]
    edits: tuple[Edit, ...]

    @property
    def num_edits(self) -> int:
        """Shifts, substitutions, insertions and deletions."""
        return len(self.shifts) + sum(edit.kind != "equal" for edit in self.edits)

    def __str__(self) -> str:
        lines = []
        tokens = list(self.hypothesis)
        for shift in self.shifts:
            block = " ".join(map(str, tokens[shift.begin : shift.end]))
            lines.append(f"shift [{shift.begin}:{shift.end}] to {shift.target}: {block}")
            shifted(tokens, shift)
        columns = [self._column(edit) for edit in self.edits]
        for name, row in zip(("REF:", "HYP:", "    "), zip(*columns, strict=True), strict=False):
            lines.append(" ".join([name, *row]).rstrip())
        return "\n".join(lines).rstrip()

    def _column(self, edit: Edit) -> list[str]:
        ref = "" if edit.reference is None else str(self.reference[edit.reference])
        hyp = "" if edit.hypothesis is None else str(self.hypothesis[edit.hypothesis])
        width = max(len(ref), len(hyp), 1)
        rows = ref or "*" * width, hyp or "*" * width, LETTERS[edit.kind]
        return [row.ljust(width) for row in rows]


def shifted(tokens: "list[Any]", shift: "Iterable[int]") -> None:
    """Move a block of a list.

    Examples
    --------
    >>> tokens = ["a", "b", "c", "d"]
    >>> shifted(tokens, Shift(0, 2, 1))
    >>> tokens
    ['c', 'a', 'b', 'd']
    """
    begin, end, target = shift
    block = tokens[begin:end]
    del tokens[begin:end]
    tokens[target:target] = block


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
    hyp = _tokens(metric, hypothesis)
    best: tuple[tuple[int, int], Alignment] | None = None
    given = [(k, ref) for k, ref in enumerate(references) if ref is not None]
    for which, reference in given[:among]:
        found = _align_one(hyp, _tokens(metric, reference), which, trace)
        rank = found.num_edits, -len(found.reference) if longest else 0
        if best is None or rank < best[0]:
            best = rank, found
    assert best is not None  # the score is one of some reference
    return best[1]


def _tokens(metric: "Metric[Any]", segment: "Segment") -> "tuple[Any, ...]":
    if isinstance(segment, str):
        text = segment.lower() if metric.lowercase else segment
        make_scanner = getattr(metric.tokenizer, "scanner", None)
        compiled = make_scanner is not None and make_scanner() is not None
        tokens = metric.tokenizer(text if compiled else text.rstrip())  # as readers do
        return tuple(tokens.split() if isinstance(tokens, str) else tokens)
    return tuple(
        (token.lower() if metric.lowercase else token) if isinstance(token, str) else int(token)
        for token in segment
    )


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
    ref_ids = array("i", [numbers.setdefault(_identity(token), len(numbers) + 1) for token in ref])
    return array("i", [numbers.get(_identity(token), 0) for token in hyp]), ref_ids


def _identity(token: "Any") -> "Any":
    return token if isinstance(token, str) else token % 2**64


def _edits(steps: str, places: "Sequence[int]") -> "Iterable[Edit]":
    hyps, refs = iter(places), 0
    for letter in steps:
        hyp = None if letter == "D" else next(hyps)
        ref = None if letter == "I" else refs
        refs += ref is not None
        yield Edit(KINDS[letter], hyp, ref)
