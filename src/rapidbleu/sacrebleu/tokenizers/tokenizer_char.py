"""``char``: each character is a token."""

from rapidbleu.sacrebleu.tokenizers.tokenizer_base import BaseTokenizer, without_cache


class TokenizerChar(BaseTokenizer):
    """Puts a space between any two characters.

    Examples
    --------
    >>> TokenizerChar()("to be")
    't o   b e'
    """

    def signature(self) -> str:
        return "char"

    @without_cache
    def __call__(self, line: str) -> str:
        return " ".join(line)

    compiled = "char", __call__
