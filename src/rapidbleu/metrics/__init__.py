"""The metrics.

BLEU, chrF and TER are loaded with the package, the others when they are asked for.
"""

from rapidbleu.metrics.bleu import BLEU
from rapidbleu.metrics.chrf import CHRF, CHRFScore
from rapidbleu.metrics.functions import (
    corpus_bleu,
    corpus_chrf,
    corpus_ter,
    raw_corpus_bleu,
    sentence_bleu,
    sentence_chrf,
    sentence_ter,
)
from rapidbleu.metrics.interpolation import Interpolation
from rapidbleu.metrics.mean import MeanScore
from rapidbleu.metrics.ter import TER, TERScore
from rapidbleu.score import BLEUScore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.metrics.alignment import Alignment, Edit, Shift
    from rapidbleu.metrics.cder import CDER, CDERScore
    from rapidbleu.metrics.character import CharacTER, CharacTERScore
    from rapidbleu.metrics.cider import CIDErD, CIDErDScore
    from rapidbleu.metrics.eed import EED, EEDScore
    from rapidbleu.metrics.gec_gleu import GECGLEU, GECGLEUScore
    from rapidbleu.metrics.gleu import GLEU, GLEUScore
    from rapidbleu.metrics.gtm import GTM, GTMScore
    from rapidbleu.metrics.hter import HTER, HTERScore
    from rapidbleu.metrics.meteor import METEOR, METEORScore
    from rapidbleu.metrics.nist import NIST, NISTScore
    from rapidbleu.metrics.per import PER, PERScore
    from rapidbleu.metrics.ribes import RIBES, RIBESScore
    from rapidbleu.metrics.rouge import ROUGE, ROUGEScore
    from rapidbleu.metrics.skip_ngrams import SkipNgramF, SkipNgramFScore
    from rapidbleu.metrics.weighted import WeightedBLEU, WeightedMatch, WeightedScore, idf
    from rapidbleu.metrics.wer import CER, WER, ErrorRateScore
    from rapidbleu.metrics.word_f import WordF, WordFScore


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

# The module of each name that is loaded when it is asked for.
LATER = {
    "Alignment": "alignment",
    "Edit": "alignment",
    "Shift": "alignment",
    "CDER": "cder",
    "CDERScore": "cder",
    "CharacTER": "character",
    "CharacTERScore": "character",
    "CIDErD": "cider",
    "CIDErDScore": "cider",
    "EED": "eed",
    "EEDScore": "eed",
    "GECGLEU": "gec_gleu",
    "GECGLEUScore": "gec_gleu",
    "GLEU": "gleu",
    "GLEUScore": "gleu",
    "GTM": "gtm",
    "GTMScore": "gtm",
    "HTER": "hter",
    "HTERScore": "hter",
    "METEOR": "meteor",
    "METEORScore": "meteor",
    "NIST": "nist",
    "NISTScore": "nist",
    "PER": "per",
    "PERScore": "per",
    "RIBES": "ribes",
    "RIBESScore": "ribes",
    "ROUGE": "rouge",
    "ROUGEScore": "rouge",
    "SkipNgramF": "skip_ngrams",
    "SkipNgramFScore": "skip_ngrams",
    "WeightedBLEU": "weighted",
    "WeightedMatch": "weighted",
    "WeightedScore": "weighted",
    "idf": "weighted",
    "CER": "wer",
    "ErrorRateScore": "wer",
    "WER": "wer",
    "WordF": "word_f",
    "WordFScore": "word_f",
}


def __getattr__(name: str) -> object:
    module = LATER.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(__import__(f"{__name__}.{module}", fromlist=[name]), name)
    globals()[name] = found
    return found
