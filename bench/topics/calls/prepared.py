"""References prepared once: one system, and the systems of a shared task."""

from collections.abc import Iterator
from typing import Any

import rapidbleu
from bench.harness import peers
from bench.harness.corpora import Corpora, Corpus
from bench.harness.measure import Comparison, Contender

TOPIC = "prepared"


def cases(corpora: Corpora) -> Iterator[Comparison]:
    """Exclude the preparation from the first job, include it in the second."""
    corpus = corpora.news
    metric = rapidbleu.BLEU()
    hyps, references = corpus.hypotheses, metric.prepare(corpus.references)
    yield Comparison(
        TOPIC,
        "corpus, references prepared",
        corpus.name,
        peers.scoring("rapidbleu", lambda: metric.corpus_score(hyps, references)),
        _sacrebleu_prepared(corpus),
        len(hyps),
        "segment",
        headline=True,
    )
    systems = corpora.systems
    yield Comparison(
        TOPIC,
        f"{len(systems)} systems, one reference set",
        corpus.name,
        peers.scoring("rapidbleu", lambda: _score_systems(systems)),
        [*_sacrebleu_systems(systems), *_bleuscore_systems(systems)],
        len(systems) * len(hyps),
        "segment",
        quantity="process CPU ns",
        headline=True,
    )


def _score_systems(systems: list[Corpus]) -> list[rapidbleu.BLEUScore]:
    metric = rapidbleu.BLEU()
    references = metric.prepare(systems[0].references)
    return [metric.corpus_score(system.hypotheses, references) for system in systems]


def _sacrebleu_prepared(corpus: Corpus) -> list[Contender]:
    sacrebleu = peers.load("sacrebleu")
    if sacrebleu is None:
        return []
    metric = sacrebleu.BLEU(references=corpus.references)
    run = lambda: metric.corpus_score(corpus.hypotheses, None)  # noqa: E731
    return [peers.scoring("sacrebleu", run, before=peers.clear_sacrebleu_caches)]


def _sacrebleu_systems(systems: list[Corpus]) -> list[Contender]:
    def run(sacrebleu: Any) -> list[object]:
        metric = sacrebleu.BLEU(references=systems[0].references)
        return [metric.corpus_score(system.hypotheses, None) for system in systems]

    return peers.rival(
        "sacrebleu",
        "sacrebleu",
        run,
        before=peers.clear_sacrebleu_caches,
        agrees=lambda ours, theirs: bool(ours == list(map(peers.facts, theirs))),
    )


def _bleuscore_systems(systems: list[Corpus]) -> list[Contender]:
    refs = [[ref] for ref in systems[0].references[0]]
    return peers.bleuscore(
        lambda compute: [compute(refs, system.hypotheses)["bleu"] for system in systems]
    )
