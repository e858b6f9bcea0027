"""``ko-mecab``: Korean words, by MeCab and its KO dictionary."""

from rapidbleu.sacrebleu.tokenizers.mecab import MecabTokenizer
from rapidbleu.sacrebleu.tokenizers.tokenizer_base import BaseTokenizer as BaseTokenizer

FAIL_MESSAGE = """
Korean tokenization needs MeCab and a dictionary, which are not installed:

    pip install "rapidbleu[ko]"
"""


class TokenizerKoMecab(MecabTokenizer):
    """Splits into Korean words."""

    def __init__(self) -> None:
        super().__init__("ko-mecab", FAIL_MESSAGE)
