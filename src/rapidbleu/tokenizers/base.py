"""Tokenizer interface, character classes of the compiled scanner, and the table of names.

Each tokenizer states its rule twice. Calling it runs the readable rule in plain Python. `rules`
returns the same rule as data, a class for each character, for a scanner that creates no Python
object per token. The rules of mteval differ only in those classes. All consist of these four
substitutions, in order, each over the whole text from left to right and without overlaps (a
character consumed by one match is not part of the next)::

    SYMBOL               ->  " SYMBOL "
    (not DIGIT) POINT    ->  "\\1 POINT "
    POINT (not DIGIT)    ->  " POINT \\2"
    DIGIT DASH           ->  "DIGIT DASH "

after which the text is split at white space. METEOR's rule is different: it is compiled, and
calling that tokenizer runs the compiled rule.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from rapidbleu._core.text.tokenize import Scanner, TextScanner
from rapidbleu._lib.loader import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeVar

    _Made = TypeVar("_Made")
    _WideClasses = tuple[tuple[int, int, int], ...]

OTHER = 0  # part of a token
SPACE = 1  # separates tokens
SYMBOL = 2  # always a token of its own
DIGIT = 4
POINT = 8  # a token of its own unless between digits
DASH = 16  # a token of its own after a digit

# Non-ASCII characters c with c.isspace(), at which str.split() splits
WIDE_SPACES = (
    (0x0085, 0x0085), (0x00A0, 0x00A0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029),
    (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000),
)  # fmt: skip

_CLASSES = {
    "none": "mteval.NoneTokenizer",
    "zh": "mteval.ZhTokenizer",
    "13a": "mteval.V13aTokenizer",
    "intl": "mteval.IntlTokenizer",
    "char": "mteval.CharTokenizer",
    "ja-mecab": "models.JaMecabTokenizer",
    "ko-mecab": "models.KoMecabTokenizer",
    "spm": "models.SpmTokenizer",
    "flores101": "models.Flores101Tokenizer",
    "flores200": "models.Flores200Tokenizer",
    "spBLEU-1K": "models.SpBleu1KTokenizer",
}

TOKENIZERS: tuple[str, ...] = tuple(_CLASSES)


class ScannerRules:
    """A tokenizer as data for the compiled scanner.

    `ascii_classes` contains 128 bytes, a class for each ASCII character; `wide_classes` contains
    sorted, disjoint ranges of code points from 0x80 on as tuples (first, last, class). With `pad`
    the substitutions see the text between two spaces. Before them, `unescape` replaces the markup
    and entities of 13a, `strip` drops outer white space, and `lowercase` lowercases ASCII letters.
    """

    pad = unescape = strip = lowercase = False

    def __init__(self, ascii_classes: bytes, wide_classes: _WideClasses, **flags: bool) -> None:
        self.ascii_classes = ascii_classes
        self.wide_classes = wide_classes
        vars(self).update(flags)


class Tokenizer(ABC):
    """A named rule that splits a text into tokens.

    The text is already lowercased, if the metric lowercases, and without trailing white space. Each
    name has a single object, see `get_tokenizer`; pickling and copying return it.

    Examples
    --------
    >>> from rapidbleu.tokenizers import get_tokenizer
    >>> get_tokenizer("13a")("It rained, didn't it?")
    ['It', 'rained', ',', "didn't", 'it', '?']
    """

    name: str
    """The name which `get_tokenizer` knows it by."""

    lowercases = False
    """Whether the rule lowercases and needs the case before: its text is never lowercased first."""

    _scanner: TextScanner | None = None

    def __call__(self, text: str) -> list[str]:
        """Return the tokens of `text`."""
        if not isinstance(text, str):
            raise TypeError(f"text: expected str; got {type(text).__name__}")
        return self._split(text)

    @abstractmethod
    def _split(self, text: str) -> list[str]:
        """Return the tokens of a text."""

    def rules(self) -> ScannerRules | None:
        """Return the same rule as data, or None if only the call implements it."""
        return None

    def scanner(self) -> TextScanner | None:
        """Return the compiled twin, created on demand, or None if there is none."""
        if self._scanner is None:
            rules = self.rules()
            if rules is not None:
                self._scanner = Scanner(**vars(rules))
        return self._scanner

    def signature(self) -> str:
        """Return the tokenizer's field ``tok:`` in signatures of scores."""
        return self.name

    def __repr__(self) -> str:
        return f"<tokenizer {self.name!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return get_tokenizer, (self.name,)


def ascii_classes(
    *, symbols: str = "", digits: str = "", points: str = "", dashes: str = ""
) -> bytes:
    """Return the class of each ASCII character: SPACE, the given sets, else OTHER.

    >>> ascii_classes(points=".,")[ord(",")] == POINT
    True
    """
    classes = bytearray(SPACE if chr(code).isspace() else OTHER for code in range(128))
    for characters, kind in ((symbols, SYMBOL), (digits, DIGIT), (points, POINT), (dashes, DASH)):
        for character in characters:
            classes[ord(character)] = kind
    return bytes(classes)


def wide_classes(
    ranges: Iterable[tuple[int, int, int]] = (), spaces: Iterable[tuple[int, int]] = WIDE_SPACES
) -> _WideClasses:
    """Return disjoint `ranges`, sorted, with sorted `spaces` cut out and added as SPACE.

    >>> wide_classes([(0x2FF0, 0x303F, SYMBOL)])[-3:] == (
    ...     (0x2FF0, 0x2FFF, SYMBOL), (0x3000, 0x3000, SPACE), (0x3001, 0x303F, SYMBOL))
    True
    """
    pieces = [(first, last, SPACE) for first, last in spaces]
    for first, last, kind in ranges:
        for space_first, space_last in spaces:
            if space_last < first or last < space_first:
                continue
            if first < space_first:
                pieces.append((first, space_first - 1, kind))
            first = space_last + 1
        if first <= last:
            pieces.append((first, last, kind))
    return tuple(sorted(pieces))


_tokenizers: dict[str, Tokenizer] = {}
_with_options: dict[Any, Any] = {}  # by class and options


def one_of(make: Callable[..., _Made], *options: Any) -> _Made:
    """Return the cached result of `make` for these options."""
    key = make, options
    made: _Made | None = _with_options.get(key)
    return made or _with_options.setdefault(key, make(*options))


def get_tokenizer(name: str) -> Tokenizer:
    """Return the tokenizer called `name`, always the same object, created on demand.

    Parameters
    ----------
    name : str
        One of `TOKENIZERS`.

    Raises
    ------
    ImportError
        If a required library is not installed.
    FileNotFoundError
        If a required model is not on this machine.

    Examples
    --------
    >>> get_tokenizer("13a")("It costs $1,000.50, not 2.")
    ['It', 'costs', '$', '1,000.50', ',', 'not', '2', '.']
    """
    if not isinstance(name, str):
        raise TypeError(f"name: expected str; got {type(name).__name__}")
    tokenizer = _tokenizers.get(name)
    if tokenizer is not None:
        return tokenizer
    if name not in _CLASSES:
        raise ValueError(f"name: expected one of {', '.join(TOKENIZERS)}; got {name!r}")
    module, class_name = _CLASSES[name].split(".")
    return _tokenizers.setdefault(name, load(f"{__package__}.{module}", class_name)())
