"""A slow scanner driven only by a tokenizer's `ScannerRules`.

It applies the four substitutions of `rapidbleu.tokenizers.base` one after the other, each in one
pass from left to right.
"""

from rapidbleu.tokenizers.base import DASH, DIGIT, POINT, SPACE, SYMBOL, ScannerRules

MARKUP = (("<skipped>", ""), ("-\n", ""), ("\n", " "))
ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))


class ReferenceScanner:
    def __init__(self, rules: ScannerRules) -> None:
        self.rules = rules

    def kind(self, character: str) -> int:
        code = ord(character)
        if code < 0x80:
            return self.rules.ascii_classes[code]
        for first, last, kind in self.rules.wide_classes:
            if first <= code <= last:
                return kind
        return 0

    def tokens(self, text: str) -> list[str]:
        if self.rules.strip:
            text = self.strip(text)
        if self.rules.unescape:
            for old, new in MARKUP + ENTITIES:
                text = text.replace(old, new)
        if self.rules.pad:
            text = f" {text} "
        text = self.separate_symbols(text)
        text = self.separate_points_after_others(text)
        text = self.separate_points_before_others(text)
        text = self.separate_dashes(text)
        return self.split(text)

    def strip(self, text: str) -> str:
        while text and self.kind(text[0]) == SPACE:
            text = text[1:]
        while text and self.kind(text[-1]) == SPACE:
            text = text[:-1]
        return text

    def separate_symbols(self, text: str) -> str:
        return "".join(f" {c} " if self.kind(c) == SYMBOL else c for c in text)

    def separate_points_after_others(self, text: str) -> str:
        return substitute_pairs(
            text,
            lambda a, b: self.kind(a) != DIGIT and self.kind(b) == POINT,
            lambda a, b: f"{a} {b} ",
        )

    def separate_points_before_others(self, text: str) -> str:
        return substitute_pairs(
            text,
            lambda a, b: self.kind(a) == POINT and self.kind(b) != DIGIT,
            lambda a, b: f" {a} {b}",
        )

    def separate_dashes(self, text: str) -> str:
        return substitute_pairs(
            text,
            lambda a, b: self.kind(a) == DIGIT and self.kind(b) == DASH,
            lambda a, b: f"{a} {b} ",
        )

    def split(self, text: str) -> list[str]:
        tokens = [""]
        for character in text:
            if self.kind(character) == SPACE:
                tokens.append("")
            else:
                tokens[-1] += character
        return [token for token in tokens if token]


def substitute_pairs(text, matches, replacement):
    """Replace adjacent pairs from left to right, consuming both characters of a match."""
    output = ""
    i = 0
    while i < len(text):
        if i + 1 < len(text) and matches(text[i], text[i + 1]):
            output += replacement(text[i], text[i + 1])
            i += 2
        else:
            output += text[i]
            i += 1
    return output
