"""Corpus scores from strings: nothing prepared, nothing cached."""

from collections.abc import Iterator
from typing import Any

from bench.harness import peers
from bench.harness.corpora import Corpora, Corpus
from bench.harness.measure import Comparison, Contender

TOPIC = "cold"


def cases(corpora: Corpora) -> Iterator[Comparison]:
    """Compare CPU time with sacrebleu, wall-clock time with bleuscore, which starts a thread.

    Only BLEU is compared with bleuscore, because it multiplies by logarithms in another order.
    """
    for corpus in filter(None, (corpora.german, corpora.wmt17)):
        n = len(corpus.hypotheses)
        yield Comparison(
            TOPIC, "corpus, 13a", corpus.name, peers.corpus_ours(corpus),
            peers.corpus_sacrebleu(corpus), n, "segment", headline=corpus is corpora.news,
        )  # fmt: skip
        rust = _bleuscore(corpus)
        if rust:
            yield Comparison(
                TOPIC, "corpus, 13a, on the clock", corpus.name,
                peers.only_bleu(peers.corpus_ours(corpus, smooth_method="none")), rust,
                n, "segment", quantity="wall ns", headline=corpus is corpora.news,
            )  # fmt: skip


def _bleuscore(corpus: Corpus) -> list[Contender]:
    bleuscore = peers.load("bleuscore")
    if bleuscore is None:
        return []
    hyps = corpus.hypotheses
    refs = [[reference] for reference in corpus.references[0]]

    def run() -> Any:
        return bleuscore.compute(references=refs, predictions=hyps)

    return [
        Contender(
            "bleuscore, 1 thread", run, outcome=lambda: run()["bleu"],
            agrees=peers.within(1e-9, scale=100), compared="BLEU within 1e-9",
        )
    ]  # fmt: skip
