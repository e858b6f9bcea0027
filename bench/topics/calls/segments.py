"""A score for every segment of a corpus."""

from collections.abc import Iterator
from typing import Any

import rapidbleu
from bench.harness import peers
from bench.harness.corpora import Corpora, Corpus
from bench.harness.measure import Comparison, Contender

TOPIC = "segments"


def cases(corpora: Corpora) -> Iterator[Comparison]:
    """Compare `segment_scores` with sacrebleu's two ways to write the loop."""
    corpus = corpora.news
    metric = rapidbleu.BLEU(effective_order=True)
    hyps, refs = corpus.hypotheses, corpus.references
    yield Comparison(
        TOPIC,
        "segment scores",
        corpus.name,
        Contender(
            "rapidbleu",
            lambda: metric.segment_scores(hyps, refs),
            outcome=lambda: metric.segment_scores(hyps, refs).tolist(),
        ),
        _sacrebleu(corpus),
        len(hyps),
        "segment",
        headline=True,
    )


def _sacrebleu(corpus: Corpus) -> list[Contender]:
    pairs = list(zip(corpus.hypotheses, corpus.references[0], strict=True))
    calls = {
        "sacrebleu.sentence_bleu": lambda module: module.sentence_bleu,
        "sacrebleu BLEU.sentence_score": lambda m: m.BLEU(effective_order=True).sentence_score,
    }

    def loop(call: Any) -> list[float]:
        return [call(hyp, [ref]).score for hyp, ref in pairs]

    return [
        peer
        for name, of in calls.items()
        for peer in peers.rival(
            name,
            "sacrebleu",
            lambda module, of=of: loop(of(module)),
            before=peers.clear_sacrebleu_caches,
            compared="all scores: ==",
        )
    ]
