"""Write the n-best lists on which Moses' traces in tests/data/moses were made.

    PYTHONPATH=tests python tests/support/programs/make_moses_lists.py FOLDER

Each list is a pair of files as Moses' extractor writes them, NAME.features and NAME.scores:

plain   25 segments of 1 to 16 hypotheses, five real features
coarse  20 segments of 1 to 20 hypotheses, three features with few values: many hypotheses of a
        segment have the same features and other statistics, and many boundaries coincide
long    20 segments of 1 to 12 hypotheses, and one of 30,000 tokens with a single hypothesis, so
        that steps gain little
sparse  the first 15 segments of `plain` with up to two of four sparse features a hypothesis
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np

from rapidbleu.tuning import NBestList
from rapidbleu.tuning.moses.score_files import write_stats
from rapidbleu.tuning.moses.score_types import moses_bleu
from support.tuning_lists import made, remade

NAMES = ["LM0_0", "TM0_0", "TM0_1", "Distortion0_0", "WordPenalty0_0"]


def plain() -> NBestList:
    sizes = np.random.default_rng(21).integers(1, 17, 25).tolist()
    nbest = made(21, sizes=sizes)
    features = nbest.features.astype(float).round(3).astype(np.float32)
    return with_features(nbest, features, NAMES)


def coarse() -> NBestList:
    sizes = np.random.default_rng(22).integers(1, 21, 20).tolist()
    nbest = made(22, sizes=sizes, n_features=3)
    features = np.round(nbest.features * np.float32([1, 2, 0.5])).astype(np.float32)
    return with_features(nbest, features, ["LM0_0", "TM0_0", "WordPenalty0_0"])


def long() -> NBestList:
    sizes = [*np.random.default_rng(24).integers(1, 13, 20).tolist(), 1]
    nbest = made(24, sizes=sizes)
    stats = nbest.stats.copy()
    stats[-1] = [30000, 30000, 18000, 10000, 6000, 4000, 30000, 29000, 28000, 27000]
    return with_features(remade(nbest, stats=stats), nbest.features.round(3), NAMES)


def sparse() -> NBestList:
    from scipy.sparse import csr_matrix, hstack

    nbest = plain()
    n = int(nbest.offsets[15])
    random = np.random.default_rng(23)
    extra = random.integers(-3, 4, (n, 4)) * (random.random((n, 4)) < 0.3) / 4
    features = hstack([nbest.features[:n], csr_matrix(extra)], format="csr", dtype=np.float32)
    return NBestList(
        features,
        nbest.stats[:n],
        nbest.offsets[:16],
        metric=moses_bleu(),
        names=[*NAMES, "wt_a", "wt_b", "wt_c~d", "pp_e"],
    )


def with_features(nbest: NBestList, features: Any, names: list[str]) -> NBestList:
    """Return a list with other features, and Moses' BLEU."""
    return NBestList(features, nbest.stats, nbest.offsets, metric=moses_bleu(), names=names)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for make in (plain, coarse, long, sparse):
        name = make.__name__
        write_stats(make(), folder / f"{name}.features", folder / f"{name}.scores")
