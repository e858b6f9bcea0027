"""Confidence intervals and tests of scores: bootstrap and approximate randomization.

Examples
--------
>>> from rapidbleu import BLEU
>>> from rapidbleu.significance import paired_bootstrap
>>> references = [["The cat sat on the mat.", "It was raining.", "He came, he saw, he left."]]
>>> systems = {
...     "old": ["The cat sat on a mat.", "It rained.", "He came and saw and left."],
...     "new": ["The cat sat on the mat.", "It was raining.", "He came, saw and left."],
... }
>>> result = paired_bootstrap(systems, references, BLEU(max_ngram_order=2))
>>> result["BLEU"]["new"].p_value < 0.05
True
"""

from rapidbleu.significance.evals import estimate_power, estimate_standard_error
from rapidbleu.significance.paired import paired_bootstrap, paired_randomization
from rapidbleu.significance.resamples import bootstrap, sum_resamples
from rapidbleu.significance.result import PairedResult, ResampledScore, correct_p_values

__all__ = [
    "PairedResult",
    "ResampledScore",
    "bootstrap",
    "correct_p_values",
    "estimate_power",
    "estimate_standard_error",
    "paired_bootstrap",
    "paired_randomization",
    "sum_resamples",
]
