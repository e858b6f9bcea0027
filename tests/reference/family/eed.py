"""Extended edit distance (Stanchev, Wang and Ney 2019): the definition, in double precision."""

import re
import unicodedata
from collections.abc import Callable


def prepared_en(text: str) -> str:
    """Separate punctuation into words, and collapse white space.

    A point or comma between digits is joined again, and so is the character after an abbreviated
    title, whichever it is: "Mr Smith" becomes "Mr.mith".
    """
    text = text.rstrip()
    for mark in ".!?,":
        text = text.replace(mark, f" {mark}")
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r"(\d) ([.,]) (\d)", r"\1\2\3", text)
    text = re.sub(r"(Dr|Jr|Prof|Rev|Gen|Mr|Mt|Mrs|Ms) .", r"\1.", text)
    for spaced, whole in (("e . g .", "e.g."), ("i . e .", "i.e."), ("U . S .", "U.S.")):
        text = text.replace(spaced, whole)
    return f" {text} "


def prepared_ja(text: str) -> str:
    """Return the text in NFKC without trailing white space."""
    return unicodedata.normalize("NFKC", text.rstrip())


PREPARED: dict[str, Callable[[str], str]] = {"en": prepared_en, "ja": prepared_ja}


def distance(
    hyp: str,
    ref: str,
    alpha: float = 2.0,
    rho: float = 0.3,
    deletion: float = 0.2,
    insertion: float = 1.0,
) -> float:
    """Return errors and coverage by the length of the reference and coverage, at most 1.

    After each reference character the first of the cheapest hypothesis positions is visited, and
    after a space it is possible to jump from there to every position. Coverage counts the visits
    after the first of each position, and the unvisited positions.
    """
    row = [0.0] + [1.0] * len(hyp)
    visits = [-1] * (len(hyp) + 1)
    for char in ref:
        new = [row[0] + 1.0]
        for i, other in enumerate(hyp):
            costs = new[i] + deletion, row[i] + (char != other), row[i + 1] + insertion
            new.append(min(costs))
        cheapest = new.index(min(new))
        visits[cheapest] += 1
        if char == " ":
            jump = alpha + new[cheapest]
            new = [min(cost, jump) for cost in new]
        row = new
    coverage = rho * sum(n if n >= 0 else 1 for n in visits)
    return min(1.0, (row[-1] + coverage) / (len(ref) + coverage))
