"""Drop-in for the metrics of `nltk.translate`: one changed import, the same numbers.

Import ``rapidbleu.nltk.bleu_score`` for ``nltk.translate.bleu_score``; `chrf_score`, `gleu_score`,
`meteor_score`, `nist_score` and `ribes_score` likewise. Functions take NLTK's parameters and most
take time linear in the number of tokens. NLTK itself is needed for the default stemmer and WordNet
of `meteor_score`, and for input that the compiled core cannot read.

Examples
--------
>>> from rapidbleu.nltk import bleu
>>> score = bleu([["the", "cat", "is", "on", "the", "mat"]], ["the", "cat", "is", "on", "a", "mat"])
>>> round(score, 6)
0.537285
"""

from rapidbleu.nltk.bleu_score import SmoothingFunction, corpus_bleu, sentence_bleu
from rapidbleu.nltk.bleu_score import sentence_bleu as bleu
from rapidbleu.nltk.chrf_score import corpus_chrf, sentence_chrf
from rapidbleu.nltk.chrf_score import sentence_chrf as chrf
from rapidbleu.nltk.gleu_score import corpus_gleu, sentence_gleu
from rapidbleu.nltk.gleu_score import sentence_gleu as gleu
from rapidbleu.nltk.meteor_score import meteor_score as meteor
from rapidbleu.nltk.nist_score import corpus_nist, sentence_nist
from rapidbleu.nltk.nist_score import sentence_nist as nist
from rapidbleu.nltk.ribes_score import sentence_ribes as ribes

__all__ = [
    "SmoothingFunction",
    "bleu",
    "chrf",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_gleu",
    "corpus_nist",
    "gleu",
    "meteor",
    "nist",
    "ribes",
    "sentence_bleu",
    "sentence_chrf",
    "sentence_gleu",
    "sentence_nist",
]
