"""Texts in matched and other pieces, as lines for terminals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rapidbleu._lib.colors import columns, folded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    _Paint = Callable[[str, str], str]

UNMATCHED, CLIPPED, MATCHED = range(3)
MARKS = {UNMATCHED: ("", ""), CLIPPED: ("~", "~"), MATCHED: ("[", "]")}
COLORS = {MATCHED: "green", CLIPPED: "gray"}
JOINERS = "\u200c\u200d"  # invisible, but without them some scripts and emoji look wrong
WIDTH = 100  # default terminal columns of lists and edits


class Text(NamedTuple):
    """The tokens of a text.

    Attributes
    ----------
    tokens : tuple of str or int
    spaces : frozenset of int, optional
        Tokens with white space before them; None: all but the first.
    """

    tokens: tuple[Any, ...]
    spaces: frozenset[int] | None = None


class Texts(NamedTuple):
    """The texts of a segment as a metric reads them.

    Attributes
    ----------
    kind : {"tokens", "characters", "words"}
        Unit of the tokens.
    hypothesis : Text
    references : tuple of Text or None
        None for a missing reference.
    """

    kind: str
    hypothesis: Text
    references: tuple[Text | None, ...]


class Piece(NamedTuple):
    """Consecutive tokens with the same part in a score: text before them, state, text."""

    gap: str
    state: int
    text: str


def shown(token: Any) -> str:
    """Return a printable token: invisible characters become escapes, spaces `␣`.

    >>> shown("a\\x1bb"), shown("a b"), shown(7)
    ('a\\\\x1bb', 'a␣b', '7')
    """
    text = str(token)
    if text.isprintable() and " " not in text:
        return text
    return "".join(
        [
            "␣"
            if character == " "
            else character
            if character.isprintable() or character in JOINERS
            else character.encode("unicode_escape").decode("ascii")
            for character in text
        ]
    )


def shown_ngram(ngram: Sequence[Any]) -> str:
    """Return a printable n-gram: tokens with spaces between them, characters without."""
    return shown(ngram) if isinstance(ngram, str) else " ".join(map(shown, ngram))


def pieces_of(text: Text, places: Iterable[tuple[int, int]], order: int) -> list[Piece]:
    """Return a text in pieces, given start positions and states of n-grams of an order.

    A token has the highest state of its n-grams. Adjacent tokens share a piece if an n-gram spans
    them, single ones if their states are equal.

    >>> pieces_of(Text(("a", "b", "c", "d")), [(0, MATCHED), (2, CLIPPED)], 2)
    [Piece(gap='', state=2, text='a b'), Piece(gap=' ', state=1, text='c d')]
    """
    n = len(text.tokens)
    states = [UNMATCHED] * n
    links = [UNMATCHED] * n  # of tokens, and of adjacent pairs
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
    """Return entries in lines of `width` columns, longer only for a single longer entry."""
    lines: list[str] = []
    for entry in entries:
        if lines and columns(f"{lines[-1]}{between}{entry}") <= width:
            lines[-1] += between + entry
        else:
            lines.append(indent + entry)
    return lines


def reference_label(i: int) -> str:
    """Return the label of a reference, numbered from 1."""
    return f"REF {i + 1}"


def text_row(
    label: str, text: Text | list[Piece], paint: _Paint, width: int | None = None, room: int = 7
) -> str:
    """Return a text as lines of `width`, with marks around matched and clipped pieces."""
    parts = []
    for gap, state, shown_text in pieces_of(text, (), 1) if isinstance(text, Text) else text:
        before, after = MARKS[state]
        marked = f"{before}{shown_text}{after}"
        parts.append(gap + (paint(marked, COLORS[state]) if state in COLORS else marked))
    line = f"  {label}{' ' * (room - columns(label))}{''.join(parts)}".rstrip()
    return "\n".join(folded(line, width, room + 2))
