"""``intl``: the international tokenization of NIST's mteval-v14.

Punctuation, symbols and numbers of all scripts, by Unicode's general categories P, S and N.
The text is not padded: a point at its end stays with the number before it.
"""

from rapidbleu._lib.loader import load

from .base import DIGIT, POINT, SYMBOL, ScannerRules, Tokenizer, ascii_classes, wide_classes
from .unicode_classes import unicode_classes

_ASCII_SETS = {
    DIGIT: "0123456789",
    POINT: "!\"#%&'()*,-./:;?@[\\]_{}",
    SYMBOL: "$+<=>^`|~",
}


def _characters(kind: int) -> str:
    """Return the characters of a class in the syntax of a regular expression's set."""
    ascii_part = "".join(f"\\x{ord(character):02x}" for character in _ASCII_SETS[kind])
    return ascii_part + "".join(
        f"\\U{first:08x}-\\U{last:08x}" for first, last, each in unicode_classes() if each == kind
    )


def _substitutions() -> tuple[tuple[str, str], ...]:
    number, point, symbol = _characters(DIGIT), _characters(POINT), _characters(SYMBOL)
    return (
        (f"([^{number}])([{point}])", r"\1 \2 "),
        (f"([{point}])([^{number}])", r" \1 \2"),
        (f"([{symbol}])", r" \1 "),
    )


class IntlTokenizer(Tokenizer):
    """Splits off the symbols and the punctuation of all scripts.

    Examples
    --------
    >>> IntlTokenizer()("«Ça coûte 3,50 €», dit-il en 2010.")
    ['«', 'Ça', 'coûte', '3,50', '€', '»', ',', 'dit', '-', 'il', 'en', '2010.']
    """

    name = "intl"
    _patterns: tuple[tuple[str, str], ...] = ()  # made by the first call

    def rules(self) -> ScannerRules:
        narrow = ascii_classes(
            symbols=_ASCII_SETS[SYMBOL], digits=_ASCII_SETS[DIGIT], points=_ASCII_SETS[POINT]
        )
        return ScannerRules(narrow, wide_classes(unicode_classes()))

    def _split(self, text: str) -> list[str]:
        re = load("re")
        self._patterns = self._patterns or _substitutions()
        for pattern, replacement in self._patterns:
            text = re.sub(pattern, replacement, text)
        return text.split()
