"""Cold corpora with other tokenizers and several references."""

from collections.abc import Iterator
from typing import Any

from bench.harness import peers
from bench.harness.corpora import Corpora, Corpus
from bench.harness.measure import Comparison

TOPIC = "options"
LIMITS = {"corpus, 13a, 4 references": "bleuscore is compiled; every reference is tokenized"}


def cases(corpora: Corpora) -> Iterator[Comparison]:
    for name in ("intl", "zh", "char", "none"):
        corpus = corpora.chinese if name == "zh" else corpora.news
        yield _comparison(f"corpus, {name}", corpus, tokenize=name)
    yield _comparison("corpus, 13a, 4 references", corpora.german_4)
    yield _comparison("corpus, 13a, lowercase", corpora.news, lowercase=True)


def _comparison(job: str, corpus: Corpus, **options: Any) -> Comparison:
    several = len(corpus.references) > 1
    return Comparison(
        TOPIC,
        job,
        corpus.name,
        peers.corpus_ours(corpus, **options),
        [
            *peers.corpus_sacrebleu(corpus, **options),
            *(peers.corpus_bleuscore(corpus) if several else []),
        ],
        len(corpus.hypotheses),
        "segment",
        quantity="process CPU ns",
        headline="tokenize" in options or several,
    )
