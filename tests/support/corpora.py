"""Corpora for tests: seeded random text with the shape of real text, and real text if available.

`nasty` reads strings that are traps for some tokenizer, kind of string or table, and `malformed`
bytes that are not UTF-8, from tests/data/nasty.txt: a name and a literal on each line.

Words follow Zipf's law over a small vocabulary, so that independent segments share n-grams and
repeat words, and a hypothesis is a reference with a few edits. Lengths reach from empty segments
over ordinary sentences to more than 64 and 256 tokens, where algorithms may change.
"""

import ast
import gzip
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from random import Random

from support.places import DATA, SHARED_DATA

KINDS = ("ascii", "german", "quotes", "chinese", "mixed", "adversarial")
N_WMT17_SYSTEMS = 16

_PURE_KINDS = ("ascii", "german", "quotes", "chinese")
_VOCABULARY_SIZE = 300
_ONSETS = ("b", "d", "f", "g", "k", "l", "m", "n", "r", "s", "t", "v", "st", "tr", "")
_CODAS = ("", "n", "r", "s", "t", "ck", "ng")
_VOWELS = {
    "ascii": ("a", "e", "i", "o", "u", "ie"),
    "german": ("a", "e", "ä", "ö", "ü", "ei", "é"),
    "quotes": ("a", "e", "ő", "ů", "ą", "i"),
}
_NUMBERS = (
    "7",
    "42",
    "1,234.5",
    "3.14",
    "10-20",
    "2017",
    "1.",
    "-5",
    "12:30",
    "50%",
    "$9.99",
    ".5",
)
_ASCII_EXTRAS = (
    "(x)",
    "and/or",
    "it's",
    '"so"',
    "well-known",
    "A-1-b",
    "e.g.",
    "...",
    "--",
    "-",
    "&",
)

# Pieces of the adversarial kind, each a trap for some tokenizer or kind of string.
_WHITE_SPACE = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006"
    "\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_NEARLY_WHITE_SPACE = "\x00\x08\x0e\x1b\x7f\xad\u180e\u200b\u200c\u200d\u2060\ufeff"
_MARKUP = (
    "&quot;",
    "&amp;",
    "&lt;",
    "&gt;",
    "&amp;lt;",
    "&amp;amp;quot;",
    "&amp",
    "&;",
    "&quot",
    "&AMP;",
    "<skipped>",
    "<SKIPPED>",
    "<skip<skipped>ped>",
    "<skipped",
    "-\n",
    "--\n\n",
    "-\r\n",
    "-<skipped>\n",
    "&l<skipped>t;",
    "&l-\nt;",
)
_RUNS = (
    "1.2.3",
    "..",
    "...",
    ".,.,",
    "1..2",
    "1,,2",
    "1.,2",
    ",1,",
    ".1.",
    "1.",
    "-1-",
    "3--4",
    "1.-2",
    "5-",
    "-5",
    "a.b",
    "a.1",
    "1.a",
    "9-9-9",
    "1-a",
    "a-1",
    ".-",
    "0,0.0",
    "1,234,567.89",
)
_LETTERS = (
    "\u0130",
    "\u0131",
    "\u039f\u03a3",
    "\u03a3",
    "\u1e9e",
    "\xdf",
    "\ufb01",
    "\u01c5",
    "e\u0301",
    "a\u0323\u0308",
    "\u0661.\u0662",
    "\u0661\u066b\u0662",
    "\xb2",
    "\xbd",
    "\u2163",
    "\u3007",
    "\uff11\uff0e\uff12",
    "1\xb72",
    "\u4e00",
    "\u0e44\u0e17\u0e22",
    "\u05e9\u05c1",
    "\uac00",
    "\u1112\u1161\u11ab",
    "\U00020000",
    "\U0001d7d8",
)
_SYMBOLS = (
    "\u2018\u2019",
    "\u201e\u201c",
    "\u2013",
    "\u2014",
    "\u2026",
    "\xab\xbb",
    "\u20ac",
    "\xa7",
    "\xb0",
    "\u221a",
    "\u3001",
    "\u3002",
    "\uff0c",
    "\xbf",
    "\xa1",
    "\u2122",
    "\U0001f600",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\U0001f1e9\U0001f1ea",
    "\U0001f44d\U0001f3fd",
    "\u2764\ufe0f",
)
_LONE_SURROGATES = ("\ud800", "\udfff", "\ud83d", "\ude00", "\udc80", "a\ud800b")
_TRAPS = {3: _MARKUP, 4: _RUNS, 5: _LETTERS, 6: _SYMBOLS, 8: _WHITE_SPACE}
# Code points at the borders of `zh`'s ranges, of UTF-8 lengths and of Python's string kinds.
_BORDERS = (
    0x7F,
    0x80,
    0xFF,
    0x100,
    0x7FF,
    0x800,
    0x2000,
    0x2001,
    0x2A6D,
    0x2A6E,
    0x2E80,
    0x2FDF,
    0x2FE0,
    0x2FF0,
    0x303F,
    0x3040,
    0x3100,
    0x312F,
    0x31A0,
    0x31EF,
    0x3200,
    0x4DB5,
    0x4DB6,
    0x4E00,
    0x9FBB,
    0x9FBC,
    0xD7FF,
    0xE000,
    0xF8FF,
    0xF900,
    0xFA2D,
    0xFA2E,
    0xFA30,
    0xFA6A,
    0xFA6B,
    0xFA70,
    0xFAD9,
    0xFADA,
    0xFE10,
    0xFE1F,
    0xFE20,
    0xFE30,
    0xFE4F,
    0xFE50,
    0xFF00,
    0xFFEF,
    0xFFF0,
    0xFFFF,
    0x10000,
    0x2A6D6,
    0x2F800,
    0x10FFFF,
)


