"""Comparison of systems: scores, tests, buckets, words, n-grams and examples.

Examples
--------
>>> from rapidbleu.comparison import compare
>>> found = compare({"A": ["a rose is red"]}, [["a rose is a rose"]])
>>> found.scores["length_ratio"]
array([0.8])
"""

from rapidbleu.comparison.comparing import compare
from rapidbleu.comparison.result import Comparison

__all__ = ["Comparison", "compare"]
