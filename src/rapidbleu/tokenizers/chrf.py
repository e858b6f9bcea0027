"""What chrF sees of a text: its characters, and its words for chrF+ and chrF++."""

from __future__ import annotations

from rapidbleu._core.text.scanners import ChrfScanner

from .base import Tokenizer, ascii_classes, one_of, wide_classes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


class ChrfTokenizer(Tokenizer):
    """Two readings of a text; calling it gives the first.

    Parameters
    ----------
    whitespace : bool
        White space is among the characters.
    words : bool
        There is a second reading, of words.

    Examples
    --------
    >>> tokenizer = get_chrf_tokenizer(False, True)
    >>> tokenizer("a (cat)!")
    ['a', '(', 'c', 'a', 't', ')', '!']
    >>> tokenizer.words("a (cat)!")
    ['a', '(cat)', '!']
    """

    def __init__(self, whitespace: bool, words: bool) -> None:
        self.whitespace = whitespace
        self.has_words = words
        self.name = "chars+words" if words else "chars"
        self._scanner = ChrfScanner(
            ascii_classes(symbols=PUNCTUATION), wide_classes(), whitespace=whitespace, words=words
        )

    def _split(self, text: str) -> list[str]:
        """Return the characters."""
        return list(text if self.whitespace else "".join(text.split()))

    def words(self, text: str) -> list[str]:
        """Return the words, of each the last or else the first punctuation mark split off."""
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
        return get_chrf_tokenizer, (self.whitespace, self.has_words)


def get_chrf_tokenizer(whitespace: bool, words: bool) -> ChrfTokenizer:
    """Return the tokenizer of these options, the same object each time."""
    return one_of(ChrfTokenizer, bool(whitespace), bool(words))
