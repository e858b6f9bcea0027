"""The headers of `_core/text`, called directly."""

from collections.abc import Callable
from types import ModuleType

import pytest

KEYS = [0x9E3779B97F4A7C15, 0xD1B54A32D192ED03, 0x8CB92BA72F3D8DD7, 0xAEF17502108EF2D9]
Probe = Callable[[str], ModuleType]


def short_identity(token: bytes) -> int:
    return int.from_bytes(token, "little")


@pytest.mark.parametrize("length", range(1, 9))
def test_short_tokens_are_their_bytes(probe: Probe, length: int) -> None:
    tokens = probe("probe_text").Tokens(KEYS)
    token = bytes(range(1, length + 1))
    tokens.add([token])
    assert tokens.identities(0) == [short_identity(token)]
    assert tokens.longs(0) == []


@pytest.mark.parametrize(
    "token", [b"", b"a\0", b"\0", b"123456789", b"x" * 16, b"y" * 17, b"z" * 1000]
)
def test_long_tokens_keep_their_bytes(probe: Probe, token: bytes) -> None:
    tokens = probe("probe_text").Tokens(KEYS)
    tokens.add([b"the", token])
    first, second = tokens.identities(0)
    assert first == short_identity(b"the")
    assert second & 0xFF == 0
    assert tokens.longs(0) == [(1, token)]


def test_identities_follow_bytes_and_keys(probe: Probe) -> None:
    make = probe("probe_text").Tokens
    one, same, other = make(KEYS), make(KEYS), make(KEYS[::-1])
    words = [b"w" * n for n in range(9, 70)] + [b"w" * 20 + b"v", b"v" + b"w" * 20]
    for tokens in (one, same, other):
        tokens.add(words)
    assert one.identities(0) == same.identities(0)
    assert len(set(one.identities(0))) == len(words)
    assert one.identities(0) != other.identities(0)
    assert one.same(0, same, 0) and not one.same(0, same, 1)


def test_tables_grow_and_are_appended(probe: Probe) -> None:
    make = probe("probe_text").Tokens
    source, target = make(KEYS), make(KEYS)
    segments = [
        [b"t%d" % (i % 7)] * (i % 300) + [b"a long token %d" % i, i << 40] for i in range(400)
    ]
    for segment in segments:
        source.add(segment)
    for i in reversed(range(400)):
        target.append(source, i)
    for i, segment in enumerate(segments):
        assert target.identities(399 - i) == source.identities(i)
        assert len(source.identities(i)) == len(segment)
        assert target.longs(399 - i) == [(i % 300, b"a long token %d" % i)]
    target.clear()
    target.add([b"again"])
    assert target.identities(0) == [short_identity(b"again")]
