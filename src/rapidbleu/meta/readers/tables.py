"""Tables of scores: CSV, TSV and Parquet files, and whatever exports Arrow data."""

from __future__ import annotations

from rapidbleu.meta.judgments import Judgments
from rapidbleu.meta.readers.lines import gathered, header_of, number_of
from rapidbleu.sequences import items_of
from rapidbleu.streams.formats import named
from rapidbleu.streams.rows import arrow_rows
from rapidbleu.streams.texts import csv_rows, lines_of, name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike
    from typing import Any

    from rapidbleu.meta.scores import SystemScores
    from rapidbleu.typing import ArrowStream, Items

    _TableSource = str | PathLike[str] | ArrowStream | Mapping[str, Items[Any]]


def read_table(
    source: _TableSource,
    *,
    system: str = "system",
    segment: str = "segment",
    score: str = "score",
    delimiter: str | None = None,
) -> SystemScores:
    """Read a table with one score of each system for each segment.

    Parameters
    ----------
    source : path, or table
        A file in UTF-8 whose first line names the columns, a Parquet file (.parquet), a dict of
        columns, or a table that exports Arrow data: of pyarrow, polars, pandas, DuckDB. A text
        file may be packed by gzip (.gz). Parquet and Arrow need pyarrow or polars.
    system, segment, score : str
        The names of the columns; others are not read. Names of systems and segments are str or
        int.
    delimiter : str, optional
        What separates the columns of a text file; the default is a comma for .csv, else a tab.

    Returns
    -------
    SystemScores
        nan where there is no row, or an empty score (also None, NA, nan, null).

    Examples
    --------
    >>> table = {"system": ["A", "A", "B"], "segment": [1, 2, 1], "human": [80, 75.5, None]}
    >>> read_table(table, score="human")
    SystemScores(2 systems, 2 segments, 2 scores missing)
    """
    (systems, segments, scores), place = _columns(source, (system, segment, score), delimiter)
    return gathered(
        _texts(systems, place, system), _texts(segments, place, segment),
        _numbers(scores, place, score), place, _title(source),
    )  # fmt: skip


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
    """Read a table with a judgment in each row.

    Parameters
    ----------
    source, system, segment, score, delimiter
        As in `read_table`.
    judge : str
        The column of the judges' names, str or int.
    document, kind : str, optional
        The columns of documents and of kinds of items.

    Returns
    -------
    Judgments
        Without rows that have no score.

    Examples
    --------
    >>> table = {"system": ["A", "A"], "segment": [1, 1], "judge": ["r1", "r2"], "score": [4, 5]}
    >>> read_judgments(table).scores().values
    array([[4.5]])
    """
    optional = [name for name in (document, kind) if name is not None]
    names = (system, segment, judge, *optional)
    (*cells, scores), place = _columns(source, (*names, score), delimiter)
    numbers = _numbers(scores, place, score)
    rows = [i for i, number in enumerate(numbers) if number == number]
    if not rows:
        raise ValueError(f"{_title(source)}: expected at least one score, got none")

    def place_of(k: int) -> str:
        return place(rows[k])

    systems, segments, judges, *more = (
        _texts([column[i] for i in rows], place_of, name)
        for column, name in zip(cells, names, strict=True)
    )
    return Judgments(
        systems,
        segments,
        judges,
        [numbers[i] for i in rows],
        documents=more[0] if document is not None else None,
        kinds=more[-1] if kind is not None else None,
    )


def _title(source: _TableSource) -> str:
    return name_of(source) if _is_path(source) else "source"  # type: ignore[arg-type]


def _is_path(source: object) -> bool:
    return isinstance(source, str) or hasattr(source, "__fspath__")


def _columns(
    source: Any, names: tuple[str, ...], delimiter: str | None
) -> tuple[list[list[Any]], Callable[[int], str]]:
    """Return the columns of these names, and what tells the place of row i."""
    if _is_path(source) and not name_of(source).endswith(".parquet"):
        return _text_columns(source, names, delimiter)
    title = _title(source)
    table = _parquet(source, names) if _is_path(source) else _opened(source, names)
    header_of(_names(table), names, title)
    columns = [items_of(table[name], name, "cells") for name in names]
    for name, column in zip(names, columns, strict=True):
        if len(column) != len(columns[0]):
            raise ValueError(
                f"{name}: expected {len(columns[0])} cells, as {names[0]!r} has, got {len(column)}"
            )
    return columns, lambda i: f"{title}, row {i + 1}"


