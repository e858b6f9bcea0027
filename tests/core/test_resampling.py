"""Random streams, weights, packed rows and sums, against NumPy and scalar code."""

from typing import Any

import numpy as np
import pytest

from rapidbleu._core.input.columns import Column
from rapidbleu._core.resampling.resample import (
    PackedRows,
    Stream,
    add_weighted,
    resample,
    shuffle,
    text_keys,
)
from reference import poisson
from reference.significance import Pcg64
from support.processes import repeat_at_lower_levels

BOUNDS = [
    1,
    2,
    3,
    5,
    7,
    16,
    255,
    256,
    257,
    3003,
    3004,
    65535,
    65536,
    65537,
    10**6 + 3,
    2**20,
    2**30,
    2**30 + 1,
    3 * 2**29,
    2**31 - 2,
    2**31 - 1,
]
SEEDS = [0, 1, 12345, 2**64 + 5]


def state(seed: int) -> tuple[int, int]:
    own: Any = np.random.PCG64(seed).state["state"]
    return own["state"], own["inc"]


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_indices_are_those_of_numpy(bound: int, seed: int) -> None:
    stream, generator = Stream(*state(seed)), np.random.default_rng(seed)
    place = 0
    for size in (1, 511, 512, 513, 5000):
        theirs = generator.choice(bound, size=size, replace=True)
        assert stream.skip(bound, size, place) == stream.draw(
            bound, ours := np.empty(size, np.int32), place
        )
        place = stream.skip(bound, size, place)
        assert (ours == theirs).all()


