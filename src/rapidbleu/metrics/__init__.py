"""The metrics."""

from rapidbleu.metrics.bleu import BLEU, BLEUScore
from rapidbleu.metrics.functions import corpus_bleu, raw_corpus_bleu, sentence_bleu

__all__ = ["BLEU", "BLEUScore", "corpus_bleu", "raw_corpus_bleu", "sentence_bleu"]
