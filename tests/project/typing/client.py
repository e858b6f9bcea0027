"""A program that imports the package alone, and uses each of its packages."""

from typing import assert_type

import rapidbleu
from rapidbleu import BLEU, Metric, Score, Signature, Table

hyps = ["the cat", "a dog"]
refs = [["the cat", "the dog"]]


def evaluate(metric: Metric, systems: dict[str, list[str]]) -> Score:
    signature: Signature = metric.get_signature()
    table: Table = metric.segment_table(systems, refs)
    assert_type(table.format(), str)
    assert_type(signature.format(), str)
    return max((metric.corpus_score(texts, refs) for texts in systems.values()), key=float)


def use() -> None:
    bleu = BLEU(tokenize="none")
    evaluate(bleu, {"A": hyps})
    result = rapidbleu.significance.paired_bootstrap({"A": hyps, "B": hyps}, refs, bleu)
    assert_type(result, rapidbleu.significance.PairedResult)
    nbest = rapidbleu.tuning.NBestList.from_lists([hyps], [[0.5], [1.0]], [["the cat"]])
    assert_type(rapidbleu.tuning.mert(nbest).score, float)
    human = rapidbleu.meta.SystemScores({"A": [1.0, 2.0], "B": [2.0, 3.0]})
    rapidbleu.meta.correlate(human, human, by="means")
    comparison = rapidbleu.compare({"A": hyps}, refs)
    assert_type(comparison, rapidbleu.comparison.Comparison)
    rapidbleu.plots.plot_precisions(comparison)
    model = rapidbleu.alignment.IBMModel1.fit(["a b"], ["c d"])
    assert_type(model.probability("c", "a"), float)
    assert_type(bleu.explain("a", ["b"]), rapidbleu.explanation.Explanation)
    assert_type(rapidbleu.tokenizers.get_tokenizer("13a"), rapidbleu.tokenizers.Tokenizer)
    assert_type(rapidbleu.nltk.sentence_bleu([["a"]], ["a"]), float)
    rapidbleu.rewards.make_reward("trl", metric=bleu)
    decode = rapidbleu.spark.mbr
    assert callable(decode)
    rapidbleu.sacrebleu.corpus_bleu(hyps, refs)


hypotheses: rapidbleu.typing.Hypotheses = hyps
