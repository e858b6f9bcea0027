"""The metrics.

A new metric is registered here once. The table defines the names of this package, of `rapidbleu`
and of `rapidbleu.scores`, the metrics of the command line and the entries of the reference pages.
"""

from rapidbleu._lib.loader import late_names

TYPE_CHECKING = False

# Module and score class of each metric; a module is loaded when one of its names is used.
METRICS = {
    "BLEU": ("bleu", "BLEUScore"),
    "CHRF": ("chrf", "CHRFScore"),
    "TER": ("edits.ter", "TERScore"),
    "HTER": ("edits.ter", "HTERScore"),
    "WER": ("edits.rates", "ErrorRateScore"),
    "CER": ("edits.rates", "ErrorRateScore"),
    "PER": ("edits.rates", "PERScore"),
    "CDER": ("edits.rates", "CDERScore"),
    "CharacTER": ("edits.rates", "CharacTERScore"),
    "EED": ("edits.rates", "EEDScore"),
    "GLEU": ("counting.overlap", "GLEUScore"),
    "GECGLEU": ("counting.overlap", "GECGLEUScore"),
    "NIST": ("counting.information", "NISTScore"),
    "CIDErD": ("counting.information", "CIDErDScore"),
    "WordF": ("counting.overlap", "WordFScore"),
    "WeightedBLEU": ("counting.information", "WeightedScore"),
    "WeightedMatch": ("counting.information", "WeightedScore"),
    "ROUGE": ("matching.rouge", "ROUGEScore"),
    "GTM": ("matching.order", "GTMScore"),
    "RIBES": ("matching.order", "RIBESScore"),
    "SkipNgramF": ("matching.order", "SkipNgramFScore"),
    "METEOR": ("meteor", "METEORScore"),
}

# Scores that sacrebleu also has; the remaining scores are only in `rapidbleu.scores`.
OF_SACREBLEU = ("BLEUScore", "CHRFScore", "TERScore")

# Modules of all other names
OTHERS = {
    **dict.fromkeys(["corpus_bleu", "raw_corpus_bleu", "sentence_bleu"], "bleu"),
    **dict.fromkeys(["corpus_chrf", "sentence_chrf"], "chrf"),
    **dict.fromkeys(["corpus_ter", "sentence_ter"], "edits.ter"),
    **dict.fromkeys(["Alignment", "Edit", "Shift"], "rapidbleu.explanation.alignment"),
    "WeightedSum": "interpolation",
    "SegmentScores": "mean",
    "idf": "counting.information",
}

# isort: off
# fmt: off
if TYPE_CHECKING:  # the same names, as type checkers see them
    from rapidbleu.explanation.alignment import Alignment as Alignment, Edit as Edit, Shift as Shift
    from rapidbleu.metrics.bleu import (
        BLEU as BLEU, corpus_bleu as corpus_bleu, raw_corpus_bleu as raw_corpus_bleu,
        sentence_bleu as sentence_bleu,
    )
    from rapidbleu.metrics.bleu import BLEUScore as BLEUScore
    from rapidbleu.metrics.chrf import (
        CHRF as CHRF, CHRFScore as CHRFScore, corpus_chrf as corpus_chrf,
        sentence_chrf as sentence_chrf,
    )
    from rapidbleu.metrics.counting.information import (
        CIDErD as CIDErD, NIST as NIST, WeightedBLEU as WeightedBLEU,
        WeightedMatch as WeightedMatch, idf as idf,
    )
    from rapidbleu.metrics.counting.overlap import GECGLEU as GECGLEU, GLEU as GLEU, WordF as WordF
    from rapidbleu.metrics.edits.rates import (
        CDER as CDER, CER as CER, CharacTER as CharacTER, EED as EED, PER as PER, WER as WER,
    )
    from rapidbleu.metrics.edits.ter import (
        HTER as HTER, TER as TER, TERScore as TERScore, corpus_ter as corpus_ter,
        sentence_ter as sentence_ter,
    )
    from rapidbleu.metrics.interpolation import WeightedSum as WeightedSum
    from rapidbleu.metrics.matching.order import (
        GTM as GTM, RIBES as RIBES, SkipNgramF as SkipNgramF,
    )
    from rapidbleu.metrics.matching.rouge import ROUGE as ROUGE
    from rapidbleu.metrics.mean import SegmentScores as SegmentScores
    from rapidbleu.metrics.meteor import METEOR as METEOR
else:
    LATER = OTHERS | {metric: module for metric, (module, _) in METRICS.items()}
    LATER |= {score: module for module, score in METRICS.values() if score in OF_SACREBLEU}
    __all__ = sorted(LATER)
    __getattr__, __dir__ = late_names(globals(), LATER)
