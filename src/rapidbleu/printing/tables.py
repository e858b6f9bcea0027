"""Tables of text: the first column to the right, the others centered, headers as well."""

import re

_PADDING = 2  # columns are at least so much wider than their headers


def _visible(text: str) -> str:
    """Return a text without its colors."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def _width(text: str) -> int:
    """Return how wide a text is on a terminal."""
    return max(len(line) for line in _visible(text).split("\n"))


def _pad(line: str, width: int, right: bool) -> str:
    space = width - len(_visible(line))
    left = space if right else space // 2
    return " " * left + line + " " * (space - left)


def _row(cells: "list[str]", widths: "list[int]") -> "list[list[str]]":
    """Return the lines of a row, each as its padded cells."""
    split = [cell.split("\n") for cell in cells]
    height = max(len(lines) for lines in split)
    padded = [
        [
            _pad(line, width, i == 0)
            for line in lines + [""] * (height - len(lines))
        ]
        for i, (lines, width) in enumerate(zip(split, widths, strict=True))
    ]
    return [list(line) for line in zip(*padded, strict=True)]


def _widths(headers: "list[str]", columns: "list[list[str]]") -> "list[int]":
    return [
        max(_width(header) + _PADDING, *(_width(cell) for cell in cells))
        for header, cells in zip(headers, columns, strict=True)
    ]


def fancy_grid(headers: "list[str]", columns: "list[list[str]]") -> str:
    """Return a table with lines around all cells.

    Parameters
    ----------
    headers : list of str
    columns : list of list of str
        Cells may have several lines and colors.

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

    def text(cells: "list[str]") -> "list[str]":
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


def latex_booktabs(
    headers: "list[str]", columns: "list[list[str]]", bold: "list[set[int]] | None" = None
) -> str:
    """Return a LaTeX table for the package booktabs.

    Parameters
    ----------
    headers, columns
        As of `fancy_grid`.
    bold : list of set of int, optional
        Rows of each column that are bold.

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

    def text(cells: "list[str]", row: int) -> str:
        (line,) = _row([" ".join(cell.split("\n")) for cell in cells], widths)
        escaped = ["".join(_LATEX.get(character, character) for character in cell) for cell in line]
        for i, rows in enumerate(bold or []):
            if row in rows:
                escaped[i] = rf"\textbf{{{escaped[i].strip()}}}"
        return " " + " & ".join(escaped) + r" \\"

    rows = (text(list(cells), row) for row, cells in enumerate(zip(*columns, strict=True)))
    return "\n".join(
        [
            rf"\begin{{tabular}}{{r{'c' * (len(columns) - 1)}}}",
            r"\toprule",
            text(headers, -1),
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )
