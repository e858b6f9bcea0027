"""METEOR 1.5's text normalization (its option ``-norm``) by substitutions on the whole line.

Each step works on the result of the previous one, from left to right without reading a character
twice: if two matches share a character, the second is left unchanged.
"""

import re
from collections.abc import Mapping

Steps = tuple[tuple[re.Pattern[str], str], ...]

LETTERS = (
    "A-Za-z\u0160\u017d\u0161\u017e\u0178\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017e"
    "\u0400-\u0527\ua640-\ua66e\ua67e-\ua697\u1d00-\u1d7f"
)


def steps(*rules: tuple[str, str]) -> Steps:
    """Compile substitutions; in patterns L is for letters, D for digits, S for white space."""
    classes = {"L": LETTERS, "D": "0-9", "S": " \t\n\v\f\r"}
    return tuple(
        (re.compile(re.sub("[LDS]", lambda found: classes[found[0]], pattern)), replacement)
        for pattern, replacement in rules
    )


((SYMBOL, _),) = steps(("([^LDS.'`,\\-\u2018\u2019])", ""))
COMMAS = steps(
    ("([^D]),([^D])", r"\1 , \2"), ("([D]),([^D])", r"\1 , \2"), ("([^D]),([D])", r"\1 , \2")
)
QUOTES = steps(("[`\u2018\u2019]", "'"), ("[\u201c\u201d]|''", ' " '))
DASHES = steps(("\u2013", "-"), ("--", "-"), ("([LD.])-([LD])", r"\1 \2"))
APOSTROPHES = {
    "en": steps(
        ("([^L])'([^L])", r"\1 ' \2"),
        ("([^LD])'([L])", r"\1 ' \2"),
        ("([L])'([^L])", r"\1 ' \2"),
        ("([L])'([L])", r"\1 '\2"),
        ("([D])'(s)", r"\1 '\2"),
    ),
    "fr": steps(
        ("([^L])'([^L])", r"\1 ' \2"),
        ("([^L])'([L])", r"\1 ' \2"),
        ("([L])'([^L])", r"\1 ' \2"),
        ("([L])'([L])", r"\1' \2"),
    ),
}
OTHER_APOSTROPHES = steps(("'", " ' "))
DOTS = re.compile(r"\.{2,}")
RUN = "\ufffe\ufffe"
WORD = re.compile("[^ \t\n\f\r]+")
CONTROLS = "".join(map(chr, range(33)))


def substitute(rules: Steps, line: str) -> str:
    for pattern, replacement in rules:
        line = pattern.sub(replacement, line)
    return line


def final_dot(word: str, following: str, prefixes: Mapping[str, bool]) -> str:
    """Return a word with its last dot kept, separated, or removed with all of its dots."""
    if len(word) < 2 or not word.endswith("."):
        return word
    base = word[:-1]
    if "." in base and re.search(f"[{LETTERS}]", base):
        return word.replace(".", "")
    if prefixes.get(base) is True or re.match("[a-z]", following):
        return word
    if prefixes.get(base) is False and re.match("[0-9]", following):
        return word
    return f"{base} ."


def tokenize(line: str, language: str, prefixes: Mapping[str, bool]) -> list[str]:
    line = " ".join(SYMBOL.split(f" {line.strip(CONTROLS)} "))  # adds a space on both sides of each
    runs = DOTS.findall(line)
    line = DOTS.sub(f" {RUN} ", line)
    for rules in (COMMAS, QUOTES, DASHES, APOSTROPHES.get(language, OTHER_APOSTROPHES)):
        line = substitute(rules, line)
    words = WORD.findall(line)
    if "." in line:
        pairs = zip(words, [*words[1:], ""], strict=False)
        words = [final_dot(word, following, prefixes) for word, following in pairs]
    line = " ".join(words)
    remaining = iter(runs)
    line = re.sub(RUN, lambda _: next(remaining), line)
    line = re.sub("[ \u00a0\u2000-\u200a\u202f\u205f\u3000]+", " ", line)
    return WORD.findall(line.strip(CONTROLS).lower())
