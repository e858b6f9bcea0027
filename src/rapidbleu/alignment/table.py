"""A table of translations: the probability of each target word, given a source word."""

from __future__ import annotations

from rapidbleu._core.ibm1.model1 import Table
from rapidbleu._lib.checks import check_flag
from rapidbleu._lib.frozen import Unchangeable, frozen
from rapidbleu._lib.lazy import np
from rapidbleu.stats import unmasked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from rapidbleu.typing import Array, FloatArray


class TranslationTable(Unchangeable):
    """Probabilities ``p(target word | source word)`` of words that occur together.

    Parameters
    ----------
    source_words, target_words : sequence of str
        The vocabularies, no word twice; NULL is not among them.
    starts : int64 array of shape (n_target + 1,)
        Where the cells of each target word begin.
    words : int32 array of shape (n_cells,)
        The source word of each cell, ascending for each target word: 0 for NULL, else 1 and its
        place among `source_words`.
    probabilities : float64 array of shape (n_cells,)
        0 to 1.
    null : bool
        May target words be translations of no word?
    perplexities : sequence of float
        Of the target words, before each step of learning.

    Attributes
    ----------
    source_words, target_words, perplexities : tuple
    starts, words, probabilities : array
        Read-only.
    null : bool

    Raises
    ------
    TypeError, ValueError
        If these are not the arrays of a table.

    Notes
    -----
    12 bytes a cell; pairs of words without one have probability 0. It can be pickled.

    Examples
    --------
    >>> table = TranslationTable(["dog"], ["chien"], [0, 2], [0, 1], [0.25, 1.0])
    >>> table.probability("chien", "dog"), table.probability("chien", None)
    (1.0, 0.25)
    """

    _fixed = frozenset(
        ("source_words", "target_words", "starts", "words", "probabilities", "null", "perplexities")
    )
    _remedy = "a table cannot be changed; make a new one of its parts"

    def __init__(
        self,
        source_words: Iterable[str],
        target_words: Iterable[str],
        starts: Array,
        words: Array,
        probabilities: FloatArray,
        *,
        null: bool = True,
        perplexities: Iterable[float] = (),
    ) -> None:
        self.source_words, self.target_words = tuple(source_words), tuple(target_words)
        self.starts = _vector(starts, np.int64, "starts")
        self.words = _vector(words, np.int32, "words")
        self.probabilities = _vector(probabilities, np.float64, "probabilities")
        self.null = check_flag("null", null)
        self.perplexities = tuple(float(perplexity) for perplexity in perplexities)
        self._source = _known_words(self.source_words, 1, "source_words")
        self._target = _known_words(self.target_words, 0, "target_words")
        likely = (self.probabilities >= 0.0) & (self.probabilities <= 1.0)
        if not likely.all():
            i = int(likely.argmin())
            raise ValueError(f"probabilities[{i}]: expected 0 to 1, got {self.probabilities[i]}")
        if len(self.starts) != len(self.target_words) + 1:
            raise ValueError(
                f"starts: expected {len(self.target_words) + 1}, one more than target words, "
                f"got {len(self.starts)}"
            )
        # Target words that are not known have a column behind the last one, without cells.
        starts = np.append(self.starts, self.starts[-1:])
        self._table = Table(starts, self.words, self.probabilities, len(self.source_words) + 1)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({len(self.source_words):,} source words, "
            f"{len(self.target_words):,} target words, {len(self.words):,} cells, "
            f"null={self.null})"
        )

    def __reduce__(self) -> Any:
        arguments = self.source_words, self.target_words, self.starts, self.words
        return _rebuilt, (type(self), *arguments, self.probabilities, self.null, self.perplexities)

    def probability(self, target: str, source: str | None) -> float:
        """Return ``p(target | source)`` of two words; None is the empty word NULL.

        Examples
        --------
        >>> from rapidbleu.alignment import IBMModel1
        >>> model = IBMModel1.fit(["green house", "the house"], ["casa verde", "la casa"])
        >>> model.probability("verde", "green") > model.probability("casa", "green")
        True
        >>> model.probability("verde", "blue")
        0.0
        """
        place = 0 if source is None else self._source.get(source)
        column = self._target.get(target)
        if place is None or column is None:
            return 0.0
        begin, end = self.starts[column : column + 2].tolist()
        k = begin + int(self.words[begin:end].searchsorted(place))
        return float(self.probabilities[k]) if k < end and self.words[k] == place else 0.0

    def translations(self, source: str | None) -> dict[str, float]:
        """Return the translations of a word and their probabilities, the most probable one first.

        Parameters
        ----------
        source : str or None
            None is the empty word NULL.

        Returns
        -------
        dict
            Of equal ones, the first that was seen comes first. Nothing for unknown words.

        Notes
        -----
        Linear in the cells of the table; `to_dict` is faster for many words.

        Examples
        --------
        >>> from rapidbleu.alignment import IBMModel1
        >>> model = IBMModel1.fit(["green house", "the house"], ["casa verde", "la casa"])
        >>> list(model.translations("house"))
        ['casa', 'verde', 'la']
        """
        place = 0 if source is None else self._source.get(source)
        if place is None:
            return {}
        cells = (self.words == place).nonzero()[0]
        order = cells[(-self.probabilities[cells]).argsort(kind="stable")]
        columns = self.starts.searchsorted(order, "right") - 1
        names = [self.target_words[column] for column in columns.tolist()]
        return dict(zip(names, self.probabilities[order].tolist(), strict=True))

    def to_dict(self) -> dict[str | None, dict[str, float]]:
        """Return the whole table: of each source word, and None for NULL, its translations.

        Examples
        --------
        >>> from rapidbleu.alignment import IBMModel1
        >>> IBMModel1.fit(["green"], ["verde"]).to_dict()
        {None: {'verde': 1.0}, 'green': {'verde': 1.0}}
        """
        names = (None, *self.source_words)
        table: dict[str | None, dict[str, float]] = {
            name: {} for name in (names if self.null else names[1:])
        }
        words, values, starts = (
            part.tolist() for part in (self.words, self.probabilities, self.starts)
        )
        for column, target in enumerate(self.target_words):
            for k in range(starts[column], starts[column + 1]):
                table[names[words[k]]][target] = values[k]
        return table


