"""Terminal colors as escape sequences, and text without other such sequences."""

from __future__ import annotations

_NAMES = ("BLACK", "RED", "GREEN", "YELLOW", "BLUE", "MAGENTA", "CYAN", "WHITE")
_STARTS = {name: f"\x1b[{code}m" for code, name in enumerate(_NAMES, 30)}
_STARTS |= {f"LIGHT{name}_EX": f"\x1b[{code}m" for code, name in enumerate(_NAMES, 90)}
_STARTS["RESET"] = "\x1b[39m"
_END = "\x1b[0m"


def paint(text: str, color: str) -> str:
    """Return a text in a color, unchanged if the color is unknown.

    >>> paint("p", "red")
    '\\x1b[31mp\\x1b[0m'
    """
    start = _STARTS.get(color.upper())
    return f"{start}{text}{_END}" if start else text


def harmless(text: str, colored: bool = False) -> str:
    r"""Return a text with control characters escaped, except tabs and line feeds.

    `colored` preserves the sequences of `paint`.

    >>> print(harmless("a\x1b]0;title\x07b\x9b"))
    a\x1b]0;title\x07b\x9b
    """
    if text.isprintable():
        return text
    import re

    kept = r"\x1b\[(?:0|39|[39][0-7])m|" if colored else ""

    def written(match: re.Match[str]) -> str:
        character = match[0]
        return character if len(character) > 1 else f"\\x{ord(character):02x}"

    return re.sub(rf"{kept}[\x00-\x08\x0b-\x1f\x7f-\x9f]", written, text)


def leave_plain(text: str, color: str) -> str:
    """Return a text unchanged: the replacement of `paint` without colors."""
    return text
