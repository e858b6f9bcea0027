"""Edits of a segment, side by side with what they change."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from rapidbleu.explanation.alignment import LETTERS, Alignment, shift_lines
from rapidbleu.explanation.base import Explanation
from rapidbleu.explanation.pieces import WIDTH, columns, element, reference_label, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rapidbleu.explanation.pieces import _Paint

ABSENT = "*"  # as often as the other token is wide
ROOM = 6  # for labels in front of the columns
COLORS = {"equal": "green", "substitute": "yellow", "insert": "red", "delete": "red"}


class EditExplanation(Explanation):
    """The explanation of a score that is made of edits.

    Parameters
    ----------
    alignment : Alignment
        What `align` of the metric gives.
    score, signature, texts, statistics, formula, reference
        As of `Explanation`.

    Examples
    --------
    >>> from rapidbleu import TER
    >>> explanation = TER().explain("on the mat the cat sat", ["the cat sat on a mat"])
    >>> explanation.alignment.shifts
    (Shift(begin=3, end=6, target=0),)
    >>> print(explanation)  # doctest: +ELLIPSIS
    TER = 33.33
    nrefs:1|case:lc|tok:tercom|...
    <BLANKLINE>
    TER = 100 * edits / reference length = 100 * 2 / 6 = 33.33
    <BLANKLINE>
    1 shift, 1 substitution, 0 insertions, 0 deletions against REF 1
    shift [3:6] to 0: the cat sat
    <BLANKLINE>
    REF:  the cat sat on a   mat
    HYP:  the cat sat on the mat
                         S
    <BLANKLINE>
    edits 2, ref_length 6, ref_length_parts 0, ref_length_fine_parts 0
    """

    def __init__(self, alignment: Alignment, *about: Any, **named: Any) -> None:
        super().__init__(*about, **named)
        self.alignment = alignment

    def _counted(self) -> str:
        """Return the numbers of edits in words."""
        kinds = [edit.kind for edit in self.alignment.edits]
        counts = {"shift": len(self.alignment.shifts)}
        names = {"substitution": "substitute", "insertion": "insert", "deletion": "delete"}
        counts |= {name: kinds.count(kind) for name, kind in names.items()}
        listed = ", ".join([f"{n} {name}{'s' * (n != 1)}" for name, n in counts.items()])
        return f"{listed} against {reference_label(self.alignment.which)}"

    def _columns(self) -> Iterator[tuple[str, str, str]]:
        """Yield the kind of each edit, and its tokens of reference and hypothesis, or ""."""
        ref, hyp = self.alignment.reference, self.alignment.hypothesis
        for kind, i, j in self.alignment.edits:
            yield kind, "" if j is None else shown(ref[j]), "" if i is None else shown(hyp[i])

    def _rows(self, room: int) -> Iterator[list[tuple[str, str, str]]]:
        """Yield so many edits at a time as fit in a row of some columns, at least one."""
        row: list[tuple[str, str, str]] = []
        width = 0
        for column in self._columns():
            own = _width(column) + 1
            if row and width + own > room:
                yield row
                row, width = [], 0
            row.append(column)
            width += own
        if row:
            yield row

    def _body(self, paint: _Paint) -> Iterator[str]:
        yield "\n".join([self._counted(), *shift_lines(self.alignment, shown)])
        for row in self._rows(WIDTH - ROOM):
            lines = ["REF: ", "HYP: ", "     "]
            for column in row:
                kind, ref, hyp = column
                width = _width(column)
                for k, text in enumerate((ref or ABSENT * width, hyp or ABSENT * width)):
                    padding = " " * (width - columns(text))
                    lines[k] += f" {paint(text, COLORS[kind])}{padding}"
                lines[2] += f" {LETTERS[kind]:<{width}}"
            yield "\n".join([line.rstrip() for line in lines]).rstrip()

    def _body_html(self) -> Iterator[str]:
        yield element("div", self._counted(), "rb-title")
        for line in shift_lines(self.alignment, shown):
            yield element("div", line)
        for row in self._rows(WIDTH - ROOM):
            lines = [element("th", label) for label in ("REF", "HYP", "")]
            for kind, ref, hyp in row:
                lines[0] += f'<td class="rb-{kind}" dir="auto">{escape(ref)}</td>'
                lines[1] += f'<td class="rb-{kind}" dir="auto">{escape(hyp)}</td>'
                lines[2] += f'<td class="rb-kind">{LETTERS[kind].strip()}</td>'
            body = "".join([element("tr", line, raw=True) for line in lines])
            yield element("table", body, "rb-edits", raw=True)

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as dicts, lists, text and numbers; see `Explanation.to_dict`."""
        found = self.alignment
        return {
            **super().to_dict(),
            "alignment": {
                "reference": found.which,
                "num_edits": found.num_edits,
                "shifts": [shift._asdict() for shift in found.shifts],
                "edits": [edit._asdict() for edit in found.edits],
            },
        }


def _width(column: tuple[str, str, str]) -> int:
    _, ref, hyp = column
    return max(columns(ref), columns(hyp), 1)
