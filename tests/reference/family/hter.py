"""HTER (Snover et al. 2006) on lists of tokens: TER with targeted references.

The length is taken from other references, as with tercom's option -a.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from reference.ter import edits

Tokens = Sequence[Any]
Row = tuple[int, Fraction]


def stats(hyp: Tokens, targeted: Sequence[Tokens], others: Sequence[Tokens]) -> Row:
    """Return edits to the closest targeted reference, and the mean length of other references.

    Without other references it is the mean length of the targeted ones, which is TER.
    """
    measured = others or targeted
    length = Fraction(sum(map(len, measured)), len(measured))
    return min(edits(hyp, ref) for ref in targeted), length


def score(rows: Sequence[Row]) -> float:
    """Return edits by length of all segments; without any length 1 if there are edits, else 0."""
    n_edits = sum(row[0] for row in rows)
    length = sum((row[1] for row in rows), Fraction(0))
    if not length:
        return float(n_edits > 0)
    return n_edits / float(length)
