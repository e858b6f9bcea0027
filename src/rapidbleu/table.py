"""Tables of results with named columns, for display, files and other libraries.

Functions that write tables accept headers, a list of str, and columns, lists of str. `right` flags
right-aligned columns, such as numbers; `bold` contains the bold rows of each column. Only CSV and
TSV end with a line feed.
"""

from __future__ import annotations

import re
from importlib import import_module
from itertools import chain

from rapidbleu._lib.checks import Named, items_of
from rapidbleu._lib.colors import columns as columns_of
from rapidbleu._lib.colors import folded, harmless, leave_plain, widths_of
from rapidbleu._lib.floats import DIGITS, SIGNIFICANT, p_text
from rapidbleu._lib.loader import load, np
from rapidbleu.stats import unmasked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any, Literal

    from rapidbleu._types import FloatArray, IntArray

    _Column = IntArray | FloatArray | list[str | None]
    _Columns = list[list[str]]  # cells as text
    _Best = Literal["max", "min"]
    _Bold = list[set[int]]
    _Form = Literal["text", "markdown", "csv", "tsv", "latex", "html"]

FORMS = ("text", "markdown", "csv", "tsv", "latex", "html")
SEPARATORS = {"csv": ",", "tsv": "\t"}  # of forms with numbers as they are, for programs
# Cells of spreadsheets that begin with these are formulas, unless an apostrophe precedes them.
FORMULAS = frozenset("=+-@\t\r\n＝＋－＠")
MOST_ROWS = 24  # shown in a terminal or a notebook


