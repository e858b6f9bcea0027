"""Texts in pieces that matched or not, as lines for terminals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rapidbleu._lib.colors import JOINERS, columns, folded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    _Paint = Callable[[str, str], str]

UNMATCHED, CLIPPED, MATCHED = range(3)
MARKS = {UNMATCHED: ("", ""), CLIPPED: ("~", "~"), MATCHED: ("[", "]")}
COLORS = {MATCHED: "green", CLIPPED: "gray"}
WIDTH = 100  # of lists and edits, in columns of a terminal, unless a width is given


class Text(NamedTuple):
    """The tokens of a text.

    Attributes
    ----------
    tokens : tuple of str or int
    spaces : frozenset of int, optional
        The tokens with white space before them; None: all but the first.
    """

    tokens: tuple[Any, ...]
    spaces: frozenset[int] | None = None


class Texts(NamedTuple):
    """The texts of a segment as a metric reads them.

    Attributes
    ----------
    kind : {"tokens", "characters", "words"}
        What they were taken apart into.
    hypothesis : Text
    references : tuple of Text or None
        None: there is none in this place.
    """

    kind: str
    hypothesis: Text
    references: tuple[Text | None, ...]


class Piece(NamedTuple):
    """Tokens in a row that have the same part in a score: what is before them, which, as text."""

    gap: str
    state: int
    text: str


def shown(token: Any) -> str:
    """Return a token as it can be printed: what is invisible becomes an escape, a space `␣`.

    Examples
    --------
    >>> shown("a\\x1bb"), shown("a b"), shown(7)
    ('a\\\\x1bb', 'a␣b', '7')
    """
    text = str(token)
    if text.isprintable() and " " not in text:
        return text
    return "".join([
        "␣" if character == " "
        else character if character.isprintable() or character in JOINERS
        else character.encode("unicode_escape").decode("ascii")
        for character in text
    ])  # fmt: skip


def shown_ngram(ngram: Sequence[Any]) -> str:
    """Return an n-gram as it can be printed: tokens with spaces between, characters without."""
    return shown(ngram) if isinstance(ngram, str) else " ".join(map(shown, ngram))


def pieces_of(text: Text, places: Iterable[tuple[int, int]], order: int) -> list[Piece]:
    """Return a text in pieces, given where n-grams of an order begin, and their states.

    A token has the highest state of its n-grams. Tokens are in one piece if an n-gram spans them;
    single ones if they have the same state.

    Examples
    --------
    >>> pieces_of(Text(("a", "b", "c", "d")), [(0, MATCHED), (2, CLIPPED)], 2)
    [Piece(gap='', state=2, text='a b'), Piece(gap=' ', state=1, text='c d')]
    """
    n = len(text.tokens)
    states, links = [UNMATCHED] * n, [UNMATCHED] * n  # of tokens, and of what spans two of them
    for begin, state in places:
        for i in range(begin, begin + order):
            states[i] = max(states[i], state)
            if i > begin:
                links[i] = max(links[i], state)
    pieces: list[Piece] = []
    for i, token in enumerate(text.tokens):
        gap = " " if i and (text.spaces is None or i in text.spaces) else ""
        state = states[i]
        if pieces and pieces[-1].state == state and (order == 1 or links[i] == state):
            last = pieces.pop()
            pieces.append(Piece(last.gap, state, last.text + gap + shown(token)))
        else:
            pieces.append(Piece(gap, state, shown(token)))
    return pieces


def wrapped(entries: Iterable[str], between: str, indent: str, width: int) -> list[str]:
    """Return lines of `width` columns, or of one longer entry, with entries one after the other."""
    lines: list[str] = []
    for entry in entries:
        if lines and columns(f"{lines[-1]}{between}{entry}") <= width:
            lines[-1] += between + entry
        else:
            lines.append(indent + entry)
    return lines


def reference_label(i: int) -> str:
    """Return what a reference is called: they are numbered from 1."""
    return f"REF {i + 1}"


def text_row(
    label: str, text: Text | list[Piece], paint: _Paint, width: int | None = None, room: int = 7
) -> str:
    """Return a text as lines of `width`, with marks around what matched and what was clipped."""
    parts = []
    for gap, state, own in pieces_of(text, (), 1) if isinstance(text, Text) else text:
        before, after = MARKS[state]
        marked = f"{before}{own}{after}"
        parts.append(gap + (paint(marked, COLORS[state]) if state in COLORS else marked))
    line = f"  {label}{' ' * (room - columns(label))}{''.join(parts)}".rstrip()
    return "\n".join(folded(line, width, room + 2))
