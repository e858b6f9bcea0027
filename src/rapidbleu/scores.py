"""Score types for annotations, as returned by `corpus_score` and `sentence_score`.

Examples
--------
>>> from rapidbleu import WER
>>> from rapidbleu.scores import ErrorRateScore
>>> score = WER().sentence_score("the cat", ["the cat sat"])
>>> isinstance(score, ErrorRateScore), score.matches, score.deletions
(True, 2, 1)
"""

from rapidbleu import metrics
from rapidbleu._lib.loader import late_names

TYPE_CHECKING = False

# isort: off
# fmt: off
if TYPE_CHECKING:  # the same names, as type checkers see them
    from rapidbleu.metrics.chrf import CHRFScore as CHRFScore
    from rapidbleu.metrics.counting.information import (
        CIDErDScore as CIDErDScore, NISTScore as NISTScore, WeightedScore as WeightedScore,
    )
    from rapidbleu.metrics.counting.overlap import (
        GECGLEUScore as GECGLEUScore, GLEUScore as GLEUScore, WordFScore as WordFScore,
    )
    from rapidbleu.metrics.edits.rates import (
        CDERScore as CDERScore, CharacTERScore as CharacTERScore, EEDScore as EEDScore,
        ErrorRateScore as ErrorRateScore, PERScore as PERScore,
    )
    from rapidbleu.metrics.edits.ter import HTERScore as HTERScore, TERScore as TERScore
    from rapidbleu.metrics.matching.order import (
        GTMScore as GTMScore, RIBESScore as RIBESScore, SkipNgramFScore as SkipNgramFScore,
    )
    from rapidbleu.metrics.matching.rouge import ROUGEScore as ROUGEScore
    from rapidbleu.metrics.meteor import METEORScore as METEORScore
    from rapidbleu.metrics.bleu import BLEUScore as BLEUScore
else:
    LATER = {score: f"rapidbleu.metrics.{module}" for module, score in metrics.METRICS.values()}
    __all__ = sorted(LATER)
    __getattr__, __dir__ = late_names(globals(), LATER)
