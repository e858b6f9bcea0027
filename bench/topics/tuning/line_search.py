"""Exact line searches: envelopes, boundaries and scores along features."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from bench.harness.corpora import Corpora
from bench.harness.measure import Comparison, Contender
from bench.lists.nbest_lists import N_FEATURES, NumPyMert, made
from rapidbleu._core.tuning.line_search import Landscape, WeightPoint
from rapidbleu.tuning import NBestList

TOPIC = "line_search"
_N_SEGMENTS = 1000
_LISTS = (100, 1000)
_AXES = range(5)
_CLOSEST = 1e-4
_CLOSE = "best scores within 1e-9, numbers of boundaries: =="


def cases(corpora: Corpora) -> Iterator[Comparison]:
    n_segments = min(_N_SEGMENTS, corpora.n_segments)
    for n_best in _LISTS:
        yield _searches(made(n_segments, n_best), n_best)


def _searches(nbest: NBestList, n_best: int) -> Comparison:
    start = np.full(N_FEATURES, 1 / N_FEATURES)
    point = WeightPoint(nbest._feature_columns())
    point.place(start)
    landscape = Landscape(nbest.metric._kernel, nbest.stats)
    directions = np.eye(N_FEATURES)
    peer = NumPyMert(nbest)
    scores = peer.features @ start

    def ours() -> list[tuple[float, int]]:
        found = []
        for axis in _AXES:
            n = landscape.survey(point, directions[axis], closest=_CLOSEST)
            found.append((landscape.best_interval(moses=True)[1], n))
        return found

    def theirs() -> list[tuple[float, int]]:
        return [peer.search(scores, axis)[1:] for axis in _AXES]

    return Comparison(
        TOPIC,
        f"line search, {n_best} each",
        "made",
        Contender("rapidbleu", ours),
        [Contender("NumPy", theirs, agrees=agree, compared=_CLOSE)],
        len(_AXES) * len(nbest),
        "hypothesis",
        headline=True,
    )


def agree(ours: Any, theirs: Any) -> bool:
    return all(
        abs(a - b) <= 1e-9 * max(1.0, a) and n == m
        for (a, n), (b, m) in zip(ours, theirs, strict=True)
    )
