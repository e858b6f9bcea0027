"""The headers of `_core/ngrams` that are made of hash tables, called directly."""

from collections import Counter
from collections.abc import Callable
from random import Random
from types import ModuleType
from typing import Any

import pytest

from support.selection import few

Probe = Callable[[str], ModuleType]
KEYS = [1, 0x9E3779B97F4A7C15, (1 << 64) - 1]


@pytest.fixture
def tables(probe: Probe) -> Any:
    return probe("probe_tables")


# common/probing_table.h


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
    """Whatever the key: with hashes drawn at random, 1,000 searches go through some 1,480 slots."""
    rng = Random("keys")
    keys = [rng.getrandbits(64) | 1 for _ in range(3000)]
    assert max(tables.slots_searched(words, key, 2048) for key in keys) < 2000


# ngrams/token_masks.h


@pytest.mark.parametrize("n_slots", [128, 256, 1024])
def test_letters_have_slots_of_their_own(tables: Any, n_slots: int) -> None:
    rng = Random("keys")
    for key in (rng.getrandbits(64) | 1 for _ in range(1000)):
        for first in (0, 0x400, 0x4E00):  # Latin, Cyrillic, Chinese
            letters = range(first, first + 128)
            assert len(set(tables.positions_slots(letters, key, n_slots))) == 128
        words = range(7, 7 + (99 << 32), 1 << 32)  # that end otherwise, as those of no alphabet
        assert len(set(tables.positions_slots(words, key, 1024))) > 80


# ngrams/hash_tables.h


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 63, 64, 65, 1000])
@pytest.mark.parametrize("key", KEYS)
def test_tokens_are_numbered(tables: Any, n: int, key: int) -> None:
    """Whatever number was expected, and in a table that was larger before."""
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
    """Short tokens too: one that looks like a hash is no long token."""
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


# ngrams/ngram_sets.h and ngrams/inverted_index.h


def ngrams(segment: list[Any], order: int) -> "Counter[tuple[Any, ...]]":
    return Counter(tuple(segment[i : i + order]) for i in range(len(segment) - order + 1))


def matches(hyp: list[Any], refs: list[list[Any]], max_order: int) -> list[list[int]]:
    orders = range(1, max_order + 1)
    return [[(ngrams(hyp, n) & ngrams(ref, n)).total() for ref in refs] for n in orders]


def random_segments(rng: Random, n: int, longest: int) -> list[list[Any]]:
    kinds = [1, 2, b"a token that is long", b"another long token", b"short"]
    return [
        [rng.choice(kinds[: rng.randrange(1, 6)]) for _ in range(rng.randrange(longest + 1))]
        for _ in range(n)
    ]


@pytest.mark.parametrize("n_refs", few([0, 1, 23, 24, 63, 64, 65, 255, 256, 257, 512], range(257)))
def test_matches_with_every_reference(tables: Any, n_refs: int) -> None:
    rng = Random(n_refs)
    refs, hyps = random_segments(rng, n_refs, 12), random_segments(rng, 5, 30)
    texts, others = tables.Segments(refs), tables.Segments(hyps)
    index = tables.Index(KEYS[1])
    for max_order in (1, 4, 16):
        index.build(texts, 0, n_refs, 1, max_order)
        for i, hyp in enumerate(hyps):
            assert index.count(others, i) == matches(hyp, refs, max_order)
        for i in range(min(n_refs, 3)):  # a reference itself, whose elements are known
            assert index.count(texts, i) == matches(refs[i], refs, max_order)


@pytest.mark.parametrize("step", [1, 2, 3])
def test_every_step_th_segment(tables: Any, step: int) -> None:
    rng = Random(step)
    segments = random_segments(rng, 30 * step, 20)
    texts = tables.Segments(segments)
    index = tables.Index(KEYS[1])
    index.build(texts, 6 * step, 24 * step, step, 3)
    refs = segments[6 * step : 24 * step : step]
    for i in (0, 5 * step, 6 * step, 23 * step, 24 * step, 29 * step):
        assert index.count(texts, i) == matches(segments[i], refs, 3)


def test_an_element_is_an_ngram_and_its_occurrence(tables: Any) -> None:
    index = tables.Index(KEYS[0])
    index.build(tables.Segments([[7, 7, 7], [], [7, 8], [7, 7, 7, 7]]), 0, 4, 1, 2)
    first, none, second, third = index.elements()
    assert (len(set(first)), none, len(second), len(set(third))) == (5, [], 3, 7)
    assert set(first) < set(third)
    assert set(second) & set(third) == {first[0]}
