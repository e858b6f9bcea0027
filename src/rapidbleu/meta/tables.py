"""Tables of scores from CSV, TSV and Parquet files, Arrow data, and lines of words."""

from __future__ import annotations

import csv
from importlib.util import find_spec
from itertools import chain

from rapidbleu._lib.checks import items_of
from rapidbleu._lib.loader import np
from rapidbleu.meta.judgments import Judgments
from rapidbleu.meta.scores import SystemScores, checked_names
from rapidbleu.streams.files import (
    csv_rows,
    ending_of,
    header_of,
    lines_of,
    name_of,
    placed_lines,
    rows_below,
)
from rapidbleu.streams.tables import arrow_library, arrow_rows, open_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from os import PathLike
    from typing import Any

    from rapidbleu._types import ArrowStream, FloatArray, Items, Path
    from rapidbleu.meta.scores import _Place

    _TableSource = str | PathLike[str] | ArrowStream | Mapping[str, Items[Any]]

MISSING = ("", "none", "na", "n/a", "nan", "null")


def read_table(
    source: _TableSource,
    *,
    system: str = "system",
    segment: str = "segment",
    score: str = "score",
    delimiter: str | None = None,
) -> SystemScores:
    """Read a table with one score per system and segment.

    Missing rows and empty scores (also None, NA, nan, null) are nan.

    Parameters
    ----------
    source : path, or table
        A UTF-8 text file whose first line names the columns (gzip if .gz), a Parquet file
        (.parquet), a dict of columns, or a table that exports Arrow data: pyarrow, polars, pandas,
        DuckDB. Parquet and Arrow need pyarrow or polars.
    system, segment, score : str
        Column names; other columns are ignored. Systems and segments are str or int.
    delimiter : str, optional
        Column separator of a text file (default: a comma for .csv, else a tab).

    Examples
    --------
    >>> table = {"system": ["A", "A", "B"], "segment": [1, 2, 1], "human": [80, 75.5, None]}
    >>> read_table(table, score="human")
    SystemScores(2 systems, 2 segments, 2 scores missing)
    """
    columns, place = _columns(source, (system, segment, score), delimiter)
    numbers = numbers_in(columns[score], _within(place, score))
    systems, segments = (_names_in(columns, name, place) for name in (system, segment))
    return SystemScores._of_columns(systems, segments, numbers, place, _title(source))


def read_judgments(
    source: _TableSource,
    *,
    system: str = "system",
    segment: str = "segment",
    judge: str = "judge",
    score: str = "score",
    document: str | None = None,
    kind: str | None = None,
    delimiter: str | None = None,
) -> Judgments:
    """Read a table with one judgment per row, skipping rows without a score.

    Parameters
    ----------
    source, system, segment, score, delimiter
        As in `read_table`.
    judge : str
        Column of the judges' names, str or int.
    document, kind : str, optional
        Columns of documents and of kinds of items.

    Examples
    --------
    >>> table = {"system": ["A", "A"], "segment": [1, 1], "judge": ["r1", "r2"], "score": [4, 5]}
    >>> read_judgments(table).scores().values
    array([[4.5]])
    """
    optional = [name for name in (document, kind) if name is not None]
    columns, place = _columns(source, (system, segment, judge, score, *optional), delimiter)
    numbers = numbers_in(columns[score], _within(place, score))
    rows = np.flatnonzero(~np.isnan(numbers)).tolist()
    if not rows:
        raise ValueError(f"{_title(source)}: expected at least one score; got none")
    kept = {name: [cells[i] for i in rows] for name, cells in columns.items()}

    def names(name: str) -> list[str]:
        return _names_in(kept, name, lambda k: place(rows[k]))

    return Judgments(
        names(system),
        names(segment),
        names(judge),
        numbers[rows],
        documents=None if document is None else names(document),
        kinds=None if kind is None else names(kind),
    )


def _title(source: Any) -> str:
    return name_of(source) if _is_path(source) else "source"


def _is_path(source: object) -> bool:
    return isinstance(source, str) or hasattr(source, "__fspath__")


