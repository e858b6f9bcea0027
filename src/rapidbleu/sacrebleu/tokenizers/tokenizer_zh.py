"""``zh``: each Chinese character is a token."""

from rapidbleu.sacrebleu.tokenizers.tokenizer_base import BaseTokenizer, without_cache
from rapidbleu.sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp as TokenizerRegexp
from rapidbleu.tokenizers import get_tokenizer

# First and last characters of blocks, compared as strings. Those of the two blocks with five digits
# are two characters each, see `rapidbleu.tokenizers.zh`.
_UCODE_RANGES = [
    ("\u3400", "\u4db5"),
    ("\u4e00", "\u9fa5"),
    ("\u9fa6", "\u9fbb"),
    ("\uf900", "\ufa2d"),
    ("\ufa30", "\ufa6a"),
    ("\ufa70", "\ufad9"),
    ("\u20000", "\u2a6d6"),
    ("\u2f800", "\u2fa1d"),
    ("\uff00", "\uffef"),
    ("\u2e80", "\u2eff"),
    ("\u3000", "\u303f"),
    ("\u31c0", "\u31ef"),
    ("\u2f00", "\u2fdf"),
    ("\u2ff0", "\u2fff"),
    ("\u3100", "\u312f"),
    ("\u31a0", "\u31bf"),
    ("\ufe10", "\ufe1f"),
    ("\ufe30", "\ufe4f"),
    ("\u2600", "\u26ff"),
    ("\u2700", "\u27bf"),
    ("\u3200", "\u32ff"),
    ("\u3300", "\u33ff"),
]


class TokenizerZh(BaseTokenizer):
    """Splits off each Chinese character and ASCII punctuation.

    Examples
    --------
    >>> TokenizerZh()("我有2.5元。OK!")
    '我 有 2.5 元 。 OK !'
    """

    def signature(self) -> str:
        return "zh"

    @staticmethod
    @without_cache
    def _is_chinese_char(uchar: str) -> bool:
        """Return whether a character is split off.

        Examples
        --------
        >>> TokenizerZh._is_chinese_char("天"), TokenizerZh._is_chinese_char("a")
        (True, False)
        """
        return any(first <= uchar <= last for first, last in _UCODE_RANGES)

    @without_cache
    def __call__(self, line: str) -> str:
        return " ".join(get_tokenizer("zh")(line))

    compiled = "zh", __call__
