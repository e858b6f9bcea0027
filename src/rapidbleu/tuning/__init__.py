"""Tuning: feature weights that make n-best lists score best."""

from rapidbleu.tuning.lists.nbest import NBestList
from rapidbleu.tuning.moses.nbest_files import read_nbest, write_nbest
from rapidbleu.tuning.moses.score_files import read_stats, write_stats
from rapidbleu.tuning.result import TuningResult
from rapidbleu.tuning.search.line_search import LineSearchResult, line_search
from rapidbleu.tuning.search.mert import MertResult, mert
from rapidbleu.tuning.search.mira import mira
from rapidbleu.tuning.search.pro import pro
from rapidbleu.tuning.stability.instability import Instability, tune_many

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
