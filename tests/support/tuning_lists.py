"""N-best lists for tests: synthetic, with a known optimum, and the shared one if available."""

import gzip
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from rapidbleu import BLEU, SegmentScores
from rapidbleu.tuning import NBestList
from support.places import SHARED_DATA

SIZES = (1, 3, 4, 5, 127, 128, 129, 2, 255, 256, 257, 300, 7)
START = (0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.5, -1, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2)


def made(
    seed: int, sizes: Sequence[int] = SIZES, n_features: int = 5, dtype: Any = np.float32
) -> NBestList:
    """Return consistent rows of BLEU, and features, some of which correlate with them."""
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    n = int(offsets[-1])
    ref_len = np.repeat(rng.integers(5, 40, len(sizes)), sizes)
    hyp_len = np.maximum(1, ref_len + rng.integers(-4, 5, n))
    total = np.maximum(0, hyp_len[:, None] - np.arange(4))
    quality = rng.random(n)[:, None]
    correct = np.floor(total * quality ** np.arange(1, 5)).astype(np.int64)
    stats = np.column_stack([hyp_len, ref_len, correct, total]).astype(np.int64)
    features = rng.normal(size=(n, n_features))
    features[:, 0] += 3 * quality[:, 0]
    features[:, -1] = -hyp_len
    features[rng.random(features.shape) < 0.2] = 0
    metric = BLEU(tokenize="none", smooth_method="none")
    return NBestList(features.astype(dtype), stats, offsets, metric=metric)


def remade(nbest: NBestList, **parts: Any) -> NBestList:
    features, stats = parts.get("features", nbest.features), parts.get("stats", nbest.stats)
    return NBestList(features, stats, nbest.offsets, metric=nbest.metric, names=nbest.names)


def copies(nbest: NBestList, counts: Any) -> NBestList:
    """Return a list with a copy of a segment for each of its counts."""
    segments = [i for i, count in enumerate(counts) for _ in range(count)]
    return part(nbest, segments)


def part(nbest: NBestList, segments: Sequence[int]) -> NBestList:
    spans = [range(nbest.offsets[i], nbest.offsets[i + 1]) for i in segments]
    rows, offsets = [row for span in spans for row in span], np.cumsum([0, *map(len, spans)])
    return NBestList(nbest.features[rows], nbest.stats[rows], offsets, metric=nbest.metric)


def planted_choices(
    n_segments: int, n_best: int, n_features: int, seed: int = 0
) -> tuple[Any, Any]:
    """Return a list in which some weights select the best hypothesis of every segment."""
    metric = SegmentScores()
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n_segments * n_best, n_features))
    weights = rng.normal(size=n_features)
    scores = np.round(features @ weights, 3)
    offsets = range(0, len(features) + 1, n_best)
    return NBestList(features, metric.stats(scores), offsets, metric=metric), weights


def planted(seed: int, n_segments: int = 60) -> tuple[NBestList, np.ndarray[Any, Any]]:
    """Return hypotheses whose scores are a weighted sum of their features, and the weights."""
    rng = np.random.default_rng(seed)
    weights = np.array([1.0, -2.0, 0.5, 0.0])
    features = rng.normal(size=(n_segments * 30, 4))
    metric = SegmentScores()
    scores = features @ weights
    offsets = np.arange(n_segments + 1) * 30
    return NBestList(features, metric.stats(scores), offsets, metric=metric), weights


def sparse(nbest: NBestList, index_type: Any = np.int32) -> NBestList:
    matrix = pytest.importorskip("scipy.sparse").csr_matrix(nbest.features)
    matrix.indices, matrix.indptr = matrix.indices.astype(index_type), matrix.indptr.astype(int)
    return NBestList(matrix, nbest.stats, nbest.offsets, metric=nbest.metric, names=nbest.names)


@lru_cache(maxsize=1)
def shared() -> NBestList:
    """Return the shared list of 1,000 segments x 100 hypotheses; skip the test without it."""
    folder = SHARED_DATA / "nbest"
    if not (folder / "nbest.gz").is_file():
        pytest.skip("no shared n-best lists")
    segments, texts, features = [], [], []
    with gzip.open(folder / "nbest.gz", "rt", encoding="utf-8", newline="\n") as file:
        for line in file:
            number, text, values, *_ = line.split(" ||| ")
            segments.append(int(number))
            texts.append(text)
            features.append([float(v) for v in values.split() if not v.endswith("=")])
    references = (folder / "ref.0").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    metric = BLEU(tokenize="none", smooth_method="none", force=True)
    stats = metric.nbest_stats(texts, [references], segments=segments)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(segments))])
    return NBestList(np.array(features, np.float32), stats, offsets, metric=metric)
