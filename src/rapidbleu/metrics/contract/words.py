"""What metrics of words have in common: how text becomes words, and what signatures say of it."""

from rapidbleu.metrics.contract.base import Metric
from rapidbleu.scoring import ScoreT
from rapidbleu.signature import Signature
from rapidbleu.tokenizers import TOKENIZERS, get_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rapidbleu.typing import Layout, ReferenceStreams, TokenizerName, TokenizerRule


class WordMetric(Metric[ScoreT]):
    """Base of metrics of words.

    Parameters
    ----------
    lowercase : bool
        Lowercase all text first.
    tokenize : str or callable, optional
        One of `TOKENIZERS`, or any function from str to a list of str; the metric's own by default.
    references : sequence or References, optional
        Used by calls that give none.
    layout : {"stream", "segment"}
        Of `references`.
    threads : int
        How many threads score a corpus; 0: all cores.
    """

    TOKENIZERS = TOKENIZERS
    TOKENIZER_DEFAULT: "TokenizerName" = "13a"

    def __init__(
        self,
        lowercase: bool,
        tokenize: "TokenizerName | TokenizerRule | None",
        references: "ReferenceStreams | None",
        layout: "Layout",
        threads: int,
    ) -> None:
        tokenizer = self._choose_tokenizer(tokenize)
        sign = getattr(tokenizer, "signature", None)
        self.tokenizer_signature: str = sign() if sign else getattr(tokenizer, "__name__", "custom")
        preparation = f"tok:{self.tokenizer_signature}|case:{'lc' if lowercase else 'mixed'}"
        super().__init__(tokenizer, lowercase, preparation, threads)
        self._use_references(references, layout)

    def _choose_tokenizer(
        self, tokenize: "TokenizerName | TokenizerRule | None"
    ) -> "Callable[[str], Any]":
        if tokenize is None:
            return get_tokenizer(self._default_tokenizer())
        return tokenize if callable(tokenize) else get_tokenizer(tokenize)

    def _default_tokenizer(self) -> str:
        """Return the name of the tokenizer that is taken if none is asked for."""
        return self.TOKENIZER_DEFAULT

    def _option(self, name: str, default: object) -> object:
        if name != "tokenize":
            return super()._option(name, default)
        own = getattr(self.tokenizer, "name", None)
        if own not in TOKENIZERS or get_tokenizer(own) is not self.tokenizer:
            return self.tokenizer
        return default if own == self._default_tokenizer() else own

    def _options(self) -> "dict[str, Any]":
        """Return what signatures say of the options, besides those of text."""
        return {}

    def get_signature(self) -> Signature:
        """Return the signature of the scores that this thread computed last.

        Raises
        ------
        ValueError
            If nothing was scored yet.
        """
        own = self._options()
        options = {
            **self._resampling_entries(),
            "case": "lc" if self.lowercase else "mixed",
            "tok": self.tokenizer_signature,
            **own,
        }
        short = {"case": "c", "tok": "tok", **{name: name for name in own}}
        return Signature(self.num_refs, options, short)