@pytest.mark.parametrize("bound", [1, 3, 3 * 2**29])
def test_indices_one_step_at_a_time(bound: int) -> None:
    slow = Pcg64(*state(7))
    expected = [slow.index(bound) for _ in range(700)]
    assert Stream(*state(7)).draw(bound, ours := np.empty(700, np.int32)) == slow.n_drawn
    assert ours.tolist() == expected


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("shape", [(1, 1), (3, 31), (1, 32), (2, 33), (7, 1000)])
def test_coins_are_those_of_numpy(seed: int, shape: tuple[int, int]) -> None:
    stream, generator = Stream(*state(seed)), np.random.default_rng(seed)
    theirs = generator.integers(2, size=shape, dtype=bool)
    words = np.empty((theirs.size + 31) // 32, np.uint32)
    stream.copy(words)
    bits = words[:, None] >> np.arange(32, dtype=np.uint32) & 1
    assert (bits.ravel()[: theirs.size].reshape(shape) == theirs).all()
    stream.draw(3004, ours := np.empty(40, np.int32), len(words))
    assert (ours == generator.choice(3004, size=40)).all()


@pytest.mark.parametrize("place", [0, 1, 2, 511, 512, 513, 10**6 + 1])
def test_any_place_is_reached(place: int) -> None:
    whole, rest = np.empty(place + 600, np.uint32), np.empty(600, np.uint32)
    Stream(*state(3)).copy(whole)
    Stream(*state(3)).copy(rest, place)
    assert (rest == whole[place:]).all()


def made(n: int, seed: int = 1) -> list[Any]:
    rng = np.random.default_rng(seed)
    most = (2**63 - 1) // n
    return [
        rng.integers(0, 50, (n, 10)),
        np.full((n, 1), 2**11 - 1, np.int64),
        rng.integers(0, 2**11, (n, 3)),
        rng.integers(0, 2**11 + 1, (n, 2)),
        np.zeros((n, 2), np.int64),
        rng.integers(0, 2**22 + 1, (n, 17)),
        np.full((n, 1), most, np.int64),
        rng.integers(0, most, (n, 2)),
        np.empty((n, 0), np.int64),
    ]


def cut(totals: Any, parts: list[Any], n: int) -> Any:
    begin = 0
    for part in parts:
        end = begin + n * part.shape[1]
        yield totals[begin:end].reshape(n, part.shape[1])
        begin = end


SIZES = [1, 2, 31, 32, 33, 500, 3004, 16383, 16384, 16385, 40000]


@pytest.mark.parametrize("n", SIZES)
def test_totals_of_resamples(n: int) -> None:
    parts, n_resamples = made(n), 21
    indices = np.random.default_rng(5).choice(n, size=(n_resamples, n))
    packed = PackedRows(parts, n)
    totals = np.empty(n_resamples * packed.n_columns, np.int64)
    place = resample(packed, Stream(*state(5)), 0, n_resamples, totals)
    assert place == Stream(*state(5)).skip(n, indices.size)
    for part, ours in zip(parts, cut(totals, parts, n_resamples), strict=True):
        assert (ours == part[indices].sum(axis=1)).all()


@pytest.mark.parametrize("n_resamples", [1, 15, 16, 17])
@pytest.mark.parametrize("size", [1, 4095, 4097, 32767, 32768, 100_000])
@pytest.mark.parametrize("width", [3, 40])
def test_totals_of_resamples_of_another_size(n_resamples: int, size: int, width: int) -> None:
    """40 columns are several panels, whose draws are counted: 100,000 in several tallies."""
    rows = np.random.default_rng(2).integers(0, 2**11, (7, width))
    indices = np.random.default_rng(5).choice(7, size=(n_resamples, size))
    totals = np.empty((n_resamples, width), np.int64)
    place = resample(PackedRows([rows], 7), Stream(*state(5)), 0, n_resamples, totals, None, size)
    assert place == Stream(*state(5)).skip(7, indices.size)
    counts = np.array([np.bincount(own, minlength=7) for own in indices])
    assert (totals == counts @ rows).all()


def test_equal_columns_of_several_parts() -> None:
    rows = np.random.default_rng(2).integers(0, 2**30, (100, 6))
    parts = [rows, rows[:, ::-1].copy(), rows[:, [2, 2, 0]].copy(), rows + 1]
    indices = np.random.default_rng(5).choice(100, size=(20, 100))
    heads = np.random.default_rng(5).integers(2, size=(20, 100), dtype=bool)
    words = np.empty((heads.size + 31) // 32 + 2, np.uint32)
    Stream(*state(5)).copy(words)
    packed = PackedRows(parts, 100)
    drawn, tossed = np.empty((2, 20 * packed.n_columns), np.int64)
    resample(packed, Stream(*state(5)), 0, 20, drawn)
    shuffle(packed, words, 20, tossed)
    for part, of_draws, of_heads in zip(
        parts, cut(drawn, parts, 20), cut(tossed, parts, 20), strict=True
    ):
        assert (of_draws == part[indices].sum(axis=1)).all()
        assert (of_heads == heads @ part).all()


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("trials", [1, 64])
def test_totals_of_heads(n: int, trials: int) -> None:
    parts = made(n)
    heads = np.random.default_rng(5).integers(2, size=(trials, n), dtype=bool)
    words = np.empty((heads.size + 31) // 32 + 2, np.uint32)
    Stream(*state(5)).copy(words)
    packed = PackedRows(parts, n)
    totals = np.empty(trials * packed.n_columns, np.int64)
    shuffle(packed, words, trials, totals)
    for part, ours in zip(parts, cut(totals, parts, trials), strict=True):
        assert (ours == heads @ part).all()


def test_more_segments_than_a_narrow_sum_can_hold() -> None:
    n = 2**20 + 40
    rows = np.full((n, 1), 2**11 - 1, np.int64)
    ones = np.full((n + 31) // 32 + 2, 2**32 - 1, np.uint32)
    shuffle(PackedRows([rows], n), ones, 1, totals := np.empty(1, np.int64))
    assert totals.tolist() == [rows.sum()]
    resample(PackedRows([rows], n), Stream(*state(1)), 0, 1, totals)
    assert totals.tolist() == [rows.sum()]


def test_more_segments_than_are_multiplied_together() -> None:
    n = 2**19 + 40
    rows = np.full((n, 17), 2**11 - 1, np.int64)
    rows[np.arange(17), np.arange(17)] = 0
    counts = np.bincount(np.random.default_rng(1).choice(n, size=n), minlength=n)
    resample(PackedRows([rows], n), Stream(*state(1)), 0, 1, totals := np.empty(17, np.int64))
    assert (totals == counts @ rows).all()


ONES = np.ones((2, 1), np.int64)
WEIGHTED = PackedRows([ONES], 2, True)


def add(
    packed: PackedRows, first: int = 0, n: int = 4, keys: int = 2, totals: Any = np.uint64
) -> None:
    add_weighted(packed, np.zeros(keys, np.uint64), 1, first, n, np.empty(n, totals))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PackedRows([np.zeros((0, 2), np.int64)], 0), "segments: expected 1 to"),
        (lambda: PackedRows([np.zeros((3, 2), np.int64)], 4), "rows: expected 4 items of kind i64"),
        (lambda: PackedRows([np.zeros((3, 2))], 3), "rows: expected 6 items of kind i64"),
        (
            lambda: PackedRows([np.full((3, 2), [1, 2**62])], 3),
            r"below 2\*\*63; got 4611686018427387904 in column 1",
        ),
        (lambda: Stream(1, 1).draw(0, np.empty(1, np.int32)), "bound: expected 1 to"),
        (lambda: Stream(1, 1).skip(2**31, 1), "bound: expected 1 to"),
        (lambda: Stream(1, 1).draw(3, np.empty(1)), "out: expected 1 items of kind i32"),
        (lambda: Stream(1, 1).copy(np.empty(1, np.int32)), "out: expected 1 items of kind u32"),
        (
            lambda: resample(PackedRows([ONES], 2), Stream(1, 1), 0, 2, np.empty(2)),
            "totals: expected 2 items of kind i64",
        ),
        (
            lambda: shuffle(
                PackedRows([ONES], 2), np.zeros(2, np.uint32), 1, np.empty(1, np.int64)
            ),
            "coins: expected 3 items of kind u32",
        ),
        (lambda: add(PackedRows([ONES], 2)), "packed: expected rows whose counts were checked"),
        (lambda: add(WEIGHTED, n=0), "n: expected 1 to 256 from a multiple of 4 on; got 0"),
        (lambda: add(WEIGHTED, n=257), "n: expected 1 to 256"),
        (lambda: add(WEIGHTED, first=2), "n: expected 1 to 256 from a multiple of 4 on"),
        (lambda: add(WEIGHTED, first=-4), "n: expected 1 to 256 from a multiple of 4 on"),
        (lambda: add(WEIGHTED, keys=3), "keys: expected 2 items of kind u64; got 3"),
        (lambda: add(WEIGHTED, totals=np.int64), "totals: expected 4 items of kind u64"),
        (lambda: PackedRows([-ONES], 2, True), "expected counts from 0 on whose sum"),
        (
            lambda: text_keys(Column(["a"], "ids"), np.empty(2, np.uint64)),
            "keys: expected 1 items of kind u64; got 2",
        ),
    ],
)
def test_wrong_arrays_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("counter", "key", "words"),
    [
        ("ffffffff " * 4, "ffffffff " * 4, "2a881696 57012287 f6c7446e a16a6732"),
        (
            "243f6a88 85a308d3 13198a2e 03707344",
            "a4093822 299f31d0 082efa98 ec4e6c89",
            "59cd1dbb b8879579 86b5d00c ac8b6d84",
        ),
    ],
)
def test_the_oracle_has_the_published_words(counter: str, key: str, words: str) -> None:
    """Known-answer vectors of Random123, by the generator's authors."""
    given = [[int(word, 16) for word in text.split()] for text in (counter, key, words)]
    assert poisson.threefry(*given[:2]) == given[2]


@pytest.mark.parametrize("n", [1, 4, 253, 256])
@pytest.mark.parametrize("first", [0, 8, 2**40])
def test_weighted_totals(n: int, first: int) -> None:
    rows = np.array([[1, 2**11], [3, 5]], np.int64)
    keys = np.array([5, 2**64 - 1], np.uint64)
    found = np.empty(2 * n, np.uint64)
    add_weighted(PackedRows([rows], 2, True), keys, 7, first, n, found)
    weights = [[poisson.weight(7, int(key), first + r) for key in keys] for r in range(n)]
    assert found.reshape(n, 2).tolist() == [(own @ rows).tolist() for own in np.array(weights)]


@pytest.mark.slow
def test_the_portable_code_finds_the_same() -> None:
    repeat_at_lower_levels(__file__, "indices or totals or narrow")
