"""The tokenizers of mteval and related ones: none, char, 13a, intl, zh, and the spaces of Moses.

They differ only in character classes; `rapidbleu.tokenizers.base` describes their common rule.
"""

from __future__ import annotations

from rapidbleu._lib.loader import load

from .base import (
    DIGIT,
    OTHER,
    POINT,
    SPACE,
    SYMBOL,
    ScannerRules,
    Tokenizer,
    ascii_classes,
    wide_classes,
)
from .unicode_classes import unicode_classes


class NoneTokenizer(Tokenizer):
    """Splits at white space and does nothing else.

    >>> NoneTokenizer()("the cat , sat.")
    ['the', 'cat', ',', 'sat.']
    """

    name = "none"

    def rules(self) -> ScannerRules:
        return ScannerRules(ascii_classes(), wide_classes())

    def _split(self, text: str) -> list[str]:
        return text.split()


_MARKS = "".join(chr(code) for code in range(128) if not chr(code).isspace())


class CharTokenizer(Tokenizer):
    """Splits into characters (code points) and drops white space.

    >>> CharTokenizer()("a cat")
    ['a', 'c', 'a', 't']
    """

    name = "char"

    def rules(self) -> ScannerRules:
        wide = wide_classes([(0x80, 0x10FFFF, SYMBOL)])
        return ScannerRules(ascii_classes(symbols=_MARKS), wide)

    def _split(self, text: str) -> list[str]:
        return [character for character in text if not character.isspace()]


DIGITS = "0123456789"
SYMBOLS = '!"#$%&()*+/:;<=>?@[\\]^_`{|}~'  # the apostrophe stays inside words
POINTS = ".,"
DASHES = "-"

_SYMBOL = "".join(f"\\{character}" for character in SYMBOLS)
SUBSTITUTIONS = (
    (f"([{_SYMBOL}])", r" \1 "),
    (f"([^{DIGITS}])([{POINTS}])", r"\1 \2 "),
    (f"([{POINTS}])([^{DIGITS}])", r" \1 \2"),
    (f"([{DIGITS}])({DASHES})", r"\1 \2 "),
)


def western_classes() -> bytes:
    return ascii_classes(symbols=SYMBOLS, digits=DIGITS, points=POINTS, dashes=DASHES)


def split_western(text: str) -> list[str]:
    """Split off ASCII punctuation, except points between digits and dashes not after a digit.

    Points at the ends of the text match only the rule for their inner side.

    >>> split_western("(pages 1-2, 3.5)")
    ['(', 'pages', '1', '-', '2', ',', '3.5', ')']
    >>> split_western("page 7.")
    ['page', '7.']
    """
    re = load("re")
    for pattern, replacement in SUBSTITUTIONS:
        text = re.sub(pattern, replacement, text)
    return text.split()


def unescaped(text: str) -> str:
    """Return text with characters for the four entities of SGML.

    >>> unescaped("R&amp;D &lt;b&gt;")
    'R&D <b>'
    """
    if "&" not in text:
        return text
    text = text.replace("&quot;", '"').replace("&amp;", "&")
    return text.replace("&lt;", "<").replace("&gt;", ">")


class V13aTokenizer(Tokenizer):
    """The tokenization of NIST's mteval-v13a, WMT's and sacrebleu's default.

    Undoes the escapes of SGML test sets, then splits off ASCII punctuation. Other punctuation and
    digits stay in words. Entities are replaced one by one, so ``&amp;lt;`` becomes ``<``.

    >>> V13aTokenizer()("Tom &amp; Jerry's 2-page plan: 3.5%.")
    ['Tom', '&', "Jerry's", '2', '-', 'page', 'plan', ':', '3.5', '%', '.']
    """

    name = "13a"

    def rules(self) -> ScannerRules:
        return ScannerRules(western_classes(), wide_classes(), pad=True, unescape=True)

    def _split(self, text: str) -> list[str]:
        text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
        return split_western(f" {unescaped(text)} ")


