"""Tables for other programs: cells separated by commas or tabs."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def delimited(headers: "list[str]", columns: "list[list[str]]", separator: str) -> str:
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

    Returns
    -------
    str
        Lines, each of which ends with a line feed.

    Examples
    --------
    >>> delimited(["System", "BLEU"], [["a,b", "c"], ["26.6", "7.0"]], ",")
    'System,BLEU\n"a,b",26.6\nc,7.0\n'
    """
    import csv
    from types import SimpleNamespace

    lines: list[str] = []
    file: Any = SimpleNamespace(write=lines.append)
    # Before Python 3.13 only the characters of the line's end are quoted besides the separator.
    writer = csv.writer(file, delimiter=separator, lineterminator="\r\n")
    writer.writerow(headers)
    writer.writerows(zip(*columns, strict=True))
    return "".join([f"{line[:-2]}\n" for line in lines])
