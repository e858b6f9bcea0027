"""``none``: the text is tokenized already."""

from rapidbleu.sacrebleu.tokenizers.tokenizer_base import BaseTokenizer


class NoneTokenizer(BaseTokenizer):
    """Returns the text as it is.

    Examples
    --------
    >>> NoneTokenizer()("the cat , sat.")
    'the cat , sat.'
    """

    def signature(self) -> str:
        return "none"

    def __call__(self, line: str) -> str:
        return line

    compiled = "none", __call__
