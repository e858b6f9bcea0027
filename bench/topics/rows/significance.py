"""Intervals of one system, and paired tests of sixteen, with sacrebleu's random numbers."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import rapidbleu
from bench.harness import peers
from bench.harness.corpora import Corpora
from bench.harness.measure import Comparison, Contender
from rapidbleu import significance
from rapidbleu.significance.resamples import Draws

TOPIC = "significance"
LIMITS = {"interval, 1000 resamples": "memory: 3 M rows are read; NumPy sums the peer's"}
RESAMPLES = 1000
TRIALS = 10_000
MOST_TRIALS = 1 << 20  # times segments, where only results are compared
SOME = 3  # systems that sacrebleu compares with the baseline, as its time is linear in them


def cases(corpora: Corpora) -> Iterator[Comparison]:
    """Resample given statistics; then run whole tests from text, sacrebleu's for some systems."""
    corpus, metric = corpora.news, rapidbleu.BLEU()
    n = len(corpus.hypotheses)
    rows = metric.segment_stats(corpus.hypotheses, corpus.references)
    draws = Draws(12345, n)
    yield Comparison(
        TOPIC,
        f"indices of {RESAMPLES} resamples",
        corpus.name,
        Contender("rapidbleu", partial(_indices, draws), outcome=lambda: _indices(draws).tolist()),
        [
            Contender(
                "NumPy",
                lambda: np.random.default_rng(12345).choice(n, size=(RESAMPLES, n)),
                outcome=lambda: np.random.default_rng(12345).choice(n, size=RESAMPLES * n).tolist(),
                compared="all indices: ==",
            )
        ],
        RESAMPLES * n,
        "draw",
    )
    ours = partial(significance.bootstrap, rows, None, metric, n_resamples=RESAMPLES)
    sacrebleu = peers.load("sacrebleu")
    yield Comparison(
        TOPIC,
        f"interval, {RESAMPLES} resamples",
        corpus.name,
        Contender(
            "rapidbleu",
            ours,
            outcome=lambda: _interval(ours()),
        ),
        _interval_sacrebleu(sacrebleu, rows),
        RESAMPLES,
        "resample",
        headline=True,
    )
    systems = {f"system {i}": own.hypotheses for i, own in enumerate(corpora.systems)}
    trials = TRIALS if n > 1000 else MOST_TRIALS // n
    for job, test, compare in (
        (
            "paired bootstrap",
            "bs",
            partial(significance.paired_bootstrap, n_resamples=RESAMPLES, ties=False),
        ),
        (
            "randomization",
            "ar",
            partial(significance.paired_randomization, n_trials=trials, ties=False),
        ),
    ):
        number = RESAMPLES if test == "bs" else trials
        run = partial(compare, systems, corpus.references, metric)
        pairs = len(systems) - 1
        yield Comparison(
            TOPIC,
            f"{job}, {len(systems)} x {number}",
            corpus.name,
            Contender("rapidbleu", run, outcome=partial(_p_values, run)),
            _paired_sacrebleu(sacrebleu, systems, corpus.references, test, trials),
            pairs,
            "pair",
            headline=True,
        )
        yield Comparison(
            TOPIC,
            f"{job}, all pairs x {number}",
            corpus.name,
            Contender("rapidbleu", partial(run, baseline=None)),
            [],
            len(systems) * pairs // 2,
            "pair",
        )


def _indices(draws: Draws) -> Any:
    out = np.empty(RESAMPLES * draws.n_segments, np.int32)
    draws.stream.draw(draws.n_segments, out)
    return out


def _interval(found: Any) -> list[float]:
    return [found.score, found.mean, found.half_width]


def _interval_sacrebleu(sacrebleu: Any, rows: Any) -> list[Contender]:
    """Its float32 sums and precisions under NumPy 2 change the last digits of the interval."""
    if sacrebleu is None:
        return []
    from sacrebleu.significance import _bootstrap_resample, estimate_ci

    metric, stats = sacrebleu.BLEU(), rows.tolist()

    def run() -> list[float]:
        _, scores = _bootstrap_resample(stats, metric, RESAMPLES)
        mean, width = estimate_ci(np.array([one.score for one in scores]))
        return [metric._aggregate_and_compute(stats).score, float(mean), float(width)]

    return [
        Contender(
            "sacrebleu", run, agrees=peers.within(1e-6), compared="score, mean, interval: 1e-6"
        )
    ]


def _p_values(run: Callable[[], Any]) -> list[float]:
    return [one.p_value for one in list(run()["BLEU"].values())[1 : SOME + 1]]


def _paired_sacrebleu(
    sacrebleu: Any, systems: dict[str, Any], references: Any, test: str, trials: int
) -> list[Contender]:
    if sacrebleu is None:
        return []
    from sacrebleu.significance import PairedTest

    some = list(systems.items())[: SOME + 1]
    n = RESAMPLES if test == "bs" else trials

    def run() -> Any:
        return PairedTest(some, {"BLEU": sacrebleu.BLEU()}, references, test, n)()[1]["BLEU"]

    return [
        Contender(
            f"sacrebleu, {len(some)} systems",
            run,
            before=peers.clear_sacrebleu_caches,
            outcome=lambda: [one.p_value for one in run()[1:]],
            compared="p-values: ==",
            share=len(some) / len(systems),
        )
    ]
