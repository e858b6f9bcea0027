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

if TYPE_CHECKING:
    from rapidbleu.explanation.alignment import Alignment as Alignment
    from rapidbleu.explanation.alignment import Edit as Edit
    from rapidbleu.explanation.alignment import Shift as Shift
    from rapidbleu.metrics.bleu import BLEU as BLEU
    from rapidbleu.metrics.bleu import corpus_bleu as corpus_bleu
    from rapidbleu.metrics.bleu import raw_corpus_bleu as raw_corpus_bleu
    from rapidbleu.metrics.bleu import sentence_bleu as sentence_bleu
    from rapidbleu.metrics.chrf import CHRF as CHRF
    from rapidbleu.metrics.chrf import CHRFScore as CHRFScore
    from rapidbleu.metrics.chrf import corpus_chrf as corpus_chrf
    from rapidbleu.metrics.chrf import sentence_chrf as sentence_chrf
    from rapidbleu.metrics.counting.cider import CIDErD as CIDErD
    from rapidbleu.metrics.counting.cider import CIDErDScore as CIDErDScore
    from rapidbleu.metrics.counting.gec_gleu import GECGLEU as GECGLEU
    from rapidbleu.metrics.counting.gec_gleu import GECGLEUScore as GECGLEUScore
    from rapidbleu.metrics.counting.gleu import GLEU as GLEU
    from rapidbleu.metrics.counting.gleu import GLEUScore as GLEUScore
    from rapidbleu.metrics.counting.nist import NIST as NIST
    from rapidbleu.metrics.counting.nist import NISTScore as NISTScore
    from rapidbleu.metrics.counting.weighted import WeightedBLEU as WeightedBLEU
    from rapidbleu.metrics.counting.weighted import WeightedMatch as WeightedMatch
    from rapidbleu.metrics.counting.weighted import WeightedScore as WeightedScore
    from rapidbleu.metrics.counting.weighted import idf as idf
    from rapidbleu.metrics.counting.word_f import WordF as WordF
    from rapidbleu.metrics.counting.word_f import WordFScore as WordFScore
    from rapidbleu.metrics.edits.cder import CDER as CDER
    from rapidbleu.metrics.edits.cder import CDERScore as CDERScore
    from rapidbleu.metrics.edits.character import CharacTER as CharacTER
    from rapidbleu.metrics.edits.character import CharacTERScore as CharacTERScore
    from rapidbleu.metrics.edits.eed import EED as EED
    from rapidbleu.metrics.edits.eed import EEDScore as EEDScore
    from rapidbleu.metrics.edits.per import PER as PER
    from rapidbleu.metrics.edits.per import PERScore as PERScore
    from rapidbleu.metrics.edits.ter import HTER as HTER
    from rapidbleu.metrics.edits.ter import TER as TER
    from rapidbleu.metrics.edits.ter import HTERScore as HTERScore
    from rapidbleu.metrics.edits.ter import TERScore as TERScore
    from rapidbleu.metrics.edits.ter import corpus_ter as corpus_ter
    from rapidbleu.metrics.edits.ter import sentence_ter as sentence_ter
    from rapidbleu.metrics.edits.wer import CER as CER
    from rapidbleu.metrics.edits.wer import WER as WER
    from rapidbleu.metrics.edits.wer import ErrorRateScore as ErrorRateScore
    from rapidbleu.metrics.interpolation import Interpolation as Interpolation
    from rapidbleu.metrics.matching.gtm import GTM as GTM
    from rapidbleu.metrics.matching.gtm import GTMScore as GTMScore
    from rapidbleu.metrics.matching.ribes import RIBES as RIBES
    from rapidbleu.metrics.matching.ribes import RIBESScore as RIBESScore
    from rapidbleu.metrics.matching.rouge import ROUGE as ROUGE
    from rapidbleu.metrics.matching.rouge import ROUGEScore as ROUGEScore
    from rapidbleu.metrics.matching.skip_ngrams import SkipNgramF as SkipNgramF
    from rapidbleu.metrics.matching.skip_ngrams import SkipNgramFScore as SkipNgramFScore
    from rapidbleu.metrics.mean import MeanScore as MeanScore
    from rapidbleu.metrics.meteor.metric import METEOR as METEOR
    from rapidbleu.metrics.meteor.metric import METEORScore as METEORScore
    from rapidbleu.score import BLEUScore as BLEUScore
else:
    LATER = {name: module for module, names in MODULES.items() for name in names}
    __all__ = sorted(LATER)
    __getattr__, __dir__ = late_names(globals(), LATER)
