"""Lines of text: labels, marked tokens, tables of numbers."""

from rapidbleu.explanation.pieces import CLIPPED, MARKS, MATCHED, Piece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

COLORS = {MATCHED: "green", CLIPPED: "lightblack_ex"}


def reference_label(i: int) -> str:
    """Return what a reference is called: they are numbered from 1.

    Examples
    --------
    >>> reference_label(0)
    'REF 1'
    """
    return f"REF {i + 1}"


def text_row(label: str, pieces: list[Piece], paint: "Callable[[str, str], str]") -> str:
    """Return a line of a text, with marks around what matched and what was clipped.

    Examples
    --------
    >>> from rapidbleu.printing.colors import leave_plain
    >>> text_row("HYP", [Piece("", MATCHED, "the"), Piece(" ", CLIPPED, "the")], leave_plain)
    '  HYP    [the] ~the~'
    """
    parts = []
    for gap, state, text in pieces:
        before, after = MARKS[state]
        marked = f"{before}{text}{after}"
        parts.append(gap + (paint(marked, COLORS[state]) if state in COLORS else marked))
    return f"  {label:<7}{''.join(parts)}".rstrip()