def random_segments(rng: Random, n: int, *, kind: str) -> list[str]:
    """Return `n` random segments of one of `KINDS`, determined by the state of `rng`."""
    if kind == "mixed":
        return [_segment(rng, rng.choice(_PURE_KINDS)) for _ in range(n)]
    if kind == "adversarial":
        return [_adversarial(rng) for _ in range(n)]
    return [_segment(rng, kind) for _ in range(n)]


def perturb(rng: Random, text: str) -> str:
    """Return a hypothesis for `text`: words dropped, swapped, replaced, doubled, recased.

    Text without spaces is edited by characters. One result in twelve is the text itself, one in
    forty is empty.
    """
    fate = rng.random()
    if fate < 1 / 12:
        return text
    if fate > 1 - 1 / 40:
        return ""
    separator = " " if text.count(" ") * 20 >= len(text) else ""
    units = text.split(" ") if separator else list(text)
    rate = rng.choice((0.02, 0.1, 0.3))
    edited: list[str] = []
    for unit in units:
        if rng.random() >= rate:
            edited.append(unit)
            continue
        edit = rng.randrange(6)
        if edit == 1:
            edited += [unit] * rng.randint(2, 3)
        elif edit == 2:
            edited.insert(max(0, len(edited) - 1), unit)
        elif edit == 3:
            edited.append(rng.choice(units))
        elif edit == 4:
            edited.append(rng.choice(_vocabulary("ascii")))
        elif edit == 5:
            edited.append(rng.choice((unit.upper(), unit.title(), unit.lower())))
    return separator.join(edited)


def random_corpus(
    rng: Random, n: int, *, kind: str, n_refs: int
) -> tuple[list[str], list[list[str]]]:
    """Return related hypotheses and `n_refs` reference streams of `n` segments."""
    originals = random_segments(rng, n, kind=kind)
    streams = [originals] + [[perturb(rng, text) for text in originals] for _ in range(n_refs - 1)]
    return [perturb(rng, text) for text in originals], streams


def with_gaps(rng: Random, streams: Sequence[Sequence[str]]) -> list[list[str | None]]:
    """Replace some references by None; every segment keeps one or more."""
    holed: list[list[str | None]] = [list(stream) for stream in streams]
    for segment in range(len(streams[0])):
        n_gone = rng.randrange(len(streams))
        for stream in rng.sample(range(len(streams)), n_gone):
            holed[stream][segment] = None
    return holed


def nasty() -> dict[str, str]:
    """Return trap strings by name."""
    return {name: text for name, text in _literals().items() if isinstance(text, str)}


def malformed() -> dict[str, bytes]:
    """Return bytes that are not UTF-8, by name."""
    return {name: data for name, data in _literals().items() if isinstance(data, bytes)}


@lru_cache
def _literals() -> dict[str, str | bytes]:
    found = {}
    lines = (DATA / "nasty.txt").read_text("ascii")
    for line in lines.splitlines():
        name, literal = line.split(": ", 1)
        assert name not in found, name
        found[name] = ast.literal_eval(literal)
    return found


def wmt17(system: int) -> list[str] | None:
    """Return the output of WMT17 English-German system 0 to 15, or None without the data."""
    return _wmt17_lines(f"sys{system:02d}.txt.gz")


def wmt17_reference() -> list[str] | None:
    """Return the reference of newstest2017 English-German, or None without the data."""
    return _wmt17_lines("ref.txt.gz")


def shared_data(folder: str) -> Path | None:
    path = SHARED_DATA / folder
    return path if path.is_dir() else None


