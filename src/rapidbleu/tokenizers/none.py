"""``none``: the text is tokenized already; split it on white space."""

from .base import ScannerRules, Tokenizer, ascii_classes, wide_classes


class NoneTokenizer(Tokenizer):
    """Splits on white space and does nothing else.

    Examples
    --------
    >>> NoneTokenizer()("the cat , sat.")
    ['the', 'cat', ',', 'sat.']
    """

    name = "none"

    def rules(self) -> ScannerRules:
        return ScannerRules(ascii_classes(), wide_classes())

    def _split(self, text: str) -> list[str]:
        return text.split()
