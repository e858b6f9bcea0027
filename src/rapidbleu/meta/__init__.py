"""Which metric to trust: how metrics agree with people."""

from rapidbleu.meta.figures.correlation import correlate
from rapidbleu.meta.figures.figure import Figure
from rapidbleu.meta.figures.names import AVERAGES, FIGURES
from rapidbleu.meta.figures.outliers import outliers
from rapidbleu.meta.figures.soft import soft_accuracy
from rapidbleu.meta.scores.table import SystemScores
from rapidbleu.meta.scores.warning import MetaWarning

__all__ = [
    "AVERAGES",
    "FIGURES",
    "Figure",
    "MetaWarning",
    "SystemScores",
    "correlate",
    "outliers",
    "soft_accuracy",
]
