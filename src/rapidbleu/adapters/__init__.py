"""Calls and metric variants of other libraries, one module each; see docs/guides/migrating.md.

No library is imported before its module is used, and none is required, except by modules that
subclass its classes and name it if it is missing. This package has their shared input checks.
"""

from __future__ import annotations

from math import exp
from typing import Any

from rapidbleu._lib.checks import is_ordered, items_of


def listed(segments: Any, where: str) -> list[Any]:
    """Return the elements of an ordered collection.

    >>> listed("It rained.", "predictions")
    Traceback (most recent call last):
    TypeError: predictions: expected a sequence of segments; got a single str
    """
    return items_of(segments, where, "segments")


def by_segment(references: Any, where: str) -> list[Any]:
    """Return the references of each segment, a str as a list of one.

    TypeError if an element is neither, or a reference is None; ValueError if a segment has no
    reference. `where` names the argument in errors.

    Parameters
    ----------
    references : iterable of str, or of sequences of segments
    where : str

    Examples
    --------
    >>> by_segment(["It rained.", ["It rains.", "It was raining."]], "references")
    [['It rained.'], ['It rains.', 'It was raining.']]
    """
    result = [
        [several] if isinstance(several, str) else several for several in listed(references, where)
    ]
    for i, several in enumerate(result):
        if type(several) is not list and not (hasattr(several, "__len__") and is_ordered(several)):
            raise TypeError(f"{where}[{i}]: expected references; got {type(several).__name__}")
        if len(several) == 0:
            raise ValueError(f"{where}[{i}]: expected at least one reference; got none")
        for j, reference in enumerate(several):
            if reference is None:  # for our metrics there is just none in that place
                raise TypeError(f"{where}[{i}][{j}]: expected a segment; got None")
    return result


def check_texts(texts: Any, where: str) -> None:
    """Raise TypeError, with the index, for a text that is not a str.

    >>> check_texts(["a", 5], "reference")
    Traceback (most recent call last):
    TypeError: reference[1]: expected str; got int
    """
    for i, text in enumerate(() if set(map(type, texts)) == {str} else texts):
        if not isinstance(text, str):
            raise TypeError(f"{where}[{i}]: expected str; got {type(text).__name__}")


def brevity_penalty(ratio: float) -> float:
    """Return the penalty of texts whose length is this share of their references', above 0.

    >>> brevity_penalty(0.5), brevity_penalty(1.5)
    (0.36787944117144233, 1.0)
    """
    return exp(1 - 1 / ratio) if ratio < 1 else 1.0