@lru_cache(maxsize=4)
def _wmt17_lines(name: str) -> list[str] | None:
    folder = shared_data("wmt17-en-de")
    path = folder and folder / name
    if path is None or not path.is_file():
        return None
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return file.read().removesuffix("\n").split("\n")


@lru_cache
def _vocabulary(kind: str) -> list[str]:
    """Return distinct words, the most frequent ones first and short."""
    rng = Random(f"vocabulary of {kind}")
    words: dict[str, None] = {}
    while len(words) < _VOCABULARY_SIZE:
        if kind == "chinese":
            n_characters = 1 if len(words) < 60 else 2
            word = "".join(chr(rng.randint(0x4E00, 0x4F60)) for _ in range(n_characters))
        else:
            n_syllables = 1 if len(words) < 40 else rng.randint(1, 3)
            word = "".join(
                rng.choice(_ONSETS) + rng.choice(_VOWELS[kind]) + rng.choice(_CODAS)
                for _ in range(n_syllables)
            )
        words[word.title() if rng.random() < 0.1 else word] = None
    return list(words)


@lru_cache
def _cumulative_weights(size: int) -> list[float]:
    return list(accumulate(1 / rank for rank in range(1, size + 1)))


def _length(rng: Random) -> int:
    """Draw a length: 3 % empty, 2 % above 64 words, 1 % above 256, else 1 to 45, often near 15."""
    fate = rng.random()
    if fate < 0.03:
        return 0
    if fate < 0.05:
        return rng.randint(63, 140)
    if fate < 0.06:
        return rng.randint(255, 400)
    if fate < 0.2:
        return rng.randint(1, 4)
    return 1 + min(44, int(rng.gammavariate(3, 5)))


def _segment(rng: Random, kind: str) -> str:
    words = _vocabulary(kind)
    chosen = rng.choices(words, cum_weights=_cumulative_weights(len(words)), k=_length(rng))
    if kind == "chinese":
        return _chinese(rng, chosen)
    decorated = [_decorate(rng, word, kind) for word in chosen]
    text = " ".join(decorated)
    if text and rng.random() < 0.8:
        text = text[0].upper() + text[1:] + rng.choice((".", ".", ".", "?", "!", " .", ".)"))
    return text + rng.choice(("", "", "", " ", "\r"))


def _decorate(rng: Random, word: str, kind: str) -> str:
    fate = rng.random()
    if fate < 0.05:
        return rng.choice(_NUMBERS)
    if fate < 0.09:
        return rng.choice(_ASCII_EXTRAS)
    if fate < 0.18:
        return word + rng.choice((",", ",", ";", ":", ".", "'s"))
    if fate < 0.21:
        return f"{word}-{rng.choice(_vocabulary(kind))}"
    if fate < 0.28 and kind == "quotes":
        opening, closing = rng.choice(("„“", "“”", "‘’", "«»", "‹›"))
        return rng.choice((f"{opening}{word}{closing},", f"{word}’s", f"{word} –", f"{word}…", "—"))
    if fate < 0.24 and kind == "german":
        return rng.choice((f"»{word}«", f"§{rng.randint(1, 99)}", "20°", f"{word}·", "½"))
    return word


def _chinese(rng: Random, words: list[str]) -> str:
    pieces: list[str] = []
    for word in words:
        pieces.append(word)
        if rng.random() < 0.12:
            pieces.append(rng.choice("，。、；：？！“”《》（）…—"))
        elif rng.random() < 0.06:
            pieces.append(rng.choice(_NUMBERS))
        elif rng.random() < 0.04:
            pieces.append(rng.choice((" BLEU ", "GDP", " iPhone-7 ", "２０１７", "\u3000")))
    return "".join(pieces)


def _adversarial(rng: Random) -> str:
    words = _vocabulary("ascii")
    weights = _cumulative_weights(len(words))
    pieces: list[str] = []
    for _ in range(_length(rng)):
        pool = rng.randrange(12)
        if pool < 3:
            piece = rng.choices(words, cum_weights=weights)[0]
        elif pool in _TRAPS:
            piece = rng.choice(_TRAPS[pool])
        elif pool == 7:
            piece = rng.choice((rng.choice(_LONE_SURROGATES), rng.choice(_NEARLY_WHITE_SPACE)))
        elif pool == 9:
            piece = chr(rng.choice(_BORDERS))
        elif pool == 10:
            piece = "".join(rng.choices("0123456789.,-", k=rng.randint(1, 6)))
        else:
            piece = "".join(map(chr, rng.choices(range(0x20, 0x7F), k=rng.randint(1, 5))))
        pieces.append(piece)
        if rng.random() < 0.6:
            pieces.append(" ")
    return "".join(pieces)
