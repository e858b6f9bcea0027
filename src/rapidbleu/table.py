"""Tables of results: columns with names, for people, for files and for other libraries."""

from __future__ import annotations

from importlib import import_module

from rapidbleu._lib.floats import DIGITS
from rapidbleu._lib.lazy import np
from rapidbleu._lib.loader import load
from rapidbleu.sequences import items_of
from rapidbleu.stats import unmasked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, Literal

    from rapidbleu.typing import FloatArray, IntArray

    _Column = IntArray | FloatArray | list[str | None]
    _Best = Literal["max", "min"]
    _Form = Literal["text", "markdown", "csv", "tsv", "latex", "html"]

EXACT = ("csv", "tsv")  # numbers as they are, since programs read them
MOST_ROWS = 24  # shown in a terminal or a notebook


class Table:
    """Columns with names, all of the same length.

    Parameters
    ----------
    columns : mapping of str to sequence
        Numbers become int64 or float64 arrays, with nan for None; texts a list of str or None.
    digits : mapping of str to int, optional
        How many digits behind the point are shown of the numbers of a column; 2 by default.
    best : mapping of str to {"max", "min"}, optional
        Columns whose best numbers are bold in Markdown, LaTeX and HTML.

    Raises
    ------
    TypeError, ValueError
        If columns are of different lengths, or one holds anything else than numbers or texts.

    Notes
    -----
    pyarrow, polars, DuckDB and others read a table in place (``polars.DataFrame(table)``,
    ``pyarrow.table(table)``): it exports the Arrow C stream interface. What is missing, and nan, is
    null there; halves of surrogate pairs, which UTF-8 lacks, become question marks.

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
    ) -> None:
        self._columns: dict[str, _Column] = {}
        for where, given in (("columns", columns), ("digits", digits or {}), ("best", best or {})):
            if not hasattr(given, "items"):
                got = type(given).__name__
                raise TypeError(f"{where}: expected a mapping of names, got {got}")
        for name, values in columns.items():
            if not isinstance(name, str):
                raise TypeError(f"columns: expected names, got {type(name).__name__}")
            self._columns[name] = as_column(values, f"columns[{name!r}]")
            if len(self._columns[name]) != len(self):
                raise ValueError(
                    f"columns[{name!r}]: expected {len(self)} items, as many as in "
                    f"{self.names[0]!r}, got {len(self._columns[name])}"
                )
        self._digits = dict.fromkeys(self._columns, DIGITS) | dict(digits or {})
        for name in best or ():
            if name not in self._columns:
                raise ValueError(f"best: expected names of columns, got {name!r}")
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
        """Yield the rows, as tuples of the items of `to_dict`."""
        return zip(*self.to_dict().values(), strict=True)

    def to_dict(self) -> dict[str, list[Any]]:
        """Return lists of int, float, str and None, which JSON can hold.

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
        library = load("rapidbleu.streams.rows", "arrow_library")()
        return self._exported(library).__arrow_c_stream__(requested_schema)

    def _exported(self, library: Any) -> Any:
        """Return the table as pyarrow or polars has it."""
        make = getattr(library, "table", None) or library.DataFrame
        return make(
            {
                name.encode("utf-8", "replace").decode(): _exported(column, library)
                for name, column in self._columns.items()
            }
        )

    def format(self, form: _Form = "text", digits: int | None = None) -> str:
        """Write the table, in CSV and TSV with an apostrophe before texts that are formulas.

        Parameters
        ----------
        form : {"text", "markdown", "csv", "tsv", "latex", "html"}
        digits : int, optional
            Digits after the point of all numbers that have one. By default the digits of the
            table; in CSV and TSV all that distinguish a number from any other.

        Examples
        --------
        >>> print(Table({"system": ["A"], "BLEU": [26.5958]}).format("csv"), end="")
        system,BLEU
        A,26.5958
        """
        if form not in load("rapidbleu.printing.tables", "FORMS"):
            known = ", ".join(load("rapidbleu.printing.tables", "FORMS"))
            raise ValueError(f"form: expected one of {known}, got {form!r}")
        return self._written(form, digits, len(self))

    def _written(self, form: str, digits: int | None, n_rows: int) -> str:
        cells, right, bold = [], [], []
        for name, column in self._columns.items():
            shown = self._digits[name] if digits is None and form not in EXACT else digits
            cells.append(_texts(column[:n_rows], shown))
            right.append(not isinstance(column, list))
            bold.append({i for i in self._bold.get(name, ()) if i < n_rows})
        write = load("rapidbleu.printing.tables", "write_table")
        written: str = write(form, list(self.names), cells, right, bold)
        return written

    def __repr__(self) -> str:
        more = len(self) - MOST_ROWS
        return self._written("text", None, MOST_ROWS) + f"\n... {more} more rows" * (more > 0)

    def _repr_html_(self) -> str:
        more = len(self) - MOST_ROWS
        table = self._written("html", None, MOST_ROWS)
        return table + f"\n<p>... {more} more rows</p>" * (more > 0)


def as_column(values: Any, where: str, place: Callable[[int], str] | None = None) -> _Column:
    """Return an int64 or float64 array, or a list of str and None; `place` names items in errors.

    Examples
    --------
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
            raise TypeError(f"{name}: expected a number, a str or None, got {type(item).__name__}")
    texts = [isinstance(item, str) for item in items if item is not None]
    if all(texts):
        return items
    if any(texts):
        raise TypeError(f"{where}: expected numbers or texts, got both")
    return _numbers(items, where, all(isinstance(item, int | np.integer) for item in items))


def _numbers(values: Any, where: str, whole: bool) -> IntArray | FloatArray:
    """Return numbers as an array that cannot be changed."""
    column: IntArray | FloatArray
    try:
        column = np.array(values, np.int64) if whole else np.array(values, np.float64)
    except OverflowError:
        raise ValueError(f"{where}: expected numbers of 64 bits with a sign, got larger") from None
    column.flags.writeable = False
    return column


def _bests(column: Any, way: _Best) -> set[int]:
    """Return the places of the best of several numbers."""
    known = [value for value in column.tolist() if value == value]
    if len(known) < 2:
        return set()
    best = max(known) if way == "max" else min(known)
    return {i for i, value in enumerate(column.tolist()) if value == best}


def _items(column: _Column) -> list[Any]:
    """Return what a column holds; None for nan."""
    if isinstance(column, list):
        return list(column)
    items: list[Any] = column.tolist()
    return items if column.dtype.kind == "i" else [x if x == x else None for x in items]


def _texts(column: _Column, digits: int | None) -> list[str]:
    """Return how the items of a column are shown; nothing for None and nan."""
    items = _items(column)
    if digits is not None and not isinstance(column, list) and column.dtype.kind == "f":
        return ["" if item is None else f"{item:.{digits}f}" for item in items]
    return ["" if item is None else str(item) for item in items]


def _exported(column: _Column, library: Any) -> Any:
    """Return a column as pyarrow or polars has it."""
    if isinstance(column, list):
        column = [text and text.encode("utf-8", "replace").decode() for text in column]
    if library.__name__ == "polars":
        kind = library.String if isinstance(column, list) else None
        return library.Series(values=column, dtype=kind, nan_to_null=kind is None)
    if isinstance(column, list):
        return library.array(column, library.large_string())
    return library.array(column, from_pandas=True)  # nan is null
