"""Agreement of metrics with human judgments: statistics, tests, intervals and file readers.

Functions check their arguments before any work and raise TypeError or ValueError; a `MetaWarning`
means that a statistic is undefined or unreliable. Throughout, ``seed=None`` draws a seed, which the
result reports; ``threads=0`` uses all cores and never changes results; `progress` is called with
the work done and the total; and Ctrl-C stops the call.

Readers raise OSError if a file cannot be read, and ValueError with file and line if it is
malformed. Functions of word orders raise the errors of `Metric.corpus_score`.

Examples
--------
>>> from rapidbleu.meta import correlate
>>> human = {"A": [80, 65, 90, 70], "B": [60, 60, 85, 40], "C": [75, 70, None, 80]}
>>> metric = {"A": [0.7, 0.6, 0.8, 0.6], "B": [0.5, 0.6, 0.7, 0.5], "C": [0.6, 0.8, 0.9, 0.6]}
>>> correlate(human, metric, "kendall", by="segment")
Kendall's tau-b = 0.9082 (4 segments)
"""

from rapidbleu.meta.differences import (
    AgreementInterval,
    Difference,
    bootstrap_test,
    estimate_interval,
    permutation_test,
    williams_test,
)
from rapidbleu.meta.direct_assessment import (
    read_direct_assessment,
    read_judge_norms,
    read_segment_scores,
    read_system_scores,
)
from rapidbleu.meta.figures import (
    STATISTICS,
    Agreement,
    correlate,
    find_outliers,
    soft_accuracy,
)
from rapidbleu.meta.folders import EvaluationSet, read_folder
from rapidbleu.meta.judgments import Judgments, average_judgments
from rapidbleu.meta.mqm import MQMWeights, read_mqm, read_mqm_scores
from rapidbleu.meta.orders import (
    Orders,
    OrderShares,
    OrderSummary,
    count_orders,
    enumerate_orders,
    sample_orders,
    sample_paraphrases,
    sample_reorderings,
    summarize_orders,
)
from rapidbleu.meta.scores import MetaWarning, SystemScores
from rapidbleu.meta.studies import (
    ComparedMetrics,
    MetricComparison,
    MetricFit,
    Ranking,
    compare_metrics,
    fit_metric,
    rank_metrics,
)
from rapidbleu.meta.tables import read_judgments, read_table

__all__ = [
    "STATISTICS",
    "Agreement",
    "AgreementInterval",
    "ComparedMetrics",
    "Difference",
    "EvaluationSet",
    "Judgments",
    "MQMWeights",
    "MetaWarning",
    "MetricComparison",
    "MetricFit",
    "OrderShares",
    "OrderSummary",
    "Orders",
    "Ranking",
    "SystemScores",
    "average_judgments",
    "bootstrap_test",
    "compare_metrics",
    "correlate",
    "count_orders",
    "enumerate_orders",
    "estimate_interval",
    "find_outliers",
    "fit_metric",
    "permutation_test",
    "rank_metrics",
    "read_direct_assessment",
    "read_folder",
    "read_judge_norms",
    "read_judgments",
    "read_mqm",
    "read_mqm_scores",
    "read_segment_scores",
    "read_system_scores",
    "read_table",
    "sample_orders",
    "sample_paraphrases",
    "sample_reorderings",
    "soft_accuracy",
    "summarize_orders",
    "williams_test",
]
