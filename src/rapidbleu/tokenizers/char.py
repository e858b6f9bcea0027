"""``char``: each character which is not white space is a token."""

from .base import SYMBOL, ScannerRules, Tokenizer, ascii_classes, wide_classes

_ASCII = "".join(chr(code) for code in range(128) if not chr(code).isspace())


class CharTokenizer(Tokenizer):
    """Splits into characters (code points) and drops the white space.

    Examples
    --------
    >>> CharTokenizer()("a cat")
    ['a', 'c', 'a', 't']
    """

    name = "char"

    def rules(self) -> ScannerRules:
        wide = wide_classes([(0x80, 0x10FFFF, SYMBOL)])
        return ScannerRules(ascii_classes(symbols=_ASCII), wide)

    def _split(self, text: str) -> list[str]:
        return [character for character in text if not character.isspace()]
