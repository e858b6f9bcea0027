"""Means of resamples against NumPy's RandomState and plain loops."""

from typing import Any

import numpy as np
import pytest

from rapidbleu._core.resampling.resample import mean_resamples


@pytest.mark.parametrize("used", [0, 1, 227, 396, 397, 622, 623, 624, 1000])
@pytest.mark.parametrize("n", [2, 3, 4, 5, 64, 77, 78, 79, 255, 256, 257, 300])
def test_means_are_of_numpys_resamples(n: int, used: int) -> None:
    generator, rng = np.random.RandomState(n), np.random.default_rng(n)
    generator.randint(0, 1 << 32, used, dtype=np.uint32)
    columns = rng.normal(size=(3, n)) * 10.0 ** rng.integers(-9, 9, (3, n))
    for n_resamples in (0, 1, 7, 8, 9, 33):
        state: Any = generator.get_state(legacy=False)
        words, means = state["state"], np.full((n_resamples, 3), 7.0)
        words["pos"] = mean_resamples(columns, n, words["key"], words["pos"], means)
        for row in means.tolist():
            indices = generator.choice(np.arange(n), n).tolist()
            for column, mean in zip(columns.tolist(), row, strict=True):
                total = column[indices[0]]
                for i in indices[1:]:
                    total += column[i]
                assert total / n == mean
        again = np.random.RandomState()
        again.set_state(state)
        assert again.random_sample() == generator.random_sample()


@pytest.mark.parametrize("n", [65537, 1 << 20, (1 << 20) + 1])
def test_many(n: int) -> None:
    generator = np.random.RandomState(n)
    state: Any = generator.get_state(legacy=False)
    words, means = state["state"], np.empty((2, 1))
    mean_resamples(np.arange(float(n)), n, words["key"], words["pos"], means)
    for mean in means.ravel().tolist():  # sums of integers are exact
        assert generator.randint(0, n, n).sum(dtype=np.int64) / n == mean


def test_negative_zero() -> None:
    mean_resamples(np.full(2, -0.0), 2, np.zeros(624, np.uint32), 0, means := np.ones(1))
    assert np.signbit(means).all()


KEY = np.zeros(624, np.uint32)
FIXED = KEY.copy()
FIXED.flags.writeable = False


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.zeros(4), 2, KEY[:9], 0, np.zeros(4)), "key"),
        ((np.zeros(4), 2, KEY, 625, np.zeros(4)), "place.*got 2, 625"),
        ((np.zeros(4), 2, KEY, -1, np.zeros(4)), "place.*got 2, -1"),
        ((np.zeros(4), 1, KEY, 0, np.zeros(4)), "n, place: expected 2 .*got 1, 0"),
        ((np.zeros(4), 0, KEY, 0, np.zeros(4)), "n, place: .*got 0, 0"),
        ((np.zeros(4), -2, KEY, 0, np.zeros(4)), "n, place: .*got -2, 0"),
        ((np.zeros(0), 2, KEY, 0, np.zeros(4)), "n, place"),
        ((np.zeros(5), 2, KEY, 0, np.zeros(4)), "columns"),
        ((np.zeros(4, np.float32), 2, KEY, 0, np.zeros(4)), "columns"),
        ((np.zeros(4), 2, KEY, 0, np.zeros(5)), "means"),
    ],
)
def test_errors(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        mean_resamples(*arguments)


def test_read_only_state() -> None:
    with pytest.raises(TypeError, match=r"key: .* read-only"):
        mean_resamples(np.zeros(2), 2, FIXED, 0, np.zeros(1))
