"""Exact BLEU at the speed of the machine: sacrebleu's numbers, two orders of magnitude faster.

Examples
--------
>>> import rapidbleu
>>> hypotheses = ["The cat sat on a mat.", "It rained."]
>>> references = [["The cat sat on the mat.", "It was raining."]]
>>> rapidbleu.corpus_bleu(hypotheses, references)
BLEU = 38.66 80.0/50.0/33.3/25.0 (BP = 0.905 ratio = 0.909 hyp_len = 10 ref_len = 11)
"""

from rapidbleu._version import __version__
from rapidbleu.loading.loader import late_names
from rapidbleu.metrics import (
    BLEU,
    CHRF,
    TER,
    BLEUScore,
    CHRFScore,
    Interpolation,
    MeanScore,
    TERScore,
    corpus_bleu,
    corpus_chrf,
    corpus_ter,
    raw_corpus_bleu,
    sentence_bleu,
    sentence_chrf,
    sentence_ter,
)
from rapidbleu.oracle import oracle_bleu
from rapidbleu.patch import patch_sacrebleu
from rapidbleu.references import References
from rapidbleu.rewards import bleu_reward
from rapidbleu.running import RunningScore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.comparison import Comparison, compare
    from rapidbleu.metrics import (
        CDER,
        CER,
        EED,
        GECGLEU,
        GLEU,
        GTM,
        HTER,
        METEOR,
        NIST,
        PER,
        RIBES,
        ROUGE,
        WER,
        Alignment,
        CDERScore,
        CharacTER,
        CharacTERScore,
        CIDErD,
        CIDErDScore,
        EEDScore,
        ErrorRateScore,
        GECGLEUScore,
        GLEUScore,
        GTMScore,
        HTERScore,
        METEORScore,
        NISTScore,
        PERScore,
        RIBESScore,
        ROUGEScore,
        SkipNgramF,
        SkipNgramFScore,
        WeightedBLEU,
        WeightedMatch,
        WeightedScore,
        WordF,
        WordFScore,
        idf,
    )
    from rapidbleu.rows.stats_table import StatsTable
    from rapidbleu.streams.scan import Scan, scan

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
    "Comparison",
    "EEDScore",
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
    "References",
    "RunningScore",
    "Scan",
    "SkipNgramF",
    "SkipNgramFScore",
    "StatsTable",
    "TERScore",
    "WeightedBLEU",
    "WeightedMatch",
    "WeightedScore",
    "WordF",
    "WordFScore",
    "__version__",
    "bleu_reward",
    "compare",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_ter",
    "idf",
    "oracle_bleu",
    "patch_sacrebleu",
    "raw_corpus_bleu",
    "scan",
    "sentence_bleu",
    "sentence_chrf",
    "sentence_ter",
]

# The modules of names that are not loaded with the package.
LATER = dict.fromkeys(__all__, "metrics") | {
    "Comparison": "comparison",
    "Scan": "streams.scan",
    "StatsTable": "rows.stats_table",
    "compare": "comparison",
    "scan": "streams.scan",
}
__getattr__, __dir__ = late_names(globals(), LATER)
