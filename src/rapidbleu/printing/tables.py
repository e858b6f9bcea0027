"""Tables as text: for people, for programs, for documents and for notebooks.

All writers take the headers, a list of str, and the columns, each a list of str. `right` has for
each column whether it is aligned to the right, as numbers are; `bold` has the rows of each column
that are bold. Only CSV and TSV end with a line feed.
"""

from __future__ import annotations

import csv
import re
from types import SimpleNamespace

from rapidbleu._lib.loader import load
from rapidbleu.printing.colors import harmless

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    _Bold = list[set[int]]

FORMS = ("text", "markdown", "csv", "tsv", "latex", "html")
SEPARATORS = {"csv": ",", "tsv": "\t"}
# With these a cell of a spreadsheet begins that is a formula, unless an apostrophe is before them.
FORMULAS = frozenset("=+-@\t\r\n＝＋－＠")


def write_table(
    form: str,
    headers: list[str],
    columns: list[list[str]],
    right: list[bool],
    bold: _Bold | None = None,
) -> str:
    """Return a table in one of `FORMS`.

    Examples
    --------
    >>> write_table("tsv", ["System", "BLEU"], [["A"], ["26.6"]], [False, True])
    'System\\tBLEU\\nA\\t26.6\\n'
    """
    if form in SEPARATORS:
        return delimited(headers, columns, SEPARATORS[form])
    if form == "latex":
        return latex_booktabs(headers, columns, bold)
    if form == "text":
        return plain_table(headers, columns, right)
    write = markdown_table if form == "markdown" else html_table
    return write(headers, columns, right, bold)


# Plain text


def plain_table(headers: list[str], columns: list[list[str]], right: list[bool]) -> str:
    """Return a table without lines, with two spaces between columns.

    Ends of lines in cells become spaces, and other control characters escapes.

    Examples
    --------
    >>> print(plain_table(["system", "BLEU"], [["A", "B"], ["26.6", "7.0"]], [False, True]))
    system  BLEU
    A       26.6
    B        7.0
    """
    shown = [
        [harmless(" ".join(cell.splitlines())) for cell in (header, *cells)]
        for header, cells in zip(headers, columns, strict=True)
    ]
    return "\n".join("  ".join(row).rstrip() for row in _padded_rows(shown, right))


def _padded_rows(columns: list[list[str]], right: list[bool]) -> list[tuple[str, ...]]:
    """Return the rows of columns, whose cells are padded to one width."""
    padded = []
    for cells, to_right in zip(columns, right, strict=True):
        width = max(map(len, cells))
        padded.append([cell.rjust(width) if to_right else cell.ljust(width) for cell in cells])
    return list(zip(*padded, strict=True))


# Comma- and tab-separated values


def delimited(
    headers: list[str], columns: list[list[str]], separator: str, exact: bool = False
) -> str:
    r"""Return a table with a separator between cells, quoted as in RFC 4180.

    A cell with a separator, a quote or an end of line is quoted, between tabs as well, so that
    every reader of CSV restores it. Unless cells are written exactly as they are, an apostrophe
    goes before a cell that a spreadsheet would take for a formula: one that begins with =, +, -,
    @, a tab or the end of a line, and is not a number.

    Examples
    --------
    >>> delimited(["System", "BLEU"], [["a,b", "c"], ["26.6", "7.0"]], ",")
    'System,BLEU\n"a,b",26.6\nc,7.0\n'
    >>> delimited(["x"], [["=1+1", "-0.5", "-a"]], ",")
    "x\n'=1+1\n-0.5\n'-a\n"
    """
    lines: list[str] = []
    file: Any = SimpleNamespace(write=lines.append)
    # Before Python 3.13 only the characters of the line's end are quoted besides the separator.
    writer = csv.writer(file, delimiter=separator, lineterminator="\r\n")
    if not exact:
        headers, *columns = ([guarded(cell) for cell in cells] for cells in (headers, *columns))
    writer.writerow(headers)
    writer.writerows(zip(*columns, strict=True))
    return "".join([f"{line[:-2]}\n" for line in lines])


