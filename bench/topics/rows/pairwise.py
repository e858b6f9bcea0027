"""All pairs: score matrix, expected utilities, and each segment against all others.

Peers loop in Python and would take minutes. They do a part of the job, the corner of a matrix or
the first of many groups, and their time is scaled to the whole (`Contender.share`); that part of
our result must be equal.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random
from typing import Any

import rapidbleu
from bench.harness import peers
from bench.harness.corpora import Corpora
from bench.harness.measure import Comparison, Contender
from bench.lists.language import german

TOPIC = "pairwise"
_N_TEXTS = 1024
_N_SAMPLES = 64
_SHORTEST, _LONGEST = 24, 36  # in tokens, 29 on average
_EDIT_RATE = 0.27  # two edits of one text have BLEU 21 on average
_POOL = 8
_SELF, _SELF_NLTK = 8, 4
_WEIGHTS = {4: (0.25, 0.25, 0.25, 0.25)}  # fast-bleu's weights: the orders of its BLEU-4


def cases(corpora: Corpora) -> Iterator[Comparison]:
    n = min(_N_TEXTS, corpora.n_segments)
    similar, diverse = similar_and_diverse(n)
    yield _matrix("similar", similar, headline=True)
    yield _matrix("diverse", diverse)
    k = min(_N_SAMPLES, n)
    groups = [_edits(text, k) for text in diverse[:k]]
    yield _utilities(groups)
    yield _others("similar", similar, headline=True)
    yield _others("diverse", diverse)
    yield _others_of_tokens(similar)
    yield _matrix_of_tokens(similar)
    yield from _threads(similar, groups)


def similar_and_diverse(n: int) -> tuple[list[str], list[str]]:
    diverse = _diverse(n)
    return _edits(diverse[0], n), diverse


def _diverse(n: int) -> list[str]:
    """Return at most n German-like segments of nearly the same length."""
    pool = Corpora(_POOL * n).german.references[0]
    lengths = rapidbleu.BLEU().segment_stats(pool, [pool])[:, 0].tolist()
    fitting = [
        text for text, length in zip(pool, lengths, strict=True) if _SHORTEST <= length <= _LONGEST
    ]
    return fitting[:n]


def _edits(text: str, n: int) -> list[str]:
    """Return n outputs of different systems, or n samples of one system, for a text."""
    language = german()._replace(edit_rate=_EDIT_RATE)
    return [language.edited(Random(f"{i} {text}"), text) for i in range(n)]


def _matrix(name: str, texts: list[str], *, headline: bool = False) -> Comparison:
    metric = rapidbleu.BLEU(effective_order=True)
    corner = texts[:_N_SAMPLES]
    n = len(texts)
    return Comparison(
        TOPIC,
        f"{n:,} x {n:,} pairs",
        f"made de, {name}",
        Contender(
            "rapidbleu",
            lambda: metric.pairwise(texts),
            outcome=lambda: metric.pairwise(texts)[: len(corner), : len(corner)].tolist(),
        ),
        _sacrebleu(
            f"{len(corner)} x {len(corner)}",
            (len(corner) / n) ** 2,
            lambda score: [[score(hyp, [ref]) for ref in corner] for hyp in corner],
        ),
        n * n,
        "pair",
        headline=headline,
    )


def _matrix_of_tokens(texts: list[str]) -> Comparison:
    """Score lists of tokens without smoothing; fast-bleu accepts one reference at a time.

    Times are wall-clock, because a peer may have its own threads.
    """
    tokens = [rapidbleu.BLEU().tokenizer(text) for text in texts]
    corner = tokens[:_N_SAMPLES]
    metric = rapidbleu.BLEU(smooth_method="none")
    n = len(tokens)
    theirs = peers.rival(
        f"fast-bleu, {len(corner)} x {len(corner)}, scaled",
        "fast_bleu",
        lambda fast_bleu: [
            fast_bleu.BLEU([ref], _WEIGHTS, smoothing_func=0).get_score(corner)[4] for ref in corner
        ],
        agrees=lambda ours, fasts: all(
            peers.within(1e-9, scale=100)(column[: len(corner)], fast)
            for column, fast in zip(ours, fasts, strict=False)
        ),
        compared="BLEU within 1e-9",
        share=(len(corner) / n) ** 2,
    )
    return Comparison(
        TOPIC,
        f"{n:,} x {n:,} pairs, token lists",
        "made de, similar",
        Contender(
            "rapidbleu",
            lambda: metric.pairwise(tokens),
            outcome=lambda: metric.pairwise(tokens).T.tolist(),
        ),
        theirs,
        n * n,
        "pair",
        quantity="wall ns",
        headline=True,
    )


def _utilities(groups: list[list[str]]) -> Comparison:
    metric = rapidbleu.BLEU(effective_order=True)
    first, k = groups[0], len(groups[0])

    def means(score: Callable[[str, list[str]], float]) -> list[float]:
        utilities = []
        for hyp in first:
            total = 0.0
            for ref in first:  # sum() is compensated from CPython 3.12 on
                total += score(hyp, [ref])
            utilities.append(total / k)
        return utilities

    return Comparison(
        TOPIC,
        f"MBR, {len(groups)} groups of {k}",
        "made de, similar",
        Contender(
            "rapidbleu",
            lambda: metric.mbr(groups, groups=True),
            outcome=lambda: metric.mbr(groups, groups=True)[0].tolist(),
        ),
        _sacrebleu("1 group", 1 / len(groups), means),
        k * k * len(groups),
        "pair",
        headline=True,
    )


def _others(name: str, texts: list[str], *, headline: bool = False) -> Comparison:
    metric = rapidbleu.BLEU(effective_order=True)
    n = len(texts)
    few = range(min(_SELF, n))
    return Comparison(
        TOPIC,
        f"self-BLEU of {n:,}",
        f"made de, {name}",
        Contender(
            "rapidbleu",
            lambda: metric.self_scores(texts),
            outcome=lambda: metric.self_scores(texts)[: len(few)].tolist(),
        ),
        _sacrebleu(
            f"{len(few)} of {n:,}",
            len(few) / n,
            lambda score: [score(texts[i], _without(texts, i)) for i in few],
        ),
        n,
        "segment",
        headline=headline,
    )


def _others_of_tokens(texts: list[str]) -> Comparison:
    """Score tokens without smoothing, as NLTK and fast-bleu define it.

    Times are wall-clock, because a peer may have its own threads.
    """
    tokens = [rapidbleu.BLEU().tokenizer(text) for text in texts]
    metric = rapidbleu.BLEU(smooth_method="none")
    n = len(tokens)
    few = range(min(_SELF_NLTK, n))
    agrees = peers.within(1e-9, scale=100)
    theirs = [
        *peers.rival(
            f"NLTK, {len(few)} of {n:,}, scaled",
            "nltk.translate.bleu_score",
            lambda nltk: [nltk.sentence_bleu(_without(tokens, i), tokens[i]) for i in few],
            agrees=lambda ours, nltks: agrees(ours[: len(few)], nltks),
            compared="BLEU within 1e-9",
            share=len(few) / n,
        ),
        *peers.rival(
            "fast-bleu",
            "fast_bleu",
            lambda module: module.SelfBLEU(tokens, _WEIGHTS, smoothing_func=0).get_score(),
            agrees=lambda ours, fasts: agrees(ours, fasts[4]),
            compared="BLEU within 1e-9",
        ),
    ]
    return Comparison(
        TOPIC,
        f"self-BLEU of {n:,}, token lists",
        "made de, similar",
        Contender("rapidbleu", lambda: metric.self_scores(tokens).tolist()),
        theirs,
        n,
        "segment",
        quantity="wall ns",
        headline=True,
    )


def _threads(texts: list[str], groups: list[list[str]]) -> Iterator[Comparison]:
    metric = rapidbleu.BLEU(effective_order=True)
    n, k = len(texts), len(groups[0])
    jobs: list[tuple[str, int, Callable[..., Any]]] = [
        (f"{n:,} x {n:,} pairs", n * n, partial(metric.pairwise, texts)),
        (
            f"MBR, {len(groups)} groups of {k}",
            len(groups) * k * k,
            partial(metric.mbr, groups, groups=True),
        ),
    ]
    for job, n_pairs, call in jobs:
        ours, one = (
            Contender(
                f"rapidbleu, {threads} thread",
                partial(call, threads=threads),
                outcome=lambda threads=threads, call=call: [
                    row.tolist() for row in call(threads=threads)
                ],
                compared="all scores: ==",
            )
            for threads in (2, 1)
        )
        yield Comparison(
            TOPIC,
            f"{job}, 2 threads",
            "made de, similar",
            ours,
            [one],
            n_pairs,
            "pair",
            quantity="wall ns",
        )


def _without(items: Sequence[Any], i: int) -> list[Any]:
    return [*items[:i], *items[i + 1 :]]


def _sacrebleu(part: str, share: float, loop: Callable[[Any], Any]) -> list[Contender]:
    def run(sacrebleu: Any) -> Any:
        metric = sacrebleu.BLEU(effective_order=True)
        return loop(lambda hyp, refs: metric.sentence_score(hyp, refs).score)

    name = "sacrebleu" if share == 1 else f"sacrebleu, {part}, scaled"
    return peers.rival(name, "sacrebleu", run, compared="all scores of the part: ==", share=share)
