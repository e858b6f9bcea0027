"""Warm calls for one segment each: reading only the score, or, as lists are lazy, everything."""

from collections.abc import Callable, Iterator
from typing import Any

import rapidbleu
from bench.harness import peers
from bench.harness.corpora import Corpora
from bench.harness.measure import Comparison, Contender

TOPIC = "latency"
LIMITS = {"sentence_bleu, one call": "bleuscore is compiled; a call takes at least 0.45 µs"}
_N_PAIRS = 100


def cases(corpora: Corpora) -> Iterator[Comparison]:
    """Score a hundred segments with a match of every order, one call each.

    They are scored repeatedly, so all caches of the peers are warm.
    """
    news = corpora.news.head(5 * _N_PAIRS)
    rows = rapidbleu.BLEU().segment_stats(news.hypotheses, news.references)
    matching = [i for i, row in enumerate(rows) if row[5]][:_N_PAIRS]
    pairs = [(news.hypotheses[i], [news.references[0][i]]) for i in matching]
    ours = rapidbleu.BLEU(effective_order=True)
    sacrebleu = peers.load("sacrebleu")
    metric = sacrebleu and sacrebleu.BLEU(effective_order=True)
    n = len(pairs)
    yield Comparison(
        TOPIC,
        "sentence_bleu, one call",
        news.name,
        _score_read("rapidbleu", rapidbleu.sentence_bleu, pairs),
        [
            *([_score_read("sacrebleu", sacrebleu.sentence_bleu, pairs)] if sacrebleu else []),
            *peers.bleuscore(
                lambda compute: [compute([refs], [hyp])["bleu"] for hyp, refs in pairs]
            ),
        ],
        n,
        "call",
        quantity="process CPU ns",
        headline=True,
    )
    yield Comparison(
        TOPIC,
        "sentence_bleu, all attributes",
        news.name,
        _all_read("rapidbleu", rapidbleu.sentence_bleu, pairs),
        [_all_read("sacrebleu", sacrebleu.sentence_bleu, pairs)] if sacrebleu else [],
        n,
        "call",
        headline=True,
    )
    yield Comparison(
        TOPIC,
        "BLEU.sentence_score, one call",
        news.name,
        _score_read("rapidbleu", ours.sentence_score, pairs),
        [_score_read("sacrebleu, caches warm", metric.sentence_score, pairs)] if metric else [],
        n,
        "call",
        headline=True,
    )
    yield _tokens(news.name, pairs)


def _tokens(corpus: str, pairs: list[tuple[str, list[str]]]) -> Comparison:
    tokenize = rapidbleu.BLEU().tokenizer
    tokens = [(tokenize(hyp), [tokenize(ref) for ref in refs]) for hyp, refs in pairs]
    metric = rapidbleu.BLEU(smooth_method="none", tokenize="none", effective_order=True)
    theirs = peers.rival(
        "NLTK",
        "nltk.translate.bleu_score",
        lambda nltk: [nltk.sentence_bleu(refs, hyp) for hyp, refs in tokens],
        agrees=peers.within(1e-9, scale=100),
        compared="BLEU within 1e-9",
    )
    return Comparison(
        TOPIC,
        "sentence, token lists, one call",
        corpus,
        Contender("rapidbleu", _scores(metric.sentence_score, tokens)),
        theirs,
        len(tokens),
        "call",
        headline=True,
    )


def _scores(call: Callable[..., Any], pairs: list[tuple[Any, list[Any]]]) -> Callable[[], Any]:
    return lambda: [call(hyp, refs).score for hyp, refs in pairs]


def _all_facts(call: Callable[..., Any], pairs: list[tuple[Any, list[Any]]]) -> Callable[[], Any]:
    return lambda: [peers.facts(call(hyp, refs)) for hyp, refs in pairs]


def _score_read(
    name: str, call: Callable[..., Any], pairs: list[tuple[Any, list[Any]]]
) -> Contender:
    """Read only the score of each call, but compare everything."""
    return Contender(name, _scores(call, pairs), outcome=_all_facts(call, pairs))


def _all_read(name: str, call: Callable[..., Any], pairs: list[tuple[Any, list[Any]]]) -> Contender:
    return Contender(name, _all_facts(call, pairs))
