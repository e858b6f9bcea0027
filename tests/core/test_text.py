"""The headers of `_core/text`, called directly."""

from collections.abc import Callable
from random import Random
from types import ModuleType

import pytest

from support.processes import LEVEL, LOWER_LEVELS

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


SAMPLES = [0, 0x41, 0x7F, 0x80, 0xFF, 0x100, 0x7FF, 0x800, 0xFFFD, 0xFFFF, 0x10000, 0x10FFFF]
LENGTHS = [0, 1, 7, 8, 9, 15, 16, 63, 64, 65, 127, 128, 129, 191, 192, 193, 1000]


def test_code_points_are_read(probe: Probe) -> None:
    decode = probe("probe_text").decode
    assert decode("".join(map(chr, SAMPLES)).encode()) == SAMPLES
    assert decode("\udc80".encode("utf-8", "surrogatepass")) == [0xDC80]
    assert decode(b"\x80a\xc3\xc3\xa4\xf5\xff\xe4\xb8") == [
        0xFFFD,
        0x61,
        0xFFFD,
        0xE4,
        0xFFFD,
        0xFFFD,
        0xFFFD,
        0xFFFD,
    ]


@pytest.mark.parametrize("width", [1, 2, 4])
def test_stored_text_becomes_utf8(probe: Probe, width: int) -> None:
    encode, rng = probe("probe_text").encode, Random(width)
    characters = [chr(c) for c in SAMPLES if c < 1 << min(8 * width, 21)]
    for length in LENGTHS:
        for text in ("a" * length, "".join(rng.choices(characters, k=length))):
            assert encode(text, width) == text.encode()


def test_lower_case(probe: Probe) -> None:
    text = probe("probe_text")
    characters = "".join(map(chr, range(256)))
    assert text.lower(characters.encode()) == characters.encode().lower()
    for first in range(256):
        own = characters[first:]
        assert text.encode(own, 1, lower=True) == own.lower().encode()


@pytest.mark.parametrize("level", [*LOWER_LEVELS, LEVEL])
def test_wider_forms_are_encoded(probe: Probe, monkeypatch: pytest.MonkeyPatch, level: str) -> None:
    monkeypatch.setenv("RAPIDBLEU_SIMD", level)
    encode, rng = probe("probe_text").encode_points, Random(level)
    narrow, wide = [0, 0x41, 0x7F, 0x80, 0xFF], [0x7FF, 0x800, 0xD800, 0xDFFF, 0xFFFF]
    for width, points in (
        (1, narrow),
        (2, [*narrow, *wide]),
        (4, [*narrow, *wide, 0x10000, 0x10FFFF]),
    ):
        for n in [*range(70), 1000]:
            text = rng.choices(points, [rng.random() ** 4 + 0.01 for _ in points], k=n)
            expected = "".join(map(chr, text)).encode("utf-8", "surrogatepass")
            assert encode(text, width) == expected


def test_the_first_malformed_byte(probe: Probe) -> None:
    check, rng = probe("probe_text").first_malformed, Random(8)
    pieces = [chr(c).encode() for c in SAMPLES] + [
        b"\xc0\x80",
        b"\xc1\xbf",
        b"\xe0\x9f\xbf",
        b"\xed\xa0\x80",
        b"\xf0\x8f\xbf\xbf",
        b"\xf4\x90\x80\x80",
        b"\xf5\x80\x80\x80",
        b"\x80",
        b"\xe4\xb8",
        b"\xff",
    ]
    for trial in range(3000):
        good = rng.choices(pieces[: len(SAMPLES)], k=rng.choice((0, 1, 20, 60)))
        text = b"".join(good + rng.sample(pieces, trial % 2) + good[:30])
        try:
            text.decode()
            expected = len(text)
        except UnicodeDecodeError as error:
            expected = error.start
        assert check(text) == expected


MARKUP = [
    "&",
    "&amp;",
    "&quot;",
    "&lt;",
    "&gt;",
    "amp;",
    "quot;",
    "lt;",
    "gt;",
    "&am",
    ";",
    "<skipped>",
    "<skip",
    "ped>",
    "-\n",
    "-",
    "\n",
    "<",
    ">",
    "a",
    " ",
]


def test_replacements_of_13a(probe: Probe) -> None:
    unescape, rng = probe("probe_text").unescape, Random(9)
    texts = ["", "&amp;amp;lt;" * 30, "<<skipped>skipped>", "x" * 1000 + "-<skipped>\n"]
    texts += ["".join(rng.choices(MARKUP, k=rng.randrange(12))) for _ in range(20_000)]
    for text in texts:
        expected = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
        expected = expected.replace("&quot;", '"').replace("&amp;", "&")
        expected = expected.replace("&lt;", "<").replace("&gt;", ">")
        rest = b" " * (len(text) - len(expected))
        assert unescape(text.encode()) == (expected.encode(), rest), text


ASCII = bytes(c * 7 % 64 if c != 0x20 else 1 for c in range(128))
WIDE = [
    (0x80, 0x80, 2),
    (0xA0, 0xA0, 1),
    (0x1F0, 0x20F, 8),
    (0x250, 0x4FF, 2),
    (0x2000, 0x200A, 1),
    (0x3000, 0x3000, 1),
    (0x4E00, 0x9FFF, 2),
    (0x10FF00, 0x10FFFF, 16),
]


@pytest.mark.parametrize("level", [*LOWER_LEVELS, LEVEL])
def test_planes_of_blocks(probe: Probe, monkeypatch: pytest.MonkeyPatch, level: str) -> None:
    monkeypatch.setenv("RAPIDBLEU_SIMD", level)
    classes, rng = probe("probe_text").Classes(ASCII, WIDE), Random(1)
    leads = {chr(c).encode()[0] for first, last, _ in WIDE for c in range(first, last + 1)}
    for _ in range(50):
        block = bytes(rng.choices(range(256 if rng.random() < 0.5 else 128), k=64))
        kinds = [ASCII[c] if c < 128 else 64 * (c in leads) for c in block]
        assert classes.planes(block) == [
            sum((kind >> k & 1) << i for i, kind in enumerate(kinds)) for k in range(7)
        ]


def test_too_many_pages_are_refused(probe: Probe) -> None:
    make, n = probe("probe_text").Classes, 255
    ranges = [(256 * page, 256 * page, 1) for page in range(1, n + 1)]
    make(ASCII, [*ranges, (256 * n + 1, 256 * n + 255, 2)])
    with pytest.raises(ValueError, match="expected up to 255 different pages"):
        make(ASCII, [*ranges, (256 * (n + 1), 256 * (n + 1), 1)])
