"""The edits of a segment as data: words that were moved, replaced, omitted or added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rapidbleu._lib.colors import columns, leave_plain
from rapidbleu.explanation.texts import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rapidbleu.explanation.texts import _Paint

KINDS = {"=": "equal", "S": "substitute", "I": "insert", "D": "delete"}
# Letter, color, noun and meaning of each kind of step.
STEPS = {
    "equal": (" ", "green", "match", ""),
    "exact": (" ", "green", "exact match", ""),
    "stem": ("T", "green", "stem match", "same stem"),
    "synonym": ("Y", "green", "synonym match", "synonyms"),
    "paraphrase": ("P", "green", "paraphrase match", "paraphrases"),
    "jump": ("J", "cyan", "jump", "HYP goes on at that word, counted from 0"),
    "substitute": ("S", "yellow", "substitution", "other word"),
    "insert": ("I", "red", "insertion", "only in HYP"),
    "delete": ("D", "red", "deletion", "only in REF"),
}
LABELS = ("REF:", "HYP:", "    ")
ABSENT = "*"  # repeated to the width of the other token


class Shift(NamedTuple):
    """A block of the hypothesis that is moved, indexed after all earlier shifts.

    Attributes
    ----------
    begin, end : int
        The block to move.
    target : int
        Index where the block begins after the move.

    Examples
    --------
    >>> from rapidbleu import TER
    >>> TER().align("b c d a", ["a b c d"]).shifts
    (Shift(begin=3, end=4, target=0),)
    """

    begin: int
    end: int
    target: int


class Edit(NamedTuple):
    """A step through both texts.

    Attributes
    ----------
    kind : {"equal", "substitute", "insert", "delete", "jump", ...}
        Step from reference to hypothesis: an insertion is a token of only the hypothesis. CDER and
        METEOR jump to another token of the hypothesis; METEOR's matches are named by module instead
        of "equal".
    hypothesis, reference : int or None
        Indices of the tokens; shifts do not change the hypothesis index.

    Examples
    --------
    >>> from rapidbleu import WER
    >>> WER().align("the cat", ["a cat"]).edits[0]
    Edit(kind='substitute', hypothesis=0, reference=0)
    """

    kind: str
    hypothesis: int | None
    reference: int | None


class Alignment(NamedTuple):
    """Alignment of a hypothesis with the reference that a metric selects.

    Attributes
    ----------
    hypothesis, reference : tuple of str or int
        Tokens of both texts.
    which : int
        Index of the reference among the references of the segment.
    shifts : tuple of Shift
        Shifts in the order applied.
    edits : tuple of Edit
        Steps after all shifts, from the beginning of both texts to the end.

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

    hypothesis: tuple[Any, ...]
    reference: tuple[Any, ...]
    which: int
    shifts: tuple[Shift, ...]
    edits: tuple[Edit, ...]

    @property
    def num_edits(self) -> int:
        """Number of shifts, and of steps except matches."""
        return len(self.shifts) + sum("match" not in STEPS[edit.kind][2] for edit in self.edits)

    def __str__(self) -> str:
        return "\n".join([*shift_lines(self), *drawn_edits(self, None)])


def shifted(tokens: list[Any], shift: Iterable[int]) -> None:
    begin, end, target = shift
    block = tokens[begin:end]
    del tokens[begin:end]
    tokens[target:target] = block


def shift_lines(alignment: Alignment) -> Iterator[str]:
    """Yield descriptions of shifts, with positions after all earlier shifts."""
    tokens = list(alignment.hypothesis)
    for shift in alignment.shifts:
        block = " ".join(map(shown, tokens[shift.begin : shift.end]))
        yield f"shift [{shift.begin}:{shift.end}] to {shift.target}: {block}"
        shifted(tokens, shift)


def drawn_edits(
    alignment: Alignment, width: int | None, paint: _Paint = leave_plain
) -> Iterator[str]:
    """Yield three lines at a time: tokens of the reference, of the hypothesis, letters of edits.

    Lines have at most `width` terminal columns where possible; None does not limit them.
    """
    lines = list(LABELS)
    length = len(LABELS[0])
    for kind, i, j in alignment.edits:
        ref = "" if j is None else shown(alignment.reference[j])
        hyp = "" if i is None else shown(alignment.hypothesis[i]) if kind != "jump" else f"→{i}"
        letter, color, _, _ = STEPS[kind]
        room = max(columns(ref), columns(hyp), 1)
        if width is not None and length > len(LABELS[0]) and length + 1 + room > width:
            yield _block(lines)
            lines = list(LABELS)
            length = len(LABELS[0])
        for k, text in enumerate((ref or ABSENT * room, hyp or ABSENT * room)):
            lines[k] += f" {paint(text, color)}{' ' * (room - columns(text))}"
        lines[2] += f" {letter:<{room}}"
        length += 1 + room
    if alignment.edits:
        yield _block(lines)


def _block(lines: list[str]) -> str:
    return "\n".join([line.rstrip() for line in lines]).rstrip()
