"""Columns of names, as codes and what they stand for."""

import operator

from rapidbleu.sequences import items_of
from rapidbleu.stats import unmasked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from rapidbleu.typing import Array, FloatArray, IntArray

    _Names = Iterable[str] | Iterable[int] | Array


class Column:
    """A name for each judgment.

    Attributes
    ----------
    codes : int64 array of shape (n_judgments,)
        The places of the names in `names`; read-only.
    names : tuple of str
        No two the same, in the order of their first judgments.

    Examples
    --------
    >>> column = Column.of(["B", "A", "B"], "systems")
    >>> column.names, column.codes
    (('B', 'A'), array([0, 1, 0]))
    """

    def __init__(self, codes: "IntArray", names: "tuple[str, ...]") -> None:
        codes.setflags(write=False)
        self.codes = codes
        self.names = names

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Column):
            return NotImplemented
        return self.names == other.names and bool((self.codes == other.codes).all())

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def of(cls, source: "Any", where: str) -> "Column":
        """Return a column of names; numbers that are integers become their digits.

        Raises
        ------
        TypeError, ValueError
            If something is neither str nor int, or empty.
        """
        import numpy as np

        items = items_of(source, where, "names")
        codes = np.empty(len(items), np.int64)
        places: dict[str, int] = {}
        for i, item in enumerate(items):
            codes[i] = places.setdefault(checked_name(item, where, i), len(places))
        return cls(codes, tuple(places))

    def places_of(self, names: "_Names", where: str) -> "list[int]":
        """Return the codes of some names.

        Raises
        ------
        TypeError, ValueError
            If something is no name of the column.
        """
        known = {name: i for i, name in enumerate(self.names)}
        found = []
        for i, item in enumerate(items_of(names, where, "names")):
            name = checked_name(item, where, i)
            if name not in known:
                raise ValueError(f"{where}[{i}]: expected {_listed(self.names)}, got {name!r}")
            found.append(known[name])
        return found

    def taken(self, rows: "Array") -> "Column":
        """Return the column of some judgments, without the names that they do not have."""
        import numpy as np

        codes = self.codes[rows]
        used, first = np.unique(codes, return_index=True)
        order = used[np.argsort(first)]
        new = np.zeros(len(self.names), np.int64)
        new[order] = np.arange(len(order))
        return Column(new[codes], tuple(self.names[i] for i in order.tolist()))


def checked_name(item: object, where: str, i: int) -> str:
    """Return a name; a number that is an integer becomes its digits."""
    if isinstance(item, str):
        if not item:
            raise ValueError(f"{where}[{i}]: expected a name, got an empty one")
        return str(item)
    try:
        number = operator.index(item)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or isinstance(item, bool):
        raise TypeError(f"{where}[{i}]: expected str or int, got {type(item).__name__}")
    return str(number)


def _listed(names: "tuple[str, ...]") -> str:
    """Return names for an error, not all if they are many."""
    shown = ", ".join(map(repr, names[:8]))
    return f"one of {shown}{', ...' * (len(names) > 8)}"


def numbers_of(source: "Any", where: str) -> "FloatArray":
    """Return a finite number for each judgment, read-only.

    Raises
    ------
    TypeError, ValueError
        If something is no number, or not finite.
    """
    import numpy as np

    if isinstance(source, np.ndarray) and source.dtype.kind in "iuf" and source.ndim == 1:
        unmasked(source, where)
        numbers = source.astype(np.float64)
    else:
        items = items_of(source, where, "scores")
        numbers = np.empty(len(items), np.float64)
        for i, item in enumerate(items):
            if isinstance(item, str | bytes | bool) or not hasattr(item, "__float__"):
                raise TypeError(f"{where}[{i}]: expected a number, got {type(item).__name__}")
            numbers[i] = item
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if len(wrong):
        raise ValueError(f"{where}[{wrong[0]}]: expected a finite number, got {numbers[wrong[0]]}")
    numbers.setflags(write=False)
    return numbers
