"""Characters of a text, as compared by chrF, CER and EED, and the words of chrF+ and chrF++."""

from __future__ import annotations

from rapidbleu._core.text.tokenize import ChrfScanner
from rapidbleu._lib.loader import load

from .base import Tokenizer, ascii_classes, one_of, wide_classes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


class CharacterTokenizer(Tokenizer):
    """Splits a text into code points.

    `whitespace` includes white space, except at both ends with `strip`. `words` adds the words.

    >>> get_character_tokenizer(True, strip=True)(" a cat ")
    ['a', ' ', 'c', 'a', 't']
    >>> get_character_tokenizer(False, words=True).words("a (cat)!")
    ['a', '(cat)', '!']
    """

    def __init__(self, whitespace: bool, strip: bool, words: bool) -> None:
        self.whitespace = whitespace
        self.strip = strip
        self.has_words = words
        self.name = "chars+words" if words else "chars"
        self._scanner = ChrfScanner(
            ascii_classes(symbols=PUNCTUATION),
            wide_classes(),
            whitespace=whitespace,
            words=words,
            strip=strip,
        )

    def _split(self, text: str) -> list[str]:
        if not self.whitespace:
            return list("".join(text.split()))
        return list(text.strip() if self.strip else text)

    def words(self, text: str) -> list[str]:
        """Return the words; the last or else the first punctuation mark of each is split off."""
        words = []
        for word in text.split():
            if len(word) > 1 and word[-1] in PUNCTUATION:
                words += [word[:-1], word[-1]]
            elif len(word) > 1 and word[0] in PUNCTUATION:
                words += [word[0], word[1:]]
            else:
                words.append(word)
        return words

    def __reduce__(self) -> tuple[Any, ...]:
        return get_character_tokenizer, (self.whitespace, self.strip, self.has_words)


def get_character_tokenizer(
    whitespace: bool, strip: bool = False, words: bool = False
) -> CharacterTokenizer:
    """Return the cached tokenizer with these options."""
    return one_of(CharacterTokenizer, bool(whitespace), bool(strip), bool(words))


def spaced(text: str) -> str:
    """Return a text with spaces before punctuation and at both ends, as compared by EED.

    Meant to preserve numbers and abbreviations, the authors' rules rejoin them only if the mark had
    spaces on both sides: "3.50" gets one. After a title and a space, any character becomes a point.

    >>> spaced("Mr. Smith paid 3.50, or 3 . 50!")
    ' Mr. Smith paid 3 .50 , or 3.50 ! '
    >>> spaced("Mr Smith")
    ' Mr.mith '
    """
    re = load("re")
    text = text.rstrip()
    text = text.replace(".", " .").replace("!", " !").replace("?", " ?").replace(",", " ,")
    text = re.sub(r"(\d) ([.,]) (\d)", r"\1\2\3", re.sub(r"\s+", " ", text))
    text = re.sub("(Dr|Jr|Prof|Rev|Gen|Mr|Mt|Mrs|Ms) .", r"\1.", text)
    text = text.replace("e . g .", "e.g.").replace("i . e .", "i.e.").replace("U . S .", "U.S.")
    return f" {text} "


def spaced_characters(text: str) -> list[str]:
    """Return the characters that EED compares for most languages.

    >>> spaced_characters("So?")
    [' ', 'S', 'o', ' ', '?', ' ']
    """
    return list(spaced(text))


def composed_characters(text: str) -> list[str]:
    """Return the characters that EED compares for Japanese, in the normal form NFKC.

    >>> composed_characters("ｶﾞ ")
    ['ガ']
    """
    return list(load("unicodedata").normalize("NFKC", text.rstrip()))


EED_TOKENIZERS = {"en": spaced_characters, "ja": composed_characters}
