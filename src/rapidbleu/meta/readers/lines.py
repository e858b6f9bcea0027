"""What is in the lines of files: words, numbers, headers; and scores by system and segment."""

from __future__ import annotations

import csv

from rapidbleu._lib.lazy import np
from rapidbleu.meta.scores import SystemScores
from rapidbleu.streams.texts import name_of, placed_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rapidbleu.typing import Path

MISSING = ("", "none", "na", "n/a", "nan", "null")


def words_of(line: str, place: str) -> list[str]:
    """Return the words between spaces and tabs; double quotes keep these together.

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
    """Return a finite number, or nan for what is missing."""
    if text.strip().lower() in MISSING:
        return float("nan")
    try:
        number = float(text)
    except ValueError:
        number = float("inf")
    if number - number != 0:
        raise ValueError(f"{where}: expected a number, got {text!r}")
    return number


def header_of(found: list[str], wanted: Iterable[str], place: str) -> dict[str, int]:
    """Return the places of columns in a header."""
    for name in wanted:
        if found.count(name) != 1:
            got = f"{found.count(name)} of them" if name in found else ", ".join(map(repr, found))
            raise ValueError(f"{place}: expected one column {name!r}, got {got or 'none'}")
    return {name: i for i, name in enumerate(found)}


def rows_of_words(path: Path, wanted: tuple[str, ...]) -> Iterator[tuple[str, list[str]]]:
    """Yield the place of each line, and its words in some columns of the header."""
    lines = placed_lines(path)
    place, header = next(lines, (name_of(path), ""))
    names = words_of(header, place)
    if len(names) == 1:
        names = names[0].split()  # all of the header in one pair of quotes
    at = header_of(names, wanted, place)
    for place, line in lines:
        cells = words_of(line, place)
        if cells and len(cells) != len(names):
            raise ValueError(f"{place}: expected {len(names)} columns, got {len(cells)}")
        if cells:
            yield place, [cells[at[name]] for name in wanted]


def gathered(
    systems: list[str],
    segments: list[str],
    scores: list[float],
    place: Callable[[int], str],
    where: str,
) -> SystemScores:
    """Return scores by system and segment, nan where there is none.

    Errors name the origin of score i by ``place(i)``, and the file by `where`.

    Examples
    --------
    >>> gathered(["A", "B"], ["1", "2"], [2.5, 3.0], "line {}".format, "file").values
    array([[2.5, nan],
           [nan, 3. ]])
    """
    rows: dict[str, int] = {}
    columns: dict[str, int] = {}
    cells: dict[tuple[int, int], float] = {}
    for i, (system, segment, score) in enumerate(zip(systems, segments, scores, strict=True)):
        cell = rows.setdefault(system, len(rows)), columns.setdefault(segment, len(columns))
        if cell in cells:
            raise ValueError(
                f"{place(i)}: expected one score of system {system!r} for segment {segment!r}, "
                "got another"
            )
        cells[cell] = score
    if not cells:
        raise ValueError(f"{where}: expected at least one score, got none")
    values = np.full((len(rows), len(columns)), np.nan)
    values[tuple(zip(*cells, strict=True))] = list(cells.values())
    return SystemScores._like(values, tuple(rows), tuple(columns))
