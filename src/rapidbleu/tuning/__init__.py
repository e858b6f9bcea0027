"""Tuning: feature weights that make n-best lists score best."""

from rapidbleu.tuning.instability import Instability, tune_many
from rapidbleu.tuning.line_search import LineSearchResult, line_search
from rapidbleu.tuning.mert import MertResult, mert
from rapidbleu.tuning.mira import mira
from rapidbleu.tuning.moses import read_nbest, write_nbest
from rapidbleu.tuning.moses_stats import read_stats, write_stats
from rapidbleu.tuning.nbest import NBestList
from rapidbleu.tuning.pro import pro
from rapidbleu.tuning.result import TuningResult

__all__ = [
    "Instability",
    "LineSearchResult",
    "MertResult",
    "NBestList",
    "TuningResult",
    "line_search",
    "mert",
    "mira",
    "pro",
    "read_nbest",
    "read_stats",
    "tune_many",
    "write_nbest",
    "write_stats",
]
