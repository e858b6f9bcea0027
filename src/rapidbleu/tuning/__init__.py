"""Tuning: feature weights that make n-best lists score best.

Each name is loaded when it is asked for, and NumPy with it.
"""

from rapidbleu.loading.loader import late_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.tuning.bagging.bagged import Bagged, BaggedResult, bagged
    from rapidbleu.tuning.bagging.tune import tune
    from rapidbleu.tuning.lists.nbest import NBestList
    from rapidbleu.tuning.moses.nbest_files import read_nbest, write_nbest
    from rapidbleu.tuning.moses.score_files import read_stats, write_stats
    from rapidbleu.tuning.result import TuningResult
    from rapidbleu.tuning.search.line_search import LineSearchResult, line_search
    from rapidbleu.tuning.search.mert import MertResult, mert
    from rapidbleu.tuning.search.mira import mira
    from rapidbleu.tuning.search.pro import pro
    from rapidbleu.tuning.search.risk import risk
    from rapidbleu.tuning.stability.instability import Instability, tune_many
    from rapidbleu.tuning.validation.cross import cross_validate
    from rapidbleu.tuning.validation.result import CrossValidation, HeldOutDifference
    from rapidbleu.tuning.validation.splits import document_folds, k_folds, random_halves

__all__ = [
    "Bagged",
    "BaggedResult",
    "CrossValidation",
    "HeldOutDifference",
    "Instability",
    "LineSearchResult",
    "MertResult",
    "NBestList",
    "TuningResult",
    "bagged",
    "cross_validate",
    "document_folds",
    "k_folds",
    "line_search",
    "mert",
    "mira",
    "pro",
    "random_halves",
    "read_nbest",
    "read_stats",
    "risk",
    "tune",
    "tune_many",
    "write_nbest",
    "write_stats",
]

# The module of each name.
LATER = {
    "Bagged": "bagging.bagged",
    "BaggedResult": "bagging.bagged",
    "CrossValidation": "validation.result",
    "HeldOutDifference": "validation.result",
    "Instability": "stability.instability",
    "LineSearchResult": "search.line_search",
    "MertResult": "search.mert",
    "NBestList": "lists.nbest",
    "TuningResult": "result",
    "bagged": "bagging.bagged",
    "cross_validate": "validation.cross",
    "document_folds": "validation.splits",
    "k_folds": "validation.splits",
    "line_search": "search.line_search",
    "mert": "search.mert",
    "mira": "search.mira",
    "pro": "search.pro",
    "random_halves": "validation.splits",
    "read_nbest": "moses.nbest_files",
    "read_stats": "moses.score_files",
    "risk": "search.risk",
    "tune": "bagging.tune",
    "tune_many": "stability.instability",
    "write_nbest": "moses.nbest_files",
    "write_stats": "moses.score_files",
}

__getattr__, __dir__ = late_names(globals(), LATER, "numpy", "numpy.random")
