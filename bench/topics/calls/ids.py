"""Tokens instead of text: lists of str and of int, NumPy arrays, PyTorch tensors.

NLTK cannot hash arrays, so it gets lists of their elements, made in the same call.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import rapidbleu
from bench.harness import peers
from bench.harness.corpora import Corpora
from bench.harness.measure import Comparison

TOPIC = "ids"
LIMITS = {"corpus, torch tensors of ids": "every tensor costs two calls into torch"}
_MAX_ORDER = 4


def cases(corpora: Corpora) -> Iterator[Comparison]:
    corpus = corpora.news
    numbers: dict[str, int] = {}
    tokenize = rapidbleu.BLEU().tokenizer
    sides = (map(tokenize, side) for side in (corpus.hypotheses, corpus.references[0]))
    pairs = [pair for pair in zip(*sides, strict=True) if len(pair[0]) >= _MAX_ORDER]
    yield _comparison("token lists", corpus.name, pairs)
    kinds: dict[str, Callable[[list[int]], Any] | None] = {
        "lists of int": list,
        "NumPy arrays of ids": np.array,
        "torch tensors of ids": getattr(peers.load("torch"), "tensor", None),
    }
    for kind, make in kinds.items():
        if make is not None:
            ids = [
                [make([numbers.setdefault(token, len(numbers)) for token in text]) for text in pair]
                for pair in pairs
            ]
            yield _comparison(kind, corpus.name, ids)


def _comparison(kind: str, corpus: str, pairs: Sequence[Sequence[Any]]) -> Comparison:
    """Compare BLEU; NLTK counts n-grams that shorter hypotheses than four tokens do not have."""
    hyps, refs = [hyp for hyp, _ in pairs], [ref for _, ref in pairs]
    metric = rapidbleu.BLEU(smooth_method="none", tokenize="none")
    lists = (lambda ids: ids) if isinstance(hyps[0], list) else (lambda ids: ids.tolist())
    theirs = peers.rival(
        "NLTK",
        "nltk.translate.bleu_score",
        lambda nltk: nltk.corpus_bleu([[lists(ref)] for ref in refs], list(map(lists, hyps))),
        agrees=peers.within(1e-9, scale=100),
        compared="BLEU within 1e-9",
    )
    ours = peers.scoring("rapidbleu", lambda: metric.corpus_score(hyps, [refs]))
    return Comparison(
        TOPIC,
        f"corpus, {kind}",
        corpus,
        peers.only_bleu(ours),
        theirs,
        sum(map(len, hyps)),
        "token",
        headline=True,
    )
