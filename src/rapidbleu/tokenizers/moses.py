"""Text that is tokenized already, as the tools of Moses read it: split at spaces alone.

A no-break space or an ideographic one is part of a token there, and lower case is that of ASCII.
"""

from __future__ import annotations

from .base import OTHER, SPACE, ScannerRules, Tokenizer

_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


class MosesTokenizer(Tokenizer):
    """Splits at spaces.

    Parameters
    ----------
    lowercase : bool
        Lowercase ASCII letters, and no others.

    Examples
    --------
    >>> MosesTokenizer()("die Katze\\xa0saß  da")
    ['die', 'Katze\\xa0saß', 'da']
    >>> MosesTokenizer(lowercase=True)("Über Berge")
    ['Über', 'berge']
    >>> MosesTokenizer(lowercase=True)("ÜBER Berge")
    ['Über', 'berge']
    """

    def __init__(self, lowercase: bool = False) -> None:
        self.lowercase = lowercase
        self.name = "moses-lc" if lowercase else "moses"

    def rules(self) -> ScannerRules:
        classes = bytes(SPACE if code == ord(" ") else OTHER for code in range(128))
        return ScannerRules(classes, (), lowercase=self.lowercase)

    def _split(self, text: str) -> list[str]:
        if self.lowercase:
            text = text.translate(_LOWER)
        return [token for token in text.split(" ") if token]

    def __reduce__(self) -> tuple[type[MosesTokenizer], tuple[bool]]:
        return MosesTokenizer, (self.lowercase,)