def _text_columns(
    path: Any, names: tuple[str, ...], delimiter: str | None
) -> tuple[list[list[Any]], Callable[[int], str]]:
    comma = name_of(path).removesuffix(".gz").endswith(".csv")
    separator = ("," if comma else "\t") if delimiter is None else delimiter
    rows = csv_rows(lines_of(path), name_of(path), delimiter=separator, strict=True)
    place, header = next(rows, ("", None))
    if header is None:
        raise ValueError(f"{name_of(path)}: expected a header, got an empty file")
    at = header_of(header, names, place)
    places, lines = [], []
    for place, cells in rows:
        if cells and len(cells) != len(header):
            raise ValueError(f"{place}: expected {len(header)} columns, got {len(cells)}")
        if cells:
            places.append(place)
            lines.append(cells)
    return [[cells[at[name]] for cells in lines] for name in names], places.__getitem__


def _parquet(path: Any, names: tuple[str, ...]) -> Any:
    """Return a table of a Parquet file."""
    name = name_of(path)
    with open(path, "rb"):  # OSError as for other files
        pass
    with named(name):
        try:
            from pyarrow import parquet
        except ImportError:
            return _polars().read_parquet(name)
        known = parquet.read_schema(name).names
        return parquet.read_table(name, columns=[each for each in names if each in known])


def _opened(source: Any, names: tuple[str, ...]) -> Any:
    """Return what has columns by name that can be read one cell after the other."""
    if hasattr(source, "keys"):  # a dict, a table of pandas
        return source
    if not hasattr(source, "__arrow_c_stream__"):
        raise TypeError(
            "source: expected a path, a dict of columns or a table that exports Arrow data, "
            f"got {type(source).__name__}"
        )
    try:
        from pyarrow import array as make
    except ImportError:
        make = _polars().Series
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for rows in arrow_rows(source, names, "source"):
        for name, cells in columns.items():
            rows.columns[name].check(lambda i, name=name, rows=rows: rows.place(i, name))
            cells += items_of(make(rows.columns[name]), name, "cells")
    return columns


def _names(table: Any) -> list[str]:
    """Return the names of the columns: a dict's, pandas', pyarrow's or polars'."""
    if hasattr(table, "keys"):
        return list(table.keys())
    return list(table.column_names if hasattr(table, "column_names") else table.columns)


def _polars() -> Any:
    try:
        import polars
    except ImportError:
        raise ImportError(
            "reading Parquet files and Arrow data needs pyarrow: pip install pyarrow, or polars"
        ) from None
    return polars


def _texts(cells: list[Any], place: Callable[[int], str], name: str) -> list[str]:
    """Return names; integers become their digits."""
    texts = list(cells)
    for i, cell in enumerate(cells):
        if isinstance(cell, str) and cell:
            continue
        if cell is None or cell == "":
            raise ValueError(f"{place(i)}: expected a name in column {name!r}, got none")
        if isinstance(cell, bool) or not hasattr(cell, "__index__"):
            raise TypeError(
                f"{place(i)}: expected str or int in column {name!r}, got {type(cell).__name__}"
            )
        texts[i] = str(int(cell.__index__()))
    return texts


def _numbers(cells: list[Any], place: Callable[[int], str], name: str) -> list[float]:
    """Return finite numbers, or nan for what is missing."""
    numbers = []
    for i, cell in enumerate(cells):
        text = cell is None or isinstance(cell, str)
        if not text and (isinstance(cell, bytes | bool) or not hasattr(cell, "__float__")):
            kind = type(cell).__name__
            raise TypeError(f"{place(i)}, column {name!r}: expected a number, got {kind}")
        try:
            number = float(cell)
        except (ValueError, TypeError):
            number = float("nan")
        if number - number != 0:  # nan for a word that stands for it, or an error
            shown = cell or "" if text else str(number)
            number = number_of(shown, f"{place(i)}, column {name!r}")
        numbers.append(number)
    return numbers
