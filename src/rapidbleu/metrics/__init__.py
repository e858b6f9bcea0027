"""The metrics.

A new metric is named here once. The names of this package and of `rapidbleu`, the metrics of the
command line and the entries of the reference pages follow from the table.
"""

from rapidbleu._lib.loader import late_names

TYPE_CHECKING = False

# Each metric's module and score. A module loads when one of its names is used.
METRICS = {
    "BLEU": ("bleu", "BLEUScore"),
    "CHRF": ("chrf", "CHRFScore"),
    "TER": ("edits.ter", "TERScore"),
    "HTER": ("edits.ter", "HTERScore"),
    "WER": ("edits.wer", "ErrorRateScore"),
    "CER": ("edits.wer", "ErrorRateScore"),
    "PER": ("edits.per", "PERScore"),
    "CDER": ("edits.cder", "CDERScore"),
    "CharacTER": ("edits.character", "CharacTERScore"),
    "EED": ("edits.eed", "EEDScore"),
    "GLEU": ("counting.gleu", "GLEUScore"),
    "GECGLEU": ("counting.gec_gleu", "GECGLEUScore"),
    "NIST": ("counting.nist", "NISTScore"),
    "CIDErD": ("counting.cider", "CIDErDScore"),
    "WordF": ("counting.word_f", "WordFScore"),
    "WeightedBLEU": ("counting.weighted", "WeightedScore"),
    "WeightedMatch": ("counting.weighted", "WeightedScore"),
    "ROUGE": ("matching.rouge", "ROUGEScore"),
    "GTM": ("matching.gtm", "GTMScore"),
    "RIBES": ("matching.ribes", "RIBESScore"),
    "SkipNgramF": ("matching.skip_ngrams", "SkipNgramFScore"),
    "METEOR": ("meteor.metric", "METEORScore"),
}

# The modules of all other names.
OTHERS = {
    **dict.fromkeys(["corpus_bleu", "raw_corpus_bleu", "sentence_bleu"], "bleu"),
    **dict.fromkeys(["corpus_chrf", "sentence_chrf"], "chrf"),
    **dict.fromkeys(["corpus_ter", "sentence_ter"], "edits.ter"),
    **dict.fromkeys(["Alignment", "Edit", "Shift"], "rapidbleu.explanation.alignment"),
    "Interpolation": "interpolation",
    "MeanScore": "mean",
    "idf": "counting.weighted",
}

# isort: off
# fmt: off
if TYPE_CHECKING:  # the same names, as type checkers see them
    from rapidbleu.explanation.alignment import Alignment as Alignment, Edit as Edit, Shift as Shift
    from rapidbleu.metrics.bleu import (
        BLEU as BLEU, corpus_bleu as corpus_bleu, raw_corpus_bleu as raw_corpus_bleu,
        sentence_bleu as sentence_bleu,
    )
    from rapidbleu.score import BLEUScore as BLEUScore
    from rapidbleu.metrics.chrf import (
        CHRF as CHRF, CHRFScore as CHRFScore, corpus_chrf as corpus_chrf,
        sentence_chrf as sentence_chrf,
    )
    from rapidbleu.metrics.counting.cider import CIDErD as CIDErD, CIDErDScore as CIDErDScore
    from rapidbleu.metrics.counting.gec_gleu import GECGLEU as GECGLEU, GECGLEUScore as GECGLEUScore
    from rapidbleu.metrics.counting.gleu import GLEU as GLEU, GLEUScore as GLEUScore
    from rapidbleu.metrics.counting.nist import NIST as NIST, NISTScore as NISTScore
    from rapidbleu.metrics.counting.weighted import (
        WeightedBLEU as WeightedBLEU, WeightedMatch as WeightedMatch,
        WeightedScore as WeightedScore, idf as idf,
    )
    from rapidbleu.metrics.counting.word_f import WordF as WordF, WordFScore as WordFScore
    from rapidbleu.metrics.edits.cder import CDER as CDER, CDERScore as CDERScore
    from rapidbleu.metrics.edits.character import (
        CharacTER as CharacTER, CharacTERScore as CharacTERScore,
    )
    from rapidbleu.metrics.edits.eed import EED as EED, EEDScore as EEDScore
    from rapidbleu.metrics.edits.per import PER as PER, PERScore as PERScore
    from rapidbleu.metrics.edits.ter import (
        HTER as HTER, HTERScore as HTERScore, TER as TER, TERScore as TERScore,
        corpus_ter as corpus_ter, sentence_ter as sentence_ter,
    )
    from rapidbleu.metrics.edits.wer import CER as CER, ErrorRateScore as ErrorRateScore, WER as WER
    from rapidbleu.metrics.interpolation import Interpolation as Interpolation
    from rapidbleu.metrics.matching.gtm import GTM as GTM, GTMScore as GTMScore
    from rapidbleu.metrics.matching.ribes import RIBES as RIBES, RIBESScore as RIBESScore
    from rapidbleu.metrics.matching.rouge import ROUGE as ROUGE, ROUGEScore as ROUGEScore
    from rapidbleu.metrics.matching.skip_ngrams import (
        SkipNgramF as SkipNgramF, SkipNgramFScore as SkipNgramFScore,
    )
    from rapidbleu.metrics.mean import MeanScore as MeanScore
    from rapidbleu.metrics.meteor.metric import METEOR as METEOR, METEORScore as METEORScore
else:
    LATER = OTHERS | {
        name: module for metric, (module, score) in METRICS.items() for name in (metric, score)
    }
    __all__ = sorted(LATER)
    __getattr__, __dir__ = late_names(globals(), LATER)
