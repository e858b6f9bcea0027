"""Everything that writes an n-best list, its weights or its rows to a path."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rapidbleu import StatsTable
from rapidbleu.rows.kinds import signature_of
from rapidbleu.tuning import NBestList, write_nbest, write_stats
from rapidbleu.tuning.moses.score_types import moses_bleu
from rapidbleu.tuning.moses.weights import write_dense_weights, write_sparse_weights

STATS = [4, 4, 4, 3, 2, 1, 4, 3, 2, 1]


def small(n: int = 4, n_features: int = 2, texts: bool = True) -> NBestList:
    return NBestList(
        np.arange(n * n_features, dtype=np.float32).reshape(n, n_features),
        [STATS] * n, [0, n], metric=moses_bleu(), hypotheses=["a b c d"] * n if texts else None,
    )  # fmt: skip


WRITERS: dict[str, Callable[[NBestList, str], Any]] = {
    "save": lambda nbest, path: nbest.save(path),
    "save_rows.npz": lambda nbest, path: rows(nbest).save(path),
    "write_nbest": lambda nbest, path: write_nbest(nbest, path),
    "write_nbest.gz": lambda nbest, path: write_nbest(nbest, path),
    "write_nbest.xz": lambda nbest, path: write_nbest(nbest, path),
    "write_nbest.bz2": lambda nbest, path: write_nbest(nbest, path),
    "write_stats": lambda nbest, path: write_stats(nbest, path, f"{path}.scores"),
    "write_dense_weights": lambda nbest, path: write_dense_weights(weights(nbest), path),
    "write_sparse_weights": lambda nbest, path: write_sparse_weights(weights(nbest), path),
}


def rows(nbest: NBestList) -> StatsTable:
    return StatsTable(nbest.metric, nbest.stats, signature_of(nbest.metric, 1))


def weights(nbest: NBestList) -> dict[str, float]:
    return {f"F{i}": 0.5 for i in range(len(nbest))}