def _columns(
    source: Any, names: tuple[str, ...], delimiter: str | None
) -> tuple[dict[str, list[Any]], _Place]:
    """Return the named columns, and a function that returns the location of row i."""
    title = _title(source)
    if _is_path(source) and not title.endswith(".parquet"):
        if delimiter is None:
            delimiter = "," if ending_of(title) == ".csv" else "\t"
        lines = csv_rows(lines_of(source), title, delimiter=delimiter, strict=True)
        return _by_column(rows_below(lines, title, names), names)
    if hasattr(source, "keys"):  # a dict, a table of pandas
        header_of(list(source.keys()), names, title)
        columns = {name: items_of(source[name], name, "cells") for name in names}
    elif _is_path(source) or hasattr(source, "__arrow_c_stream__"):
        if _is_path(source) and find_spec("pyarrow") is None:
            source = arrow_library().read_parquet(source)
        tables = open_file(source, names) if _is_path(source) else arrow_rows(source, names, title)
        columns = {name: [] for name in names}
        for rows in tables:
            for name, cells in columns.items():
                cells += items_of(rows.values(name), name, "cells")
    else:
        raise TypeError(
            "source: expected a path, a dict of columns or a table that exports Arrow data; "
            f"got {type(source).__name__}"
        )
    n = len(columns[names[0]])
    for name, column in columns.items():
        if len(column) != n:
            raise ValueError(f"{name}: expected {n} cells, as {names[0]!r} has; got {len(column)}")
    return columns, lambda i: f"{title}, row {i + 1}"


def _within(place: _Place, name: str) -> _Place:
    """Return a function that returns the location of row i in a column."""
    return lambda i: f"{place(i)}, column {name!r}"


def _names_in(columns: dict[str, list[Any]], name: str, place: _Place) -> list[str]:
    cells = ["" if cell is None else cell for cell in columns[name]]
    return checked_names(cells, _within(place, name))


def numbers_in(cells: list[Any], place: _Place) -> FloatArray:
    """Return finite numbers, or nan for missing ones.

    >>> numbers_in(["2.5", "NA", 3], "row {}".format)
    array([2.5, nan, 3. ])
    """
    if set(map(type, cells)) <= {str, float, int}:
        try:
            numbers = np.array(list(map(float, cells)), np.float64)
        except (ValueError, OverflowError):
            numbers = np.array([np.nan])
        if np.isfinite(numbers).all():
            return numbers
    return np.array([number_of(cell, place(i)) for i, cell in enumerate(cells)], np.float64)


def number_of(cell: Any, where: str) -> float:
    """Return the finite number in a cell, or nan for a missing one."""
    is_text = isinstance(cell, str)
    if cell is None or (is_text and cell.strip().lower() in MISSING):
        return float("nan")
    if not is_text and (isinstance(cell, bytes | bool) or not hasattr(cell, "__float__")):
        raise TypeError(f"{where}: expected a number; got {type(cell).__name__}")
    try:
        number = float(cell)
    except (ValueError, OverflowError):
        number = float("inf")
    if number - number != 0 and (is_text or number == number):
        raise ValueError(f"{where}: expected a number; got {cell!r}")
    return number


def words_of(line: str, place: str) -> list[str]:
    """Return the words between spaces and tabs, except inside double quotes.

    >>> words_of('[1] "rater 1"\\t 0.5 ', "line 1")
    ['[1]', 'rater 1', '0.5']
    """
    text = line.replace("\t", " ").strip()
    try:
        return next(csv.reader([text], delimiter=" ", skipinitialspace=True), [])
    except csv.Error as error:
        raise ValueError(f"{place}: {error}") from None


def _by_column(
    rows: Iterable[tuple[str, list[str]]], names: tuple[str, ...]
) -> tuple[dict[str, list[Any]], _Place]:
    """Return the columns of rows, and a function that returns the location of row i."""
    lines = list(rows)
    columns = {name: [cells[k] for _, cells in lines] for k, name in enumerate(names)}
    return columns, lambda i: lines[i][0]


def rows_of_words(path: Path, wanted: tuple[str, ...]) -> Iterator[tuple[str, list[str]]]:
    """Yield the location of each line, and its words in the wanted columns."""
    lines = placed_lines(path)
    place, header = next(lines, (name_of(path), ""))
    names = words_of(header, place)
    if len(names) == 1:
        names = names[0].split()  # the whole header is in one pair of quotes
    rows = ((where, words_of(line, where)) for where, line in lines)
    return rows_below(chain([(place, names)], rows), place, wanted)


def read_words(path: Path, system: str, segment: str, *scores: str) -> list[SystemScores]:
    """Return the scores in each of the named columns."""
    names = system, segment, *scores
    columns, place = _by_column(rows_of_words(path, names), names)
    numbers = [numbers_in(columns[name], place) for name in scores]
    title = name_of(path)
    systems = columns[system]
    segments = columns[segment]
    return [SystemScores._of_columns(systems, segments, values, place, title) for values in numbers]
