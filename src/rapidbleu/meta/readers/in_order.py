"""Scores in the order of segments: a system and a score a line, as in mt-metrics-eval."""

from rapidbleu.meta.readers.lines import Gathered, number_of
from rapidbleu.meta.scores.checks import counted
from rapidbleu.meta.scores.table import SystemScores
from rapidbleu.streams.texts import placed_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container


def scores_in_order(
    file: str, *, n: "int | None" = None, known: "Container[str] | None" = None
) -> SystemScores:
    """Read scores; a system's first line is of segment 1, and so on.

    Parameters
    ----------
    file : str
        Lines of a system and a score, or None where one is missing.
    n : int, optional
        Scores of each system; by default as many as the first one has.
    known : container of str, optional
        Systems that there may be.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If a line is none of these, or systems have other than n scores.
    """
    gathered = Gathered()
    counts: dict[str, int] = {}
    for place, line in placed_lines(file):
        words = line.split()
        if len(words) != 2:
            raise ValueError(f"{place}: expected a system and a score, got {line!r}")
        system, score = words
        if known is not None and system not in known:
            raise ValueError(f"{place}: expected a system that has outputs, got {system!r}")
        counts[system] = counts.get(system, 0) + 1
        gathered.add(system, str(counts[system]), number_of(score, place), place)
    wanted = next(iter(counts.values()), 0) if n is None else n
    for system, count in counts.items():
        if count != wanted:
            expected = f"{counted(wanted, 'score')} of system {system!r}"
            raise ValueError(f"{file}: expected {expected}, got {count}")
    scores = gathered.scores(file)
    return SystemScores(scores.values, scores.systems)
