"""What the command shows of a comparison: the tables of each section, with titles."""

from collections.abc import Iterator
from typing import NamedTuple

from rapidbleu.comparison import Comparison
from rapidbleu.comparison.buckets import shown_in
from rapidbleu.table import Table

SECTIONS = ("scores", "tests", "buckets", "words", "ngrams", "examples", "segments")


class Shown(NamedTuple):
    """A table under its title; `examples` are segments with texts."""

    title: str
    table: Table
    examples: "tuple[str, str] | None" = None


def tables_of(found: Comparison, section: str, n_ngrams: int, n_examples: int) -> Iterator[Shown]:
    """Yield the tables of a section.

    Parameters
    ----------
    found : Comparison
    section : str
        One of `SECTIONS`.
    n_ngrams, n_examples : int
        Rows at most, for each of the two systems of a pair.
    """
    if section == "scores":
        yield Shown("Scores", found.scores)
    elif section == "tests" and len(found.tests):
        corrected = "" if found.correction == "none" else f", corrected ({found.correction})"
        yield Shown(f"Paired bootstrap of all pairs, {found.n} resamples{corrected}", found.tests)
    elif section == "buckets":
        for kind in found.buckets:
            for what in shown_in(kind, found.metrics):
                yield Shown(f"{what} by {kind}", found.side_by_side(kind, what))
    elif section == "words":
        for what in ("F1", "precision", "recall"):
            yield Shown(f"{what} of words by their frequency", found.side_by_side("words", what))
    elif section == "ngrams":
        for a, b in _pairs(found):
            title = f"N-grams that {a} has right more often than {b}"
            yield Shown(title, found.ngrams(a, b, n_ngrams))
    elif section == "examples":
        for a, b in _pairs(found):
            title = f"Segments in which {a} is better than {b} by most ({found.metrics[0]})"
            yield Shown(title, _numbered(found.examples(a, b, n=n_examples)), (a, b))
    elif section == "segments":
        yield Shown("Segments", _numbered(found.segments))


def _numbered(table: Table) -> Table:
    """Return a table of segments with the numbers of lines, from 1."""
    columns = {name: table[name] for name in table.names}
    columns["segment"] = columns["segment"] + 1
    return Table(columns, {name: table._digits[name] for name in columns})


def _pairs(found: Comparison) -> list[tuple[str, str]]:
    """Return the systems that are compared, each pair in both orders."""
    if found.baseline is not None:
        others = [name for name in found.systems if name != found.baseline]
        return [pair for b in others for pair in ((found.baseline, b), (b, found.baseline))]
    return [
        pair
        for i, a in enumerate(found.systems)
        for b in found.systems[i + 1 :]
        for pair in ((a, b), (b, a))
    ]
