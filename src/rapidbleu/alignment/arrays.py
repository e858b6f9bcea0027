"""Arrays and vocabularies of a table of translations, checked."""

from rapidbleu.stats import unmasked
from rapidbleu.unchangeable import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu.typing import Array, FloatArray


class KnownWords(dict[str, int]):
    """The places of words; those that are not known share the one behind the last.

    Examples
    --------
    >>> known = known_words(("a", "b"), 1, "words")
    >>> [known[word] for word in ("a", "b", "c")]
    [1, 2, 3]
    """

    other: int

    def __missing__(self, word: str) -> int:
        return self.other


def known_words(words: "tuple[str, ...]", first: int, where: str) -> KnownWords:
    """Return the places of words, from `first` on; no word may be there twice."""
    known = KnownWords(zip(words, range(first, first + len(words)), strict=True))
    known.other = first + len(words)
    if len(known) == len(words) and set(map(type, words)) <= {str}:
        return known
    known.clear()
    for i, word in enumerate(words):
        if not isinstance(word, str):
            raise TypeError(f"{where}[{i}]: expected str, got {type(word).__name__}")
        if known.setdefault(word, first + i) != first + i:
            raise ValueError(f"{where}[{i}]: expected a word of its own, got {word!r} again")
    return known


def vector(values: "Any", dtype: "Any", where: str) -> "Array":
    """Return a vector of a type that cannot be changed, usually a copy.

    Examples
    --------
    >>> import numpy as np
    >>> vector([0, 1], np.int64, "starts")
    array([0, 1])
    >>> vector([0.5], np.int64, "starts")
    Traceback (most recent call last):
        ...
    TypeError: starts: expected an array of int64, got float64
    """
    import numpy as np

    found: Array = np.asarray(unmasked(values, where))
    if found.size == 0:
        found = found.astype(dtype)
    if not np.can_cast(found.dtype, dtype, "same_kind") or found.dtype.kind not in "iuf":
        raise TypeError(f"{where}: expected an array of {np.dtype(dtype)}, got {found.dtype}")
    if found.ndim != 1:
        raise ValueError(f"{where}: expected an array of 1 dimension, got {found.ndim}")
    return frozen(found.astype(dtype, copy=False))


def check_probabilities(probabilities: "FloatArray") -> None:
    """Refuse numbers that are no probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> check_probabilities(np.array([0.5, np.nan]))
    Traceback (most recent call last):
        ...
    ValueError: probabilities[1]: expected 0 to 1, got nan
    """
    if probabilities.size and not (probabilities.min() >= 0.0 and probabilities.max() <= 1.0):
        i = int((~((probabilities >= 0.0) & (probabilities <= 1.0))).argmax())
        raise ValueError(f"probabilities[{i}]: expected 0 to 1, got {probabilities[i]}")
