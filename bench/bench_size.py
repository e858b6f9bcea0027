"""Time a segment as the corpus grows to many times its size."""

from collections.abc import Iterator

import rapidbleu
from bench import peers
from bench.corpora import Corpora, Corpus
from bench.measure import Comparison, Contender

TOPIC = "size"
FACTORS = (1, 4, 16, 64)


def cases(corpora: Corpora) -> Iterator[Comparison]:
    """Copies of one corpus as strings of their own.

    Their statistics have to be the multiple of those of the one, and those have to be sacrebleu's.
    """
    corpus = corpora.news
    metric = rapidbleu.BLEU()
    once = metric.corpus_stats(corpus.hypotheses, corpus.references)
    for factor in FACTORS:
        larger = copies(corpus, factor)
        expected = Contender("statistics of one copy", lambda n=factor: _facts(metric, n * once),
                             timed=False)  # fmt: skip
        theirs = peers.corpus_sacrebleu(corpus) if factor == 1 else []
        yield Comparison(
            TOPIC, f"corpus, 13a, x{factor}", corpus.name, peers.corpus_ours(larger),
            [expected, *theirs], len(larger.hypotheses), "segment",
        )  # fmt: skip


def _facts(metric: rapidbleu.BLEU, stats: object) -> tuple[object, ...]:
    return peers.facts(metric.score(stats))


def copies(corpus: Corpus, factor: int) -> Corpus:
    """`factor` copies of the corpus that share no string object."""
    hyps, refs = (
        [text[:1] + text[1:] for _ in range(factor) for text in side]
        for side in (corpus.hypotheses, corpus.references[0])
    )
    return Corpus(corpus.name, hyps, [refs])
