"""Tables for notebooks: HTML without scripts, in which all text is escaped."""

from html import escape


def html_table(
    headers: "list[str]",
    columns: "list[list[str]]",
    right: "list[bool]",
    bold: "list[set[int]] | None" = None,
) -> str:
    """Return a table as HTML.

    Parameters
    ----------
    headers : list of str
    columns : list of list of str
    right : list of bool
        Which columns are aligned to the right, as numbers are.
    bold : list of set of int, optional
        Rows of each column that are bold.

    Examples
    --------
    >>> print(html_table(["n", "BLEU"], [["A<B"], ["26.6"]], [False, True]).splitlines()[3])
    <tr><td style="text-align: left">A&lt;B</td><td style="text-align: right">26.6</td></tr>
    """
    sides = ["right" if to_the_right else "left" for to_the_right in right]

    shown = [[escape(cell) for cell in cells] for cells in columns]
    for cells, rows in zip(shown, bold or [], strict=False):
        for i in rows:
            cells[i] = f"<strong>{cells[i]}</strong>"

    def row(name: str, cells: "list[str]") -> str:
        written = [
            f'<{name} style="text-align: {side}">{cell}</{name}>'
            for cell, side in zip(cells, sides, strict=True)
        ]
        return f"<tr>{''.join(written)}</tr>"

    lines = ["<table>", f"<thead>{row('th', list(map(escape, headers)))}</thead>", "<tbody>"]
    lines += [row("td", list(cells)) for cells in zip(*shown, strict=True)]
    return "\n".join([*lines, "</tbody>", "</table>"])
