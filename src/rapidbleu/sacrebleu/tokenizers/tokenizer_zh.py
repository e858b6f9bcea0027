"""``zh``: each Chinese character is a token."""

from rapidbleu.sacrebleu.tokenizers.tokenizer_base import BaseTokenizer, without_cache
from rapidbleu.tokenizers import get_tokenizer


class TokenizerZh(BaseTokenizer):
    """Splits off each Chinese character and ASCII punctuation.

    Examples
    --------
    >>> TokenizerZh()("我有2.5元。OK!")
    '我 有 2.5 元 。 OK !'
    """

    def signature(self) -> str:
        return "zh"

    @without_cache
    def __call__(self, line: str) -> str:
        return " ".join(get_tokenizer("zh")(line))

    compiled = "zh", __call__
