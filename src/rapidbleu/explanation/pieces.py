"""Texts in pieces that matched or not, as lines for terminals and as HTML, and tables in HTML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    _Paint = Callable[[str, str], str]

UNMATCHED, CLIPPED, MATCHED = range(3)
MARKS = {UNMATCHED: ("", ""), CLIPPED: ("~", "~"), MATCHED: ("[", "]")}
COLORS = {MATCHED: "green", CLIPPED: "lightblack_ex"}
TAGS = {MATCHED: "mark", CLIPPED: "s"}
WIDTH = 100  # of lines of text, in columns of a terminal

JOINERS = "\u200c\u200d"  # invisible, but without them some scripts and emoji look wrong

# Backgrounds are transparent and text keeps the color of the page, which may be light or dark.
STYLE = """
.rapidbleu{font:14px/1.7 system-ui,sans-serif;max-width:64em;margin:.5em 0 2em}
.rapidbleu .rb-score{font-size:1.15em;font-weight:600}
.rapidbleu .rb-signature{font:.8em ui-monospace,monospace;opacity:.6;overflow-wrap:anywhere}
.rapidbleu .rb-formula{font:.9em/1.7 ui-monospace,monospace;margin:.9em 0;padding:.1em 0 .1em 1em;
border-left:3px solid rgba(128,128,128,.4);overflow-wrap:anywhere}
.rapidbleu .rb-title{font-weight:600;margin:1.1em 0 .2em}
.rapidbleu .rb-line{display:flex;gap:.8em}
.rapidbleu .rb-label{flex:0 0 4em;font-size:.8em;line-height:2.1;opacity:.6}
.rapidbleu .rb-text{overflow-wrap:anywhere;min-width:0}
.rapidbleu mark{background:rgba(46,160,67,.25);color:inherit;border-radius:3px;padding:.05em .2em;
margin:0 .06em}
.rapidbleu s{background:rgba(218,54,51,.12);opacity:.65;border-radius:3px;padding:.05em .2em;
margin:0 .06em}
.rapidbleu .rb-tight mark,.rapidbleu .rb-tight s{padding:.05em 0;margin:0}
.rapidbleu summary{cursor:pointer;opacity:.6;font-size:.85em}
.rapidbleu table{border-collapse:collapse;table-layout:auto;margin:.3em 0 .6em;font-size:.95em}
.rapidbleu tr{background:none!important}
.rapidbleu th,.rapidbleu td{padding:.08em .8em .08em 0;text-align:left;background:none;border:0}
.rapidbleu th{font-weight:400;opacity:.6}
.rapidbleu .rb-n{text-align:right;font-variant-numeric:tabular-nums}
.rapidbleu .rb-edits{font-family:ui-monospace,monospace}
.rapidbleu .rb-edits td{padding:.05em .35em;text-align:center;white-space:nowrap}
.rapidbleu .rb-edits th{padding-right:.8em;font-size:.85em}
.rapidbleu .rb-equal{background:rgba(46,160,67,.2)}
.rapidbleu .rb-substitute{background:rgba(210,153,34,.25)}
.rapidbleu .rb-insert,.rapidbleu .rb-delete{background:rgba(218,54,51,.18)}
.rapidbleu .rb-edits td.rb-kind{background:none;opacity:.6}
.rapidbleu dl{display:flex;flex-wrap:wrap;gap:.1em 1.6em;margin:.3em 0;font-size:.85em}
.rapidbleu dl div{display:flex;gap:.5em}
.rapidbleu dt{font-weight:400;opacity:.6}
.rapidbleu dd{margin:0;font-variant-numeric:tabular-nums}
""".replace("\n", "")


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
    """Return an n-gram as it can be printed: characters side by side, tokens with spaces between.

    Examples
    --------
    >>> shown_ngram("the"), shown_ngram(("the", "cat"))
    ('the', 'the cat')
    """
    return shown(ngram) if isinstance(ngram, str) else " ".join(map(shown, ngram))


def columns(text: str) -> int:
    """Return how many columns of a terminal a text takes.

    Examples
    --------
    >>> columns("cat"), columns("猫"), columns("e\\u0301")
    (3, 2, 1)
    """
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(
        0 if combining(character) or character in JOINERS
        else 1 + (east_asian_width(character) in "WF")
        for character in text
    )  # fmt: skip


def pieces_of(text: Text, places: Iterable[tuple[int, int]], order: int) -> list[Piece]:
    """Return a text in pieces.

    Parameters
    ----------
    text : Text
    places : iterable of (int, int)
        Where n-grams begin, and their states. A token has the highest state of its n-grams.
    order : int
        Of these n-grams. Tokens are in one piece if an n-gram spans them; single ones if they have
        the same state.

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


def wrapped(entries: Iterable[str], between: str, indent: str) -> Iterator[str]:
    """Yield lines of `WIDTH` columns, or of one longer entry, with entries one after the other.

    Examples
    --------
    >>> list(wrapped(["a b", "c"], " | ", "  "))
    ['  a b | c']
    """
    line, width = "", 0
    for entry in entries:
        own = columns(entry)
        if line and width + len(between) + own > WIDTH - len(indent):
            yield indent + line
            line = ""
        line, width = (line + between + entry, width + len(between) + own) if line else (entry, own)
    if line:
        yield indent + line


def reference_label(i: int) -> str:
    """Return what a reference is called: they are numbered from 1.

    Examples
    --------
    >>> reference_label(0)
    'REF 1'
    """
    return f"REF {i + 1}"


def text_row(label: str, pieces: list[Piece], paint: _Paint) -> str:
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


def element(tag: str, content: str, name: str = "", raw: bool = False) -> str:
    """Return an element of HTML, of class `name`; its content is escaped unless it is raw HTML.

    Examples
    --------
    >>> element("td", "<s>", "rb-n")
    '<td class="rb-n">&lt;s&gt;</td>'
    """
    start = f'{tag} class="{name}"' if name else tag
    return f"<{start}>{content if raw else escape(content)}</{tag}>"


def details(title: str, content: str) -> str:
    """Return HTML that is shown when the title is clicked."""
    return f"<details>{element('summary', title)}{content}</details>"


def text_line(label: str, pieces: list[Piece], tight: bool = False) -> str:
    """Return a line of a text as HTML, with what matched highlighted and what was clipped struck.

    If it is tight, there is no room around pieces, which may be parts of words.

    Examples
    --------
    >>> "<s>&lt;b&gt;</s>" in text_line("HYP", [Piece("", CLIPPED, "<b>")])
    True
    """
    inside = "".join([
        gap + (element(TAGS[state], text) if state in TAGS else escape(text))
        for gap, state, text in pieces
    ])  # fmt: skip
    name = "rb-line rb-tight" if tight else "rb-line"
    return (
        f'<div class="{name}">{element("span", label, "rb-label")}'
        f'<span class="rb-text" dir="auto">{inside}</span></div>'
    )
