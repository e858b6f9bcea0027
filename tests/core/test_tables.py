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


# ngrams/token_positions.h


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
        assert numbers.numbers(segments, 2, False) == [None, None]
        assert numbers.numbers(segments, 0, True) == list(range(n))
        assert numbers.numbers(segments, 1, True) == list(range(n))[::-1]
        assert numbers.numbers(segments, 2, False) == [None, None]


def test_tokens_of_one_identity_are_compared(tables: Any) -> None:
    """Short tokens too: one that looks like a hash is no long token."""
    longs = [b"a long token %d" % i for i in range(100)]
    segments = tables.Segments([[*longs, 256 << 32 | 256], longs[::-1]])
    other = tables.Segments([[*longs[50:], b"of another table"]])
    for each in (segments, other):
        each.blind()
    numbers = tables.TokenNumbers(KEYS[1])
    numbers.clear(segments, 0)
    assert numbers.numbers(segments, 0, True) == list(range(101))
    assert numbers.numbers(segments, 1, False) == list(range(100))[::-1]
    assert numbers.numbers(other, 0, False) == [*range(50, 100), None]


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 63, 64, 65, 5000])
@pytest.mark.parametrize("key", KEYS)
def test_ngrams_are_numbered(tables: Any, n: int, key: int) -> None:
    grams = tables.GramNumbers(key)
    pairs = [(i % 70, (1 << 32) - 1 - i // 70) for i in range(n)]
    for expected in (0, 9000, n):
        grams.clear(expected)
        assert [grams.number(*pair, False) for pair in pairs] == [None] * n
        assert [grams.number(*pair, True) for pair in pairs] == list(range(n))
        assert [grams.number(*pair, True) for pair in pairs] == list(range(n))
        assert grams.number(70, 0, False) is None


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


# ngrams/inverted_index.h


@pytest.mark.parametrize("n_rows", [0, 1, 6, 7, 8, 63, 64, 127, 128, 254, 255])
@pytest.mark.parametrize("n_words", [1, 3, 4, 5, 8])
def test_column_sums(tables: Any, n_rows: int, n_words: int) -> None:
    rng = Random(n_rows)
    width = 64 * n_words
    rows = [rng.getrandbits(width) | 1 | 1 << width - 1 for _ in range(n_rows)]
    expected = [sum(row >> j & 1 for row in rows) for j in range(width)]
    assert tables.sum_rows(rows, n_words) == expected


# ngrams/ngram_trie.h


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("n", [0, 1, 62, 63, 64, 65, 127, 128, 129, 3000])
def test_the_trie_counts(tables: Any, n: int, key: int) -> None:
    trie = tables.Trie(key)
    expected = []
    for i in range(1, n + 1):
        prefix, token = (i // 3, 1 + i % 3) if i % 5 else (0, (1 << 31) - i)
        assert trie.find(prefix, token) == 0
        assert [trie.add(prefix, token) for _ in range(1 + i % 4)] == [i] * (1 + i % 4)
        expected.append((prefix, token, 1 + i % 4))
    assert trie.grams() == expected
    assert [trie.find(prefix, token) for prefix, token, _ in expected] == list(range(1, n + 1))


def test_the_trie_walks_through_the_orders(tables: Any) -> None:
    rng, trie = Random(1), tables.Trie(KEYS[1])
    tokens = [rng.randrange(1, 6) for _ in range(2000)]
    expected = Counter(tuple(tokens[i : i + n]) for n in (1, 2, 3, 4) for i in range(2001 - n))
    grams: dict[tuple[int, ...], int] = {(): 0}
    for i in range(2000):
        for n in range(1, min(5, 2001 - i)):
            gram = tuple(tokens[i : i + n])
            number = trie.add(grams[gram[:-1]], gram[-1])
            assert grams.setdefault(gram, number) == number
    counts = trie.grams()
    assert {gram: counts[i - 1][2] for gram, i in grams.items() if i} == expected
