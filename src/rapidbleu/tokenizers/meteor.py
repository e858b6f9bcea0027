"""The text normalization of METEOR 1.5 (its option ``-norm``), for the languages that have one.

The rules are substitutions over the whole line, one after the other. Of two places that need the
character between them the second stays as it was, so ``a,b,c`` becomes ``a , b,c``:

1. Each character that is neither a letter of the Latin or Cyrillic alphabets, nor a digit, nor
   white space, nor one of the marks below is a token of its own, and so is a run of dots.
2. Commas are set apart unless between digits.
3. Quotes become ``'`` and ``"``, dashes ``-``, and two dashes one.
4. A dash between letters, digits or dots separates words.
5. Apostrophes are set apart; English keeps them at the word behind (``isn 't``), French at the one
   before (``l' eau``).
6. A dot at the end of a word is set apart, unless the word is one of the prefixes, or a letter in
   lower case follows. Dots within and behind a word with letters go: ``U.S.`` becomes ``us``.

All of it is compiled, and metrics read text by it.
"""

from __future__ import annotations

from zlib import crc32

from rapidbleu._core.meteor.meteor import MeteorScanner

from .base import Tokenizer, one_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

LANGUAGES = ("en", "cs", "fr", "de", "es", "ru")


class MeteorTokenizer(Tokenizer):
    """Sets symbols and marks apart, takes apostrophes apart by language, and lowercases.

    `prefixes` has the words that keep a dot at their end: True, always; False, in front of a digit.

    Examples
    --------
    >>> get_meteor_tokenizer("en", {"Mr": True})("Mr. Smith's dog isn't 3.5 years old.")
    ['mr.', 'smith', "'s", 'dog', 'isn', "'t", '3.5', 'years', 'old', '.']
    """

    lowercases = True

    def __init__(
        self, language: str, prefixes: Mapping[str, bool] | frozenset[tuple[str, bool]]
    ) -> None:
        self.language = language
        self.prefixes = dict(prefixes)
        self.name = f"meteor-{language}"
        self._rule = MeteorScanner(language, self.prefixes)

    def _split(self, text: str) -> list[str]:
        return self._rule.tokens(text)

    def scanner(self) -> MeteorScanner:
        """Return the compiled rule."""
        return self._rule

    def signature(self) -> str:
        """Return the name, and how many words keep their dots, with a checksum of them."""
        if not self.prefixes:
            return self.name
        known = repr(sorted(self.prefixes.items())).encode()
        return f"{self.name}-{len(self.prefixes)}-{crc32(known):08x}"

    def __reduce__(self) -> tuple[Any, ...]:
        return get_meteor_tokenizer, (self.language, self.prefixes)


def get_meteor_tokenizer(language: str, prefixes: Mapping[str, bool]) -> MeteorTokenizer:
    """Return the tokenizer of a language and these prefixes, the same object each time."""
    if language not in LANGUAGES:
        raise ValueError(
            f"language: expected one of {', '.join(LANGUAGES)} for the tokenizer of METEOR; got "
            f"{language!r}; give another with tokenize="
        )
    return one_of(MeteorTokenizer, language, frozenset(prefixes.items()))
