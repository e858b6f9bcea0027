"""Tables of plain text: columns beside each other, two spaces between them."""

from rapidbleu.printing.colors import harmless


def plain_table(headers: "list[str]", columns: "list[list[str]]", right: "list[bool]") -> str:
    """Return a table without lines.

    Parameters
    ----------
    headers : list of str
    columns : list of list of str
    right : list of bool
        Which columns are aligned to the right, as numbers are.

    Notes
    -----
    Ends of lines in cells become spaces, and other control characters escapes.

    Examples
    --------
    >>> print(plain_table(["system", "BLEU"], [["A", "B"], ["26.6", "7.0"]], [False, True]))
    system  BLEU
    A       26.6
    B        7.0
    """
    padded = []
    for header, cells, to_the_right in zip(headers, columns, right, strict=True):
        shown = [harmless(" ".join(cell.splitlines())) for cell in [header, *cells]]
        width = max(map(len, shown))
        pad = str.rjust if to_the_right else str.ljust
        padded.append([pad(cell, width) for cell in shown])
    return "\n".join("  ".join(row).rstrip() for row in zip(*padded, strict=True))
