"""``ja-mecab``: Japanese words, by MeCab and its IPA dictionary."""

from rapidbleu.sacrebleu.tokenizers.mecab import MecabTokenizer
from rapidbleu.sacrebleu.tokenizers.tokenizer_base import BaseTokenizer as BaseTokenizer

FAIL_MESSAGE = """
Japanese tokenization needs MeCab and a dictionary, which are not installed:

    pip install "rapidbleu[ja]"
"""


class TokenizerJaMecab(MecabTokenizer):
    """Splits into Japanese words."""

    def __init__(self) -> None:
        super().__init__("ja-mecab", FAIL_MESSAGE)
