"""Tables for other programs: cells separated by commas or tabs."""

import csv
from types import SimpleNamespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


# With these a cell of a spreadsheet begins that is a formula, unless an apostrophe is before them.
FORMULAS = frozenset("=+-@\t\r\n＝＋－＠")


def delimited(
    headers: "list[str]", columns: "list[list[str]]", separator: str, exact: bool = False
) -> str:
    r"""Return a table with a separator between cells, quoted as in RFC 4180.

    Parameters
    ----------
    headers : list of str
        Of the columns.
    columns : list of list of str
        The cells of each column. A cell with a separator, a quote or an end of line is quoted,
        between tabs as well, so that every reader of CSV has it back.
    separator : str
        ``","`` or ``"\t"``.
    exact : bool
        Write cells as they are. By default, an apostrophe goes before a cell that a spreadsheet
        would take for a formula: one that begins with =, +, -, @, a tab or the end of a line, and
        is not a number.

    Returns
    -------
    str
        Lines, each of which ends with a line feed.

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
        headers, *columns = ([guarded(cell) for cell in own] for own in (headers, *columns))
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
