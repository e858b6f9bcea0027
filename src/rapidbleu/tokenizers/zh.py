"""``zh``: each Chinese character is a token, the text between them is split like 13a's.

The blocks are those of sacrebleu, with a slip that scores depend on. Two blocks beyond the BMP,
20000-2A6D6 and 2F800-2FA1D, were written as if ``\\u`` took five digits. Their ends thus are
strings of two characters, and a comparison of strings makes the first block mean 2001-2A6D
(dashes, curly quotation marks, arrows, mathematics) and the second 2F81-2FA1, where another
block already is. Ideographs beyond the BMP are not split.
"""

from rapidbleu._lib.loader import load

from .base import SYMBOL, ScannerRules, Tokenizer, wide_classes
from .v13a import split_western, western_classes

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
    """Splits off each Chinese character and ASCII punctuation.

    Examples
    --------
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
