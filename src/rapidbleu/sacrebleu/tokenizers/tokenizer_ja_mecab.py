"""``ja-mecab``: Japanese words, by MeCab and its IPA dictionary."""

from rapidbleu.sacrebleu.tokenizers.tokenizer_base import BaseTokenizer, without_cache

FAIL_MESSAGE = """
Japanese tokenization needs MeCab and a dictionary, which are not installed:

    pip install "rapidbleu[ja]"
"""


class TokenizerJaMecab(BaseTokenizer):
    """Splits into words with MeCab.

    Raises
    ------
    RuntimeError
        If MeCab or the dictionary is not installed.
    AssertionError
        If it is another dictionary, as scores could not be compared.
    """

    def __init__(self) -> None:
        from importlib import import_module

        try:
            library = import_module("MeCab")
            dictionary = import_module("ipadic")
        except ImportError as error:
            raise RuntimeError(FAIL_MESSAGE) from error
        self.tagger = library.Tagger(f"{dictionary.MECAB_ARGS} -Owakati")
        info = self.tagger.dictionary_info()
        if info.size != 392126 or info.next is not None:
            raise AssertionError(
                f"ja-mecab: expected no dictionary but that of ipadic with 392126 entries, "
                f"got one with {info.size}"
            )

    @without_cache
    def __call__(self, line: str) -> str:
        words: str = self.tagger.parse(line.strip())
        return words.strip()

    def signature(self) -> str:
        return f"ja-mecab-{self.tagger.version()}-IPA"
