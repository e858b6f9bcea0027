"""The headers of `_core/ngrams` that count n-grams, called directly."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from types import ModuleType
from typing import Any

import pytest

from support.processes import LEVEL, LOWER_LEVELS
from support.selection import few

Probe = Callable[[str], ModuleType]
Token = bytes | int
Text = tuple[Token, ...]
COLLIDING = b"collides"  # every token of 16 bytes with this prefix has the identity 0
KEYS = [
    0x9E3779B97F4A7C15,
    0xD1B54A32D192ED03,
    0x8CB92BA72F3D8DD7,
    int.from_bytes(COLLIDING, "little"),
]
KEY = 0xAEF17502108EF2D9
ENDED = [RuntimeError("elsewhere")]
SIZES = [1, 2, 7, 8, 9, 63, 64, 65, 127, 128, 129, 192, 193, 384, 385]
LONGS = [COLLIDING + b"%08d" % i for i in range(5)] + [b"a long token", b"another long token"]


@pytest.fixture(params=[*LOWER_LEVELS, LEVEL])
def texts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, probe: Probe) -> Any:
    monkeypatch.setenv("RAPIDBLEU_SIMD", request.param)
    return probe("probe_clipping").Probe(KEYS, KEY)


def expected(hyp: Sequence[Token], refs: Sequence[Sequence[Token]], max_order: int) -> list[int]:
    return list(clipped(tuple(hyp), tuple(map(tuple, refs)), max_order))


@cache  # the same for each level of the processor
def clipped(hyp: Text, refs: tuple[Text, ...], max_order: int) -> list[int]:
    counts = []
    for n in range(1, max_order + 1):
        of_hyp, *of_refs = (
            Counter(tuple(text[i : i + n]) for i in range(len(text) - n + 1))
            for text in (hyp, *refs)
        )
        most = {gram: max(of_ref[gram] for of_ref in of_refs) for gram in of_hyp}
        counts.append(sum(min(count, most[gram]) for gram, count in of_hyp.items()))
    return counts


def text(rng: Random, n: int, alphabet: Sequence[Token]) -> list[Token]:
    return [rng.choice(alphabet) for _ in range(n)]


@pytest.mark.parametrize("m", few(SIZES, range(193)))
@pytest.mark.parametrize("n_refs", [1, 3])
@pytest.mark.parametrize("way", ["clipped", "refined"])
def test_counts_are_clipped(texts: Any, way: str, n_refs: int, m: int) -> None:
    rng = Random(m)
    for alphabet in ([b"a"], [b"a", b"b", *LONGS], range(1, 2 * m)):
        for max_order in (1, 4, 6, 16, 17):
            hyp = text(rng, rng.choice([1, m, m + 3]), [*alphabet, b"no such token"])
            refs = [text(rng, size, alphabet) for size in (m, m // 2, 0)[:n_refs]]
            rng.shuffle(refs)
            texts.read(hyp, refs)
            assert texts.count(way, max_order) == expected(hyp, refs, max_order)


@pytest.mark.parametrize("n_kinds", [5_000, 40_000])
def test_the_table_of_tokens_moves(texts: Any, n_kinds: int) -> None:
    """Tables start small and grow when half full, here with colliding tokens."""
    rng = Random(n_kinds)
    kinds = [b"t%d" % i for i in range(n_kinds)]
    ref = [*LONGS, *kinds, *text(rng, 60_000 - n_kinds, LONGS)]
    hyp = [*ref[n_kinds // 2 :], b"no such token", *ref[:100]]
    for refs in ([ref], [ref, [*hyp[:1000], *hyp[1001:]]]):
        texts.read(hyp, refs)
        assert texts.count("refined", 3) == expected(hyp, refs, 3)


@pytest.mark.parametrize("way", ["clipped", "refined", "sorted"])
def test_nothing_matches_nothing(texts: Any, way: str) -> None:
    for hyp, ref in (([], []), ([1], []), ([], [1]), ([1], [2]), ([COLLIDING], [1])):
        texts.read(hyp, [ref])
        assert texts.count(way, 4) == [0, 0, 0, 0]
    assert texts.count("clipped", 0) == []


def most_sorted(max_order: int) -> int:
    """Return how many kinds of tokens fit into sorted n-gram words, with end markers."""
    return min(2048, (1 << 63 // max_order) - 2)


@pytest.mark.parametrize("n_kinds", [1, 2, 3, 4, 6, 7, 66, 67, 127, 128, 1022, 1023, 2047])
@pytest.mark.parametrize(("first", "step"), [(0, 1), (1 << 33 | 1, 1 << 33), (1024, 2)])
def test_sorted_counts(texts: Any, first: int, step: int, n_kinds: int) -> None:
    rng = Random(n_kinds)
    kinds = [first + i * step for i in range(n_kinds)]
    ref = kinds + text(rng, 200, kinds)
    hyp = text(rng, 300, [*kinds, 9999]) + ref[3:90]
    texts.read(hyp, [ref])
    all_counts = expected(hyp, [ref], 16)
    for max_order in (1, 2, 6, 16):
        wanted = all_counts[:max_order]
        is_sorted = n_kinds <= most_sorted(max_order)
        assert texts.count("sorted", max_order) == (wanted if is_sorted else None), max_order
        assert texts.count("clipped", max_order) == wanted, max_order


@pytest.mark.parametrize("max_order", [1, 2, 3, 4, 15, 16])
def test_short_texts_are_sorted(texts: Any, max_order: int) -> None:
    rng = Random(max_order)
    for n in range(1, 7):
        for m in range(1, 20):
            hyp, ref = text(rng, n, range(3)), text(rng, m, range(1, 3))
            texts.read(hyp, [ref])
            assert texts.count("sorted", max_order) == expected(hyp, [ref], max_order)


@pytest.mark.parametrize("n_kinds", [253, 254, 255, 256])
def test_the_largest_tables_of_pairs(texts: Any, n_kinds: int) -> None:
    rng = Random(n_kinds)
    ref = [*range(n_kinds), *text(rng, 9_000, range(n_kinds))]
    hyp = [*ref[4_000:], *text(rng, 5_000, range(n_kinds + 9))]
    texts.read(hyp, [ref])
    assert texts.count("sorted", 5) == expected(hyp, [ref], 5)


def test_sorting_refuses_one_kind_too_many(texts: Any) -> None:
    texts.read([1], [range(1, 2050)])
    assert texts.count("sorted", 1) is None
    assert texts.count("clipped", 1) == [1]


@pytest.mark.parametrize("n_kinds", [8, 200, 1022, 1023, 2048, 2049])
@pytest.mark.parametrize("max_order", [1, 2, 6])
def test_long_tokens_are_sorted_by_numbers(texts: Any, n_kinds: int, max_order: int) -> None:
    """Some tokens collide; beyond a number of kinds they are refined."""
    rng = Random(n_kinds)
    kinds = [*LONGS, *range(1, n_kinds - len(LONGS) + 1)]
    ref = kinds + text(rng, 300, kinds)
    hyp = text(rng, 400, [*kinds, b"no such token", COLLIDING + b"elsewhere"]) + ref[3:90]
    texts.read(hyp, [ref])
    wanted = expected(hyp, [ref], max_order)
    assert texts.count("clipped", max_order) == texts.count("refined", max_order) == wanted


def test_work_ends_when_it_is_stopped(texts: Any) -> None:
    n = 1 << 20
    texts.read([1] * (n // 2), [[1], [2]])
    assert texts.count("clipped", 4, []) == [1, 0, 0, 0]
    with pytest.raises(RuntimeError, match="elsewhere"):
        texts.count("clipped", 4, ENDED)
    texts.read([1] * n, [[1] * n])
    for way in ("clipped", "refined"):
        assert texts.count(way, 2, []) == [n, n - 1]
        with pytest.raises(RuntimeError, match="elsewhere"):
            texts.count(way, 2, ENDED)


def test_sequences_of_too_many_tokens_are_refused(texts: Any) -> None:
    texts.read([1], [[1]])
    for n_tokens in (2**31 - 3, 2**31, 2**40):
        texts.pretend_length(n_tokens)
        message = f"have {n_tokens + 3} tokens, more than 2147483647"
        for way in ("clipped", "refined"):
            with pytest.raises(ValueError, match=message):
                texts.count(way, 2)
