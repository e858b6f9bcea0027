"""Metrics of recent options: a loop over `sentence_bleu` makes one metric and not thousands."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    _MadeT = TypeVar("_MadeT")

_MOST = 64


class Recent(dict["tuple[Any, ...]", "_MadeT"]):
    """A bounded cache: it calls `make` for a key that it does not hold.

    Metrics never change, so callers may share them.

    Parameters
    ----------
    make : callable
        Takes the items of a key.

    Examples
    --------
    >>> recent = Recent(lambda first, second: [first, second])
    >>> recent[1, 2] is recent[1, 2]
    True
    """

    def __init__(self, make: "Callable[..., _MadeT]") -> None:
        super().__init__()
        self.make = make

    def __missing__(self, key: "tuple[Any, ...]") -> "_MadeT":
        made = self.make(*key)
        if len(self) >= _MOST:
            self.clear()
        self[key] = made
        return made

    def of(self, key: "tuple[Any, ...]") -> "_MadeT":
        """Return the value of a key; make it afresh if the key has no hash."""
        try:
            return self[key]
        except TypeError:
            if _has_hash(key):
                raise
        return self.make(*key)


def _has_hash(key: "tuple[Any, ...]") -> bool:
    try:
        hash(key)
    except TypeError:
        return False
    return True
