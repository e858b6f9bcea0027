"""Tokenizers from str to str, with spaces between tokens.

sacrebleu has a module for each, which `module_of` creates with the classes below; remaining
functions of those modules are an installed sacrebleu's.
"""

from __future__ import annotations

from functools import lru_cache

from rapidbleu._lib.installed_sacrebleu import import_peer, module_of
from rapidbleu.sacrebleu.utils import warn
from rapidbleu.tokenizers import get_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__path__: list[str] = []  # for submodules without files, see below


class BaseTokenizer:
    """Base class of the tokenizers, including custom ones."""

    def signature(self) -> str:
        """Return the value of ``tok:`` in signatures."""
        raise NotImplementedError

    def __call__(self, line: str) -> str:
        """Return the tokens of `line` with spaces between them."""
        raise NotImplementedError


def _uncached(call: Callable[..., str]) -> Any:
    """Add an always empty cache, for programs that call ``Tokenizer13a.__call__.cache_clear()``.

    They do so to free sacrebleu's caches of 65,536 texts.
    """
    return lru_cache(maxsize=0)(call)


class _NamedTokenizer(BaseTokenizer):
    _name: str

    def signature(self) -> str:
        return self._name

    @_uncached
    def __call__(self, line: str) -> str:
        return " ".join(get_tokenizer(self._name)(line))


class NoneTokenizer(_NamedTokenizer):
    """``none``: returns the text unchanged."""

    _name = "none"

    @_uncached
    def __call__(self, line: str) -> str:
        return line


class Tokenizer13a(_NamedTokenizer):
    """``13a``, the default: unescapes SGML, then splits off ASCII punctuation."""

    _name = "13a"


class TokenizerV14International(_NamedTokenizer):
    """``intl``: splits off symbols and punctuation of all scripts."""

    _name = "intl"


class TokenizerZh(_NamedTokenizer):
    """``zh``: splits off each Chinese character and ASCII punctuation."""

    _name = "zh"


class TokenizerChar(_NamedTokenizer):
    """``char``: puts a space between any two characters."""

    _name = "char"

    @_uncached
    def __call__(self, line: str) -> str:
        return " ".join(line)


class TercomTokenizer(BaseTokenizer):
    """Lowercases; optionally normalizes and removes punctuation. Options are as in TER.

    Examples
    --------
    >>> TercomTokenizer(normalized=True)("Tom's plan: 3.5%.")
    "tom 's plan : 3.5 % ."
    """

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
    ) -> None:
        self._normalized = normalized
        self._no_punct = no_punct
        self._asian_support = asian_support
        self._case_sensitive = case_sensitive

    @_uncached
    def __call__(self, sent: str) -> str:
        from rapidbleu.tokenizers.tercom import tercom

        if not self._case_sensitive:
            sent = sent.lower()
        asian = (self._normalized or self._no_punct) and self._asian_support
        return " ".join(tercom(self._normalized, self._no_punct, asian)(sent))

    def signature(self) -> str:
        return "tercom"


class TokenizerJaMecab(_NamedTokenizer):
    """``ja-mecab``: Japanese words, by MeCab and its IPA dictionary.

    Raises RuntimeError if one is missing, AssertionError for other dictionaries (other scores).
    """

    _name = "ja-mecab"

    def __init__(self) -> None:
        try:
            native: Any = get_tokenizer(self._name)
        except ImportError as error:
            raise RuntimeError(str(error)) from error
        except RuntimeError as error:
            raise AssertionError(str(error)) from None
        self.tagger = native.tagger
        self._signature: str = native.signature()

    @_uncached
    def __call__(self, line: str) -> str:
        words: str = self.tagger.parse(line.strip())
        return words.strip()

    def signature(self) -> str:
        return self._signature


class TokenizerKoMecab(TokenizerJaMecab):
    """``ko-mecab``: Korean words, by MeCab and its KO dictionary."""

    _name = "ko-mecab"


class TokenizerSPM(_NamedTokenizer):
    """Splits text into the pieces of a published SentencePiece model, shared with sacrebleu.

    A missing model is downloaded by an installed sacrebleu. Raises ImportError if SentencePiece, or
    both the model and sacrebleu, are missing.
    """

    def __init__(self, key: str = "spm") -> None:
        self._name = "flores101" if key == "spm" else key
        if key == "spm":
            warn(
                "Tokenizer 'spm' has been changed to 'flores101', and may be removed in the future."
            )
        try:
            native: Any = get_tokenizer(self._name)
        except FileNotFoundError:
            import_peer("tokenizers.tokenizer_spm").TokenizerSPM(self._name)
            native = get_tokenizer(self._name)
        self.sp = native._processor

    @_uncached
    def __call__(self, line: str) -> str:
        return " ".join(self.sp.EncodeAsPieces(line))


class Flores200Tokenizer(TokenizerSPM):
    """Splits text into the pieces of the FLORES-200 model."""

    def __init__(self) -> None:
        super().__init__("flores200")


class Flores101Tokenizer(TokenizerSPM):
    """Splits text into the pieces of the FLORES-101 model."""

    def __init__(self) -> None:
        super().__init__("flores101")


class spBLEU1KTokenizer(TokenizerSPM):
    """Splits text into the pieces of the spBLEU-1K model."""

    def __init__(self) -> None:
        super().__init__("spBLEU-1K")


TOKENIZERS = {
    "none": "tokenizer_none.NoneTokenizer",
    "zh": "tokenizer_zh.TokenizerZh",
    "13a": "tokenizer_13a.Tokenizer13a",
    "intl": "tokenizer_intl.TokenizerV14International",
    "char": "tokenizer_char.TokenizerChar",
    "ja-mecab": "tokenizer_ja_mecab.TokenizerJaMecab",
    "ko-mecab": "tokenizer_ko_mecab.TokenizerKoMecab",
    "spm": "tokenizer_spm.TokenizerSPM",
    "flores101": "tokenizer_spm.Flores101Tokenizer",
    "flores200": "tokenizer_spm.Flores200Tokenizer",
    "spBLEU-1K": "tokenizer_spm.spBLEU1KTokenizer",
}
"""Modules and classes of BLEU's tokenizers, by name."""

COMPILED = {
    TOKENIZERS[name].rpartition(".")[2]: name for name in ("none", "zh", "13a", "intl", "char")
} | {"TercomTokenizer": "tercom"}
"""Compiled twins of the classes."""

_calls = {globals()[name]: globals()[name].__call__ for name in COMPILED}


def compiled_name(tokenizer: Any) -> str | None:
    """Return the name of a tokenizer's compiled twin, or None for any other class."""
    cls = type(tokenizer)
    return COMPILED[cls.__name__] if _calls.get(cls) is cls.__call__ else None


_modules: dict[str, dict[str, Any]] = {"tokenizer_re": {}}
for _path in [
    *TOKENIZERS.values(),
    "tokenizer_base.BaseTokenizer",
    "tokenizer_ter.TercomTokenizer",
]:
    _module, _, _class = _path.partition(".")
    _modules.setdefault(_module, {})[_class] = globals()[_class]
for _module, _classes in _modules.items():
    globals()[_module] = module_of(f"tokenizers.{_module}", **_classes)