class Table:
    """Columns with names, all of the same length.

    Parameters
    ----------
    columns : mapping of str to sequence
        Numbers become int64 or float64 arrays, with nan for None; texts a list of str or None.
    digits : mapping of str to int, optional
        Digits after the decimal point, by column (default: 2).
    best : mapping of str to {"max", "min"}, optional
        Columns whose best numbers are bold in Markdown, LaTeX and HTML.
    titles : mapping of str to str, optional
        Headings for display (default: the names, as in CSV, TSV and other libraries).

    Raises
    ------
    TypeError, ValueError
        If columns differ in length, or contain anything except numbers or text.

    Notes
    -----
    pyarrow, polars, DuckDB and other libraries read a table (``polars.DataFrame(table)``), because
    it exports the Arrow C stream interface, through pyarrow or polars. Missing items and nan become
    null, and lone surrogates, which UTF-8 cannot encode, question marks.

    Examples
    --------
    >>> table = Table({"system": ["A", "B"], "BLEU": [26.5958, 7.0]})
    >>> table
    system   BLEU
    A       26.60
    B        7.00
    >>> table["BLEU"]
    array([26.5958,  7.    ])
    >>> print(table.format("markdown", digits=1))
    | system | BLEU |
    |:-------|-----:|
    | A      | 26.6 |
    | B      |  7.0 |
    """

    def __init__(
        self,
        columns: Mapping[str, Any],
        digits: Mapping[str, int] | None = None,
        best: Mapping[str, _Best] | None = None,
        titles: Mapping[str, str] | None = None,
    ) -> None:
        self._columns: dict[str, _Column] = Named()
        options = (("digits", digits or {}), ("best", best or {}), ("titles", titles or {}))
        for where, given in (("columns", columns), *options):
            if not hasattr(given, "items"):
                got = type(given).__name__
                raise TypeError(f"{where}: expected a mapping of names; got {got}")
        n_rows = 0
        for name, values in columns.items():
            if not isinstance(name, str):
                raise TypeError(f"columns: expected names; got {type(name).__name__}")
            column = as_column(values, f"columns[{name!r}]")
            if self._columns and len(column) != n_rows:
                raise ValueError(
                    f"columns[{name!r}]: expected {n_rows} items, as many as in "
                    f"{self.names[0]!r}; got {len(column)}"
                )
            self._columns[name] = column
            n_rows = len(column)
        self._digits = dict.fromkeys(self._columns, DIGITS) | dict(digits or {})
        for where, given in options:
            for name in given:
                if name not in self._columns:
                    raise ValueError(f"{where}: expected names of columns; got {name!r}")
        self._titles = dict(zip(self._columns, self._columns, strict=True)) | dict(titles or {})
        self._starred: dict[str, set[int]] = {}  # rows with a star in LaTeX, by column
        self._note = ""  # explains the star
        self._least: dict[str, float] = {}  # p-values up to this are bounds, by column
        self._bold = {name: _bests(self._columns[name], way) for name, way in (best or {}).items()}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def __getitem__(self, name: str) -> Any:
        return self._columns[name]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return self.names == other.names and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield the rows as tuples of the items of `to_dict`."""
        return zip(*self.to_dict().values(), strict=True)

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns as lists of int, float, str and None, ready for JSON.

        Examples
        --------
        >>> Table({"segment": [0, 1], "BLEU": [26.6, None]}).to_dict()
        {'segment': [0, 1], 'BLEU': [26.6, None]}
        """
        return {name: _items(column) for name, column in self._columns.items()}

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame."""
        return import_module("pandas").DataFrame(self._columns)

    def to_polars(self) -> Any:
        """Return a polars DataFrame."""
        return self._exported(import_module("polars"))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> object:
        library = load("rapidbleu.streams.tables", "arrow_library")()
        return self._exported(library).__arrow_c_stream__(requested_schema)

    def _exported(self, library: Any) -> Any:
        """Return the table as an object of pyarrow or polars."""
        make = getattr(library, "table", None) or library.DataFrame
        return make(
            {
                name.encode("utf-8", "replace").decode(): _exported(column, library)
                for name, column in self._columns.items()
            }
        )

    def format(self, form: _Form = "text", digits: int | None = None) -> str:
        """Return the table as text; in CSV and TSV an apostrophe precedes texts that are formulas.

        Parameters
        ----------
        form : {"text", "markdown", "csv", "tsv", "latex", "html"}
        digits : int, optional
            Decimal places of non-integers. By default the table's digits; in CSV and TSV as many
            as identify the number.

        Examples
        --------
        >>> print(Table({"system": ["A"], "BLEU": [26.5958]}).format("csv"), end="")
        system,BLEU
        A,26.5958
        """
        if form not in FORMS:
            raise ValueError(f"form: expected one of {', '.join(FORMS)}; got {form!r}")
        return self._written(form, digits, len(self))

    def _written(self, form: str, digits: int | None, n_rows: int, *look: Any) -> str:
        cells = []
        right = []
        bold = []
        for name, column in self._columns.items():
            shown = self._digits[name] if digits is None and form not in SEPARATORS else digits
            least = 0.0 if form in SEPARATORS else self._least.get(name, 0.0)
            cells.append(_texts(column[:n_rows], shown, least))
            right.append(not isinstance(column, list))
            bold.append(self._bold.get(name, set()).intersection(range(n_rows)))
        titles = {} if form in SEPARATORS else self._titles
        headers = [titles.get(name, name) for name in self._columns]
        if form == "text":
            return plain_table(headers, cells, right, bold, *look)
        starred = [self._starred.get(name, set()) for name in self._columns]
        if form == "latex" and any(starred):
            table = latex_table(headers, cells, right, bold, starred)
            return f"{table}\n{comments([self._note])}"
        return write_table(form, headers, cells, right, bold)

    def _known(self) -> Table:
        """Return the table without empty columns."""
        known: Table = load("copy").copy(self)
        columns = self._columns.items()
        known._columns = {name: column for name, column in columns if any(_texts(column, 1))}
        return known

    def _star(self, column: str, note: str = "", alpha: float = SIGNIFICANT) -> None:
        """Mark the p-values of a column that are significant."""
        self._note = f"*: p <= {alpha}{note}"
        p_values = enumerate(_items(self._columns[column]))
        self._starred[column] = {i for i, p in p_values if p is not None and p <= alpha}

    def __repr__(self) -> str:
        more = len(self) - MOST_ROWS
        return self._written("text", None, MOST_ROWS) + f"\n... {more} more rows" * (more > 0)

    def _repr_html_(self) -> str:
        more = len(self) - MOST_ROWS
        table = self._written("html", None, MOST_ROWS)
        return table + f"\n<p>... {more} more rows</p>" * (more > 0)


def as_column(values: Any, where: str, place: Callable[[int], str] | None = None) -> _Column:
    """Return an int64 or float64 array, or a list of str and None; `place` names items in errors.

    >>> as_column([1, None, 2.5], "x")
    array([1. , nan, 2.5])
    """
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "if":
        return _numbers(unmasked(values, where), where, values.dtype.kind == "i")
    items = items_of(values, where, "numbers or texts")
    for i, item in enumerate(items):
        known = isinstance(item, str | int | float | np.integer | np.floating | None)
        if not known or isinstance(item, bool):
            name = f"{where}[{i}]" if place is None else place(i)
            raise TypeError(f"{name}: expected a number, a str or None; got {type(item).__name__}")
    kinds = {*map(type, items)}
    is_text = {issubclass(kind, str) for kind in kinds - {type(None)}}
    if False not in is_text:
        return items
    if True in is_text:
        raise TypeError(f"{where}: expected numbers or texts; got both")
    return _numbers(items, where, all([issubclass(kind, int | np.integer) for kind in kinds]))


def column_names(labels: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Return a distinct lower-case identifier for each label, none of them in `taken`.

    >>> column_names(["bleu", "wordf:beta=inf", "BLEU"])
    ['bleu', 'wordf_beta_inf', 'bleu_2']
    """
    used = {*taken}
    columns = []
    for label in labels:
        letters = [c if f"_{c}".isidentifier() else " " for c in label.lower()]
        name = "_".join("".join(letters).split()) or "metric"
        name = name if name.isidentifier() else f"_{name}"
        column = name
        n = 1
        while column in used:
            n += 1
            column = f"{name}_{n}"
        used.add(column)
        columns.append(column)
    return columns


