"""Calls of every function that the switch serves."""

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

import jiwer
import sacrebleu
from nltk.translate import (
    bleu_score,
    chrf_score,
    gleu_score,
    meteor_score,
    nist_score,
    ribes_score,
)
from rouge_score import rouge_scorer

from rapidbleu import switch

HYP = ["the", "cat", "sat", "on", "a", "mat", "and", "it", "rained"]
REF = ["the", "cat", "sat", "on", "the", "mat", "and", "it", "was", "raining"]
TEXT, OTHER = " ".join(HYP), " ".join(REF)
SMOOTHING = bleu_score.SmoothingFunction()
SCORER = rouge_scorer.RougeScorer(["rouge1", "rougeL", "rougeLsum"], use_stemmer=True)
significance: Any = importlib.import_module("sacrebleu.significance")
PAIRED = {"BLEU": sacrebleu.BLEU(effective_order=True)}


def paired(kind: str) -> Any:
    systems = [("a", [TEXT, OTHER]), ("b", [OTHER, TEXT])]
    return repr(significance.PairedTest(systems, PAIRED, [[OTHER] * 2], kind, 5, 5)())


CALLS: dict[str, Callable[[], Any]] = {
    "sentence_bleu": lambda: bleu_score.sentence_bleu([REF], HYP),
    "smoothed": lambda: bleu_score.sentence_bleu([REF], HYP, smoothing_function=SMOOTHING.method4),
    "corpus_bleu": lambda: bleu_score.corpus_bleu([[REF], [HYP]], [HYP, HYP]),
    "sentence_chrf": lambda: chrf_score.sentence_chrf(OTHER, TEXT),
    "corpus_chrf": lambda: chrf_score.corpus_chrf([OTHER, TEXT], [TEXT, TEXT]),
    "sentence_gleu": lambda: gleu_score.sentence_gleu([REF], HYP),
    "corpus_gleu": lambda: gleu_score.corpus_gleu([[REF]], [HYP]),
    "sentence_nist": lambda: nist_score.sentence_nist([REF], HYP, 3),
    "corpus_nist": lambda: nist_score.corpus_nist([[REF]], [HYP], 3),
    "sentence_ribes": lambda: ribes_score.sentence_ribes([REF], HYP),
    "corpus_ribes": lambda: ribes_score.corpus_ribes([[REF]], [HYP]),
    "single_meteor_score": lambda: meteor_score.single_meteor_score(HYP, HYP),
    "meteor_score": lambda: meteor_score.meteor_score([HYP], HYP),
    "RougeScorer.score": lambda: SCORER.score(OTHER, TEXT),
    "_score_lcs": lambda: rouge_scorer._score_lcs(REF, HYP),
    **{
        name: (lambda name=name: getattr(jiwer, name)([OTHER, OTHER], [TEXT, OTHER]))
        for name in ("wer", "mer", "wil", "wip", "cer")
    },
    "sacrebleu of a sentence": lambda: sacrebleu.sentence_bleu(TEXT, [OTHER]).score,
    "sacrebleu of a corpus": lambda: str(
        sacrebleu.corpus_bleu([TEXT, OTHER], [[OTHER, TEXT], [TEXT, None]])
    ),
    "sacrebleu with a cache": lambda: str(
        sacrebleu.BLEU(references=[[OTHER] * 2]).corpus_score([TEXT, OTHER], None)
    ),
    "chrF": lambda: str(sacrebleu.corpus_chrf([TEXT], [[OTHER]])),
    "TER": lambda: str(sacrebleu.corpus_ter([TEXT], [[OTHER]])),
    "_bootstrap_resample": lambda: str(
        sacrebleu.BLEU().corpus_score([TEXT, OTHER], [[OTHER] * 2], n_bootstrap=3)
    ),
    "_paired_ar_test": lambda: paired("ar"),
    "_paired_bs_test": lambda: paired("bs"),
}

if importlib.util.find_spec("fastchrf"):
    fastchrf: Any = importlib.import_module("fastchrf")
    CALLS["pairwise_chrf"] = lambda: fastchrf.pairwise_chrf([[TEXT]], [[OTHER]])
    CALLS["aggregate_chrf"] = lambda: fastchrf.aggregate_chrf([[TEXT]], [[OTHER]])


def switched_functions() -> list[Any]:
    """Return the records of all functions that are switched or were."""
    return [own for group in switch._groups.values() for own in group.functions.values()]


def counts() -> tuple[int, int]:
    """Return the calls served and handed back since the last time."""
    own = switched_functions()
    result = sum(each.n_served for each in own), sum(each.n_handed_back for each in own)
    for each in own:
        each.n_served = each.n_handed_back = 0
    return result


def frames(error: BaseException) -> list[tuple[str, str, int]]:
    """Return the places of a traceback, from the outermost."""
    result, trace = [], error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        result.append((code.co_filename, code.co_qualname, trace.tb_lineno))
        trace = trace.tb_next
    return result
