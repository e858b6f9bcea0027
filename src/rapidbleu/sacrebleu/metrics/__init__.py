"""The metrics and their scores."""

from rapidbleu.sacrebleu.metrics.bleu import BLEU, BLEUScore
from rapidbleu.sacrebleu.metrics.chrf import CHRF, CHRFScore
from rapidbleu.sacrebleu.metrics.ter import TER, TERScore

__all__ = ["BLEU", "CHRF", "METRICS", "TER", "BLEUScore", "CHRFScore", "TERScore"]

METRICS = {"BLEU": BLEU, "CHRF": CHRF, "TER": TER}
