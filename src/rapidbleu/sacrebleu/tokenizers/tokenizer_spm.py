"""``flores101``, ``flores200``, ``spBLEU-1K``: the pieces of a published SentencePiece model.

The models are shared with sacrebleu and lie where it keeps them. One that is not there yet is
downloaded by an installed sacrebleu.
"""

import os

from rapidbleu.sacrebleu.logger import sacrelogger
from rapidbleu.sacrebleu.tokenizers.tokenizer_base import BaseTokenizer, without_cache
from rapidbleu.sacrebleu.utils import SACREBLEU_DIR, download_file

_FLORES_101 = "https://dl.fbaipublicfiles.com/fairseq/models/flores/sacrebleu_tokenizer_spm.model"

SPM_MODELS = {
    "spm": {"url": _FLORES_101, "signature": "flores101"},
    "flores101": {"url": _FLORES_101, "signature": "flores101"},
    "flores200": {
        "url": "https://tinyurl.com/flores200sacrebleuspm",
        "signature": "flores200",
    },
    "spBLEU-1K": {
        "url": "https://www.dlnlp.ai/spBLEU-1K/spbleu-1k_tokenizer_spm.model",
        "signature": "spBLEU-1K",
    },
}


class TokenizerSPM(BaseTokenizer):
    """Splits into the pieces of a model.

    Parameters
    ----------
    key : str
        One of `SPM_MODELS`.

    Raises
    ------
    ImportError
        If SentencePiece is not installed, or the model is absent and so is sacrebleu.
    """

    def __init__(self, key: str = "spm") -> None:
        self.name = SPM_MODELS[key]["signature"]
        if key == "spm":
            sacrelogger.warning(
                "Tokenizer 'spm' has been changed to 'flores101', and may be removed in the future."
            )
        from importlib import import_module

        try:
            library = import_module("sentencepiece")
        except ImportError as error:
            raise ImportError(
                f"tokenizer {key!r} needs SentencePiece: pip install sentencepiece"
            ) from error
        self.sp = library.SentencePieceProcessor()
        url = SPM_MODELS[key]["url"]
        path = os.path.join(SACREBLEU_DIR, "models", os.path.basename(url))
        if not os.path.exists(path):
            download_file(url, path)
        self.sp.Load(path)

    def signature(self) -> str:
        return self.name

    @without_cache
    def __call__(self, line: str) -> str:
        return " ".join(self.sp.EncodeAsPieces(line))


class Flores200Tokenizer(TokenizerSPM):
    """Splits into the pieces of the model of FLORES-200."""

    def __init__(self) -> None:
        super().__init__("flores200")


class Flores101Tokenizer(TokenizerSPM):
    """Splits into the pieces of the model of FLORES-101."""

    def __init__(self) -> None:
        super().__init__("flores101")


class spBLEU1KTokenizer(TokenizerSPM):
    """Splits into the pieces of the model of spBLEU-1K."""

    def __init__(self) -> None:
        super().__init__("spBLEU-1K")
