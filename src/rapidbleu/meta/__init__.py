"""Which metric to trust: how metrics agree with people."""

from rapidbleu.meta.differences.bootstrap import bootstrap_test, interval
from rapidbleu.meta.differences.difference import Difference, FigureInterval
from rapidbleu.meta.differences.permutation import permutation_test
from rapidbleu.meta.differences.ranking import Ranking, rank_metrics
from rapidbleu.meta.differences.williams import williams_test
from rapidbleu.meta.distribution import CorpusOrders, corpus_orders
from rapidbleu.meta.effects import ReferenceEffect, ReferenceEffects
from rapidbleu.meta.figures.correlation import correlate
from rapidbleu.meta.figures.figure import Figure
from rapidbleu.meta.figures.names import AVERAGES, FIGURES
from rapidbleu.meta.figures.outliers import outliers
from rapidbleu.meta.figures.soft import soft_accuracy
from rapidbleu.meta.orders import Orders, count_orders
from rapidbleu.meta.references import reference_effects
from rapidbleu.meta.reordering import drawn_variants, equal_variants
from rapidbleu.meta.scores.table import SystemScores
from rapidbleu.meta.scores.warning import MetaWarning
from rapidbleu.meta.settling import Settling, settling_curve
from rapidbleu.meta.shares import OrderShares, enumerate_orders, sample_orders
from rapidbleu.meta.study import FIGURES_OF_A_STUDY, Study, StudyColumn, study

__all__ = [
    "AVERAGES",
    "FIGURES",
    "FIGURES_OF_A_STUDY",
    "CorpusOrders",
    "Difference",
    "Figure",
    "FigureInterval",
    "MetaWarning",
    "OrderShares",
    "Orders",
    "Ranking",
    "ReferenceEffect",
    "ReferenceEffects",
    "Settling",
    "Study",
    "StudyColumn",
    "SystemScores",
    "bootstrap_test",
    "corpus_orders",
    "correlate",
    "count_orders",
    "drawn_variants",
    "enumerate_orders",
    "equal_variants",
    "interval",
    "outliers",
    "permutation_test",
    "rank_metrics",
    "reference_effects",
    "sample_orders",
    "settling_curve",
    "soft_accuracy",
    "study",
    "williams_test",
]
