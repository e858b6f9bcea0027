"""The tokenization of TER, and the steps that it consists of.

`TercomTokenizer` does all steps at once; the functions are for programs that take them one by one,
and return sacrebleu's strings with all their spaces.
"""

from rapidbleu.sacrebleu.tokenizers.tokenizer_base import BaseTokenizer, without_cache

# Each of these puts spaces around its characters, so those of two blocks get them twice.
_IDEOGRAPHS = (
    "\u3400-\u4dbf\u4e00-\u9fff",
    "\u2e80-\u2eff\u31c0-\u31ef",
    "\u3300-\u33ff\uf900-\ufaff\ufe30-\ufe4f",
    "\u3200-\u3f22",
)
_KANA = ("\u3040-\u309f", "\u30a0-\u30ff", "\u31f0-\u31ff")


def _normalize_general_and_western(sent: str) -> str:
    """Join lines, undo entities, split off ASCII punctuation.

    Examples
    --------
    >>> _normalize_general_and_western("&lt;b&gt;").split()
    ['<', 'b', '>']
    """
    from rapidbleu.tokenizers.tercom import normalize

    return normalize(sent, blanks=" ")


def _normalize_asian(sent: str) -> str:
    """Split off ideographs and Asian punctuation; kana only if there is nothing else.

    Examples
    --------
    >>> _normalize_asian("a天b").split(), _normalize_asian("かな"), _normalize_asian("aかな")
    (['a', '天', 'b'], ' かな ', 'aかな')
    """
    import re

    for block in _IDEOGRAPHS:
        sent = re.sub(f"([{block}])", r" \1 ", sent)
    for block in _KANA:
        sent = re.sub(f"^([{block}]+)(?=$)", r" \1 ", sent)
    sent = re.sub(TercomTokenizer.ASIAN_PUNCT, r" \1 ", sent)
    return re.sub(TercomTokenizer.FULL_WIDTH_PUNCT, r" \1 ", sent)


def _remove_punct(sent: str) -> str:
    """Remove ASCII punctuation.

    Examples
    --------
    >>> _remove_punct("(3.5), no")
    '35 no'
    """
    from rapidbleu.tokenizers.tercom import PUNCTUATION

    return sent.translate(dict.fromkeys(map(ord, PUNCTUATION)))


def _remove_asian_punct(sent: str) -> str:
    """Remove Asian punctuation and that of full width.

    Examples
    --------
    >>> _remove_asian_punct("天。？")
    '天'
    """
    import re

    sent = re.sub(TercomTokenizer.ASIAN_PUNCT, "", sent)
    return re.sub(TercomTokenizer.FULL_WIDTH_PUNCT, "", sent)


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

    ASIAN_PUNCT = r"([\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb])"
    FULL_WIDTH_PUNCT = r"([\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09])"

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
        asian = (self._normalized or self._no_punct) and self._asian_support
        return " ".join(tercom(self._normalized, self._no_punct, asian)(sent))

    compiled = "tercom", __call__

    def signature(self) -> str:
        return "tercom"
