"""The metrics."""

from rapidbleu.metrics.bleu import BLEU
from rapidbleu.metrics.chrf import CHRF, CHRFScore
from rapidbleu.metrics.chrf_functions import corpus_chrf, sentence_chrf
from rapidbleu.metrics.functions import corpus_bleu, raw_corpus_bleu, sentence_bleu
from rapidbleu.metrics.interpolation import Interpolation
from rapidbleu.metrics.mean import MeanScore
from rapidbleu.metrics.ter import TER, TERScore, corpus_ter, sentence_ter
from rapidbleu.score import BLEUScore

__all__ = [
    "BLEU",
    "CHRF",
    "TER",
    "BLEUScore",
    "CHRFScore",
    "Interpolation",
    "MeanScore",
    "TERScore",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_ter",
    "raw_corpus_bleu",
    "sentence_bleu",
    "sentence_chrf",
    "sentence_ter",
]
