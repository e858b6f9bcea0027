"""Pieces of HTML: everything that users wrote is escaped."""

from html import escape

from rapidbleu.explanation.pieces import CLIPPED, MATCHED, Piece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

TAGS = {MATCHED: "mark", CLIPPED: "s"}

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


def escaped(text: str) -> str:
    """Return a text with what HTML would take for markup escaped.

    Examples
    --------
    >>> escaped("<b>")
    '&lt;b&gt;'
    """
    return escape(text)


def element(tag: str, content: str, name: str = "", raw: bool = False) -> str:
    """Return an element.

    Parameters
    ----------
    tag : str
    content : str
        Text, which is escaped, or with `raw` HTML.
    name : str
        Its class.
    raw : bool

    Examples
    --------
    >>> element("td", "<s>", "rb-n")
    '<td class="rb-n">&lt;s&gt;</td>'
    """
    start = f'{tag} class="{name}"' if name else tag
    return f"<{start}>{content if raw else escaped(content)}</{tag}>"


def details(title: str, content: str) -> str:
    """Return HTML that is shown when the title is clicked.

    Examples
    --------
    >>> details("more", "<p>text</p>")
    '<details><summary>more</summary><p>text</p></details>'
    """
    return f"<details>{element('summary', title)}{content}</details>"


def formula_html(lines: "Iterable[str]") -> str:
    """Return the lines of a formula; nothing if there are none.

    Examples
    --------
    >>> formula_html(["p1 = 1"])
    '<div class="rb-formula"><div>p1 = 1</div></div>'
    """
    rows = "".join(element("div", line) for line in lines)
    return element("div", rows, "rb-formula", raw=True) if rows else ""


def text_line(label: str, pieces: list[Piece], tight: bool = False) -> str:
    """Return a line of a text, with what matched highlighted and what was clipped struck.

    Parameters
    ----------
    label : str
    pieces : list of Piece
    tight : bool
        Leave no room around pieces, which may be parts of words.

    Examples
    --------
    >>> "<s>&lt;b&gt;</s>" in text_line("HYP", [Piece("", CLIPPED, "<b>")])
    True
    """
    parts = []
    for gap, state, text in pieces:
        parts.append(gap + (element(TAGS[state], text) if state in TAGS else escaped(text)))
    inside = "".join(parts)
    name = "rb-line rb-tight" if tight else "rb-line"
    return (
        f'<div class="{name}">{element("span", label, "rb-label")}'
        f'<span class="rb-text" dir="auto">{inside}</span></div>'
    )


def table(headers: list[str], rows: "Iterable[list[str]]", n_numbers: int) -> str:
    """Return a table whose first columns are numbers and whose other cells are HTML.

    Examples
    --------
    >>> '<td class="rb-n">2</td>' in table(["count", ""], [["2", "<s>a</s>"]], 1)
    True
    """
    head = "".join(
        element("th", header, "rb-n" if i < n_numbers else "") for i, header in enumerate(headers)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f'<td class="rb-n">{cell}</td>' if i < n_numbers else f'<td dir="auto">{cell}</td>'
            for i, cell in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    return f"<table><tr>{head}</tr>{body}</table>"