def _numbers(values: Any, where: str, whole: bool) -> IntArray | FloatArray:
    """Return numbers as a read-only array."""
    column: IntArray | FloatArray
    try:
        column = np.array(values, np.int64) if whole else np.array(values, np.float64)
    except OverflowError:
        raise ValueError(f"{where}: expected numbers of 64 bits with a sign; got larger") from None
    column.flags.writeable = False
    return column


def _bests(column: Any, way: _Best) -> set[int]:
    """Return the indices of the best numbers."""
    known = [value for value in column.tolist() if value == value]
    if len(known) < 2:
        return set()
    best = max(known) if way == "max" else min(known)
    return {i for i, value in enumerate(column.tolist()) if value == best}


def _items(column: _Column) -> list[Any]:
    """Return the items of a column, with None for nan."""
    if isinstance(column, list):
        return list(column)
    items: list[Any] = column.tolist()
    return items if column.dtype.kind == "i" else [x if x == x else None for x in items]


def _texts(column: _Column, digits: int | None, least: float = 0.0) -> list[str]:
    """Return the items of a column as displayed; "" for None and nan.

    If `least` is above 0, the items are p-values, and up to `least` they are bounds.
    """
    items = _items(column)
    if least and digits is not None:
        return ["" if item is None else p_text(item, least, digits) for item in items]
    if digits is not None and not isinstance(column, list) and column.dtype.kind == "f":
        return ["" if item is None else f"{item:.{digits}f}" for item in items]
    return ["" if item is None else str(item) for item in items]


def _exported(column: _Column, library: Any) -> Any:
    """Return a column as an object of pyarrow or polars."""
    if isinstance(column, list):
        column = [text and text.encode("utf-8", "replace").decode() for text in column]
    if library.__name__ == "polars":
        kind = library.String if isinstance(column, list) else None
        return library.Series(values=column, dtype=kind, nan_to_null=kind is None)
    if isinstance(column, list):
        return library.array(column, library.large_string())
    return library.array(column, from_pandas=True)  # nan is null


def write_table(
    form: str,
    headers: list[str],
    columns: _Columns,
    right: list[bool],
    bold: _Bold | None = None,
) -> str:
    """Return a table in one of `FORMS`.

    >>> write_table("tsv", ["System", "BLEU"], [["A"], ["26.6"]], [False, True])
    'System\\tBLEU\\nA\\t26.6\\n'
    """
    if form in SEPARATORS:
        return delimited(headers, columns, SEPARATORS[form])
    writers: dict[str, Callable[..., str]] = {
        "text": plain_table,
        "markdown": markdown_table,
        "latex": latex_table,
        "html": html_table,
    }
    return writers[form](headers, columns, right, bold)


def _escaped_columns(
    headers: list[str],
    columns: _Columns,
    escape: Callable[[str], str],
    bold: _Bold | None,
    embolden: Callable[[str], str],
) -> _Columns:
    """Return the cells of each column, the header first, escaped and some of them bold."""
    escaped_columns = []
    for j, (header, cells) in enumerate(zip(headers, columns, strict=True)):
        column = [escape(cell) for cell in (header, *cells)]
        for i in bold[j] if bold else ():
            column[i + 1] = embolden(column[i + 1])
        escaped_columns.append(column)
    return escaped_columns


