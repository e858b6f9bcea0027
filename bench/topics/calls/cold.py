"""Corpus scores from strings: nothing prepared, nothing cached."""

from collections.abc import Iterator

from bench.harness import peers
from bench.harness.corpora import Corpora
from bench.harness.measure import Comparison

TOPIC = "cold"


def cases(corpora: Corpora) -> Iterator[Comparison]:
    for corpus in filter(None, (corpora.german, corpora.wmt17)):
        yield Comparison(
            TOPIC,
            "corpus, 13a",
            corpus.name,
            peers.corpus_ours(corpus),
            [*peers.corpus_sacrebleu(corpus), *peers.corpus_bleuscore(corpus)],
            len(corpus.hypotheses),
            "segment",
            quantity="process CPU ns",
            headline=corpus is corpora.news,
        )
