"""Every function that writes an n-best list or its rows to a path."""

import os
from collections.abc import Callable
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from rapidbleu import BLEU, StatsTable
from rapidbleu.rows.kinds import signature_of
from rapidbleu.rows.stats_table import join_files
from rapidbleu.tuning import NBestList, write_nbest, write_stats
from rapidbleu.tuning.moses.score_types import moses_bleu

STATS = [4, 4, 4, 3, 2, 1, 4, 3, 2, 1]


def small(n: int = 4, n_features: int = 2, texts: bool = True) -> NBestList:
    return NBestList(
        np.arange(n * n_features, dtype=np.float32).reshape(n, n_features),
        [STATS] * n,
        [0, n],
        metric=moses_bleu(),
        hypotheses=["a b c d"] * n if texts else None,
    )


WRITERS: dict[str, Callable[[NBestList, str], Any]] = {
    "save": lambda nbest, path: nbest.save(path),
    "save_rows.npz": lambda nbest, path: rows(nbest).save(path),
    "save_stats.npz": lambda nbest, path: save_stats(nbest, path),
    "join_files.npz": lambda nbest, path: join(nbest, path),
    "write_nbest": lambda nbest, path: write_nbest(nbest, path),
    "write_nbest.gz": lambda nbest, path: write_nbest(nbest, path),
    "write_nbest.xz": lambda nbest, path: write_nbest(nbest, path),
    "write_nbest.bz2": lambda nbest, path: write_nbest(nbest, path),
    "write_stats": lambda nbest, path: write_stats(nbest, path, f"{path}.scores"),
}


def rows(nbest: NBestList) -> StatsTable:
    return StatsTable(nbest.metric, nbest.stats, signature_of(nbest.metric, 1))


def save_stats(nbest: NBestList, path: str) -> None:
    texts = list(map(str, nbest.hypotheses or ()))
    BLEU().save_stats(path, iter(texts), [iter(texts)])


def join(nbest: NBestList, path: str) -> None:
    """Join two parts stored elsewhere."""
    halves, first = np.array_split(nbest.stats, 2), 0
    with TemporaryDirectory() as folder:
        parts = [os.path.join(folder, f"{number}.npz") for number in (1, 2)]
        for number, own in enumerate(halves, 1):
            bleu, shard = BLEU(), (number, 2)
            signature = signature_of(bleu, 1)
            StatsTable(bleu, own, signature, shard=shard, first=first).save(parts[number - 1])
            first += len(own)
        join_files(parts, path)
