"""Indices of NumPy's RandomState, and means at indices, against NumPy and plain loops."""

from typing import Any

import numpy as np
import pytest

from rapidbleu._core.resampling.twister import average, draw
from support.processes import repeat_at_lower_levels

BOUNDS = [2, 3, 4, 5, 255, 256, 257, 300, 3004, 65537, 2**30 + 1, 2**31 - 2, 2**31 - 1]


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("used", [0, 1, 227, 396, 397, 622, 623, 624])
def test_indices_are_those_of_numpy(bound: int, used: int) -> None:
    generator = np.random.RandomState(bound)
    generator.randint(0, 1 << 32, used, dtype=np.uint32)
    state: Any = generator.get_state(legacy=False)
    words = state["state"]
    for size in (0, 1, 7, 8, 9, 623, 624, 625, 5000):
        expected = generator.randint(0, bound, size)
        drawn = np.full(size + 1, -7, np.int32)
        words["pos"] = draw(words["key"], words["pos"], bound, drawn[:-1])
        assert drawn.tolist() == [*expected.tolist(), -7]
        again = np.random.RandomState()
        again.set_state(state)
        assert again.random_sample() == generator.random_sample()
        state = generator.get_state(legacy=False)
        words = state["state"]


@pytest.mark.parametrize("n", [1, 2, 3, 64, 301])
@pytest.mark.parametrize("n_resamples", [0, 1, 7, 8, 9, 16, 33])
def test_means(n: int, n_resamples: int) -> None:
    rng = np.random.default_rng(n)
    columns = rng.normal(size=(3, n)) * 10.0 ** rng.integers(-9, 9, (3, n))
    indices = rng.integers(0, n, (n_resamples, n)).astype(np.int32)
    average(columns, n, indices, means := np.full((n_resamples, 3), 7.0))
    for own, row in zip(indices.tolist(), means.tolist(), strict=True):
        for column, mean in zip(columns.tolist(), row, strict=True):
            total = column[own[0]]
            for i in own[1:]:
                total += column[i]
            assert total / n == mean


def test_negative_zero() -> None:
    average(np.array([-0.0]), 1, np.zeros(1, np.int32), means := np.ones(1))
    assert np.signbit(means).all()


KEY = np.zeros(624, np.uint32)
FIXED = KEY.copy()
FIXED.flags.writeable = False
OUT = np.zeros(4, np.int32)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: draw(KEY[:9], 0, 5, OUT), "key"),
        (lambda: draw(KEY, 625, 5, OUT), "place.*got 625"),
        (lambda: draw(KEY, -1, 5, OUT), "place.*got -1"),
        (lambda: draw(KEY, 0, 1, OUT), "bound.*got 0, 1"),
        (lambda: draw(KEY, 0, 2**31, OUT), "bound.*got 0, 2147483648"),
        (lambda: draw(KEY, 0, 5, OUT.astype(np.int64)), "out"),
        (lambda: average(np.zeros(2), 0, OUT, np.zeros(1)), "n: expected at least 1; got 0"),
        (lambda: average(np.zeros(3), 2, OUT, np.zeros(2)), "columns"),
        (lambda: average(np.zeros(2), 2, OUT[:3], np.zeros(1)), "indices"),
        (lambda: average(np.zeros(2), 2, OUT, np.zeros(1)), "means"),
        (lambda: average(np.zeros(4), 4, OUT + 4, np.zeros(1)), "indices: expected 0 to 3; got 4"),
        (lambda: average(np.zeros(4), 4, OUT - 1, np.zeros(1)), "indices: expected 0 to 3; got 4"),
    ],
)
def test_errors(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_read_only_state() -> None:
    with pytest.raises(TypeError, match="key: .* read-only"):
        draw(FIXED, 0, 5, OUT)


def test_lower_levels() -> None:
    repeat_at_lower_levels(__file__, "numpy or means")
