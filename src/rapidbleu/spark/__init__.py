"""Spark: line searches and MERT on n-best lists in DataFrames."""

from rapidbleu.spark.tuning import line_search, mert

__all__ = ["line_search", "mert"]
