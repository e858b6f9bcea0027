"""Names of a hundred thousand features are looked up in time linear in their number."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rapidbleu import MeanScore
from rapidbleu.cli.moses.mert import _names
from rapidbleu.tuning import NBestList, mira
from rapidbleu.tuning.checks import check_weights
from rapidbleu.tuning.search.mert import check_bounds, check_fixed

N = 100_000
NAMES = [f"F_{i}" for i in range(N)]


def sparse_list() -> NBestList:
    matrix = pytest.importorskip("scipy.sparse").eye(4, N, format="csr")
    rows = MeanScore().rows([0.1, 0.2, 0.3, 0.4])
    return NBestList(matrix, rows, [0, 2, 4], names=NAMES, metric=MeanScore())


JOBS: dict[str, Callable[[NBestList], Any]] = {
    "weights": lambda _: check_weights(dict.fromkeys(NAMES, 1.0), NAMES),
    "fixed": lambda _: check_fixed(NAMES[1:], NAMES),
    "bounds": lambda _: check_bounds("bounds", dict.fromkeys(NAMES, (0.0, 1.0)), NAMES),
    "names of the command": lambda nbest: _names(nbest, NAMES, "-o"),
    "list of sparse features": lambda nbest: nbest.evaluate(dict.fromkeys(NAMES, 1.0)),
    "mira": lambda nbest: mira(nbest, dict.fromkeys(NAMES, 1.0), epochs=1),
}


@pytest.mark.parametrize("name", JOBS)
def test_names_are_looked_up_in_linear_time(name: str) -> None:
    """A quadratic look-up takes a minute here."""
    nbest = sparse_list()
    begin = time.process_time()
    JOBS[name](nbest)
    assert time.process_time() - begin < 5.0


def test_limits_belong_to_their_names() -> None:
    names = ["a", "b", "c"]
    assert check_fixed((name for name in ["c", "a"]), names).tolist() == [0, 1, 0]
    bounds = check_bounds("bounds", {"c": (1, 2), "a": (0, 1)}, names)
    assert bounds.tolist() == [[0, 1], [-np.inf, np.inf], [1, 2]]


def test_names_that_are_no_names_are_refused() -> None:
    with pytest.raises(ValueError, match=r"fixed: expected names of features, got \['a'\]"):
        check_fixed([["a"]], ["a", "b"])  # type: ignore[list-item]
