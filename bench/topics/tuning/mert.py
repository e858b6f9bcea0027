"""MERT: the climb from one start against NumPy's, and several starts in two threads."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from bench.harness.corpora import Corpora
from bench.harness.measure import Comparison, Contender
from bench.lists.nbest_lists import N_FEATURES, NumPyMert, made
from bench.topics.tuning.line_search import agree
from rapidbleu.tuning import NBestList, mert

TOPIC = "mert"
_N_SEGMENTS = 1000
_N_BEST = 100


def cases(corpora: Corpora) -> Iterator[Comparison]:
    nbest = made(min(_N_SEGMENTS, corpora.n_segments), _N_BEST)
    yield _climb(nbest)
    yield _threads(nbest)


def _climb(nbest: NBestList) -> Comparison:
    start = np.full(N_FEATURES, 1 / N_FEATURES)
    peer = NumPyMert(nbest)

    def ours() -> tuple[float, int]:
        result = mert(nbest, start, restarts=0, moses_compat=True, normalize=None)
        return result.score, N_FEATURES * (len(result.history) + 1)

    return Comparison(
        TOPIC,
        f"MERT from one start, {_N_BEST} each",
        "made",
        Contender("rapidbleu", ours),
        [
            Contender(
                "NumPy",
                lambda: peer.ascend(start, 0.01),
                agrees=lambda a, b: agree([a], [b]),
                compared="score reached within 1e-9, number of line searches: ==",
            )
        ],
        ours()[1],
        "line search",
        headline=True,
    )


def _threads(nbest: NBestList) -> Comparison:
    def run(threads: int) -> Any:
        result = mert(nbest, restarts=7, threads=threads)
        return result.score, result.weights.tolist()

    return Comparison(
        TOPIC,
        "MERT from 8 starts, 2 threads",
        "made",
        Contender("rapidbleu", lambda: run(2)),
        [Contender("rapidbleu, 1 thread", lambda: run(1), compared="score, weights: ==")],
        8,
        "start",
        quantity="wall ns",
    )
