"""The metrics.

`MODULES` names everything that this package offers once. The names of the two packages, of the
command line's metrics and of the reference pages follow from it.
"""

from rapidbleu.loading.loader import late_names

TYPE_CHECKING = False

# What each module offers, the metrics before their scores. A module loads when a name is used.
MODULES = {
    "bleu": ["BLEU", "BLEUScore", "corpus_bleu", "raw_corpus_bleu", "sentence_bleu"],
    "chrf": ["CHRF", "CHRFScore", "corpus_chrf", "sentence_chrf"],
    "edits.ter": ["TER", "TERScore", "HTER", "HTERScore", "corpus_ter", "sentence_ter"],
    "edits.wer": ["WER", "CER", "ErrorRateScore"],
    "edits.per": ["PER", "PERScore"],
    "edits.cder": ["CDER", "CDERScore"],
    "edits.character": ["CharacTER", "CharacTERScore"],
    "edits.eed": ["EED", "EEDScore"],
    "counting.gleu": ["GLEU", "GLEUScore"],
    "counting.gec_gleu": ["GECGLEU", "GECGLEUScore"],
    "counting.nist": ["NIST", "NISTScore"],
    "counting.cider": ["CIDErD", "CIDErDScore"],
    "counting.word_f": ["WordF", "WordFScore"],
    "counting.weighted": ["WeightedBLEU", "WeightedMatch", "WeightedScore", "idf"],
    "matching.gtm": ["GTM", "GTMScore"],
    "matching.ribes": ["RIBES", "RIBESScore"],
    "matching.rouge": ["ROUGE", "ROUGEScore"],
    "matching.skip_ngrams": ["SkipNgramF", "SkipNgramFScore"],
    "meteor.metric": ["METEOR", "METEORScore"],
    "interpolation": ["Interpolation"],
    "mean": ["MeanScore"],
    "rapidbleu.explanation.alignment": ["Alignment", "Edit", "Shift"],
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
    LATER = {name: module for module, names in MODULES.items() for name in names}
    __all__ = sorted(LATER)
    __getattr__, __dir__ = late_names(globals(), LATER)
