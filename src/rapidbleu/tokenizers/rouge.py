"""The tokens of rouge-score: runs of ASCII letters and digits of a text in lower case."""

from __future__ import annotations

import re

from .base import SPACE, SYMBOL, ScannerRules, Tokenizer, one_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
LINE_FEED = "\n"

MOST_STEMS = 1 << 16  # that are remembered


class RougeTokenizer(Tokenizer):
    """Splits at everything that is not a letter or a digit of ASCII.

    The text comes in lower case. Letters beyond ASCII are no letters.

    Parameters
    ----------
    sentences : bool
        A line feed is a token of its own: the end of a sentence.
    stem : callable, optional
        str to str: takes the place of tokens of more than three letters.

    Examples
    --------
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
        if self.stem is not None:
            return None
        classes = bytearray([SPACE] * 128)
        for letter in LETTERS:
            classes[ord(letter)] = 0
        if self.sentences:
            classes[ord(LINE_FEED)] = SYMBOL
        return ScannerRules(bytes(classes), ((0x80, 0x10FFFF, SPACE),))

    def _split(self, text: str) -> list[str]:
        tokens: list[str] = self._find(text)
        return tokens if self.stem is None else [self._stem_of(token) for token in tokens]

    def _stem_of(self, token: str) -> str:
        if len(token) <= 3 or self.stem is None:
            return token
        found = self._stems.get(token)
        if found is None:
            if len(self._stems) >= MOST_STEMS:
                self._stems.clear()
            found = self._stems[token] = self.stem(token)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return get_rouge_tokenizer, (self.sentences, self.stem is not None)


def porter_stemmer() -> Callable[[str], str]:
    """Return the stemmer of rouge-score: Porter's, with NLTK's changes."""
    try:
        from nltk.stem.porter import PorterStemmer
    except ImportError as error:
        raise ImportError(
            "stem: expected NLTK, whose stemmer this is: pip install rapidbleu[rouge]"
        ) from error
    stem: Callable[[str], str] = PorterStemmer().stem
    return stem


def get_rouge_tokenizer(sentences: bool, stem: bool) -> RougeTokenizer:
    """Return the tokenizer of these options, the same object each time."""
    return one_of(_make, bool(sentences), bool(stem))


def _make(sentences: bool, stem: bool) -> RougeTokenizer:
    return RougeTokenizer(sentences, porter_stemmer() if stem else None)
