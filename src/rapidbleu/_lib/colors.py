"""Terminal colors as escape sequences, text without other such sequences, and its width.

Colors are from the 256-color palette, which themes leave alone; their contrast on black and on
white is at least 3.9 (WCAG 2).
"""

from __future__ import annotations

from rapidbleu._lib.loader import load

_CODES = {"red": 196, "green": 28, "yellow": 130, "cyan": 30, "gray": 243}
_STARTS = {name: f"\x1b[38;5;{code}m" for name, code in _CODES.items()}
_END = "\x1b[0m"
_PAINTED = "|".join([start.replace("[", r"\[") for start in (*_STARTS.values(), _END)])
_NO_WIDTH = ("Mn", "Me", "Cf")  # categories of marks and invisible characters


def paint(text: str, color: str) -> str:
    """Return a text in a color, unchanged if the color is unknown.

    >>> paint("p", "red")
    '\\x1b[38;5;196mp\\x1b[0m'
    """
    start = _STARTS.get(color)
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

    kept = f"{_PAINTED}|" if colored else ""

    def written(match: re.Match[str]) -> str:
        character = match[0]
        return character if len(character) > 1 else f"\\x{ord(character):02x}"

    return re.sub(rf"{kept}[\x00-\x08\x0b-\x1f\x7f-\x9f]", written, text)


def leave_plain(text: str, color: str) -> str:
    """Return a text unchanged: `paint` without colors."""
    return text


def columns(text: str) -> int:
    """Return the width of a text in terminal columns."""
    if text.isascii() and text.isprintable():
        return len(text)
    unicodedata, text = load("unicodedata"), "".join(part for part, _ in painted_parts(text))
    return sum(
        0
        if unicodedata.category(character) in _NO_WIDTH
        else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in text
    )


def widths_of(texts: list[str]) -> list[int]:
    """Return the width of each text in terminal columns."""
    joined = "".join(texts)
    is_plain = joined.isascii() and joined.isprintable()
    return list(map(len if is_plain else columns, texts))


def painted_parts(text: str) -> list[tuple[str, str]]:
    """Return the parts of a colored text, each with its color, "" for none."""
    import re

    colors = {start: name for name, start in _STARTS.items()}
    parts = ["", *re.split(f"({_PAINTED})", text)]
    return [(parts[i + 1], colors.get(parts[i], "")) for i in range(0, len(parts), 2)]


def folded(text: str, width: int | None, indent: int) -> list[str]:
    """Return a line as lines of at most `width` columns, all but the first one indented.

    They end between words, or within a word that is longer than a line; colors end with them.
    """
    if width is None or columns(text) <= width:
        return [text]
    import re

    lines, line, used, color = [], "", 0, ""
    for word in re.findall(rf"\s+|(?:{_PAINTED}|\S)+", text):
        fits = columns(word) <= width - indent
        for unit in [word] if fits else re.findall(rf"(?:{_PAINTED})|.(?:{_PAINTED})?", word):
            if used + columns(unit) > width and used > indent:
                lines.append(line.rstrip() + _END * bool(color))
                line, used = " " * indent + color, indent
            if not (unit.isspace() and lines and used == indent):
                line, used = line + unit, used + columns(unit)
            for found in re.findall(_PAINTED, unit):
                color = "" if found == _END else found
    return [*lines, line.rstrip()] if columns(line) > indent else lines
