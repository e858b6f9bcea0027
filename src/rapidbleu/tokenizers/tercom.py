"""``tercom``: the normalization of the original TER program, as implemented in sacrebleu.

Without options it only splits at white space. The rules for Asian text contain slips that scores
depend on: the block of enclosed characters ends at 3F22, not at 32FF, and the three rules for kana
are anchored to the start of the text, which is always a space, so kana are not split.
"""

from __future__ import annotations

from rapidbleu._lib.loader import load

from .base import ScannerRules, Tokenizer, ascii_classes, one_of, wide_classes
from .mteval import DIGITS, SUBSTITUTIONS, unescaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

PUNCTUATION = '.,?:;!"()'

IDEOGRAPHS = (
    (0x2E80, 0x2EFF),  # radicals
    (0x31C0, 0x31EF),  # strokes
    (0x3200, 0x3F22),  # enclosed characters, and because of the slip all up to extension A
    (0x3300, 0x33FF),  # squared characters
    (0x3400, 0x4DBF),  # extension A
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),  # compatibility ideographs
    (0xFE30, 0xFE4F),  # compatibility forms
)
ASIAN_PUNCTUATION = (
    (0x3001, 0x3002),
    (0x3008, 0x3011),
    (0x3014, 0x301F),
    (0x30FB, 0x30FB),
    (0xFF61, 0xFF65),
    *((code, code) for code in map(ord, "．，？：；！＂（）")),
)


def _one_of(blocks: tuple[tuple[int, int], ...]) -> str:
    return "[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in blocks) + "]"


_ASIAN_MARK = _one_of(ASIAN_PUNCTUATION)
_ASIAN_TOKEN = f"({_one_of(IDEOGRAPHS + ASIAN_PUNCTUATION)})"
# The order of the rules matters: the space in front of a point, for example, is not a digit.
_SYMBOL, _POINT_AFTER_NO_DIGIT, _POINT_BEFORE_NO_DIGIT, _DASH_AFTER_DIGIT = SUBSTITUTIONS
_MARK = "[" + "".join(f"\\{character}" for character in PUNCTUATION) + "]"
# Long texts are processed in pieces, so that signals are handled in between and the intermediate
# strings stay in the cache. No match of any rule crosses the end of a piece.
_PIECE = 1 << 16  # minimum number of characters; ends at the next possible cut
_END_OF_PIECE = f"[{DIGITS}](?!-)|[A-Za-z](?=[A-Za-z])"


class TercomTokenizer(Tokenizer):
    """Splits at white space, after the normalization of its options; created by `tercom`.

    `normalized` joins lines, undoes entities, and splits off ASCII punctuation and the possessive
    's; `no_punct` removes punctuation. `asian_support` makes the first split off Asian ideographs
    and punctuation as well, and the second remove Asian punctuation.

    >>> tercom(normalized=True)("Tom's 2-page plan: 3.5%.")
    ['Tom', "'s", '2', '-', 'page', 'plan', ':', '3.5', '%', '.']
    >>> tercom(normalized=True, no_punct=True, asian_support=True)("我有2.5元。OK!")
    ['我', '有', '25', '元', 'OK']
    """

    name = "tercom"

    def __init__(self, normalized: bool, no_punct: bool, asian_support: bool) -> None:
        self.normalized = normalized
        self.no_punct = no_punct
        self.asian_support = asian_support

    def rules(self) -> ScannerRules | None:
        if self.normalized or self.no_punct:
            return None
        return ScannerRules(ascii_classes(), wide_classes())

    def _split(self, text: str) -> list[str]:
        if self.normalized:
            text = unescaped(text.replace("\n-", "").replace("\n", " "))
            text = f" {text} "
        if len(text) <= _PIECE:
            return self._spaced(text).split()
        return "".join(map(self._spaced, _pieces(text))).split()

    def _spaced(self, text: str) -> str:
        re = load("re")
        if self.normalized:
            text = _split_off(text)
            if self.asian_support:
                text = re.sub(_ASIAN_TOKEN, r" \1 ", text)
        if self.no_punct:
            text = re.sub(_MARK, "", text)
            if self.asian_support:
                text = re.sub(_ASIAN_MARK, "", text)
        return text

    @property
    def reference_rule(self) -> Callable[[str], list[str]] | None:
        """The rule for references, if different: sacrebleu normalizes them twice."""
        return self._twice if self.normalized else None

    def _twice(self, text: str) -> list[str]:
        return self(" ".join(self(text)))

    def __repr__(self) -> str:
        options = [
            name for name in ("normalized", "no_punct", "asian_support") if getattr(self, name)
        ]
        return f"<tokenizer {' '.join([self.name, *options])!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return tercom, (self.normalized, self.no_punct, self.asian_support)


def _pieces(text: str, size: int = _PIECE) -> Iterator[str]:
    re = load("re")
    begin = 0
    end_of_piece = re.compile(_END_OF_PIECE)
    while cut := end_of_piece.search(text, begin + size - 1):
        yield text[begin : cut.end()]
        begin = cut.end()
    yield text[begin:]


def _split_off(text: str) -> str:
    """Split off symbols, the possessive, points and dashes, in this order."""
    re = load("re")
    text = re.sub(*_SYMBOL, text).replace("'s ", " 's ")
    text = re.sub(*_POINT_BEFORE_NO_DIGIT, re.sub(*_POINT_AFTER_NO_DIGIT, text))
    return re.sub(*_DASH_AFTER_DIGIT, text) if "-" in text else text


def tercom(
    normalized: bool = False, no_punct: bool = False, asian_support: bool = False
) -> TercomTokenizer:
    """Return the cached tokenizer with these options."""
    return one_of(TercomTokenizer, bool(normalized), bool(no_punct), bool(asian_support))
