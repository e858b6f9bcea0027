"""Two artificial languages with the statistics of real news text, from a seed alone.

Words follow the Zipf-Mandelbrot law. In the German-like language frequent words are short, rare
ones long and often compounds; the Chinese-like one has no spaces. A hypothesis is a reference with
words replaced, dropped, added, moved and inflected, as often as in output of a system of BLEU 25.
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import accumulate
from random import Random
from typing import NamedTuple

_N_WORDS = 20_000
_N_SHORT_WORDS = 150
_ONSETS = ("b", "d", "f", "g", "h", "k", "l", "m", "n", "r", "s", "t", "w", "z", "st", "sch", "")
_VOWELS = ("a", "e", "i", "o", "u", "ei", "au", "ie") * 6 + ("e",) * 30 + ("ä", "ö", "ü") * 2
_CODAS = ("", "", "n", "n", "r", "s", "t", "l", "m", "ch", "ng", "tz") * 4 + ("ß",)
_ENDINGS = ("", "e", "en", "er", "es", "s", "n", "te", "ung", "lich")
_PUNCTUATION = (",",) * 12 + (":", ";", " -")
_CHINESE_PUNCTUATION = ("，", "，", "，", "、", "；", "：")


class Language(NamedTuple):
    """A vocabulary by falling frequency, and the rendering of words as text."""

    words: list[str]
    cum_weights: list[float]
    separator: str
    n_words: tuple[float, float]
    edit_rate: float
    dressed: Callable[[Random, list[str]], str]
    bent: Callable[[Random, str], str]

    def drawn(self, rng: Random, n: int) -> list[str]:
        return rng.choices(self.words, cum_weights=self.cum_weights, k=n)

    def segment(self, rng: Random) -> str:
        """Return a segment with the punctuation, numbers and length of a news sentence."""
        shape, scale = self.n_words
        return self.dressed(rng, self.drawn(rng, 2 + int(rng.gammavariate(shape, scale))))

    def edited(self, rng: Random, text: str) -> str:
        """Return what a translation system might output if `text` is the reference."""
        units = text.split(self.separator) if self.separator else list(text)
        rate = self.edit_rate * rng.triangular(0.3, 2, 0.8)
        edited: list[str] = []
        for unit in units:
            fate = rng.random() / rate
            if fate >= 1:
                edited.append(unit)
            elif fate < 0.4:
                edited.append(self._fresh(rng))
            elif fate < 0.55:
                edited += [unit, self._fresh(rng)]
            elif fate < 0.7:
                edited.insert(rng.randint(max(0, len(edited) - 4), len(edited)), unit)
            elif fate < 0.85:
                edited.append(self.bent(rng, unit))
        return self.separator.join(edited)

    def _fresh(self, rng: Random) -> str:
        word = self.drawn(rng, 1)[0]
        return word if self.separator else word[0]


@lru_cache
def german() -> Language:
    rng = Random("vocabulary of German")
    words: dict[str, None] = {}
    while len(words) < _N_WORDS:
        if len(words) < _N_SHORT_WORDS:
            word = _german_stem(rng, 1)
        else:
            word = _german_stem(rng, rng.randint(1, 2)) + rng.choice(_ENDINGS)
            if rng.random() < min(0.5, len(words) / 40000):
                word += rng.choice(("", "s")) + _german_stem(rng, 2) + rng.choice(_ENDINGS)
            if rng.random() < 0.35:
                word = word.capitalize()
        words[word] = None
    return Language(list(words), _zipf(_N_WORDS), " ", (4.0, 4.0), 0.55, _german_text, _german_bent)


@lru_cache
def chinese() -> Language:
    rng = Random("vocabulary of Chinese")
    words: dict[str, None] = {}
    while len(words) < _N_WORDS:
        n = 1 if len(words) < _N_SHORT_WORDS else rng.choice((1, 2, 2, 2, 3))
        words["".join(chr(0x4E00 + int(5000 * rng.random() ** 2)) for _ in range(n))] = None
    return Language(
        list(words), _zipf(_N_WORDS), "", (4.0, 4.0), 0.48, _chinese_text, _chinese_bent
    )


def _zipf(n: int) -> list[float]:
    return list(accumulate(1 / (rank + 2.7) for rank in range(n)))


def _german_stem(rng: Random, n_syllables: int) -> str:
    return "".join(
        rng.choice(_ONSETS) + rng.choice(_VOWELS) + rng.choice(_CODAS) for _ in range(n_syllables)
    )


def _german_text(rng: Random, words: list[str]) -> str:
    """Return the words as a sentence; a few sentences have typographic quotes, beyond Latin-1."""
    for i in range(1, len(words) - 1):
        fate = rng.random()
        if fate < 0.07:
            words[i] += rng.choice(_PUNCTUATION)
        elif fate < 0.10:
            words[i] = _number(rng)
        elif fate < 0.11:
            words[i] = f"({words[i]})"
        elif fate < 0.12:
            words[i] += "-" + words[i + 1].capitalize()
    if rng.random() < 0.12:
        first, last = sorted(rng.choices(range(len(words)), k=2))
        opening, closing = ("„", "“") if rng.random() < 0.02 else ('"', '"')
        words[first] = opening + words[first]
        words[last] += closing
    text = " ".join(words)
    return text[0].upper() + text[1:] + rng.choice("........?!")


def _german_bent(rng: Random, word: str) -> str:
    return word[: rng.randint(1, len(word))] + rng.choice(_ENDINGS) if word else word


def _chinese_text(rng: Random, words: list[str]) -> str:
    for i in range(1, len(words) - 1):
        fate = rng.random()
        if fate < 0.09:
            words[i] += rng.choice(_CHINESE_PUNCTUATION)
        elif fate < 0.11:
            words[i] = _number(rng)
        elif fate < 0.12:
            words[i] = f"{_german_stem(rng, 2).capitalize()} {_german_stem(rng, 1)}"
    return "".join(words) + rng.choice("。。。。。！？")


def _chinese_bent(rng: Random, _: str) -> str:
    return rng.choice("的了是在不")


def _number(rng: Random) -> str:
    return rng.choice(
        (
            f"{rng.randint(1, 31)}.",
            f"{rng.randint(1, 99)},{rng.randint(0, 9)}",
            f"{rng.randint(1990, 2017)}",
            f"{rng.randint(2, 100)}",
            f"{rng.randint(1, 99)} %",
            f"{rng.randint(1, 9)}.{rng.randint(100, 999)}",
            f"{rng.randint(1, 9)}-{rng.randint(1, 9)}",
        )
    )
