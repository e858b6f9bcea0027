"""IBM Model 1 on sentence pairs against NLTK, and hypothesis scores against a plain loop.

No target sentence repeats a word, because NLTK distributes a repeated word only once.
"""

from collections.abc import Iterator
from functools import partial
from math import log
from random import Random
from typing import Any

from bench.harness import peers
from bench.harness.corpora import Corpora
from bench.harness.measure import Comparison, Contender
from bench.lists.language import german
from rapidbleu.alignment import IBMModel1
from rapidbleu.alignment.model1 import FLOOR

TOPIC = "alignment"
LIMITS = {"scores by IBM Model 1": "words are looked up in dicts, the peer's table too"}
N_PAIRS, N_PART = 100_000, 1000
STEPS = 5

Side = list[list[str]]


def cases(corpora: Corpora) -> Iterator[Comparison]:
    """Learn with NULL, and compute a column of features; peers do a part of the pairs."""
    n_part = min(N_PART, corpora.n_segments)
    sources, targets = _pairs(N_PAIRS if n_part == N_PART else n_part)
    n, corpus = len(sources), "made de"
    part = sources[:n_part], targets[:n_part]
    name = f"{n_part:,} pairs, scaled" if n > n_part else "all pairs"

    yield Comparison(
        TOPIC,
        f"IBM Model 1, {STEPS} steps",
        corpus,
        Contender(
            "rapidbleu",
            lambda: IBMModel1.fit(sources, targets, iterations=STEPS),
            outcome=lambda: _table(*part),
        ),
        _nltk(part, name, n_part / n),
        n,
        "pair",
        headline=True,
    )
    model = IBMModel1.fit(sources, targets, iterations=STEPS)
    yield Comparison(
        TOPIC,
        "scores by IBM Model 1",
        corpus,
        Contender(
            "rapidbleu",
            partial(model.scores, sources, targets),
            outcome=lambda: model.scores(*part).tolist(),
        ),
        [
            Contender(
                f"dict of dicts, {name}",
                partial(_plain_scores, model.to_dict(), *part),
                agrees=peers.within(1e-12),
                compared="scores: within 1e-12",
                share=n_part / n,
            )
        ],
        n,
        "pair",
        headline=True,
    )


def _pairs(n: int) -> tuple[Side, Side]:
    """Return sentences, and others with most of their words spelled backwards."""
    rng, language = Random("alignment"), german()
    sources, targets = [], []
    for _ in range(n):
        text = language.segment(rng)
        sources.append(text.split())
        words = language.edited(rng, text).split()
        targets.append(list(dict.fromkeys(word[::-1] for word in words)))
    return sources, targets


def _table(sources: Side, targets: Side) -> list[float]:
    model = IBMModel1.fit(sources, targets, iterations=STEPS)
    return [p for row in model.to_dict().values() for p in row.values()]


def _nltk(part: tuple[Side, Side], name: str, share: float) -> list[Contender]:
    """Run NLTK's class without its search for alignments; its cells are at least 1e-12."""
    if peers.load("nltk") is None:
        return []
    from nltk.translate import AlignedSent
    from nltk.translate import IBMModel1 as NLTKModel

    class Learner(NLTKModel):  # type: ignore[misc]
        def align_all(self, pairs: Any) -> None:
            pass

    def run() -> Any:
        pairs = [AlignedSent(target, source) for source, target in zip(*part, strict=True)]
        return Learner(pairs, STEPS).translation_table

    def outcome() -> list[float]:
        found = run()
        ours = IBMModel1.fit(*part, iterations=1).to_dict()
        return [found[target][source] for source, row in ours.items() for target in row]

    return [
        Contender(
            f"NLTK, {name}",
            run,
            outcome=outcome,
            agrees=peers.within(1e-9),
            compared="all probabilities: within 1e-9",
            share=share,
        )
    ]


def _plain_scores(table: Any, sources: Side, targets: Side) -> list[float]:
    scores = []
    for source, target in zip(sources, targets, strict=True):
        rows = [table[None], *(table[word] for word in source)]
        scores.append(
            sum(
                log(sum(max(row.get(word, 0.0), FLOOR) for row in rows) / len(rows))
                for word in target
            )
        )
    return scores
