"""Text files in UTF-8, line by line and row by row; errors name the file and the line."""

from __future__ import annotations

import io
import os

from rapidbleu._lib.loader import load
from rapidbleu.streams.files import open_packed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from rapidbleu.typing import Path


def name_of(path: Path) -> str:
    """Return how errors name a file."""
    return os.fsdecode(path)


def lines_of(path: Path) -> Iterator[str]:
    """Return the lines of a file in UTF-8, with their ends; of one that ends in .gz unpacked.

    Raises
    ------
    OSError
        If it cannot be read.
    ValueError
        If it is not in UTF-8, or is no file of gzip, damaged or cut.
    """
    number = 0
    with (
        open_packed(path, ".gz") if name_of(path).endswith(".gz") else open(path, "rb") as opened,
        io.TextIOWrapper(opened, encoding="utf-8-sig", newline="\n") as file,
    ):
        try:
            for line in file:
                number += 1
                yield line
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{name_of(path)}: expected UTF-8 after line {number}, got {error.reason}"
            ) from None


def placed_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Return the place of each line, as errors name it, and the line without its end."""
    name = name_of(path)
    for number, line in enumerate(lines_of(path), 1):
        yield f"{name}, line {number}", line.rstrip("\r\n")


def csv_rows(lines: Iterable[str], name: str, **form: Any) -> Iterator[tuple[str, list[str]]]:
    """Return the place of each row, as errors name it, and its cells.

    Parameters
    ----------
    lines : iterable of str
    name : str
        The file in errors.
    **form
        Options of `csv.reader`.

    Raises
    ------
    ValueError
        If a row is none.

    Examples
    --------
    >>> list(csv_rows(["a,b", '"x, y",5'], "scores.csv"))
    [('scores.csv, line 1', ['a', 'b']), ('scores.csv, line 2', ['x, y', '5'])]
    """
    csv = load("csv")

    reader = csv.reader(lines, **form)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise ValueError(f"{name}, line {reader.line_num}: {error}") from None
        yield f"{name}, line {reader.line_num}", cells
