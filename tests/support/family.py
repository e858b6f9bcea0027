"""Every metric of text, by name: each new metric is added here, and so gets all generic tests."""

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

from rapidbleu import (
    BLEU,
    CDER,
    CER,
    CHRF,
    EED,
    GLEU,
    GTM,
    HTER,
    METEOR,
    NIST,
    PER,
    RIBES,
    ROUGE,
    TER,
    WER,
    CharacTER,
    CIDErD,
    SkipNgramF,
    WeightedBLEU,
    WeightedMatch,
    WordF,
)
from rapidbleu.metrics.matching.rouge import ROUGECounts
from support.corpora import random_corpus

# References for n-gram weights of metrics that need them, unlike the references of most tests.
FREQUENT = random_corpus(Random("frequent"), 60, kind="ascii", n_refs=1)[1]


def first_letters(word: str) -> str:
    return word[:3]


MAKERS: dict[str, Callable[..., Any]] = {
    "BLEU": partial(BLEU, force=True),
    "BLEU of segments": partial(BLEU, force=True, effective_order=True, smooth_method="add-k"),
    "BLEU smoothed by NLTK": partial(BLEU, force=True, smooth_method="nltk7"),
    "Mod-BLEU": partial(BLEU, force=True, smooth_method="none", average="arithmetic"),
    "chrF": CHRF,
    "chrF++": partial(CHRF, word_order=2),
    "TER": partial(TER, case_sensitive=True),
    "HTER": partial(HTER, case_sensitive=True),
    "WER": WER,
    "CER": CER,
    "PER": PER,
    "PER of the corpus": partial(PER, aggregate="corpus"),
    "CDER": CDER,
    "CharacTER": CharacTER,
    "EED": EED,
    "wordF": WordF,
    "Fmean": partial(WordF, beta=3),
    "GLEU": GLEU,
    "NIST": partial(NIST, information=FREQUENT),
    "CIDEr-D": partial(CIDErD, information=FREQUENT),
    "weighted BLEU": partial(WeightedBLEU, {"the": 0.25, "cat": 3.0}, default=1.0),
    "weighted match": partial(WeightedMatch, {"the": 1.0, "cat": 0.5}),
    "METEOR": partial(METEOR, stem=first_letters, function_words=["the", "a"]),
    "METEOR of equal words": partial(METEOR, modules=["exact"]),
    "METEOR of 2005": partial(METEOR, "2005", stem=first_letters),
    "GTM-1": GTM,
    "GTM-2": partial(GTM, exponent=2),
    "RIBES": RIBES,
    "skipF": SkipNgramF,
    "ROUGE-1": partial(ROUGE, "1", lowercase=False),
    "ROUGE-L": partial(ROUGE, "L", lowercase=False),
    "ROUGE-Lsum": partial(ROUGE, "Lsum", lowercase=False),
    "ROUGE-W": partial(ROUGE, "W", lowercase=False),
    "ROUGE-W of Perl": partial(ROUGE, "W", lowercase=False, perl_compat=True),
    "ROUGE-SU4": partial(ROUGE, "SU4", lowercase=False),
    "ROUGE-S pooled": partial(ROUGE, "S", lowercase=False, aggregate="pooled", measure="recall"),
    "counts of ROUGE-L": partial(ROUGECounts, "L", lowercase=False),
    "counts of ROUGE-Lsum": partial(ROUGECounts, "Lsum", lowercase=False),
    "counts of ROUGE-2 pooled": partial(ROUGECounts, "2", lowercase=False, aggregate="pooled"),
}

METRICS: dict[str, Any] = {name: make() for name, make in MAKERS.items()}

# Metrics whose tokens are characters of text.
OF_TEXT = {"chrF", "chrF++", "CER", "EED"}

# Metrics that depend on the characters of a token.
OF_WORDS = {
    "CharacTER",
    "ROUGE-Lsum",
    "ROUGE-W of Perl",
    "counts of ROUGE-Lsum",
    "METEOR",
    "METEOR of 2005",
}

# Metrics that do not select the best reference for each segment.
OF_ALL_REFERENCES = {
    "BLEU",
    "BLEU of segments",
    "BLEU smoothed by NLTK",
    "Mod-BLEU",
    "TER",
    "HTER",
    "PER of the corpus",
    "NIST",
    "CIDEr-D",
    "weighted BLEU",
    "weighted match",
    "ROUGE-S pooled",
    "counts of ROUGE-2 pooled",
}

# Metrics that weigh words they know.
OF_KNOWN_WORDS = {"NIST", "CIDEr-D", "weighted BLEU", "weighted match"}
