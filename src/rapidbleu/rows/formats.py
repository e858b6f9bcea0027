"""Columns in ``.npz``, Parquet and Arrow IPC files, written and read batch after batch.

In an archive of NumPy the batch ``k`` consists of ``k/rows``, the matrix of statistics, and
``k/<name>/column`` for each other column; texts are bytes (`join_texts`). Parquet and Arrow files
have a column for each statistic.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from itertools import count

from rapidbleu._lib.lazy import np
from rapidbleu.rows.archives import join_texts, new_archive, split_texts, write_array
from rapidbleu.rows.labels import REAL, TEXT, type_of
from rapidbleu.table import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import Any, BinaryIO, TypeAlias

    _Columns: TypeAlias = dict[str, Any]
    _Write: TypeAlias = Callable[[_Columns, Any, Sequence[str]], None]

NPZ, PARQUET, ARROW = "npz", "parquet", "arrow"
ENDINGS = {
    ".npz": NPZ, ".parquet": PARQUET, ".arrow": ARROW, ".ipc": ARROW, ".feather": ARROW,
}  # fmt: skip
MOST_EXACT = 2**53  # integers up to which floats are exact
GROUP = 1 << 16  # rows of a group in Parquet files, which takes a kilobyte at their end


def format_of(path: str) -> str:
    """Return the format of a file; ImportError if the library for it is not installed.

    Examples
    --------
    >>> format_of("part-0.NPZ")
    'npz'
    >>> format_of("part-0.csv")
    Traceback (most recent call last):
    ...
    ValueError: part-0.csv: expected a name with the ending .npz, .parquet, .arrow, .ipc or .feather
    """
    kind = ENDINGS.get(os.path.splitext(path)[1].lower())
    if kind is None:
        *most, last = ENDINGS
        raise ValueError(f"{path}: expected a name with the ending {', '.join(most)} or {last}")
    if kind != NPZ and find_spec("pyarrow") is None:
        raise ImportError(
            f"{path}: Parquet and Arrow files need pyarrow: pip install 'rapidbleu[parquet]'"
        )
    return kind


def open_sink(path: str, file: Any, group: int) -> AbstractContextManager[_Write]:
    """Return a context of a function that writes a batch: its labels, rows and statistics.

    Parameters
    ----------
    path : str
        Its ending determines the format.
    file : binary file
        With ``write``, ``flush`` and ``tell``; complete after the with statement.
    group : int
        Rows of a group in Parquet files.
    """
    kind = format_of(path)
    if kind == NPZ:
        return _npz_sink(file)
    return _pyarrow_sink(file, kind == PARQUET, group)


@contextmanager
def _npz_sink(file: Any) -> Iterator[_Write]:
    numbers = count()
    with new_archive(file) as members:

        def write(labels: _Columns, rows: Any, statistics: Sequence[str]) -> None:
            number = next(numbers)
            for name, column in labels.items():
                array = join_texts(column) if type_of(column) == TEXT else column
                write_array(members, f"{number}/{name}/column", array)
            write_array(members, f"{number}/rows", rows)

        yield write


@contextmanager
def _pyarrow_sink(file: Any, is_parquet: bool, group: int) -> Iterator[_Write]:
    pyarrow = import_module("pyarrow")
    schema: Any = None
    writer: Any = None
    waiting: list[Any] = []  # tables that do not make a group yet

    def write(*batch: Any) -> None:
        nonlocal schema, writer
        table = pyarrow.table(_table(*batch))
        if writer is None:
            schema = table.schema
            if is_parquet:
                writer = import_module("pyarrow.parquet").ParquetWriter(file, schema)
            else:
                writer = import_module("pyarrow.ipc").new_file(file, schema)
        elif table.schema != schema:
            _check_whole(batch[0], schema)
            table = table.cast(schema, safe=False)
        waiting.append(table)
        if not is_parquet or sum(map(len, waiting)) >= group:
            write_group()

    def write_group() -> None:
        table = pyarrow.concat_tables(waiting)
        waiting.clear()
        writer.write_table(table)

    try:
        yield write
        if waiting:
            write_group()
        writer.close()
    finally:
        waiting.clear()
        writer = None  # before its file is closed: it writes to it when it is freed


def _check_whole(labels: _Columns, schema: Any) -> None:
    """Refuse fractions where the file has integers or nulls."""
    for name, column in labels.items():
        if str(schema.field(name).type) != "int64" or type_of(column) != REAL:
            continue
        whole = (np.trunc(column) == column) & (abs(column) <= MOST_EXACT) | np.isnan(column)
        if not whole.all():
            got = column[int(whole.argmin())]
            raise ValueError(
                f"{name}: expected integers up to 2**53 or nulls, since batches before have "
                f"integers, got {got}; .npz takes both"
            )


def _table(labels: _Columns, rows: Any, statistics: Sequence[str]) -> Table:
    return Table({**labels, **{name: rows[:, j] for j, name in enumerate(statistics)}})


def read_batches(
    path: str, file: BinaryIO, types: dict[str, str], statistics: Sequence[str]
) -> Iterator[tuple[_Columns, Any]]:
    """Yield the labels, which have these types, and the rows of each batch of a file."""
    if format_of(path) == NPZ:
        with np.load(file) as arrays:
            for number in count():
                if f"{number}/rows" not in arrays:
                    return
                labels = {name: arrays[f"{number}/{name}/column"] for name in types}
                for name, kind in types.items():
                    if kind == TEXT:
                        labels[name] = split_texts(labels[name], name)
                yield labels, arrays[f"{number}/rows"]
    from rapidbleu.streams.tables import open_file

    for part in open_file(path, (*types, *statistics)):
        rows = np.empty((len(part), len(statistics)), np.int64)
        for j, name in enumerate(statistics):
            rows[:, j] = part.values(name)
        yield {name: part.values(name) for name in types}, rows