def guarded(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula.

    A cell with apostrophes before a formula has one more, so that a reader can remove it.

    Examples
    --------
    >>> guarded("@a"), guarded("'=a"), guarded("-1.5e-07"), guarded("a-b")
    ("'@a", "''=a", '-1.5e-07', 'a-b')
    """
    if cell.lstrip("'")[:1] not in FORMULAS:
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


# Markdown and HTML


def markdown_table(
    headers: list[str],
    columns: list[list[str]],
    right: list[bool],
    bold: _Bold | None = None,
) -> str:
    r"""Return a table as GitHub, GitLab and pandoc read it, also aligned as plain text.

    Cells, which have no colors, are shown as they are: whatever Markdown would interpret is
    escaped, the end of a line becomes ``<br>``, and other control characters become escapes.

    Examples
    --------
    >>> print(markdown_table(["System", "BLEU"], [["a|b", "c"], ["26.6", "7.0"]], [False, True]))
    | System | BLEU |
    |:-------|-----:|
    | a\|b   | 26.6 |
    | c      |  7.0 |
    """
    shown = [
        [escaped(cell) for cell in (header, *cells)]
        for header, cells in zip(headers, columns, strict=True)
    ]
    for cells, marked in zip(shown, bold or [], strict=False):
        for i in marked:
            cells[i + 1] = f"**{cells[i + 1]}**"
    rows = _padded_rows(shown, right)
    head, *rest = (f"| {' | '.join(row)} |" for row in rows)
    dashes = ["-" * (len(cell) + 1) for cell in rows[0]]
    rule = [f"{d}:" if to_right else f":{d}" for d, to_right in zip(dashes, right, strict=True)]
    return "\n".join([head, f"|{'|'.join(rule)}|", *rest])


def escaped(text: str) -> str:
    r"""Return what Markdown shows as the text, on one line.

    An underscore within a word stays as it is: Markdown gives it no meaning.

    Examples
    --------
    >>> print(escaped("a|b <c> d_e"))
    a\|b \<c> d_e
    """
    special = r"[\\`*|<&~]|\](?=\()|(?<![^\W_])_|_(?![^\W_])"
    one_line = harmless(re.sub(r"\r\n?", "\n", text))
    return re.sub(special, r"\\\g<0>", one_line).replace("\n", "<br>")


def html_table(
    headers: list[str],
    columns: list[list[str]],
    right: list[bool],
    bold: _Bold | None = None,
) -> str:
    """Return a table for notebooks: HTML without scripts, in which all text is escaped.

    Examples
    --------
    >>> print(html_table(["n", "BLEU"], [["A<B"], ["26.6"]], [False, True]).splitlines()[3])
    <tr><td style="text-align: left">A&lt;B</td><td style="text-align: right">26.6</td></tr>
    """
    escape = load("html", "escape")
    shown = [[escape(cell) for cell in cells] for cells in columns]
    for cells, rows in zip(shown, bold or [], strict=False):
        for i in rows:
            cells[i] = f"<strong>{cells[i]}</strong>"

    def row(name: str, cells: list[str]) -> str:
        written = [
            f'<{name} style="text-align: {"right" if to_right else "left"}">{cell}</{name}>'
            for cell, to_right in zip(cells, right, strict=True)
        ]
        return f"<tr>{''.join(written)}</tr>"

    lines = ["<table>", f"<thead>{row('th', list(map(escape, headers)))}</thead>", "<tbody>"]
    lines += [row("td", list(cells)) for cells in zip(*shown, strict=True)]
    return "\n".join([*lines, "</tbody>", "</table>"])


# sacrebleu's tables, in text and in LaTeX: the first column to the right, the others centered.
# Cells may have several lines and colors.

_PADDING = 2  # columns are at least this much wider than their headers


def _visible(text: str) -> str:
    """Return a text without its colors."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def _pad(line: str, width: int, right: bool) -> str:
    space = width - len(_visible(line))
    left = space if right else space // 2
    return " " * left + line + " " * (space - left)


def _row(cells: list[str], widths: list[int]) -> list[list[str]]:
    """Return the lines of a row, each as its padded cells."""
    split = [cell.split("\n") for cell in cells]
    height = max(map(len, split))
    padded = [
        [_pad(line, width, i == 0) for line in lines + [""] * (height - len(lines))]
        for i, (lines, width) in enumerate(zip(split, widths, strict=True))
    ]
    return [list(line) for line in zip(*padded, strict=True)]


def _widths(headers: list[str], columns: list[list[str]]) -> list[int]:
    def width(text: str) -> int:
        return max(map(len, _visible(text).split("\n")))

    return [
        max(width(header) + _PADDING, *map(width, cells))
        for header, cells in zip(headers, columns, strict=True)
    ]


def fancy_grid(headers: list[str], columns: list[list[str]]) -> str:
    """Return a table with lines around all cells.

    Examples
    --------
    >>> print(fancy_grid(["System", "BLEU"], [["a", "b"], ["26.6", "7.0"]]))
    ╒══════════╤════════╕
    │   System │  BLEU  │
    ╞══════════╪════════╡
    │        a │  26.6  │
    ├──────────┼────────┤
    │        b │  7.0   │
    ╘══════════╧════════╛
    """
    widths = _widths(headers, columns)

    def rule(left: str, line: str, cross: str, right: str) -> str:
        return left + cross.join(line * (width + 2) for width in widths) + right

    def text(cells: list[str]) -> list[str]:
        return ["│ " + " │ ".join(line) + " │" for line in _row(cells, widths)]

    lines = [rule("╒", "═", "╤", "╕"), *text(headers), rule("╞", "═", "╪", "╡")]
    for i, cells in enumerate(zip(*columns, strict=True)):
        if i:
            lines.append(rule("├", "─", "┼", "┤"))
        lines += text(list(cells))
    return "\n".join([*lines, rule("╘", "═", "╧", "╛")])


_LATEX = {character: f"\\{character}" for character in "&%$#_{}"} | {
    "^": r"\^{}",
    "~": r"\textasciitilde{}",
    "\\": r"\textbackslash{}",
    "<": r"\ensuremath{<}",
    ">": r"\ensuremath{>}",
}


def latex_booktabs(headers: list[str], columns: list[list[str]], bold: _Bold | None = None) -> str:
    """Return a LaTeX table for the package booktabs.

    Examples
    --------
    >>> print(latex_booktabs(["System", "BLEU"], [["a_b"], ["26.6"]]))
    \\begin{tabular}{rc}
    \\toprule
       System &  BLEU  \\\\
    \\midrule
          a\\_b &  26.6  \\\\
    \\bottomrule
    \\end{tabular}
    """
    widths = _widths(headers, columns)

    def text(cells: list[str], row: int) -> str:
        (line,) = _row([" ".join(cell.split("\n")) for cell in cells], widths)
        shown = ["".join(_LATEX.get(character, character) for character in cell) for cell in line]
        for i, rows in enumerate(bold or []):
            if row in rows:
                shown[i] = rf"\textbf{{{shown[i].strip()}}}"
        return " " + " & ".join(shown) + r" \\"

    lines = [rf"\begin{{tabular}}{{r{'c' * (len(columns) - 1)}}}", r"\toprule", text(headers, -1)]
    lines.append(r"\midrule")
    lines += [text(list(cells), row) for row, cells in enumerate(zip(*columns, strict=True))]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])
