"""Tables in Markdown, as GitHub, GitLab and pandoc read them."""

import re

from rapidbleu.printing.colors import harmless


def markdown_table(
    headers: "list[str]",
    columns: "list[list[str]]",
    right: "list[bool]",
    bold: "list[set[int]] | None" = None,
) -> str:
    r"""Return a table in Markdown, whose columns are aligned in plain text, too.

    Parameters
    ----------
    headers : list of str
        Of the columns.
    columns : list of list of str
        The cells of each column, without colors. They are shown as they are: what Markdown would
        take for its own is escaped, the end of a line becomes ``<br>``, and other control
        characters become escapes.
    right : list of bool
        Whether a column is aligned to the right, as numbers are.
    bold : list of set of int, optional
        Rows of each column that are bold.

    Returns
    -------
    str
        Lines without an end of line behind the last.

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
    for cells, rows in zip(shown, bold or [], strict=False):
        for row in rows:
            cells[row + 1] = f"**{cells[row + 1]}**"
    widths = [max(map(len, cells)) for cells in shown]
    lines = [
        " | ".join(
            f"{cell:>{width}}" if to_right else f"{cell:<{width}}"
            for cell, width, to_right in zip(row, widths, right, strict=True)
        )
        for row in zip(*shown, strict=True)
    ]
    dashes = zip(("-" * (width + 1) for width in widths), right, strict=True)
    rule = "|".join(f"{own}:" if to_right else f":{own}" for own, to_right in dashes)
    head, *rest = (f"| {line} |" for line in lines)
    return "\n".join([head, f"|{rule}|", *rest])


def escaped(text: str) -> str:
    r"""Return what Markdown shows as the text, on one line.

    An underscore within a word stays as it is: it means nothing to Markdown.

    Examples
    --------
    >>> print(escaped("a|b <c> d_e"))
    a\|b \<c> d_e
    """
    special = r"[\\`*|<&~]|\](?=\()|(?<![^\W_])_|_(?![^\W_])"
    one_line = harmless(re.sub(r"\r\n?", "\n", text))
    return re.sub(special, r"\\\g<0>", one_line).replace("\n", "<br>")
