"""Lists of a thousand hypotheses per reference, two threads against one, and rewards."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import rapidbleu
from bench.harness import peers
from bench.harness.corpora import Corpora, Corpus
from bench.harness.measure import Comparison, Contender
from bench.lists.language import german
from rapidbleu.rewards import make_reward

TOPIC = "nbest"
_LENGTHS = range(27, 34)  # of a reference, in tokens


def cases(corpora: Corpora) -> Iterator[Comparison]:
    news = corpora.news
    full = min(1000, corpora.n_segments)
    ten = _lists(news, 10, full)
    yield _statistics(news.name, *ten)
    yield _scores(news.name, *_lists(news, 10, full // 10))
    many = _lists(news, full, 20)
    one = _ours(*many)
    yield Comparison(
        TOPIC,
        "n-best rows, 20 each, 2 threads",
        news.name,
        _ours(*many, threads=2),
        [replace(one, name="rapidbleu, 1 thread")],
        len(many[0]),
        "hypothesis",
        quantity="wall ns",
    )
    yield _rewards(news.name, *_lists(news, 8, 64))


def _lists(corpus: Corpus, n_lists: int, n: int) -> tuple[list[str], list[int], list[str]]:
    """Return `n` edits of each reference of about 30 tokens: hypotheses, segments, references."""
    tokenize = rapidbleu.BLEU().tokenizer
    usual = [ref for ref in corpus.references[0] if len(tokenize(ref)) in _LENGTHS]
    references = (usual if len(usual) > 3 else corpus.references[0])[:n_lists]
    references = [references[i % len(references)] for i in range(n_lists)]
    rng, language = Random("n-best lists"), german()
    hyps = [language.edited(rng, ref) for ref in references for _ in range(n)]
    return hyps, [i for i in range(n_lists) for _ in range(n)], references


def _ours(hyps: list[str], segments: list[int], references: list[str], **more: Any) -> Contender:
    import numpy as np

    metric = rapidbleu.BLEU()
    prepared, numbers = metric.prepare([references]), np.array(segments)
    run = lambda: metric.nbest_stats(hyps, prepared, segments=numbers, **more)  # noqa: E731
    return Contender("rapidbleu", run, outcome=lambda: run().tolist(), compared="all rows: ==")


def _statistics(name: str, hyps: list[str], segments: list[int], refs: list[str]) -> Comparison:
    """Extract rows; sacrebleu does so from its cache of the references, repeated."""
    sacrebleu = peers.load("sacrebleu")
    theirs = []
    if sacrebleu is not None:
        metric = sacrebleu.BLEU(references=[[refs[segment] for segment in segments]])
        run = lambda: metric._extract_corpus_statistics(hyps, None)  # noqa: E731
        theirs = [
            Contender(
                "sacrebleu, references cached",
                run,
                before=peers.clear_sacrebleu_caches,
                compared="all rows: ==",
            )
        ]
    return Comparison(
        TOPIC,
        f"n-best rows, {len(hyps) // len(refs)} each",
        name,
        _ours(hyps, segments, refs),
        theirs,
        len(hyps),
        "hypothesis",
        headline=True,
    )


def _scores(name: str, hyps: list[str], segments: list[int], refs: list[str]) -> Comparison:
    """Score segments; sacrebleu loops, with references in its tokenizer's cache."""
    ours = rapidbleu.BLEU(effective_order=True)
    prepared = ours.prepare([refs])
    run = lambda: ours.nbest_scores(hyps, prepared, segments=segments)  # noqa: E731
    return Comparison(
        TOPIC,
        f"n-best scores, {len(hyps) // len(refs)} each",
        name,
        Contender("rapidbleu", run, outcome=lambda: run().tolist()),
        _loop(hyps, [[refs[segment]] for segment in segments], 1.0),
        len(hyps),
        "hypothesis",
        headline=True,
    )


def _rewards(name: str, hyps: list[str], segments: list[int], refs: list[str]) -> Comparison:
    reward = make_reward("trl")
    truths = [refs[segment] for segment in segments]
    return Comparison(
        TOPIC,
        f"rewards, {len(refs)} prompts x {len(hyps) // len(refs)}",
        name,
        Contender("rapidbleu", lambda: reward(completions=hyps, ground_truth=truths)),
        _loop(hyps, [[truth] for truth in truths], 100.0),
        len(hyps),
        "sample",
        headline=True,
    )


def _loop(hyps: list[str], references: list[list[str]], divisor: float) -> list[Contender]:
    def run(sacrebleu: Any) -> list[float]:
        metric = sacrebleu.BLEU(effective_order=True)
        scores = [metric.sentence_score(*pair).score for pair in zip(hyps, references, strict=True)]
        return scores if divisor == 1.0 else [min(1.0, score / divisor) for score in scores]

    return peers.rival(
        "sacrebleu BLEU.sentence_score",
        "sacrebleu",
        run,
        before=peers.clear_sacrebleu_caches,
        compared="all scores: ==",
    )
