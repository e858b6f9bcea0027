"""``intl``: the international tokenization of mteval-v14."""

from rapidbleu.sacrebleu.tokenizers.tokenizer_base import BaseTokenizer, without_cache
from rapidbleu.tokenizers import get_tokenizer


class TokenizerV14International(BaseTokenizer):
    """Splits off the symbols and the punctuation of all scripts.

    Examples
    --------
    >>> TokenizerV14International()("«Ça coûte 3,50 €»")
    '« Ça coûte 3,50 € »'
    """

    def signature(self) -> str:
        return "intl"

    @without_cache
    def __call__(self, line: str) -> str:
        return " ".join(get_tokenizer("intl")(line))

    compiled = "intl", __call__
