"""The metrics."""

from rapidbleu.metrics.bleu import BLEU
from rapidbleu.metrics.functions import corpus_bleu, raw_corpus_bleu, sentence_bleu
from rapidbleu.metrics.interpolation import Interpolation
from rapidbleu.metrics.mean import MeanScore
from rapidbleu.score import BLEUScore

__all__ = [
    "BLEU",
    "BLEUScore",
    "Interpolation",
    "MeanScore",
    "corpus_bleu",
    "raw_corpus_bleu",
    "sentence_bleu",
]
