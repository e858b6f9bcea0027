"""The tokenization of TER."""

from rapidbleu.sacrebleu.tokenizers.tokenizer_base import BaseTokenizer, without_cache


class TercomTokenizer(BaseTokenizer):
    """Lowercases, and normalizes and removes punctuation if asked.

    Parameters
    ----------
    normalized : bool
        Join lines, undo entities and split off punctuation.
    no_punct : bool
        Remove punctuation.
    asian_support : bool
        Both know Asian punctuation too, and the first splits ideographs.
    case_sensitive : bool
        Do not lowercase.

    Examples
    --------
    >>> TercomTokenizer(normalized=True)("Tom's plan: 3.5%.")
    "tom 's plan : 3.5 % ."
    """

    ASIAN_PUNCT = "([\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb])"
    FULL_WIDTH_PUNCT = "([\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09])"

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

    @without_cache
    def __call__(self, sent: str) -> str:
        from rapidbleu.tokenizers.tercom import tercom

        if not self._case_sensitive:
            sent = sent.lower()
        return " ".join(tercom(self._normalized, self._no_punct, self._asian_support)(sent))

    compiled = "tercom", __call__

    def signature(self) -> str:
        return "tercom"
