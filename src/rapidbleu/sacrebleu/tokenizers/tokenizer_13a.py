"""``13a``: the tokenization of mteval-v13a, the default."""

from rapidbleu.sacrebleu.tokenizers.tokenizer_base import BaseTokenizer, without_cache
from rapidbleu.sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp as TokenizerRegexp
from rapidbleu.tokenizers import get_tokenizer


class Tokenizer13a(BaseTokenizer):
    """Undoes the escapes of the SGML test sets, then splits off ASCII punctuation.

    Examples
    --------
    >>> Tokenizer13a()("It costs $1,000.50, not 2.")
    'It costs $ 1,000.50 , not 2 .'
    """

    def signature(self) -> str:
        return "13a"

    @without_cache
    def __call__(self, line: str) -> str:
        return " ".join(get_tokenizer("13a")(line))

    compiled = "13a", __call__
