"""SciPy's solver: how many threads its BLAS has meanwhile, and afterwards."""

import sys
from typing import Any

import numpy as np
import pytest

from rapidbleu.tuning.search.solver import find_solver

optimize = pytest.importorskip("scipy.optimize")
START = np.ones(3)


def loss(x: Any) -> Any:
    return float(x @ x), 2 * x


def test_blas_has_one_thread_while_it_solves() -> None:
    pool = pytest.importorskip("threadpoolctl")

    def blas_threads() -> set[int]:
        return {one["num_threads"] for one in pool.threadpool_info() if one["user_api"] == "blas"}

    seen: list[set[int]] = []

    def watched(x: Any) -> Any:
        seen.append(blas_threads())
        return loss(x)

    with pool.threadpool_limits(3, "blas"):
        if blas_threads() != {3}:
            pytest.skip("a BLAS whose threads cannot be set")
        solve = find_solver("risk")
        assert solve(watched, START, method="L-BFGS-B", jac=True).x == pytest.approx([0, 0, 0])
        assert seen and all(own == {1} for own in seen)
        assert blas_threads() == {3}
        with pytest.raises(ZeroDivisionError):
            solve(lambda x: 1 / 0, START)
        assert blas_threads() == {3}


def test_without_the_library_it_is_the_solver_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    assert find_solver("risk") is optimize.minimize
