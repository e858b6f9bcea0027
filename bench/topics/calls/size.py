"""Time per segment as the corpus grows to many times its size."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import rapidbleu
from bench.harness import peers
from bench.harness.corpora import Corpora, Corpus
from bench.harness.measure import Comparison

TOPIC = "size"
FACTORS = (1, 4, 16, 64)


def cases(corpora: Corpora) -> Iterator[Comparison]:
    """Score copies of one corpus as separate strings.

    Their statistics must be multiples of the corpus statistics, which must be sacrebleu's.
    """
    corpus = corpora.news
    metric = rapidbleu.BLEU()
    once = metric.corpus_stats(corpus.hypotheses, corpus.references)
    theirs = [replace(peer, timed=False) for peer in peers.corpus_sacrebleu(corpus)]
    for factor in FACTORS:
        larger = copies(corpus, factor)
        multiple = peers.scoring(
            "the multiple of one copy", partial(metric.score, factor * once), timed=False
        )
        yield Comparison(
            TOPIC,
            f"corpus, 13a, x{factor}",
            corpus.name,
            peers.corpus_ours(larger),
            [multiple, *theirs] if factor == 1 else [multiple],
            len(larger.hypotheses),
            "segment",
        )


def copies(corpus: Corpus, factor: int) -> Corpus:
    hyps, refs = (
        [text[:1] + text[1:] for _ in range(factor) for text in side]
        for side in (corpus.hypotheses, corpus.references[0])
    )
    return Corpus(corpus.name, hyps, [refs])
