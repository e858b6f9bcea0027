"""The hash tables in headers of `_core/ngrams`, called directly."""

from collections.abc import Callable
from random import Random
from types import ModuleType
from typing import Any

import pytest

Probe = Callable[[str], ModuleType]
KEYS = [1, 0x9E3779B97F4A7C15, (1 << 64) - 1]


@pytest.fixture
def tables(probe: Probe) -> Any:
    return probe("probe_clipping")


@pytest.mark.parametrize("power", range(6, 40, 3))
def test_slots_are_a_power_of_two_above(tables: Any, power: int) -> None:
    for n, slots in ((2**power - 1, 2**power), (2**power, 2 ** (power + 1))):
        assert tables.slots_for(n) == slots
    assert tables.slots_for(0) == tables.slots_for(1) == 64


NEIGHBOURS = {
    "integers": range(1000),
    "large integers": range(10**9, 10**9 + 1000),
    "every other one": range(0, 2000, 2),
    "highest bytes": range(0, 1000 << 40, 1 << 40),
    "pairs": [i << 32 | i + 1 for i in range(1000)],
    "a rectangle of pairs": [i // 20 << 32 | i % 20 for i in range(1000)],
}


@pytest.mark.parametrize("words", NEIGHBOURS.values(), ids=NEIGHBOURS)
def test_neighbours_are_scattered(tables: Any, words: Any) -> None:
    """For any key: with random hashes, 1,000 searches visit about 1,480 slots."""
    rng = Random("keys")
    keys = [rng.getrandbits(64) | 1 for _ in range(3000)]
    assert max(tables.slots_searched(words, key, 2048) for key in keys) < 2000


@pytest.mark.parametrize("n_slots", [128, 256, 1024])
def test_letters_have_slots_of_their_own(tables: Any, n_slots: int) -> None:
    rng = Random("keys")
    for key in (rng.getrandbits(64) | 1 for _ in range(1000)):
        for first in (0, 0x400, 0x4E00):  # Latin, Cyrillic, Chinese
            letters = range(first, first + 128)
            assert len(set(tables.positions_slots(letters, key, n_slots))) == 128
        words = range(7, 7 + (99 << 32), 1 << 32)  # with endings that occur in no alphabet
        assert len(set(tables.positions_slots(words, key, 1024))) > 80


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 63, 64, 65, 1000])
@pytest.mark.parametrize("key", KEYS)
def test_tokens_are_numbered(tables: Any, n: int, key: int) -> None:
    words = [b"w%d" % i if i % 3 else b"a long token %d" % i for i in range(n)]
    segments = tables.Segments([words, words[::-1], [b"none", b"one that is not there"]])
    numbers = tables.TokenNumbers(key)
    for expected in (0, 3000, n):
        numbers.clear(segments, expected)
        assert numbers.numbers(segments, 2, False) == [0, 0]
        assert numbers.numbers(segments, 0, True) == list(range(1, n + 1))
        assert numbers.numbers(segments, 1, True) == list(range(1, n + 1))[::-1]
        assert numbers.numbers(segments, 2, False) == [0, 0]


def test_tokens_of_one_identity_are_compared(tables: Any) -> None:
    """Including short tokens: one that looks like a hash is not a long token."""
    longs = [b"a long token %d" % i for i in range(100)]
    segments = tables.Segments([[*longs, 256 << 32 | 256], longs[::-1]])
    other = tables.Segments([[*longs[50:], b"of another table"]])
    for each in (segments, other):
        each.blind()
    numbers = tables.TokenNumbers(KEYS[1])
    numbers.clear(segments, 0)
    assert numbers.numbers(segments, 0, True) == list(range(1, 102))
    assert numbers.numbers(segments, 1, False) == list(range(1, 101))[::-1]
    assert numbers.numbers(other, 0, False) == [*range(51, 101), 0]
