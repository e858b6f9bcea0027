"""What ``ja-mecab`` and ``ko-mecab`` have in common: rapidbleu's tokenizer of the same name."""

from rapidbleu.sacrebleu.tokenizers.tokenizer_base import BaseTokenizer, without_cache
from rapidbleu.tokenizers import get_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class MecabTokenizer(BaseTokenizer):
    """Splits into words with MeCab.

    Parameters
    ----------
    name : str
        Of the tokenizer.
    fail_message : str
        What to say if something is not installed.

    Raises
    ------
    RuntimeError
        If MeCab or the dictionary is not installed.
    AssertionError
        If it is another dictionary, as scores could not be compared.
    """

    def __init__(self, name: str, fail_message: str) -> None:
        try:
            native: Any = get_tokenizer(name)
        except ImportError as error:
            raise RuntimeError(fail_message) from error
        except RuntimeError as error:
            raise AssertionError(str(error)) from None
        self.tagger = native.tagger
        self._signature: str = native.signature()

    @without_cache
    def __call__(self, line: str) -> str:
        words: str = self.tagger.parse(line.strip())
        return words.strip()

    def signature(self) -> str:
        return self._signature
