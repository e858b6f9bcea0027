"""The characters of a text, white space among them or not: what character error rates compare."""

from __future__ import annotations

from rapidbleu._core.text.scanners import ChrfScanner

from .base import Tokenizer, ascii_classes, one_of, wide_classes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class CharacterTokenizer(Tokenizer):
    """Takes a text apart into its code points.

    Parameters
    ----------
    whitespace : bool
        White space is among them.
    strip : bool
        White space at both ends is not.

    Examples
    --------
    >>> get_character_tokenizer(True, True)(" a cat ")
    ['a', ' ', 'c', 'a', 't']
    """

    def __init__(self, whitespace: bool, strip: bool) -> None:
        self.whitespace = whitespace
        self.strip = strip
        self.name = "chars"
        self._scanner = ChrfScanner(
            ascii_classes(), wide_classes(), whitespace=whitespace, words=False, strip=strip
        )

    def _split(self, text: str) -> list[str]:
        """Return the characters."""
        if not self.whitespace:
            return list("".join(text.split()))
        return list(text.strip() if self.strip else text)

    def __reduce__(self) -> tuple[Any, ...]:
        return get_character_tokenizer, (self.whitespace, self.strip)


def get_character_tokenizer(whitespace: bool, strip: bool) -> CharacterTokenizer:
    """Return the tokenizer of these options, the same object each time."""
    return one_of(CharacterTokenizer, bool(whitespace), bool(strip))
