"""Tuning: feature weights that make n-best lists score best.

Each name is loaded when it is asked for, and NumPy with it.
"""

from rapidbleu._lib.loader import late_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.tuning.lists.nbest import NBestList
    from rapidbleu.tuning.moses.nbest_files import read_nbest, write_nbest
    from rapidbleu.tuning.moses.score_files import read_stats, write_stats
    from rapidbleu.tuning.result import TuningResult
    from rapidbleu.tuning.runs.bagged import Bagged, BaggedResult, bagged, tune
    from rapidbleu.tuning.runs.instability import Instability, tune_many
    from rapidbleu.tuning.runs.splits import document_folds, k_folds, random_halves
    from rapidbleu.tuning.runs.validation import CrossValidation, HeldOutDifference, cross_validate
    from rapidbleu.tuning.search.line_search import LineSearchResult, line_search
    from rapidbleu.tuning.search.mert import MertResult, mert
    from rapidbleu.tuning.search.mira import mira
    from rapidbleu.tuning.search.pro import pro
    from rapidbleu.tuning.search.risk import risk

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
    "Bagged": "runs.bagged",
    "BaggedResult": "runs.bagged",
    "CrossValidation": "runs.validation",
    "HeldOutDifference": "runs.validation",
    "Instability": "runs.instability",
    "LineSearchResult": "search.line_search",
    "MertResult": "search.mert",
    "NBestList": "lists.nbest",
    "TuningResult": "result",
    "bagged": "runs.bagged",
    "cross_validate": "runs.validation",
    "document_folds": "runs.splits",
    "k_folds": "runs.splits",
    "line_search": "search.line_search",
    "mert": "search.mert",
    "mira": "search.mira",
    "pro": "search.pro",
    "random_halves": "runs.splits",
    "read_nbest": "moses.nbest_files",
    "read_stats": "moses.score_files",
    "risk": "search.risk",
    "tune": "runs.bagged",
    "tune_many": "runs.instability",
    "write_nbest": "moses.nbest_files",
    "write_stats": "moses.score_files",
}

__getattr__, __dir__ = late_names(globals(), LATER, "numpy", "numpy.random")
