"""Lines of text files, with their places for errors, and what is in them."""

import io
import os

from rapidbleu.meta.scores.table import SystemScores
from rapidbleu.streams.files import open_packed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rapidbleu.typing import Path

MISSING = ("", "none", "na", "n/a", "nan", "null")


def name_of(path: "Path") -> str:
    """Return how errors name a file."""
    return os.fsdecode(path)


def lines_of(path: "Path") -> "Iterator[str]":
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


def placed_lines(path: "Path") -> "Iterator[tuple[str, str]]":
    """Return the place of each line, as errors name it, and the line without its end."""
    name = name_of(path)
    for number, line in enumerate(lines_of(path), 1):
        yield f"{name}, line {number}", line.rstrip("\r\n")


def words_of(line: str) -> "list[str]":
    """Return what blanks and tabs separate; double quotes keep them together.

    Examples
    --------
    >>> words_of('[1] "rater 1"\\t 0.5 ')
    ['[1]', 'rater 1', '0.5']
    """
    import csv

    text = line.replace("\t", " ").strip()
    return next(csv.reader([text], delimiter=" ", skipinitialspace=True), [])


def number_of(text: str, where: str) -> float:
    """Return a finite number, or nan for what is missing.

    Raises
    ------
    ValueError
        If the text is neither.
    """
    if text.strip().lower() in MISSING:
        return float("nan")
    try:
        number = float(text)
    except ValueError:
        number = float("inf")
    if number - number != 0:
        raise ValueError(f"{where}: expected a number, got {text!r}")
    return number


def header_of(found: "list[str]", wanted: "Iterable[str]", place: str) -> "dict[str, int]":
    """Return the places of columns in a header.

    Raises
    ------
    ValueError
        If it lacks one of those that are wanted, or has it twice.
    """
    for name in wanted:
        if found.count(name) != 1:
            got = f"{found.count(name)} of them" if name in found else ", ".join(map(repr, found))
            raise ValueError(f"{place}: expected one column {name!r}, got {got or 'none'}")
    return {name: i for i, name in enumerate(found)}


class Gathered:
    """Scores of systems and segments, gathered one by one.

    Examples
    --------
    >>> gathered = Gathered()
    >>> gathered.add("A", "1", 2.5, "line 1")
    >>> gathered.add("B", "2", 3.0, "line 2")
    >>> gathered.scores("file").values
    array([[2.5, nan],
           [nan, 3. ]])
    """

    def __init__(self) -> None:
        self.systems: dict[str, int] = {}
        self.segments: dict[str, int] = {}
        self.cells: dict[tuple[int, int], float] = {}

    def add(self, system: str, segment: str, score: float, place: str) -> None:
        """Add a score; `place` says in errors where it is from.

        Raises
        ------
        ValueError
            If there is one for this system and segment.
        """
        row = self.systems.setdefault(system, len(self.systems))
        column = self.segments.setdefault(segment, len(self.segments))
        if (row, column) in self.cells:
            raise ValueError(
                f"{place}: expected one score of system {system!r} for segment {segment!r}, "
                "got another"
            )
        self.cells[row, column] = score

    def scores(self, where: str) -> SystemScores:
        """Return the scores, nan where there is none.

        Raises
        ------
        ValueError
            If there are none at all.
        """
        import numpy as np

        if not self.cells:
            raise ValueError(f"{where}: expected at least one score, got none")
        values = np.full((len(self.systems), len(self.segments)), np.nan)
        rows, columns = zip(*self.cells, strict=True)
        values[rows, columns] = list(self.cells.values())
        return SystemScores(values, self.systems, self.segments)
