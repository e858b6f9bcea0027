"""The metrics."""

from rapidbleu.metrics.bleu import BLEU
from rapidbleu.metrics.cder import CDER, CDERScore
from rapidbleu.metrics.chrf import CHRF, CHRFScore
from rapidbleu.metrics.functions import (
    corpus_bleu,
    corpus_chrf,
    corpus_ter,
    raw_corpus_bleu,
    sentence_bleu,
    sentence_chrf,
    sentence_ter,
)
from rapidbleu.metrics.gleu import GLEU, GLEUScore
from rapidbleu.metrics.interpolation import Interpolation
from rapidbleu.metrics.mean import MeanScore
from rapidbleu.metrics.nist import NIST, NISTScore
from rapidbleu.metrics.per import PER, PERScore
from rapidbleu.metrics.ter import TER, TERScore
from rapidbleu.metrics.wer import CER, WER, ErrorRateScore
from rapidbleu.metrics.word_f import WordF, WordFScore
from rapidbleu.score import BLEUScore

__all__ = [
    "BLEU",
    "CDER",
    "CER",
    "CHRF",
    "GLEU",
    "NIST",
    "PER",
    "TER",
    "WER",
    "BLEUScore",
    "CDERScore",
    "CHRFScore",
    "ErrorRateScore",
    "GLEUScore",
    "Interpolation",
    "MeanScore",
    "NISTScore",
    "PERScore",
    "TERScore",
    "WordF",
    "WordFScore",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_ter",
    "raw_corpus_bleu",
    "sentence_bleu",
    "sentence_chrf",
    "sentence_ter",
]
