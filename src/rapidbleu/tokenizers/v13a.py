"""``13a``: the tokenization of NIST's mteval-v13a, WMT's and sacrebleu's default.

It knows ASCII only: any other digit or punctuation mark is part of a word.
"""

from rapidbleu._lib.loader import load

from .base import ScannerRules, Tokenizer, ascii_classes, wide_classes

DIGITS = "0123456789"
SYMBOLS = '!"#$%&()*+/:;<=>?@[\\]^_`{|}~'  # the apostrophe stays inside words
POINTS = ".,"
DASHES = "-"

_SYMBOL = "".join(f"\\{character}" for character in SYMBOLS)
_SUBSTITUTIONS = (
    (f"([{_SYMBOL}])", r" \1 "),
    (f"([^{DIGITS}])([{POINTS}])", r"\1 \2 "),
    (f"([{POINTS}])([^{DIGITS}])", r" \1 \2"),
    (f"([{DIGITS}])({DASHES})", r"\1 \2 "),
)


def western_classes() -> bytes:
    """Return the class of each ASCII character."""
    return ascii_classes(symbols=SYMBOLS, digits=DIGITS, points=POINTS, dashes=DASHES)


def split_western(text: str) -> list[str]:
    """Split off ASCII punctuation, except points between digits and dashes not after a digit.

    The ends of the text are neither digits nor anything else: a point there has one side only.

    Examples
    --------
    >>> split_western("(pages 1-2, 3.5)")
    ['(', 'pages', '1', '-', '2', ',', '3.5', ')']
    >>> split_western("page 7.")
    ['page', '7.']
    """
    re = load("re")
    for pattern, replacement in _SUBSTITUTIONS:
        text = re.sub(pattern, replacement, text)
    return text.split()


class V13aTokenizer(Tokenizer):
    """Undoes the escapes of the SGML test sets, then splits off ASCII punctuation.

    The entities are replaced one kind after the other, so ``&amp;lt;`` ends as ``<``.

    Examples
    --------
    >>> V13aTokenizer()("Tom &amp; Jerry's 2-page plan: 3.5%.")
    ['Tom', '&', "Jerry's", '2', '-', 'page', 'plan', ':', '3.5', '%', '.']
    """

    name = "13a"

    def rules(self) -> ScannerRules:
        return ScannerRules(western_classes(), wide_classes(), pad=True, unescape=True)

    def _split(self, text: str) -> list[str]:
        text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
        if "&" in text:
            text = text.replace("&quot;", '"').replace("&amp;", "&")
            text = text.replace("&lt;", "<").replace("&gt;", ">")
        return split_western(f" {text} ")
