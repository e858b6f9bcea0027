"""Explanations of segment scores as data, as text for terminals and as HTML for notebooks."""

from __future__ import annotations

from rapidbleu.explanation.alignment import Alignment, Edit, Shift
from rapidbleu.explanation.explanations import EditExplanation, Explanation, NgramExplanation
from rapidbleu.explanation.ngrams import Ngram, NgramOrder

__all__ = [
    "Alignment",
    "Edit",
    "EditExplanation",
    "Explanation",
    "Ngram",
    "NgramExplanation",
    "NgramOrder",
    "Shift",
]