_ASCII_SETS = {DIGIT: "0123456789", POINT: "!\"#%&'()*,-./:;?@[\\]_{}", SYMBOL: "$+<=>^`|~"}


def _characters(kind: int) -> str:
    """Return the characters of a class in the syntax of a regular expression set."""
    ascii_part = "".join(f"\\x{ord(character):02x}" for character in _ASCII_SETS[kind])
    return ascii_part + "".join(
        f"\\U{first:08x}-\\U{last:08x}" for first, last, each in unicode_classes() if each == kind
    )


def _substitutions() -> tuple[tuple[str, str], ...]:
    number = _characters(DIGIT)
    point = _characters(POINT)
    symbol = _characters(SYMBOL)
    return (
        (f"([^{number}])([{point}])", r"\1 \2 "),
        (f"([{point}])([^{number}])", r" \1 \2"),
        (f"([{symbol}])", r" \1 "),
    )


class IntlTokenizer(Tokenizer):
    """The international tokenization of NIST's mteval-v14.

    Splits off punctuation, symbols and numbers of all scripts, by the Unicode general categories P,
    S and N. The text is not padded: a final point stays with the number before it.

    >>> IntlTokenizer()("«Ça coûte 3,50 €», dit-il en 2010.")
    ['«', 'Ça', 'coûte', '3,50', '€', '»', ',', 'dit', '-', 'il', 'en', '2010.']
    """

    name = "intl"
    _patterns: tuple[tuple[str, str], ...] = ()  # set by the first call

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


CHINESE = (
    (0x2001, 0x2A6D),  # by the slip; 2600-27BF (symbols and dingbats) by intent
    (0x2E80, 0x2EFF),  # radicals
    (0x2F00, 0x2FDF),  # Kangxi radicals
    (0x2FF0, 0x2FFF),  # description of characters
    (0x3000, 0x303F),  # punctuation
    (0x3100, 0x312F),  # Bopomofo
    (0x31A0, 0x31BF),  # Bopomofo, extended
    (0x31C0, 0x31EF),  # strokes
    (0x3200, 0x33FF),  # enclosed and squared characters
    (0x3400, 0x4DB5),  # ideographs, extension A
    (0x4E00, 0x9FBB),  # ideographs
    (0xF900, 0xFA2D),  # compatibility ideographs
    (0xFA30, 0xFA6A),
    (0xFA70, 0xFAD9),
    (0xFE10, 0xFE1F),  # vertical forms
    (0xFE30, 0xFE4F),  # compatibility forms
    (0xFF00, 0xFFEF),  # full-width and half-width forms
)

_BLOCKS = "".join(f"\\u{first:04x}-\\u{last:04x}" for first, last in CHINESE)
_CHARACTER = f"([{_BLOCKS}])"


class ZhTokenizer(Tokenizer):
    """Splits off each Chinese character; splits the remaining text like 13a.

    The blocks include a slip of sacrebleu that scores depend on. Two blocks beyond the BMP,
    20000-2A6D6 and 2F800-2FA1D, were written as if ``\\u`` took five digits. Their ends thus are
    strings of two characters, and string comparison makes the first block mean 2001-2A6D (dashes,
    curly quotation marks, arrows, mathematics) and the second 2F81-2FA1, within another block.
    Ideographs beyond the BMP are not split.

    >>> ZhTokenizer()("我有2.5元。OK!")
    ['我', '有', '2.5', '元', '。', 'OK', '!']
    """

    name = "zh"

    def rules(self) -> ScannerRules:
        wide = wide_classes((first, last, SYMBOL) for first, last in CHINESE)
        return ScannerRules(western_classes(), wide, strip=True)

    def _split(self, text: str) -> list[str]:
        re = load("re")
        return split_western(re.sub(_CHARACTER, r" \1 ", text.strip()))


_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


class MosesTokenizer(Tokenizer):
    """Splits at spaces only, as Moses tools read tokenized text.

    No-break and ideographic spaces are part of tokens. `lowercase` changes ASCII letters only.

    >>> MosesTokenizer()("die Katze\\xa0saß  da")
    ['die', 'Katze\\xa0saß', 'da']
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
