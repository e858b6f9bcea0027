"""Which metric to trust: how metrics agree with people."""

from rapidbleu.meta.differences.bootstrap import bootstrap_test, interval
from rapidbleu.meta.differences.difference import Difference, FigureInterval
from rapidbleu.meta.differences.permutation import permutation_test
from rapidbleu.meta.differences.ranking import Ranking, rank_metrics
from rapidbleu.meta.differences.williams import williams_test
from rapidbleu.meta.figures.correlation import correlate
from rapidbleu.meta.figures.figure import Figure
from rapidbleu.meta.figures.names import AVERAGES, FIGURES
from rapidbleu.meta.figures.outliers import outliers
from rapidbleu.meta.figures.soft import soft_accuracy
from rapidbleu.meta.scores.table import SystemScores
from rapidbleu.meta.scores.warning import MetaWarning
from rapidbleu.meta.study import FIGURES_OF_A_STUDY, Study, StudyColumn, study

__all__ = [
    "AVERAGES",
    "FIGURES",
    "FIGURES_OF_A_STUDY",
    "Difference",
    "Figure",
    "FigureInterval",
    "MetaWarning",
    "Ranking",
    "Study",
    "StudyColumn",
    "SystemScores",
    "bootstrap_test",
    "correlate",
    "interval",
    "outliers",
    "permutation_test",
    "rank_metrics",
    "soft_accuracy",
    "study",
    "williams_test",
]
