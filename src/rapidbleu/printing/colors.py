"""Colors of terminals, as escape sequences."""

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


def leave_plain(text: str, color: str) -> str:
    """Return a text as it is: what to call in place of `paint` where colors are not wanted.

    Examples
    --------
    >>> leave_plain("p", "red")
    'p'
    """
    return text
