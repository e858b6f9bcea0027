"""Which metric to trust: how metrics agree with people."""

from rapidbleu.meta.scores.table import SystemScores

__all__ = ["SystemScores"]
