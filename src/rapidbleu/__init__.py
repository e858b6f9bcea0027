"""Exact BLEU with sacrebleu's numbers, two orders of magnitude faster.

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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu import adapters as adapters
    from rapidbleu import alignment as alignment
    from rapidbleu import comparison as comparison
    from rapidbleu import explanation as explanation
    from rapidbleu import meta as meta
    from rapidbleu import nltk as nltk
    from rapidbleu import plots as plots
    from rapidbleu import sacrebleu as sacrebleu
    from rapidbleu import scores as scores
    from rapidbleu import significance as significance
    from rapidbleu import spark as spark
    from rapidbleu import tokenizers as tokenizers
    from rapidbleu import tuning as tuning
    from rapidbleu import typing as typing
    from rapidbleu.comparison import Comparison as Comparison
    from rapidbleu.comparison import compare as compare
    from rapidbleu.metrics import *  # noqa: F403
    from rapidbleu.metrics.metric import Metric as Metric
    from rapidbleu.oracle import select_oracle as select_oracle
    from rapidbleu.references import References as References
    from rapidbleu.rewards import make_reward as make_reward
    from rapidbleu.rows.stats_table import StatsTable as StatsTable
    from rapidbleu.running import RunningScore as RunningScore
    from rapidbleu.score import Score as Score
    from rapidbleu.score import Signature as Signature
    from rapidbleu.score import better as better
    from rapidbleu.streams.tables import Scan as Scan
    from rapidbleu.streams.tables import scan as scan
    from rapidbleu.switch import patch as patch
    from rapidbleu.table import Table as Table
else:
    # Modules of names that are not loaded with the package
    LATER = {
        **{name: "metrics" for name in metrics.__all__ if name not in ("Edit", "Shift")},
        "Comparison": "comparison",
        "Metric": "metrics.metric",
        "References": "references",
        "RunningScore": "running",
        "Scan": "streams.tables",
        "Score": "score",
        "Signature": "score",
        "StatsTable": "rows.stats_table",
        "Table": "table",
        "better": "score",
        "compare": "comparison",
        "make_reward": "rewards",
        "patch": "switch",
        "scan": "streams.tables",
        "select_oracle": "oracle",
    }
    __all__ = sorted([*LATER, "__version__"])
    PACKAGES = (
        "adapters", "alignment", "comparison", "explanation", "meta", "metrics", "nltk", "plots",
        "rewards", "sacrebleu", "scores", "significance", "spark", "tokenizers", "tuning", "typing",
    )  # fmt: skip
    SACREBLEUS = (
        "DATASETS", "SACREBLEU_DIR", "compat", "dataset", "download_test_set",
        "extract_char_ngrams", "extract_word_ngrams", "get_available_testsets",
        "get_langpairs_for_testset", "get_reference_files", "get_source_file", "smart_open",
        "utils", "version",
    )  # fmt: skip
    __getattr__, __dir__ = late_names(
        globals(),
        LATER,
        packages=PACKAGES,
        elsewhere=dict.fromkeys(SACREBLEUS, "rapidbleu.sacrebleu"),
    )
