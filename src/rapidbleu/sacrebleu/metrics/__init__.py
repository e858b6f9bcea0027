"""The metrics and their scores."""

from rapidbleu._lib.installed_sacrebleu import module_of
from rapidbleu.sacrebleu.metrics.bleu import BLEU, BLEUScore
from rapidbleu.sacrebleu.metrics.chrf import CHRF, CHRFScore
from rapidbleu.sacrebleu.metrics.ter import TER, TERScore

__all__ = ["BLEU", "CHRF", "METRICS", "TER", "BLEUScore", "CHRFScore", "TERScore"]

METRICS = {"BLEU": BLEU, "CHRF": CHRF, "TER": TER}

helpers = module_of("metrics.helpers")
lib_ter = module_of("metrics.lib_ter")
