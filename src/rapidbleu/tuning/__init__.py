"""Tuning: feature weights that make n-best lists score best."""

from rapidbleu.tuning.nbest import NBestList
from rapidbleu.tuning.result import TuningResult

__all__ = ["NBestList", "TuningResult"]
