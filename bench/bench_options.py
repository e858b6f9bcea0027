"""The cold corpus again: other tokenizers, several references, tokens instead of text."""

from collections.abc import Iterator

import rapidbleu
from bench import peers
from bench.corpora import Corpora, Corpus
from bench.measure import Comparison, Contender

TOPIC = "options"


def cases(corpora: Corpora) -> Iterator[Comparison]:
    """Beside sacrebleu with empty caches, and beside NLTK for token lists."""
    for name in ("intl", "zh", "char", "none"):
        corpus = corpora.chinese if name == "zh" else corpora.news
        yield _comparison(f"corpus, {name}", corpus, tokenize=name)
    yield _comparison("corpus, 13a, 4 references", corpora.german_4)
    yield _comparison("corpus, 13a, lowercase", corpora.news, lowercase=True)
    yield _tokens(corpora.news)


def _comparison(job: str, corpus: Corpus, **options: object) -> Comparison:
    return Comparison(
        TOPIC, job, corpus.name, peers.corpus_ours(corpus, **options),
        peers.corpus_sacrebleu(corpus, **options), len(corpus.hypotheses), "segment",
        headline="tokenize" in options or len(corpus.references) > 1,
    )  # fmt: skip


def _tokens(corpus: Corpus) -> Comparison:
    """NLTK multiplies by logarithms in another order, and scores from 0 to 1."""
    metric = rapidbleu.BLEU(smooth_method="none", tokenize="none")
    tokenize = rapidbleu.BLEU().tokenizer
    hyps, refs = (
        [tokenize(text) for text in side] for side in (corpus.hypotheses, corpus.references[0])
    )
    run = lambda: metric.corpus_score(hyps, [refs])  # noqa: E731
    theirs = []
    nltk = peers.load("nltk.translate.bleu_score")
    if nltk:
        listed = [[ref] for ref in refs]
        theirs = [
            Contender(
                "NLTK", lambda: nltk.corpus_bleu(listed, hyps),
                agrees=peers.within(1e-9, scale=100), compared="BLEU within 1e-9",
            )
        ]  # fmt: skip
    return Comparison(
        TOPIC, "corpus, token lists", corpus.name,
        Contender("rapidbleu", run, outcome=lambda: run().score),
        theirs, len(hyps), "segment", headline=True,
    )  # fmt: skip
