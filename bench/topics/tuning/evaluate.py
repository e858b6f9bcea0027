"""Scores of n-best lists under many weight vectors at once."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bench.harness.corpora import Corpora
from bench.harness.measure import Comparison, Contender
from bench.lists.nbest_lists import N_FEATURES, made
from rapidbleu.tuning import NBestList

TOPIC = "evaluate"
LIMITS = dict.fromkeys(
    ("weight vectors, 100 at once, 100 each", "weight vectors, 100 at once, 1000 each"),
    "the peer is a matrix product by BLAS, at the processor's peak",
)
_N_HYPOTHESES = (100, 1000)
_N_SEGMENTS = 1000
_N_VECTORS = (1, 100)


def cases(corpora: Corpora) -> Iterator[Comparison]:
    n_segments = min(corpora.n_segments, _N_SEGMENTS)
    for n in _N_HYPOTHESES:
        nbest = made(n_segments, n)
        for m in _N_VECTORS:
            weights = np.random.default_rng(m).normal(size=(m, N_FEATURES))
            yield _evaluate(nbest, weights, n)


def _evaluate(nbest: NBestList, weights: Any, n: int) -> Comparison:
    ours = lambda: nbest.evaluate(weights)  # noqa: E731
    single = lambda: _numpy(nbest, nbest.features, weights.astype(np.float32), n)  # noqa: E731
    double = lambda: _numpy(nbest, nbest.features.astype(np.float64), weights, n)  # noqa: E731
    m = len(weights)
    return Comparison(
        TOPIC,
        f"weight vectors, {m} at once, {n} each",
        "made",
        _contender("rapidbleu", ours),
        [_contender("NumPy", single, outcome=double)],
        len(nbest) * m,
        "hypothesis and vector",
        headline=m > 1,
    )


def _contender(
    name: str, run: Callable[[], Any], outcome: Callable[[], Any] | None = None
) -> Contender:
    """Time single precision, but compare results of double precision."""
    result = outcome or run
    return Contender(name, run, outcome=lambda: result().tolist(), compared="all scores: ==")


def _numpy(nbest: NBestList, features: Any, weights: Any, n: int) -> Any:
    """Multiply one matrix by all vectors; equal list lengths make the selection simple."""
    scores = (features @ weights.T).reshape(-1, n, len(weights))
    chosen = scores.argmax(axis=1) + nbest.offsets[:-1, np.newaxis]
    return nbest.metric.score_rows(nbest.stats[chosen].sum(axis=0))
