"""White space in texts, of which libraries have rules of their own."""

import re

_ODD_SPACE = re.compile(r"[^\S ]").search


def has_only_blanks(text: str) -> bool:
    """Return whether all white space of a text is blanks.

    Examples
    --------
    >>> has_only_blanks("a  cat"), has_only_blanks("a\\tcat")
    (True, False)
    """
    return text.isprintable() or _ODD_SPACE(text) is None  # the first is fast, and mostly true


def check_texts(texts: "list[str]", where: str) -> None:
    """Refuse what is no str.

    Raises
    ------
    TypeError
        The message names the element.

    Examples
    --------
    >>> check_texts(["a", 5], "reference")
    Traceback (most recent call last):
    TypeError: reference[1]: expected str, got int
    """
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(f"{where}[{i}]: expected str, got {type(text).__name__}")
