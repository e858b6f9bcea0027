"""What is in the lines of files: words, numbers, headers, scores."""

import csv

from rapidbleu.meta.scores.table import SystemScores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MISSING = ("", "none", "na", "n/a", "nan", "null")


def words_of(line: str, place: str) -> "list[str]":
    """Return the words between spaces and tabs; double quotes keep these together.

    Raises
    ------
    ValueError
        If a word is too long; `place` is the line in errors.

    Examples
    --------
    >>> words_of('[1] "rater 1"\\t 0.5 ', "line 1")
    ['[1]', 'rater 1', '0.5']
    """
    text = line.replace("\t", " ").strip()
    try:
        return next(csv.reader([text], delimiter=" ", skipinitialspace=True), [])
    except csv.Error as error:
        raise ValueError(f"{place}: {error}") from None


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
