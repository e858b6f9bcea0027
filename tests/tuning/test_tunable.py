"""Lists that leave nothing to tune are refused, whatever their features are kept in."""

import itertools
import tracemalloc
from time import perf_counter
from typing import Any

import numpy as np
import pytest

from rapidbleu import MeanScore
from rapidbleu.tuning import NBestList
from rapidbleu.tuning.search.shared import BLOCK, check_tunable
from support.tuning_lists import made, sparse

OFFSETS = [0, 3, 4, 9, 10, 12]
ALONE = (3, 9)
KINDS = ["float32", "float64", "sparse float32", "sparse float64"]
FEATURES = r"^features: expected one at least that differs within a segment, got none$"
STATS = r"^stats: expected a segment at least whose hypotheses differ, got equal ones in each$"


def make(kind: str, features: Any, scores: Any, offsets: Any = None) -> NBestList:
    metric, ends = MeanScore(), OFFSETS if offsets is None else offsets
    features = np.array(features, kind.split()[-1])
    nbest = NBestList(features, metric.rows(scores), ends, metric=metric)
    return sparse(nbest) if kind.startswith("sparse") else nbest


def level(n_features: int) -> Any:
    """Features that differ between segments alone."""
    features = np.repeat(np.arange(5.0), np.diff(OFFSETS))[:, None] * np.arange(n_features)
    return features - 2


@pytest.mark.parametrize("block", [1, 7, 24, 1 << 18])
@pytest.mark.parametrize("kind", KINDS)
def test_one_difference_is_enough(kind: str, block: int) -> None:
    """Wherever it is, unless its segment has no other hypothesis."""
    scores, features = np.arange(12.0), level(4)
    with pytest.raises(ValueError, match=FEATURES):
        check_tunable(make(kind, features, scores), block)
    for row, column in itertools.product(range(12), (0, 3)):
        own = features.copy()
        own[row, column] += 1
        nbest = make(kind, own, scores)
        if row in ALONE:
            with pytest.raises(ValueError, match=FEATURES):
                check_tunable(nbest, block)
        else:
            check_tunable(nbest, block)


@pytest.mark.parametrize("kind", KINDS)
def test_statistics_must_differ_within_a_segment(kind: str) -> None:
    features, scores = np.eye(12), np.repeat(np.arange(5.0), np.diff(OFFSETS))
    with pytest.raises(ValueError, match=STATS):
        check_tunable(make(kind, features, scores))
    for row in range(12):
        own = scores.copy()
        own[row] += 0.5
        nbest = make(kind, features, own)
        if row in ALONE:
            with pytest.raises(ValueError, match=STATS):
                check_tunable(nbest)
        else:
            check_tunable(nbest)


@pytest.mark.parametrize("kind", KINDS)
def test_single_hypotheses_are_refused(kind: str) -> None:
    message = r"^nbest: expected a segment at least with several hypotheses, got one .* in each$"
    with pytest.raises(ValueError, match=message):
        check_tunable(make(kind, np.eye(3), [1.0, 2.0, 3.0], [0, 1, 2, 3]))


def test_zeros_that_a_sparse_list_holds_are_zeros() -> None:
    matrix = pytest.importorskip("scipy.sparse").csr_matrix(
        (np.array([1.0, 0.0, 1.0, -0.0, 0.0]), [0, 1, 0, 1, 3], [0, 2, 3, 5]), shape=(3, 5)
    )
    rows = MeanScore().rows([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=FEATURES):
        check_tunable(NBestList(matrix, rows, [0, 2, 3], metric=MeanScore()))


@pytest.mark.parametrize("kind", KINDS)
def test_usual_lists_can_be_tuned(kind: str) -> None:
    nbest = made(1, dtype=np.dtype(kind.split()[-1]))
    check_tunable(sparse(nbest) if kind.startswith("sparse") else nbest)


@pytest.mark.parametrize("kind", ["float32", "sparse float64"])
def test_features_are_neither_copied_nor_compared_one_by_one(kind: str) -> None:
    """A list of 16 MB, or of 24, without any difference."""
    n = 200_000 if kind == "float32" else 100_000
    nbest = make(kind, np.ones((n, 20)), np.zeros(n), range(0, n + 1, 100))
    if kind.startswith("sparse"):
        nbest.features.resize(n, 2**30)
    began = perf_counter()
    tracemalloc.start()
    with pytest.raises(ValueError, match=FEATURES):
        check_tunable(nbest)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert perf_counter() - began < 3
    assert peak < 48 * BLOCK + 2 * n
