"""N-grams of a segment, counted and located one by one, and formulas evaluated as printed."""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

NUMBERS = re.compile(r"[\d.e+\-*/^() ]+")
NOTE = re.compile(r"  \(.*\)$")
FUNCTIONS = {"exp": math.exp, "max": max}


def places(tokens: Sequence[Any], ngram: Sequence[Any]) -> list[int]:
    n = len(ngram)
    return [i for i in range(len(tokens) - n + 1) if list(tokens[i : i + n]) == list(ngram)]


def credit(own: int, in_references: Sequence[int]) -> int:
    """Return the clipped count of Papineni et al.: at most the maximum of any reference."""
    return min(own, max(in_references, default=0))


def first_occurrences(tokens: Sequence[Any], n: int) -> Iterator[list[Any]]:
    seen: list[list[Any]] = []
    for i in range(len(tokens) - n + 1):
        ngram = list(tokens[i : i + n])
        if ngram not in seen:
            seen.append(ngram)
            yield ngram


def values(line: str) -> list[list[float]]:
    """Return, for each equation of a line, the values of its purely numeric sides."""
    line = NOTE.sub("", line)
    _, colon, equations = line.rpartition(": ")
    found = []
    for equation in re.split(r", (?=[A-Z] = )", equations if colon else line):
        sides = equation.split(" = ")[1:]
        found.append([_value(side) for side in sides if _is_number(side)])
    return found


def _is_number(side: str) -> bool:
    return NUMBERS.fullmatch(re.sub(r"exp\(|max\(|, ", "(", side)) is not None


def _value(side: str) -> float:
    return float(eval(side.replace("^", "**"), {"__builtins__": {}}, dict(FUNCTIONS)))
