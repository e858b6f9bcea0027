"""What metrics of words have in common: how text becomes words, and what signatures say of it."""

from rapidbleu.metrics.contract.base import Metric
from rapidbleu.scoring import ScoreT
from rapidbleu.signature import Signature
from rapidbleu.tokenizers import TOKENIZERS, get_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar

    from rapidbleu.typing import TokenizerName, TokenizerRule


class WordMetric(Metric[ScoreT]):
    """Base of metrics of words, which have options ``lowercase`` and ``tokenize``."""

    _late: "ClassVar[tuple[str, ...]]" = ("tokenize",)
    TOKENIZERS: "ClassVar[tuple[str, ...]]" = TOKENIZERS
    TOKENIZER_DEFAULT: "ClassVar[TokenizerName]" = "13a"

    if TYPE_CHECKING:

        @property
        def tokenize(self) -> TokenizerName | TokenizerRule | None:
            """The name of the tokenizer, or a function; None: the metric's own."""

    @property
    def tokenizer_signature(self) -> str:
        """The tokenizer's name in signatures."""
        sign = getattr(self.tokenizer, "signature", None)
        return str(sign() if sign else getattr(self.tokenizer, "__name__", "custom"))

    def _describe_reading(self) -> str:
        return f"tok:{self.tokenizer_signature}|case:{'lc' if self.lowercase else 'mixed'}"

    def _default_of(self, name: str) -> "Any":
        return self._default_tokenizer() if name == "tokenize" else super()._default_of(name)

    def _default_tokenizer(self) -> "str | None":
        """Return the name of the tokenizer by default; None: `_make_own_tokenizer` makes it."""
        return self.TOKENIZER_DEFAULT

    def _make_own_tokenizer(self) -> "Callable[[str], Any]":
        raise TypeError(f"{type(self).__name__} has no tokenizer of its own")

    def _choose_tokenizer(self) -> "Callable[[str], Any]":
        rule = self.tokenize
        if rule is None:
            return self._make_own_tokenizer()
        return rule if callable(rule) else get_tokenizer(rule)

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
