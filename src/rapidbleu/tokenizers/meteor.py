"""The text normalization of METEOR 1.5 (its option ``-norm``), for the languages that have one.

Each step works on the whole line, on what the step before has left, and goes from left to right
without looking at a character twice: of two places that need the character between them, the second
stays as it was, so ``a,b,c`` becomes ``a , b,c``. Every character that is neither a letter of the
Latin or Cyrillic alphabets nor a digit nor white space is a token of its own.
"""

import re

from .base import Tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Steps = tuple[tuple[re.Pattern[str], str], ...]

LANGUAGES = ("en", "cs", "fr", "de", "es", "ru")

LETTERS = (
    "A-Za-z\u0160\u017d\u0161\u017e\u0178\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017e"
    "\u0400-\u0527\ua640-\ua66e\ua67e-\ua697\u1d00-\u1d7f"
)
WIDE_BLANKS = "\u00a0\u2000-\u200a\u202f\u205f\u3000"


def steps(*rules: tuple[str, str]) -> "Steps":
    """Return substitutions; in patterns L is for letters, D for digits, S for white space."""
    classes = {"L": LETTERS, "D": "0-9", "S": " \t\n\v\f\r"}
    return tuple(
        (re.compile(re.sub("[LDS]", lambda found: classes[found[0]], pattern)), replacement)
        for pattern, replacement in rules
    )


SYMBOLS = steps(("([^LDS.'`,\\-\u2018\u2019])", r" \1 "))
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

# Commas that share no neighbour all follow one rule, in one pass that looks at commas alone.
SHARED_NEIGHBOUR = re.compile(",.?,", re.DOTALL).search
LONE_COMMAS = ((re.compile(",(?:(?![0-9])|(?<![0-9],))"), " , "),)
DOTS = re.compile(r"\.{2,}")
QUOTE_MARKS = "'`\u2018\u2019\u201c\u201d"
RUN = "\ufffe\ufffe"  # stands for a run of dots: two symbols are never next to each other
BLANKS = re.compile(f"[{WIDE_BLANKS}]+")
HAS_LETTER = re.compile(f"[{LETTERS}]").search
FIND_WORDS = re.compile("[^ \t\n\f\r]+").findall
CONTROLS = "".join(map(chr, range(33)))


def substitute(rules: "Steps", line: str) -> str:
    """Return the line after all steps."""
    for pattern, replacement in rules:
        line = pattern.sub(replacement, line)
    return line


class MeteorTokenizer(Tokenizer):
    """Sets symbols and marks apart, takes apostrophes apart by language, and lowercases.

    Parameters
    ----------
    language : str
        One of `LANGUAGES`.
    prefixes : mapping of str to bool
        Words that keep a dot at their end: True, always; False, in front of a digit.

    Examples
    --------
    >>> get_meteor_tokenizer("en", {"Mr": True})("Mr. Smith's dog isn't 3.5 years old.")
    ['mr.', 'smith', "'s", 'dog', 'isn', "'t", '3.5', 'years', 'old', '.']
    """

    def __init__(self, language: str, prefixes: "Mapping[str, bool]") -> None:
        self.language = language
        self.prefixes = dict(prefixes)
        self.name = f"meteor-{language}"
        self._apostrophes = APOSTROPHES.get(language, OTHER_APOSTROPHES)

    def __call__(self, text: str) -> list[str]:
        line = substitute(SYMBOLS, f" {text} ")
        runs: list[str] = []
        if ".." in line:
            runs = DOTS.findall(line)
            line = DOTS.sub(f" {RUN} ", line)
        if "," in line:
            line = substitute(COMMAS if SHARED_NEIGHBOUR(line) else LONE_COMMAS, line)
        if any(mark in line for mark in QUOTE_MARKS):
            line = substitute(QUOTES, line)
        if "-" in line or "\u2013" in line:
            line = substitute(DASHES, line)
        if "'" in line:
            line = substitute(self._apostrophes, line)
        only_blanks = line.isprintable()  # separate words
        words = line.split() if only_blanks else FIND_WORDS(line)
        if "." in line:
            self._set_dots_apart(words)
        line = " ".join(words)
        if only_blanks:
            return line.lower().split()
        if runs:
            remaining = iter(runs)
            line = re.sub(RUN, lambda _: next(remaining), line)
        return FIND_WORDS(BLANKS.sub(" ", line).strip(CONTROLS).lower())

    def _set_dots_apart(self, words: list[str]) -> None:
        """Keep the dots at the ends of words, set them apart, or drop all dots of a word."""
        following = ""
        for k in range(len(words) - 1, -1, -1):
            word = words[k]
            if word[-1] == "." and len(word) > 1:
                base = word[:-1]
                always = self.prefixes.get(base)
                if "." in base and HAS_LETTER(base):
                    words[k] = word.replace(".", "")
                elif not (
                    always
                    or "a" <= following <= "z"
                    or (always is False and "0" <= following <= "9")
                ):
                    words[k : k + 1] = base, "."
            following = word[0]

    def signature(self) -> str:
        """Return the name, and how many words keep their dots, with a checksum of them."""
        if not self.prefixes:
            return self.name
        from zlib import crc32

        known = repr(sorted(self.prefixes.items())).encode()
        return f"{self.name}-{len(self.prefixes)}-{crc32(known):08x}"

    def __reduce__(self) -> "tuple[Any, ...]":
        return get_meteor_tokenizer, (self.language, self.prefixes)


_tokenizers: dict[tuple[str, frozenset[tuple[str, bool]]], MeteorTokenizer] = {}


def get_meteor_tokenizer(language: str, prefixes: "Mapping[str, bool]") -> MeteorTokenizer:
    """Return the tokenizer of a language and these prefixes, the same object each time.

    Raises
    ------
    ValueError
        If the language has no rules.
    """
    if language not in LANGUAGES:
        raise ValueError(
            f"language: expected one of {', '.join(LANGUAGES)} for the tokenizer of METEOR, got "
            f"{language!r}; give another with tokenize="
        )
    key = language, frozenset(prefixes.items())
    tokenizer = _tokenizers.get(key)
    if tokenizer is not None:
        return tokenizer
    return _tokenizers.setdefault(key, MeteorTokenizer(language, prefixes))
