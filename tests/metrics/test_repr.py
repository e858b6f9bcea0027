"""What metrics, rewards and results show in a session: their options, and their numbers."""

import pickle
import re
from typing import Any

import numpy as np
import pytest

import rapidbleu
import rapidbleu.sacrebleu as stand_in
from rapidbleu import BLEU, CHRF, TER, RunningScore, bleu_reward, oracle_bleu
from rapidbleu.significance import bootstrap, paired_bootstrap
from rapidbleu.tuning import NBestList, line_search, mert, tune_many

HYPS, REFS = ["the cat sat", "it rained today"], [["the cat sat down", "it rained"]]


@pytest.mark.parametrize(
    "text",
    [
        "BLEU()",
        "BLEU(lowercase=True)",
        "BLEU(force=True, tokenize='intl', smooth_method='add-k', smooth_value=2)",
        "BLEU(max_ngram_order=2, effective_order=True, ref_len='average', weights=(0.25, 0.75))",
        "BLEU(tokenize='13a', trg_lang='zh')",
        "BLEU(tokenize=str.split)",
        "CHRF(char_order=4, word_order=2, beta=2.0, whitespace=True, eps_smoothing=True)",
        "WordF(beta=float('inf'))",
        "WeightedBLEU(weights={'the': 0.25}, max_ngram_order=2)",
        "TER(normalized=True, no_punct=True, asian_support=True, case_sensitive=True)",
        "MeanScore('COMET')",
        "Interpolation([BLEU(lowercase=True), MeanScore('mean')], [0.5, 2.0])",
    ],
)
def test_metrics_tell_their_options(text: str) -> None:
    """Those that are not the defaults, such that the text makes the same metric."""
    metric: Any = eval(text, {name: getattr(rapidbleu, name) for name in rapidbleu.__all__})
    assert repr(metric) == text
    assert repr(pickle.loads(pickle.dumps(metric))) == text


def test_references_are_not_options() -> None:
    """They do not change what a metric computes; those that weigh n-grams do."""
    assert repr(BLEU(references=REFS)) == "BLEU()"
    references = "<References of 2 segments, 1 each, 6 tokens, tok:13a|case:mixed>"
    assert repr(rapidbleu.NIST(information=REFS)) == f"NIST(information={references})"


def test_scoring_does_not_show() -> None:
    bleu = BLEU(effective_order=True)
    bleu.corpus_score(HYPS, REFS, n_bootstrap=10)
    bleu.sentence_score(HYPS[0], REFS[0])
    assert repr(bleu) == "BLEU(effective_order=True)"


def test_subclasses() -> None:
    class Mine(BLEU):
        pass

    class Other(TER):
        def __init__(self, case: bool = False, scale: float = 1.0) -> None:
            super().__init__(case_sensitive=case)
            self.scale = scale

    assert repr(Mine(lowercase=True)) == "Mine(lowercase=True)"
    assert repr(Other(True, 2.0)) == "<Other(case_sensitive=True)>"


def test_rewards() -> None:
    assert repr(bleu_reward("verl", scale=2, metric=CHRF())) == "VerlReward(CHRF(), 2, None, None)"
    metric = "BLEU(force=True, effective_order=True)"
    assert repr(bleu_reward("trl")) == f"TrlReward({metric}, 1.0, None, 'ground_truth')"


def results() -> list[tuple[Any, list[float]]]:
    """Results, and numbers that they must show."""
    bleu, chrf, ter = BLEU(max_ngram_order=2), CHRF(), TER()
    nbest = NBestList.from_lists([HYPS, HYPS], [[1.0], [2], [1], [0]], REFS, metric=bleu)
    scores = [metric.corpus_score(HYPS, REFS) for metric in (bleu, chrf, ter)]
    paired = paired_bootstrap({"one": HYPS, "other": REFS[0]}, REFS, bleu, n=20)
    tuned, line = mert(nbest, restarts=0), line_search(nbest, [1.0], [1.0])
    many = tune_many(nbest, lambda nbest, seed: np.ones(1), runs=2)
    oracle, running = oracle_bleu([HYPS, HYPS], REFS), bleu.running(REFS, HYPS)
    sampled = bootstrap(chrf, HYPS, REFS, n=20)
    assert isinstance(running, RunningScore) and sampled.mean is not None
    return [
        *((score, [score.score]) for score in scores),
        (scores[0], [*scores[0].precisions]),
        (sampled, [sampled.score, sampled.mean]),
        (paired, [each.score for each in paired["BLEU"].values()]),
        (tuned, [tuned.score]),
        (line, [line.score]),
        (many, [many.tune.mean]),
        (oracle, [oracle.score.score]),
        (running, [running.score]),
    ]


def test_results_show_their_numbers() -> None:
    for result, numbers in results():
        shown = [float(number) for number in re.findall(r"\d+\.\d+", repr(result))]
        for number in numbers:
            assert any(abs(each - number) <= 0.0501 for each in shown), (result, number)


@pytest.mark.parametrize("name", ["BLEU", "CHRF", "TER"])
def test_the_stand_in_shows_what_sacrebleu_does(name: str) -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    theirs, own = (getattr(package, name)() for package in (sacrebleu, stand_in))
    address = r" at 0x\w+"
    shown = re.sub(address, "", repr(own)).removeprefix("<rapidbleu.")
    assert shown == re.sub(address, "", repr(theirs)).removeprefix("<")
    for metric in (theirs, own):
        assert repr(metric.corpus_score(HYPS, REFS)) == str(metric.corpus_score(HYPS, REFS))
    assert repr(own.corpus_score(HYPS, REFS)) == repr(theirs.corpus_score(HYPS, REFS))
