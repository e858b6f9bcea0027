"""Tuning of feature weights on n-best lists.

Functions check their arguments before any work and raise TypeError or ValueError, with the index
of a wrong item. Names, and NumPy, are loaded lazily.
"""

from rapidbleu._lib.loader import late_names

TYPE_CHECKING = False

MODULES = {
    "moses.nbest_files": ["read_nbest", "write_nbest"],
    "moses.score_files": ["read_stats", "write_stats"],
    "nbest": ["NBestList"],
    "runs.bagging": ["BaggedResult", "tune"],
    "runs.instability": ["RepeatedTuning", "tune_repeatedly"],
    "runs.validation": [
        "CrossValidation", "HeldOutDifference", "cross_validate", "split_documents", "split_folds",
        "split_halves",
    ],
    "search.line_search": ["LineSearchResult", "line_search"],
    "search.mert": ["MertResult", "mert"],
    "search.mira": ["mira"],
    "search.pro": ["pro"],
    "search.risk": ["risk"],
    "search.shared": ["TuningResult"],
}  # fmt: skip

# isort: off
# fmt: off
if TYPE_CHECKING:  # the same names, as type checkers see them
    from rapidbleu.tuning.moses.nbest_files import (
        read_nbest as read_nbest, write_nbest as write_nbest,
    )
    from rapidbleu.tuning.moses.score_files import (
        read_stats as read_stats, write_stats as write_stats,
    )
    from rapidbleu.tuning.nbest import NBestList as NBestList
    from rapidbleu.tuning.runs.bagging import (
        BaggedResult as BaggedResult, tune as tune,
    )
    from rapidbleu.tuning.runs.instability import (
        RepeatedTuning as RepeatedTuning, tune_repeatedly as tune_repeatedly,
    )
    from rapidbleu.tuning.runs.validation import (
        CrossValidation as CrossValidation, HeldOutDifference as HeldOutDifference,
        cross_validate as cross_validate, split_documents as split_documents,
        split_folds as split_folds, split_halves as split_halves,
    )
    from rapidbleu.tuning.search.line_search import (
        LineSearchResult as LineSearchResult, line_search as line_search,
    )
    from rapidbleu.tuning.search.mert import MertResult as MertResult, mert as mert
    from rapidbleu.tuning.search.mira import mira as mira
    from rapidbleu.tuning.search.pro import pro as pro
    from rapidbleu.tuning.search.risk import risk as risk
    from rapidbleu.tuning.search.shared import TuningResult as TuningResult
else:
    LATER = {name: module for module, names in MODULES.items() for name in names}
    __all__ = sorted(LATER)
    __getattr__, __dir__ = late_names(globals(), LATER, "numpy", "numpy.random")
