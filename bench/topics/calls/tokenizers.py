"""Tokenizers alone: our text to ids against sacrebleu's text to tokens.

sacrebleu's tokenizers return text with spaces between the tokens, which the metric then splits, so
the split is part of the job.
"""

from collections.abc import Iterator
from typing import Any

import rapidbleu
from bench.harness import peers
from bench.harness.corpora import Corpora, Corpus
from bench.harness.measure import Comparison, Contender

TOPIC = "tokenizers"
NAMES = ("13a", "intl", "zh", "char", "none")


def cases(corpora: Corpora) -> Iterator[Comparison]:
    """Run each tokenizer over the references of a corpus.

    Ids cannot be compared with text, so the statistics of every segment are compared, from our
    tokens and from the peer's.
    """
    for name in NAMES:
        corpus = corpora.chinese if name == "zh" else corpora.news
        texts = corpus.references[0]
        yield Comparison(
            TOPIC,
            f"tokenize, {name}",
            corpus.name,
            _ours(name, corpus),
            _sacrebleu(name, corpus),
            peers.n_tokens(texts, tokenize=name),
            "token",
            headline=name == "13a",
        )


def _ours(name: str, corpus: Corpus) -> Contender:
    metric = rapidbleu.BLEU(tokenize=name)
    streams = [corpus.references[0]]
    return Contender(
        "rapidbleu",
        lambda: metric.prepare(streams),
        outcome=lambda: metric.segment_stats(corpus.hypotheses, streams).tolist(),
    )


def _sacrebleu(name: str, corpus: Corpus) -> list[Contender]:
    sacrebleu = peers.load("sacrebleu")
    if sacrebleu is None:
        return []
    tokenize = sacrebleu.BLEU(tokenize=name).tokenizer
    texts = corpus.references[0]

    def outcome() -> Any:
        hyps, refs = (
            [tokenize(text.rstrip()).split() for text in side]
            for side in (corpus.hypotheses, texts)
        )
        return rapidbleu.BLEU(tokenize="none").segment_stats(hyps, [refs]).tolist()

    return [
        Contender(
            "sacrebleu",
            lambda: [tokenize(text).split() for text in texts],
            before=peers.clear_sacrebleu_caches,
            outcome=outcome,
            compared="statistics of every segment from either's tokens: ==",
        )
    ]
