"""Checks of the options of metrics, with messages that name option, expectation and value."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any


def check_number(name: str, value: "Any", least: float, most: float) -> float:
    """Return a number of a range.

    Examples
    --------
    >>> check_number("beta", 3, 0, 10)
    3.0
    """
    if isinstance(value, bool | str) or not hasattr(value, "__float__"):
        raise TypeError(f"{name}: expected a number, got {type(value).__name__}")
    number = float(value)
    if not least <= number <= most:
        raise ValueError(f"{name}: expected {least:g} to {most:g}, got {number:g}")
    return number


def check_choice(name: str, value: "Any", choices: "Collection[str]") -> "Any":
    """Return one of several words.

    Examples
    --------
    >>> check_choice("form", "corpus", ("segments", "corpus"))
    'corpus'
    """
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name}: expected one of {', '.join(choices)}; got {value!r}")
    return value
