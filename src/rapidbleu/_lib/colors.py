"""Colors of terminals, as escape sequences, and text that cannot be taken for such."""

from __future__ import annotations

_NAMES = ("BLACK", "RED", "GREEN", "YELLOW", "BLUE", "MAGENTA", "CYAN", "WHITE")
_STARTS = {name: f"\x1b[{code}m" for code, name in enumerate(_NAMES, 30)}
_STARTS |= {f"LIGHT{name}_EX": f"\x1b[{code}m" for code, name in enumerate(_NAMES, 90)}
_STARTS["RESET"] = "\x1b[39m"
_END = "\x1b[0m"


def paint(text: str, color: str) -> str:
    """Return a text in a color; as it is if there is no such color.

    Examples
    --------
    >>> paint("p", "red")
    '\\x1b[31mp\\x1b[0m'
    """
    start = _STARTS.get(color.upper())
    return f"{start}{text}{_END}" if start else text


def harmless(text: str, colored: bool = False) -> str:
    r"""Return a text with escapes for control characters, all but tabs and line feeds.

    The sequences of `paint` stay if it is `colored`.

    Examples
    --------
    >>> print(harmless("a\x1b]0;title\x07b\x9b"))
    a\x1b]0;title\x07b\x9b
    """
    if text.isprintable():
        return text
    import re

    kept = r"\x1b\[(?:0|39|[39][0-7])m|" if colored else ""

    def written(found: re.Match[str]) -> str:
        character = found[0]
        return character if len(character) > 1 else f"\\x{ord(character):02x}"

    return re.sub(rf"{kept}[\x00-\x08\x0b-\x1f\x7f-\x9f]", written, text)


def leave_plain(text: str, color: str) -> str:
    """Return a text as it is: what to call in place of `paint` where colors are not wanted."""
    return text
