"""``13a``: the tokenization of NIST's mteval-v13a, WMT's and sacrebleu's default.

It knows ASCII only: any other digit or punctuation mark is part of a word.
"""

from functools import cache
from typing import Any

from .base import ScannerRules, Tokenizer, ascii_classes, wide_classes

DIGITS = "0123456789"
SYMBOLS = "!\"#$%&()*+/:;<=>?@[\\]^_`{|}~"  # the apostrophe stays inside words
POINTS = ".,"
DASHES = "-"

WESTERN_CLASSES = ascii_classes(symbols=SYMBOLS, digits=DIGITS, points=POINTS, dashes=DASHES)


@cache
def _substitutions() -> list[tuple[Any, str]]:
    import re

    symbol, point, dash = (f"[{re.escape(chars)}]" for chars in (SYMBOLS, POINTS, DASHES))
    return [
        (re.compile(f"({symbol})"), r" \1 "),
        (re.compile(f"([^0-9])({point})"), r"\1 \2 "),
        (re.compile(f"({point})([^0-9])"), r" \1 \2"),
        (re.compile(f"([0-9])({dash})"), r"\1 \2 "),
    ]


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
    for pattern, replacement in _substitutions():
        text = pattern.sub(replacement, text)
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
    rules = ScannerRules(WESTERN_CLASSES, wide_classes(), pad=True, unescape=True)

    def __call__(self, text: str) -> list[str]:
        text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
        if "&" in text:
            text = text.replace("&quot;", '"').replace("&amp;", "&")
            text = text.replace("&lt;", "<").replace("&gt;", ">")
        return split_western(f" {text} ")
