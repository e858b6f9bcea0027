"""The metrics.

BLEU, chrF and TER are loaded with the package, the others when they are asked for.
"""

from rapidbleu.loading.loader import late_names
from rapidbleu.metrics.bleu import BLEU
from rapidbleu.metrics.bleu_functions import corpus_bleu, raw_corpus_bleu, sentence_bleu
from rapidbleu.metrics.chrf import CHRF, CHRFScore
from rapidbleu.metrics.chrf_ter_functions import (
    corpus_chrf,
    corpus_ter,
    sentence_chrf,
    sentence_ter,
)
from rapidbleu.metrics.interpolation import Interpolation
from rapidbleu.metrics.mean import MeanScore
from rapidbleu.metrics.ter import TER, TERScore
from rapidbleu.score import BLEUScore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.explanation.alignment import Alignment, Edit, Shift
    from rapidbleu.metrics.contract.scores import WeightedScore
    from rapidbleu.metrics.counting.cider import CIDErD, CIDErDScore
    from rapidbleu.metrics.counting.gec_gleu import GECGLEU, GECGLEUScore
    from rapidbleu.metrics.counting.gleu import GLEU, GLEUScore
    from rapidbleu.metrics.counting.nist import NIST, NISTScore
    from rapidbleu.metrics.counting.weighted import WeightedBLEU, WeightedMatch, idf
    from rapidbleu.metrics.counting.word_f import WordF, WordFScore
    from rapidbleu.metrics.edits.cder import CDER, CDERScore
    from rapidbleu.metrics.edits.character import CharacTER, CharacTERScore
    from rapidbleu.metrics.edits.eed import EED, EEDScore
    from rapidbleu.metrics.edits.hter import HTER, HTERScore
    from rapidbleu.metrics.edits.per import PER, PERScore
    from rapidbleu.metrics.edits.wer import CER, WER, ErrorRateScore
    from rapidbleu.metrics.matching.gtm import GTM, GTMScore
    from rapidbleu.metrics.matching.ribes import RIBES, RIBESScore
    from rapidbleu.metrics.matching.rouge import ROUGE, ROUGEScore
    from rapidbleu.metrics.matching.skip_ngrams import SkipNgramF, SkipNgramFScore
    from rapidbleu.metrics.meteor.metric import METEOR, METEORScore


__all__ = [
    "BLEU",
    "CDER",
    "CER",
    "CHRF",
    "EED",
    "GECGLEU",
    "GLEU",
    "GTM",
    "HTER",
    "METEOR",
    "NIST",
    "PER",
    "RIBES",
    "ROUGE",
    "TER",
    "WER",
    "Alignment",
    "BLEUScore",
    "CDERScore",
    "CHRFScore",
    "CIDErD",
    "CIDErDScore",
    "CharacTER",
    "CharacTERScore",
    "EEDScore",
    "Edit",
    "ErrorRateScore",
    "GECGLEUScore",
    "GLEUScore",
    "GTMScore",
    "HTERScore",
    "Interpolation",
    "METEORScore",
    "MeanScore",
    "NISTScore",
    "PERScore",
    "RIBESScore",
    "ROUGEScore",
    "Shift",
    "SkipNgramF",
    "SkipNgramFScore",
    "TERScore",
    "WeightedBLEU",
    "WeightedMatch",
    "WeightedScore",
    "WordF",
    "WordFScore",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_ter",
    "idf",
    "raw_corpus_bleu",
    "sentence_bleu",
    "sentence_chrf",
    "sentence_ter",
]

# The modules of names that are not loaded with the package.
LATER = {
    "Alignment": "alignment",
    "Edit": "alignment",
    "Shift": "alignment",
    "CDER": "edits.cder",
    "CDERScore": "edits.cder",
    "CharacTER": "edits.character",
    "CharacTERScore": "edits.character",
    "CIDErD": "counting.cider",
    "CIDErDScore": "counting.cider",
    "EED": "edits.eed",
    "EEDScore": "edits.eed",
    "GECGLEU": "counting.gec_gleu",
    "GECGLEUScore": "counting.gec_gleu",
    "GLEU": "counting.gleu",
    "GLEUScore": "counting.gleu",
    "GTM": "matching.gtm",
    "GTMScore": "matching.gtm",
    "HTER": "edits.hter",
    "HTERScore": "edits.hter",
    "METEOR": "meteor.metric",
    "METEORScore": "meteor.metric",
    "NIST": "counting.nist",
    "NISTScore": "counting.nist",
    "PER": "edits.per",
    "PERScore": "edits.per",
    "RIBES": "matching.ribes",
    "RIBESScore": "matching.ribes",
    "ROUGE": "matching.rouge",
    "ROUGEScore": "matching.rouge",
    "SkipNgramF": "matching.skip_ngrams",
    "SkipNgramFScore": "matching.skip_ngrams",
    "WeightedBLEU": "counting.weighted",
    "WeightedMatch": "counting.weighted",
    "WeightedScore": "contract.scores",
    "idf": "counting.weighted",
    "CER": "edits.wer",
    "ErrorRateScore": "edits.wer",
    "WER": "edits.wer",
    "WordF": "counting.word_f",
    "WordFScore": "counting.word_f",
}

__getattr__, __dir__ = late_names(globals(), LATER)
