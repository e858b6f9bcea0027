"""The characters that EED compares: text with marks of punctuation set apart."""

from __future__ import annotations

import re
import unicodedata

from .base import one_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LANGUAGES = ("en", "ja")

_SPACES = re.compile(r"\s+").sub
_NUMBERS = re.compile(r"(\d) ([.,]) (\d)").sub
_TITLES = re.compile("(Dr|Jr|Prof|Rev|Gen|Mr|Mt|Mrs|Ms) .").sub


def spaced(text: str) -> str:
    """Return a text with spaces before marks of punctuation, and at both ends.

    The rules are those of the authors, who mean to keep numbers and abbreviations whole. They put
    together what has spaces on both sides of a mark already; "3.50" gets one space. The character
    behind a title and a space becomes a point, whatever it is.

    Examples
    --------
    >>> spaced("Mr. Smith paid 3.50, or 3 . 50!")
    ' Mr. Smith paid 3 .50 , or 3.50 ! '
    >>> spaced("Mr Smith")
    ' Mr.mith '
    """
    text = text.rstrip()
    text = text.replace(".", " .").replace("!", " !").replace("?", " ?").replace(",", " ,")
    text = _NUMBERS(r"\1\2\3", _SPACES(" ", text))
    text = _TITLES(r"\1.", text)
    text = text.replace("e . g .", "e.g.").replace("i . e .", "i.e.").replace("U . S .", "U.S.")
    return f" {text} "


def composed(text: str) -> str:
    """Return a text in the normal form NFKC, without white space at its end.

    Examples
    --------
    >>> composed("ｶﾞ ")
    'ガ'
    """
    return unicodedata.normalize("NFKC", text.rstrip())


class EEDTokenizer:
    """Takes a text apart into characters, after what EED does to texts of a language.

    Parameters
    ----------
    language : {"en", "ja"}

    Examples
    --------
    >>> get_eed_tokenizer("en")("So?")
    [' ', 'S', 'o', ' ', '?', ' ']
    """

    def __init__(self, language: str) -> None:
        self.language = language
        self.prepare: Callable[[str], str] = spaced if language == "en" else composed

    def __call__(self, text: str) -> list[str]:
        """Return the characters."""
        if not isinstance(text, str):
            raise TypeError(f"text: expected str, got {type(text).__name__}")
        return list(self.prepare(text))

    def __reduce__(self) -> tuple[Any, ...]:
        return get_eed_tokenizer, (self.language,)


def get_eed_tokenizer(language: str) -> EEDTokenizer:
    """Return the tokenizer of a language, the same object each time."""
    return one_of(EEDTokenizer, language)
