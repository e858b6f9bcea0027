"""The text normalization of METEOR 1.5 (option ``-norm``) for the languages that support it.

The rules are substitutions over the whole line, in order. If two matches need the character between
them, the second one is left unchanged, so ``a,b,c`` becomes ``a , b,c``:

1. Each character other than Latin and Cyrillic letters, digits, white space and the marks below is
   a token of its own, and so is a run of dots.
2. Commas are split off unless between digits.
3. Quotes become ``'`` and ``"``, dashes ``-``, and two dashes one.
4. A dash between letters, digits or dots separates words.
5. Apostrophes are split off; English attaches them to the following word (``isn 't``), French to
   the preceding one (``l' eau``).
6. A dot at the end of a word is split off unless the word is one of the prefixes or a lowercase
   letter follows. Dots inside and after a word with letters are removed: ``U.S.`` becomes ``us``.

All of it is compiled; metrics read text through it.
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
    """Splits off symbols and marks, splits apostrophes by language, and lowercases.

    `prefixes` contains words that keep a final dot: True always, False only in front of a digit.

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
        return self._rule

    def signature(self) -> str:
        """Return the name, with the number and a checksum of the words that keep their dots."""
        if not self.prefixes:
            return self.name
        known = repr(sorted(self.prefixes.items())).encode()
        return f"{self.name}-{len(self.prefixes)}-{crc32(known):08x}"

    def __reduce__(self) -> tuple[Any, ...]:
        return get_meteor_tokenizer, (self.language, self.prefixes)


def get_meteor_tokenizer(language: str, prefixes: Mapping[str, bool]) -> MeteorTokenizer:
    """Return the cached tokenizer of a language and prefixes."""
    if language not in LANGUAGES:
        raise ValueError(
            f"language: expected one of {', '.join(LANGUAGES)} for the tokenizer of METEOR; got "
            f"{language!r}; give another with tokenize="
        )
    return one_of(MeteorTokenizer, language, frozenset(prefixes.items()))
