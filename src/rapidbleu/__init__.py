"""Exact BLEU at the speed of the machine: sacrebleu's numbers, two orders of magnitude faster.

Examples
--------
>>> import rapidbleu
>>> hypotheses = ["The cat sat on a mat.", "It rained."]
>>> references = [["The cat sat on the mat.", "It was raining."]]
>>> rapidbleu.corpus_bleu(hypotheses, references)
BLEU = 38.66 80.0/50.0/33.3/25.0 (BP = 0.905 ratio = 0.909 hyp_len = 10 ref_len = 11)
"""

from rapidbleu import metrics
from rapidbleu._lib.loader import late_names
from rapidbleu._version import __version__ as __version__
from rapidbleu.oracle import oracle_bleu as oracle_bleu
from rapidbleu.references import References as References
from rapidbleu.rewards import bleu_reward as bleu_reward
from rapidbleu.running import RunningScore as RunningScore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.comparison import Comparison as Comparison
    from rapidbleu.comparison import compare as compare
    from rapidbleu.metrics import *  # noqa: F403
    from rapidbleu.rows.stats_table import StatsTable as StatsTable
    from rapidbleu.sacrebleu.patching import patch_sacrebleu as patch_sacrebleu
    from rapidbleu.streams.tables import Scan as Scan
    from rapidbleu.streams.tables import scan as scan
else:
    # The modules of names that are not loaded with the package.
    LATER = {
        **{name: "metrics" for name in metrics.__all__ if name not in ("Edit", "Shift")},
        "Comparison": "comparison",
        "Scan": "streams.tables",
        "StatsTable": "rows.stats_table",
        "compare": "comparison",
        "patch_sacrebleu": "sacrebleu.patching",
        "scan": "streams.tables",
    }
    __all__ = sorted([
        *LATER, "References", "RunningScore", "__version__", "bleu_reward", "oracle_bleu",
    ])  # fmt: skip
    __getattr__, __dir__ = late_names(globals(), LATER)
