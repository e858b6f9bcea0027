"""Why a segment scored what it did, as data, as text for terminals and as HTML for notebooks."""

from rapidbleu.explanation.alignment import Alignment, Edit, Shift
from rapidbleu.explanation.base import Explanation
from rapidbleu.explanation.edits import EditExplanation
from rapidbleu.explanation.ngrams import Ngram, NgramExplanation, NgramOrder
from rapidbleu.explanation.pieces import Text, Texts

__all__ = [
    "Alignment",
    "Edit",
    "EditExplanation",
    "Explanation",
    "Ngram",
    "NgramExplanation",
    "NgramOrder",
    "Shift",
    "Text",
    "Texts",
]
