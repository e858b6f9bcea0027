"""The metrics."""

from rapidbleu.metrics.bleu import BLEU
from rapidbleu.metrics.functions import corpus_bleu, raw_corpus_bleu, sentence_bleu
from rapidbleu.score import BLEUScore

__all__ = ["BLEU", "BLEUScore", "corpus_bleu", "raw_corpus_bleu", "sentence_bleu"]
