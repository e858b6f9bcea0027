"""``flores101``, ``flores200``, ``spBLEU-1K``: the pieces of a published SentencePiece model.

The models are shared with sacrebleu: they are looked for where it keeps them, in the folder
``models`` of ``$SACREBLEU`` or else of ``~/.sacrebleu``. Nothing is downloaded.
"""

import os
from importlib import import_module
from pathlib import Path

from .base import Tokenizer


def model_path(file_name: str) -> Path:
    """Return where sacrebleu keeps the model file `file_name`.

    Examples
    --------
    >>> model_path("flores200sacrebleuspm").parent.name
    'models'
    """
    folder = os.environ.get("SACREBLEU")
    return (Path.home() / ".sacrebleu" if folder is None else Path(folder)) / "models" / file_name


class Flores101Tokenizer(Tokenizer):
    """Splits into the pieces of the model of FLORES-101 (spBLEU)."""

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
        # A piece may hold white space, which separates tokens like everywhere else.
        return " ".join(self._processor.EncodeAsPieces(text)).split()


class SpmTokenizer(Flores101Tokenizer):
    """The former name of ``flores101``."""

    name = "spm"

    def __init__(self) -> None:
        import logging

        logging.getLogger("rapidbleu").warning(
            "Tokenizer 'spm' is 'flores101' under its former name, which may go away: "
            "use 'flores101'."
        )
        super().__init__()

    def signature(self) -> str:
        return Flores101Tokenizer.name


class Flores200Tokenizer(Flores101Tokenizer):
    """Splits into the pieces of the model of FLORES-200."""

    name = "flores200"
    file_name = "flores200sacrebleuspm"


class SpBleu1KTokenizer(Flores101Tokenizer):
    """Splits into the pieces of the model of spBLEU-1K."""

    name = "spBLEU-1K"
    file_name = "spbleu-1k_tokenizer_spm.model"