def _rebuilt(cls: type[TranslationTable], *arguments: Any) -> TranslationTable:
    *table, null, perplexities = arguments
    return cls(*table, null=null, perplexities=perplexities)


class _KnownWords(dict[str, int]):
    """The places of words; those that are not known share the one behind the last.

    Examples
    --------
    >>> known = _known_words(("a", "b"), 1, "words")
    >>> [known[word] for word in ("a", "b", "c")]
    [1, 2, 3]
    """

    other: int

    def __missing__(self, word: str) -> int:
        return self.other


def _known_words(words: tuple[str, ...], first: int, where: str) -> _KnownWords:
    """Return the places of words, from `first` on; no word may be there twice."""
    known = _KnownWords(zip(words, range(first, first + len(words)), strict=True))
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


def _vector(values: Any, dtype: Any, where: str) -> Array:
    """Return a vector of a type that cannot be changed, usually a copy.

    Examples
    --------
    >>> import numpy as np
    >>> _vector([0, 1], np.int64, "starts")
    array([0, 1])
    >>> _vector([0.5], np.int64, "starts")
    Traceback (most recent call last):
        ...
    TypeError: starts: expected an array of int64, got float64
    """
    found: Array = np.asarray(unmasked(values, where))
    if found.size == 0:
        found = found.astype(dtype)
    if not np.can_cast(found.dtype, dtype, "same_kind") or found.dtype.kind not in "iuf":
        raise TypeError(f"{where}: expected an array of {np.dtype(dtype)}, got {found.dtype}")
    if found.ndim != 1:
        raise ValueError(f"{where}: expected an array of 1 dimension, got {found.ndim}")
    return frozen(found.astype(dtype, copy=False))
