"""Arguments of simple kinds, checked: whole numbers, flags, objects of a class."""

import operator
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST = sys.maxsize // 8


def check_type(where: str, value: object, kind: type) -> None:
    """Refuse an argument of another class; `where` names it in errors.

    Examples
    --------
    >>> check_type("name", 5, str)
    Traceback (most recent call last):
    ...
    TypeError: name: expected str, got int
    """
    if not isinstance(value, kind):
        raise TypeError(f"{where}: expected {kind.__name__}, got {type(value).__name__}")


def check_count(what: str, value: "Any", least: int, most: float = MOST) -> int:
    """Return an integer that is neither too small nor too large.

    Parameters
    ----------
    what : str
        Names the argument in errors.
    value : object with ``__index__``, not bool
    least : int
    most : float
        By default how many numbers of 64 bits an array can have.

    Examples
    --------
    >>> check_count("n", 1000, 1)
    1000
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise TypeError(f"{what}: expected int, got {type(value).__name__}")
    if number < least:
        raise ValueError(f"{what}: expected at least {least}, got {number}")
    if number > most:
        raise ValueError(f"{what}: expected at most {most}, got {number}")
    return number


def check_flag(what: str, value: "Any") -> bool:
    """Return a flag: True, False, 0 or 1, of Python or of NumPy.

    Examples
    --------
    >>> check_flag("lowercase", 1)
    True
    """
    if isinstance(value, bool):
        return value
    dtype = getattr(value, "dtype", None)
    scalar = isinstance(value, int) if dtype is None else dtype.kind in "bui" and not value.shape
    if not (scalar and value in (0, 1)):
        shown = value if isinstance(value, str | int) else type(value).__name__
        raise TypeError(f"{what}: expected True or False, got {shown!r}")
    return bool(value)
