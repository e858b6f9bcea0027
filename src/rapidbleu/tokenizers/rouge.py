"""The tokenizers of ROUGE: runs of ASCII letters and digits as in rouge-score, or of any script."""

from __future__ import annotations

import re

from .base import DIGIT, SPACE, SYMBOL, WIDE_SPACES, ScannerRules, Tokenizer, one_of, wide_classes
from .unicode_classes import unicode_classes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
LINE_FEED = "\n"

MOST_STEMS = 1 << 16  # maximum number of cached stems

# Han, kana and bopomofo, and the blocks between them
CJK = (
    (0x3000, 0x312F), (0x3190, 0x9FFF), (0xF900, 0xFAFF), (0xFF66, 0xFF9F), (0x1AFF0, 0x1B16F),
    (0x20000, 0x3FFFF),
)  # fmt: skip
# Controls, invisible characters except joiners, and variation selectors
UNSEEN = (
    (0x80, 0x84), (0x86, 0x9F), (0xAD, 0xAD), (0x61C, 0x61C), (0x180E, 0x180E), (0x200B, 0x200B),
    (0x200E, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
    (0xFFF0, 0xFFFB), (0xE0000, 0xE0FFF),
)  # fmt: skip


class RougeTokenizer(Tokenizer):
    """Splits at everything except ASCII letters and digits.

    The text is already in lower case; non-ASCII letters separate tokens. With `sentences` a line
    feed is a token, the end of a sentence. `stem` replaces tokens of more than three letters.

    >>> get_rouge_tokenizer(False, False)("the cat's 2 mats, for 3.50 â‚¬")
    ['the', 'cat', 's', '2', 'mats', 'for', '3', '50']
    """

    def __init__(self, sentences: bool, stem: Callable[[str], str] | None) -> None:
        self.sentences = sentences
        self.stem = stem
        self.name = "rouge+stem" if stem else "rouge"
        self._stems: dict[str, str] = {}
        self._find = re.compile("[a-z0-9]+|\n" if sentences else "[a-z0-9]+").findall

    def rules(self) -> ScannerRules | None:
        return None if self.stem else self._rules(LETTERS, ((0x80, 0x10FFFF, SPACE),))

    def _rules(self, letters: str, wide: tuple[tuple[int, int, int], ...]) -> ScannerRules:
        classes = bytearray([SPACE] * 128)
        for letter in letters:
            classes[ord(letter)] = 0
        if self.sentences:
            classes[ord(LINE_FEED)] = SYMBOL
        return ScannerRules(bytes(classes), wide)

    def _split(self, text: str) -> list[str]:
        tokens: list[str] = self._find(text)
        return tokens if self.stem is None else [self._stem_of(token) for token in tokens]

    def _stem_of(self, token: str) -> str:
        if len(token) <= 3 or self.stem is None:
            return token
        known = self._stems.get(token)
        if known is None:
            if len(self._stems) >= MOST_STEMS:
                self._stems.clear()
            known = self.stem(token)
            self._stems[token] = known
        return known

    def __reduce__(self) -> tuple[Any, ...]:
        return get_rouge_tokenizer, (self.sentences, self.stem is not None)


class UnicodeRougeTokenizer(RougeTokenizer):
    """Splits at white space, punctuation and symbols of all scripts, by Unicode categories.

    Tokens are runs of letters, marks and digits, and single Chinese and Japanese characters,
    because those scripts use no spaces between words.

    >>> UnicodeRougeTokenizer(False)("l'été à 3 €: नमस्ते, 東京へ!")
    ['l', 'été', 'à', '3', 'नमस्ते', '東', '京', 'へ']
    """

    def __init__(self, sentences: bool) -> None:
        super().__init__(sentences, None)
        self.name = "unicode"
        marks = [(first, last) for first, last, kind in unicode_classes() if kind != DIGIT]
        alone = [(first, last, SYMBOL) for first, last in CJK]
        self._wide = wide_classes(alone, sorted([*WIDE_SPACES, *UNSEEN, *marks]))
        sets = {SPACE: "\0-/:-@[-`{-\x7f", SYMBOL: LINE_FEED if self.sentences else ""}
        for first, last, kind in self._wide:
            sets[kind] += f"{chr(first)}-{chr(last)}"
        self._find = re.compile(f"[{sets[SYMBOL]}]|[^{sets[SPACE]}{sets[SYMBOL]}]+").findall

    def rules(self) -> ScannerRules:
        return self._rules(LETTERS + LETTERS.upper(), self._wide)

    def __reduce__(self) -> tuple[Any, ...]:
        return one_of, (type(self), self.sentences)


def porter_stemmer() -> Callable[[str], str]:
    """Return the stemmer of rouge-score: Porter's with NLTK's changes."""
    try:
        from nltk.stem.porter import PorterStemmer
    except ImportError as error:
        raise ImportError(
            'stem: expected NLTK, whose stemmer this is: pip install "rapidbleu[rouge]"'
        ) from error
    stem: Callable[[str], str] = PorterStemmer().stem
    return stem


def get_rouge_tokenizer(sentences: bool, stem: bool) -> RougeTokenizer:
    """Return the cached tokenizer with these options."""
    return one_of(_make, bool(sentences), bool(stem))


def _make(sentences: bool, stem: bool) -> RougeTokenizer:
    return RougeTokenizer(sentences, porter_stemmer() if stem else None)