def plain_table(
    headers: list[str],
    columns: _Columns,
    right: list[bool],
    bold: _Bold | None = None,
    width: int | None = None,
    paint: Callable[[str, str], str] = leave_plain,
) -> str:
    """Return a table without rules, with two spaces between columns.

    Line ends in cells become spaces, and other control characters escapes. `bold` cells are green.
    A table wider than `width` is split into blocks of columns, which repeat the leading text
    columns; text wider than half of the width is wrapped.

    >>> print(plain_table(["system", "BLEU"], [["A", "B"], ["26.6", "7.0"]], [False, True]))
    system  BLEU
    A       26.6
    B        7.0
    """
    shown = [_on_one_line([header, *cells]) for header, cells in zip(headers, columns, strict=True)]
    cells = [[[cell] for cell in column] for column in shown]
    columns_of_blocks = [[*range(len(cells))]]
    if width is not None and sum(_sizes(cells)) + 2 * len(cells) - 2 > width:
        for column, (head, *rest), to_right in zip(cells, shown, right, strict=True):
            if not to_right:
                column[1:] = [folded(cell, max(width // 2, 1), 0) for cell in rest]
            column[0] = folded(head, max(_sizes([[head.split() or [""], *column[1:]]])), 0)
        columns_of_blocks = _blocks(_sizes(cells), right, width)
    blocks = []
    for block in columns_of_blocks:
        flat = []
        heights = [max(map(len, row)) for row in zip(*[cells[j] for j in block], strict=True)]
        for j in block:
            flat.append(
                [
                    paint(line, "green") if bold and i - 1 in bold[j] else line
                    for i, (own, height) in enumerate(zip(cells[j], heights, strict=True))
                    for line in own + [""] * (height - len(own))
                ]
            )
        rows = _padded_rows(flat, [right[j] for j in block])
        blocks.append("\n".join(["  ".join(row).rstrip() for row in rows]))
    return "\n\n".join(blocks)


def _on_one_line(cells: list[str]) -> list[str]:
    """Return cells with spaces for line ends, and escapes for other control characters."""
    if "".join(cells).isprintable():  # one look at all cells is faster
        return cells
    return [harmless(" ".join(cell.splitlines())) for cell in cells]


def _sizes(cells: list[_Columns]) -> list[int]:
    """Return column widths; cells are lists of lines."""
    return [max(widths_of(list(chain.from_iterable(column)))) for column in cells]


def _blocks(sizes: list[int], right: list[bool], width: int | None) -> list[list[int]]:
    """Return the columns of each block of a table; all blocks begin with the text columns."""
    if width is None or not sizes:
        return [[*range(len(sizes))]]
    names = [*range((*right, True).index(True))]
    while names and sum(sizes[j] + 2 for j in names) + max(sizes[len(names) :], default=0) > width:
        names.pop()
    blocks = [[*names]]
    for j in range(len(names), len(sizes)):
        size = sum(sizes[k] + 2 for k in [*blocks[-1], j]) - 2
        if size > width and len(blocks[-1]) > len(names):
            blocks.append([*names])
        blocks[-1].append(j)
    return blocks


def _padded_rows(columns: _Columns, right: list[bool]) -> list[tuple[str, ...]]:
    padded = []
    for cells, to_right in zip(columns, right, strict=True):
        sizes = widths_of(cells)
        width = max(sizes)
        spaces = [" " * (width - size) for size in sizes]
        pairs = zip(spaces, cells, strict=True) if to_right else zip(cells, spaces, strict=True)
        padded.append(list(map("".join, pairs)))
    return list(zip(*padded, strict=True))


def delimited(headers: list[str], columns: _Columns, separator: str, exact: bool = False) -> str:
    r"""Return a table with a separator between cells, quoted as in RFC 4180.

    A cell with a separator, a quote or a line end is quoted, between tabs as well, so that every
    CSV reader restores it. Unless cells are written exactly, an apostrophe precedes a cell that a
    spreadsheet would read as a formula: it begins with =, +, -, @, a tab or a line end, and is not
    a number.

    >>> delimited(["System", "BLEU"], [["a,b", "c"], ["26.6", "7.0"]], ",")
    'System,BLEU\n"a,b",26.6\nc,7.0\n'
    >>> delimited(["x"], [["=1+1", "-0.5", "-a"]], ",")
    "x\n'=1+1\n-0.5\n'-a\n"
    """
    lines: list[str] = []
    file: Any = load("types").SimpleNamespace(write=lines.append)
    # Before Python 3.13 only the separator and the characters of the line terminator are quoted.
    writer = load("csv").writer(file, delimiter=separator, lineterminator="\r\n")
    if not exact:
        headers, *columns = ([guarded(cell) for cell in cells] for cells in (headers, *columns))
    writer.writerow(headers)
    writer.writerows(zip(*columns, strict=True))
    return "".join([f"{line[:-2]}\n" for line in lines])


def guarded(cell: str) -> str:
    """Return a cell that spreadsheets do not read as a formula.

    A formula after apostrophes gets one more, so that a reader can remove it.

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


def markdown_table(
    headers: list[str],
    columns: _Columns,
    right: list[bool],
    bold: _Bold | None = None,
) -> str:
    r"""Return a table in Markdown of GitHub, GitLab and pandoc, also aligned as plain text.

    Cells, which have no colors, are displayed verbatim: Markdown syntax is escaped, line ends
    become ``<br>``, and other control characters become escapes.

    >>> print(markdown_table(["System", "BLEU"], [["a|b", "c"], ["26.6", "7.0"]], [False, True]))
    | System | BLEU |
    |:-------|-----:|
    | a\|b   | 26.6 |
    | c      |  7.0 |
    """
    shown = _escaped_columns(headers, columns, escaped, bold, "**{}**".format)
    rows = _padded_rows(shown, right)
    head, *rest = (f"| {' | '.join(row)} |" for row in rows)
    dashes = ["-" * (columns_of(cell) + 1) for cell in rows[0]]
    rule = [f"{d}:" if to_right else f":{d}" for d, to_right in zip(dashes, right, strict=True)]
    return "\n".join([head, f"|{'|'.join(rule)}|", *rest])


def escaped(text: str) -> str:
    r"""Return Markdown for a text, on one line; underscores within words need no escape.

    >>> print(escaped("a|b <c> d_e"))
    a\|b \<c> d_e
    """
    special = r"[\\`*|<&~]|\](?=\()|(?<![^\W_])_|_(?![^\W_])"
    one_line = harmless(re.sub(r"\r\n?", "\n", text))
    return re.sub(special, r"\\\g<0>", one_line).replace("\n", "<br>")


def html_table(
    headers: list[str],
    columns: _Columns,
    right: list[bool],
    bold: _Bold | None = None,
) -> str:
    """Return an HTML table for notebooks, without scripts and with all text escaped.

    >>> print(html_table(["n", "BLEU"], [["A<B"], ["26.6"]], [False, True]).splitlines()[3])
    <tr><td style="text-align: left">A&lt;B</td><td style="text-align: right">26.6</td></tr>
    """
    escape = load("html", "escape")
    shown = _escaped_columns(headers, columns, escape, bold, "<strong>{}</strong>".format)

    def row(name: str, cells: Iterable[str]) -> str:
        written = [
            f'<{name} style="text-align: {"right" if to_right else "left"}">{cell}</{name}>'
            for cell, to_right in zip(cells, right, strict=True)
        ]
        return f"<tr>{''.join(written)}</tr>"

    head = [cells[0] for cells in shown]
    lines = ["<table>", f"<thead>{row('th', head)}</thead>", "<tbody>"]
    lines += [row("td", cells) for cells in list(zip(*shown, strict=True))[1:]]
    return "\n".join([*lines, "</tbody>", "</table>"])


def html_sections(head: str, sections: Iterable[tuple[str, Table]]) -> str:
    """Return titled tables for notebooks, except those without rows."""
    escape = load("html", "escape")
    parts = [f"<p>{escape(head)}</p>"]
    for title, table in sections:
        if len(table):
            parts += [f"<h4>{escape(title)}</h4>", table._known()._repr_html_()]
    return "\n".join(parts)


# sacrebleu's tables: the first column is right-aligned, the remaining ones are centered.
# Cells may have several lines and colors.

_PADDING = 2  # columns are at least this much wider than their headers


def _pad(line: str, width: int, right: bool) -> str:
    space = width - columns_of(line)
    left = space if right else space // 2
    return " " * left + line + " " * (space - left)


def _row(cells: list[str], widths: list[int]) -> _Columns:
    split = [cell.split("\n") for cell in cells]
    height = max(map(len, split))
    padded = [
        [_pad(line, width, i == 0) for line in lines + [""] * (height - len(lines))]
        for i, (lines, width) in enumerate(zip(split, widths, strict=True))
    ]
    return [list(line) for line in zip(*padded, strict=True)]


def _widths(headers: list[str], columns: _Columns) -> list[int]:
    def width(text: str) -> int:
        return max(map(columns_of, text.split("\n")))

    return [
        max(width(header) + _PADDING, *map(width, cells))
        for header, cells in zip(headers, columns, strict=True)
    ]


def fancy_grid(headers: list[str], columns: _Columns, width: int | None = None) -> str:
    """Return a table with rules around all cells, or several if it is wider than `width`.

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
    names = [i > 0 for i in range(len(widths))]
    blocks = _blocks([n + 1 for n in widths], names, width and width - 3)
    if len(blocks) > 1:
        tables = []
        for block in blocks:
            headers_of_block = [headers[j] for j in block]
            tables.append(fancy_grid(headers_of_block, [columns[j] for j in block]))
        return "\n".join(tables)

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


# LaTeX

_LATEX = {character: f"\\{character}" for character in "&%$#_{}"} | {
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "\\": r"\textbackslash{}",
    "|": r"\textbar{}",
    "<": r"\ensuremath{<}",
    ">": r"\ensuremath{>}",
    '"': r"\symbol{34}",  # is a command under some languages of babel
    "`": "{`}",
    "μ": r"$\mu$",
    "µ": r"$\mu$",
    "±": r"$\pm$",
    "−": "$-$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
}
# Characters that pdfLaTeX does not typeset even with packages for European languages.
_FOREIGN = "[ĦħĸĿŀŉŦŧſ]|[^\0-\u017f–—‘’‚“”„…•€™]"


def _latex(cell: str) -> str:
    """Return a cell for LaTeX: escaped, on one line, without ligatures of punctuation."""
    one_line = harmless(" ".join(cell.splitlines()))
    text = "".join([_LATEX.get(character, character) for character in one_line])
    text = re.sub(r"([-',])(?=\1)", r"\1{}", re.sub(r"(?<![^ (])-(?=[0-9])", "$-$", text))
    return re.sub(r"^[*[]", r"{\g<0>}", text)  # would be an option of the line before


def _bold_latex(cell: str) -> str:
    """Return a cell whose first word is bold."""
    return re.sub(r"^\S+", r"\\textbf{\g<0>}", cell)


def latex_table(
    headers: list[str],
    columns: _Columns,
    right: list[bool],
    bold: _Bold | None = None,
    starred: _Bold | None = None,
) -> str:
    """Return a LaTeX table for the package booktabs.

    Letters of European languages need at most ``\\usepackage[T1]{fontenc}``. A comment lists
    letters of other scripts, which XeLaTeX and LuaLaTeX typeset.

    >>> print(latex_table(["System", "BLEU"], [["a_b"], ["26.6"]], [False, True], [set(), {0}]))
    \\begin{tabular}{lr}
    \\toprule
    System &          BLEU \\\\
    \\midrule
    a\\_b   & \\textbf{26.6} \\\\
    \\bottomrule
    \\end{tabular}
    """
    texts = _escaped_columns(headers, columns, _latex, bold, _bold_latex)
    for j, rows in enumerate(starred or ()):
        for i in rows:
            texts[j][i + 1] += r"\rlap{*}"
    head, *rest = [" & ".join(row) + r" \\" for row in _padded_rows(texts, right)]
    kinds = "".join("r" if to_right else "l" for to_right in right)
    lines = [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule", head, r"\midrule", *rest]
    if foreign := sorted({*re.findall(_FOREIGN, "".join(map("".join, texts)))}):
        lines.insert(0, comments([f"for XeLaTeX or LuaLaTeX: pdfLaTeX lacks {''.join(foreign)}"]))
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def comments(notes: Iterable[str]) -> str:
    """Return notes as LaTeX comments."""
    return "\n".join([f"% {' '.join(harmless(note).splitlines())}" for note in notes])


def json_list(entries: Iterable[str]) -> Iterator[str]:
    """Yield the pieces of a JSON list of `entries`, which are JSON already.

    >>> "".join(json_list(["1", "2"]))
    '[\\n1,\\n2\\n]\\n'
    >>> list(json_list([]))
    ['[]\\n']
    """
    before = "[\n"
    for entry in entries:
        yield before + entry
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"
