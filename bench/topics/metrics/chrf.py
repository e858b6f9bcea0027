"""chrF and chrF++: a corpus from strings, long segments, one call per segment, all pairs."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

import rapidbleu
from bench.harness import peers
from bench.harness.corpora import Corpora, Corpus
from bench.harness.measure import Comparison, Contender
from bench.topics.rows.pairwise import similar_and_diverse

TOPIC = "chrf"
_VARIANTS: tuple[tuple[str, dict[str, int]], ...] = (("chrF", {}), ("chrF++", {"word_order": 2}))
_N_TEXTS = 1024
_CORNER = 32
_N_SENTENCES = 100
_DOCUMENT = 16  # segments


def cases(corpora: Corpora) -> Iterator[Comparison]:
    """Compare with sacrebleu, which has no cache that would help chrF."""
    for name, options in _VARIANTS:
        for corpus in filter(None, (corpora.german, corpora.wmt17)):
            yield _corpus(f"corpus, {name}", corpus, options, headline=corpus is corpora.news)
        yield _corpus(f"documents, {name}", _documents(corpora.news), options)
        yield _sentences(name, corpora.news.head(_N_SENTENCES), options)
    similar, diverse = similar_and_diverse(min(_N_TEXTS, corpora.n_segments))
    for name, options in _VARIANTS:
        yield _matrix(name, "similar", similar, options, headline=True)
        yield _matrix(name, "diverse", diverse, options)
    yield _others(similar)
    yield _segments(corpora.news)


def _documents(corpus: Corpus) -> Corpus:
    def joined(texts: Sequence[str]) -> list[str]:
        return [" ".join(texts[i : i + _DOCUMENT]) for i in range(0, len(texts), _DOCUMENT)]

    return Corpus(corpus.name, joined(corpus.hypotheses), [joined(s) for s in corpus.references])


def _corpus(
    job: str, corpus: Corpus, options: dict[str, int], *, headline: bool = False
) -> Comparison:
    hyps, refs = corpus.hypotheses, corpus.references
    run = partial(rapidbleu.CHRF(**options).corpus_score, hyps, refs)

    def facts(score: Any) -> tuple[float, str]:
        return score.score, str(score)

    return Comparison(
        TOPIC,
        job,
        corpus.name,
        Contender("rapidbleu", run, outcome=lambda: facts(run())),
        _sacrebleu(options, lambda peer: peer.corpus_score(hyps, refs), facts=facts),
        len(hyps),
        "segment",
        headline=headline,
    )


def _sentences(name: str, corpus: Corpus, options: dict[str, int]) -> Comparison:
    pairs = list(zip(corpus.hypotheses, corpus.references[0], strict=True))

    def loop(metric: Any) -> list[Any]:
        return [metric.sentence_score(hyp, [ref]) for hyp, ref in pairs]

    def facts(scores: list[Any]) -> list[float]:
        return [score.score for score in scores]

    run = partial(loop, rapidbleu.CHRF(**options))
    return Comparison(
        TOPIC,
        f"sentence_score, {name}, one call",
        corpus.name,
        Contender("rapidbleu", run, outcome=lambda: facts(run())),
        _sacrebleu(options, loop, facts=facts),
        len(pairs),
        "call",
        headline=True,
    )


def _matrix(
    name: str, kind: str, texts: list[str], options: dict[str, int], *, headline: bool = False
) -> Comparison:
    metric = rapidbleu.CHRF(**options)
    corner = texts[:_CORNER]
    n = len(texts)
    part = f"{len(corner)} x {len(corner)}", (len(corner) / n) ** 2

    def theirs(peer: Any) -> list[list[float]]:
        return [[peer.sentence_score(hyp, [ref]).score for ref in corner] for hyp in corner]

    return Comparison(
        TOPIC,
        f"{n:,} x {n:,} pairs, {name}",
        f"made de, {kind}",
        Contender(
            "rapidbleu",
            lambda: metric.pairwise(texts),
            outcome=lambda: metric.pairwise(texts)[: len(corner), : len(corner)].tolist(),
        ),
        [
            *_sacrebleu(options, theirs, *part),
            *([] if options else _fastchrf([corner], [corner], *part)),
        ],
        n * n,
        "pair",
        quantity="process CPU ns",
        headline=headline,
    )


def _others(texts: list[str]) -> Comparison:
    metric = rapidbleu.CHRF()
    n = len(texts)

    def theirs(peer: Any) -> list[float]:
        return [peer.sentence_score(texts[0], texts[1:]).score]

    return Comparison(
        TOPIC,
        f"self-chrF of {n:,}",
        "made de, similar",
        Contender(
            "rapidbleu",
            lambda: metric.self_scores(texts),
            outcome=lambda: metric.self_scores(texts)[:1].tolist(),
        ),
        _sacrebleu({}, theirs, f"1 of {n:,}", 1 / n),
        n,
        "segment",
    )


def _segments(corpus: Corpus) -> Comparison:
    metric = rapidbleu.CHRF()
    hyps, refs = corpus.hypotheses, corpus.references
    run = partial(metric.segment_scores, hyps, refs)
    theirs = _fastchrf([[hyp] for hyp in hyps], [[ref] for ref in refs[0]])
    return Comparison(
        TOPIC,
        "segment scores, chrF",
        corpus.name,
        Contender("rapidbleu", run, outcome=lambda: run().tolist()),
        theirs,
        len(hyps),
        "segment",
        quantity="process CPU ns",
        headline=True,
    )


def _fastchrf(
    hyps: list[list[str]], refs: list[list[str]], part: str = "", share: float = 1.0
) -> list[Contender]:
    """Return fastchrf, which only has pairwise chrF; it starts a thread."""
    return peers.rival(
        f"fastchrf, {part}, scaled" if part else "fastchrf, 1 thread",
        "fastchrf",
        lambda module: np.squeeze(module.pairwise_chrf(hyps, refs)).tolist(),
        compared="scores: ==",
        share=share,
    )


def _sacrebleu(
    options: dict[str, int],
    run: Callable[[Any], Any],
    part: str = "",
    share: float = 1.0,
    facts: Callable[[Any], Any] = lambda result: result,
) -> list[Contender]:
    return peers.rival(
        f"sacrebleu, {part}, scaled" if part else "sacrebleu",
        "sacrebleu",
        lambda module: run(module.CHRF(**options)),
        compared="scores: ==",
        share=share,
        agrees=lambda ours, theirs: bool(ours == facts(theirs)),
    )
