"""The rules that ``13a`` and ``zh`` have in common."""

from rapidbleu.sacrebleu.tokenizers.tokenizer_base import BaseTokenizer, without_cache


class TokenizerRegexp(BaseTokenizer):
    """Splits off ASCII punctuation, except points between digits and dashes not after a digit.

    Examples
    --------
    >>> TokenizerRegexp()("(pages 1-2, 3.5)")
    '( pages 1 - 2 , 3.5 )'
    """

    def signature(self) -> str:
        return "re"

    @without_cache
    def __call__(self, line: str) -> str:
        from rapidbleu.tokenizers.v13a import split_western

        return " ".join(split_western(line))
