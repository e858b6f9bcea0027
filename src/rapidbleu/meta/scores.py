"""Scores by system and segment, and the columns of names and numbers they are built from.

Each column is checked once, as a whole, on entry, and scores are matched by name; statistics and
tests use the matrices that `matched` returns.
"""

from __future__ import annotations

import operator
import sys
import warnings

from rapidbleu._lib.checks import check_count, check_type, items_of
from rapidbleu._lib.loader import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    from rapidbleu._types import Array, FloatArray, IntArray, Items

    _Names: TypeAlias = Iterable[str] | Iterable[int] | Array
    _Scores: TypeAlias = "Items[float | None] | Array"
    _ScoreSource: TypeAlias = "SystemScores | Array | Items[_Scores] | Mapping[str, _Scores]"
    _SystemSource: TypeAlias = "_ScoreSource | Items[float] | Mapping[str, float]"
    _Place: TypeAlias = Callable[[int], str]

SHOWN = 8  # names in a message


class MetaWarning(UserWarning):
    """A statistic is undefined or unreliable; the text names it and the reason.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", MetaWarning)  # stop at unreliable statistics
    """


def caution(message: str) -> None:
    """Warn at the line that called rapidbleu."""
    level = 2
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("rapidbleu."):
        level = level + 1
        frame = frame.f_back
    warnings.warn(message, MetaWarning, stacklevel=level)


class SystemScores:
    """A matrix of scores with a row per system and a column per segment.

    Parameters
    ----------
    values : array of shape (n_systems, n_segments)
        Finite; missing scores are nan or None.
    systems, segments : sequence of str, optional
        Unique names.

    Attributes
    ----------
    values : float64 array of shape (n_systems, n_segments)
        Read-only.
    systems, segments : tuple of str, or None

    Examples
    --------
    >>> scores = SystemScores([[78.0, 91.5], [64.0, None]], ["A", "B"])
    >>> scores
    SystemScores(2 systems, 2 segments, 1 score missing)
    >>> scores.means()
    array([84.75, 64.  ])
    """

    def __init__(
        self,
        values: Any,
        systems: Iterable[str] | None = None,
        segments: Iterable[str] | None = None,
    ) -> None:
        self.values = _matrix(values)
        self.systems = _as_many_names(systems, self.values.shape[0], "systems")
        self.segments = _as_many_names(segments, self.values.shape[1], "segments")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.values, self.systems, self.segments)

    def __repr__(self) -> str:
        missing = int((self.values != self.values).sum())
        more = f", {counted(missing, 'score')} missing" if missing else ""
        return f"SystemScores({shape_of(self.values, ', ')}{more})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SystemScores):
            return NotImplemented
        same = np.array_equal(self.values, other.values, equal_nan=True)
        return same and (self.systems, self.segments) == (other.systems, other.segments)

    __hash__ = None  # type: ignore[assignment]

    def name(self, i: int) -> str:
        """Return the name of system `i`, or its index as a str if systems have no names."""
        i = check_count("i", i, 0, len(self.values) - 1)
        return self.systems[i] if self.systems is not None else str(i)

    def kept(self, places: Sequence[int]) -> SystemScores:
        """Return the scores of the systems at these positions."""
        most = len(self.values) - 1
        return self._rows([check_count(f"places[{k}]", i, 0, most) for k, i in enumerate(places)])

    def means(self) -> FloatArray:
        """Return the mean score of each system; nan for a system without scores."""
        return means_of(self.values)

    def of(self, systems: Iterable[str]) -> SystemScores:
        """Return the scores of some systems, in this order; ValueError if a name is unknown.

        Examples
        --------
        >>> SystemScores([[1.0], [2.0], [3.0]], ["A", "B", "C"]).of(["C", "A"]).values
        array([[3.],
               [1.]])
        """
        wanted = unique_names(systems, "systems")
        if self.systems is None:
            raise ValueError("systems: expected scores with names of systems; got none")
        return self._rows(places_of(wanted, self.systems, "systems"))

    def without(self, systems: Iterable[str]) -> SystemScores:
        """Return the scores of all other systems.

        Examples
        --------
        >>> SystemScores([[1.0], [2.0], [3.0]], ["A", "B", "C"]).without(["B"]).systems
        ('A', 'C')
        """
        left_out = self.of(systems).systems or ()
        return self.of([name for name in self.systems or () if name not in left_out])

    def _rows(self, rows: list[int]) -> SystemScores:
        systems = None if self.systems is None else tuple(self.systems[i] for i in rows)
        return self._like(self.values[rows], systems, self.segments)

    @classmethod
    def _like(
        cls,
        values: FloatArray,
        systems: tuple[str, ...] | None,
        segments: tuple[str, ...] | None,
    ) -> SystemScores:
        """Return scores from a new matrix and names that need no check."""
        if not values.size:
            raise ValueError(f"expected at least one score; got {shape_of(values)}")
        new = cls.__new__(cls)
        new.values = np.ascontiguousarray(values)
        new.values.setflags(write=False)
        new.systems = systems
        new.segments = segments
        return new

    @classmethod
    def _of_columns(
        cls,
        systems: Iterable[str],
        segments: Iterable[str],
        scores: Sequence[float] | FloatArray,
        place: _Place,
        where: str,
    ) -> SystemScores:
        """Return a score for each cell that the columns name, nan elsewhere.

        ``place(i)`` locates score i in errors, and `where` the whole input.
        """
        if not len(scores):
            raise ValueError(f"{where}: expected at least one score; got none")
        system = Column.of(systems)
        segment = Column.of(segments)
        values = np.full((len(system.names), len(segment.names)), np.nan)
        cells = system.codes * values.shape[1] + segment.codes
        first = np.unique(cells, return_index=True)[1]
        if len(first) < len(cells):
            i = np.setdiff1d(np.arange(len(cells)), first)[0]
            raise ValueError(
                f"{place(i)}: expected one score of system {system.names[system.codes[i]]!r} for "
                f"segment {segment.names[segment.codes[i]]!r}; got another"
            )
        values.ravel()[cells] = scores
        return cls._like(values, system.names, segment.names)


class Column:
    """Names of judgments or scores: `codes` (int64, read-only) index the unique `names`.

    Names are in order of first appearance.

    >>> column = Column.of(["B", "A", "B"])
    >>> column.names, column.codes
    (('B', 'A'), array([0, 1, 0]))
    """

    def __init__(self, codes: IntArray, names: tuple[str, ...]) -> None:
        codes.setflags(write=False)
        self.codes = codes
        self.names = names

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Column):
            return NotImplemented
        return self.names == other.names and bool((self.codes == other.codes).all())

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def of(cls, names: Iterable[str]) -> Column:
        """Return a column of checked names."""
        codes: dict[str, int] = {}
        codes_of = [codes.setdefault(name, len(codes)) for name in names]
        return cls(np.array(codes_of, np.int64), tuple(codes))

    def taken(self, rows: Array) -> Column:
        """Return the column of some rows, without unused names."""
        return Column.of([self.names[code] for code in self.codes[rows].tolist()])


def counted(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"


def listed(names: Sequence[str]) -> str:
    """Return names for a message, truncated if there are many."""
    return ", ".join(map(repr, names[:SHOWN])) + ", ..." * (len(names) > SHOWN)


def shape_of(values: Array, between: str = " x ") -> str:
    """Return the numbers of systems and segments in words."""
    return f"{counted(values.shape[0], 'system')}{between}{counted(values.shape[1], 'segment')}"


def means_of(values: FloatArray) -> FloatArray:
    """Return the mean of each row without nan; nan for a row of nan only."""
    values = np.ascontiguousarray(values)  # a fixed order of summation
    known = ~np.isnan(values)
    counts = known.sum(axis=1)
    sums = np.where(known, values, 0.0).sum(axis=1)
    means: FloatArray = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return means


def checked_names(names: list[Any], place: _Place) -> list[str]:
    """Return the names in a column; integers become decimal strings.

    >>> checked_names(["a", 2], "row {}".format)
    ['a', '2']
    """
    if set(map(type, names)) == {str} and "" not in names:
        return names
    checked = []
    for i, name in enumerate(names):
        if isinstance(name, str):
            if not name:
                raise ValueError(f"{place(i)}: expected a name; got none")
            checked.append(str(name))
            continue
        try:
            number = None if isinstance(name, bool) else operator.index(name)
        except TypeError:
            number = None
        if number is None:
            raise TypeError(f"{place(i)}: expected str or int; got {type(name).__name__}")
        checked.append(str(number))
    return checked


def names_of(source: Any, where: str) -> list[str]:
    """Return the names in an argument; integers become decimal strings."""
    names = items_of(source, where, "names")
    return checked_names(names, lambda i: f"{where}[{i}]") if names else names


def unique_names(source: Iterable[str], where: str) -> tuple[str, ...]:
    """Return names after checking that they are unique."""
    items = items_of(list(source) if hasattr(source, "keys") else source, where, "names")
    seen: dict[str, None] = {}
    for i, name in enumerate(items):
        check_type(f"{where}[{i}]", name, str)
        if name in seen:
            raise ValueError(f"{where}[{i}]: expected a name of its own; got {name!r} again")
        seen[name] = None
    return tuple(seen)


def _as_many_names(names: Iterable[str] | None, n: int, where: str) -> tuple[str, ...] | None:
    if names is None:
        return None
    unique = unique_names(names, where)
    if len(unique) != n:
        raise ValueError(f"{where}: expected {n}, as many as the matrix has; got {len(unique)}")
    return unique


def places_of(wanted: Sequence[str], known: Sequence[str], where: str) -> list[int]:
    """Return the positions of `wanted` in `known`."""
    indices = {name: i for i, name in enumerate(known)}
    for i, name in enumerate(wanted):
        if name not in indices:
            raise ValueError(f"{where}[{i}]: expected one of {listed(known)}; got {name!r}")
    return [indices[name] for name in wanted]


def numbers_of(source: Any, where: str, missing: bool = False) -> FloatArray:
    """Return the numbers in an argument as float64; with `missing`, None becomes nan."""
    if isinstance(source, np.ndarray) and source.dtype.kind in "iuf" and source.ndim == 1:
        return np.array(_filled(source), np.float64)
    items = items_of(source, where, "scores")
    numbers = np.empty(len(items), np.float64)
    for i, item in enumerate(items):
        if item is None and missing:
            numbers[i] = np.nan
        elif isinstance(item, str | bytes | bool) or not hasattr(item, "__float__"):
            expected = "a number or None" if missing else "a number"
            raise TypeError(f"{where}[{i}]: expected {expected}; got {type(item).__name__}")
        else:
            numbers[i] = item
    return numbers


def _filled(values: Array) -> Array:
    masks = sys.modules.get("numpy.ma")  # if not imported, nothing is masked
    if masks is None or values.dtype.kind not in "iuf" or not masks.is_masked(values):
        return values
    floats: Array = values.astype(float).filled(float("nan"))  # type: ignore[attr-defined]
    return floats


def _matrix(values: Any, labels: list[str] | None = None) -> FloatArray:
    """Return scores[system, segment] as a read-only matrix; `labels` name rows in errors."""
    if isinstance(values, np.ndarray) and values.dtype != object:
        array = _filled(values)
    else:
        items = items_of(values, "values", "rows")
        labels = labels or [f"[{i}]" for i in range(len(items))]
        rows = [numbers_of(row, label, True) for row, label in zip(items, labels, strict=True)]
        for row, label in zip(rows, labels, strict=True):
            if len(row) != len(rows[0]):
                raise ValueError(
                    f"{label}: expected {counted(len(rows[0]), 'score')}, as {labels[0]} has; "
                    f"got {len(row)}"
                )
        array = np.array(rows, np.float64) if rows else np.empty((0, 0))
    if array.ndim != 2:
        raise ValueError(f"expected scores[system, segment]; got {array.ndim} dimensions")
    if array.dtype.kind not in "iuf":
        raise TypeError(f"expected numbers; got {array.dtype}")
    if not array.size:
        raise ValueError(f"expected at least one score; got {shape_of(array)}")
    matrix: FloatArray = np.array(array, np.float64, order="C")
    endless = np.argwhere(np.isinf(matrix))
    if len(endless):
        i, j = endless[0].tolist()
        raise ValueError(f"[{i}][{j}]: expected a finite number or nan; got {matrix[i, j]}")
    matrix.setflags(write=False)
    return matrix


def _column(source: Any) -> Array:
    """Return one score per system as a matrix of one column."""
    column = np.asarray(_filled(np.asanyarray(source)))
    if column.dtype.kind not in "iuf":
        raise TypeError(f"expected numbers; got {column.dtype}")
    return column.reshape(-1, 1)


def _are_numbers(source: Any) -> bool:
    if hasattr(source, "ndim"):
        return bool(source.ndim == 1 and source.dtype != object)
    return isinstance(source, list | tuple) and all(
        hasattr(item, "__float__") and getattr(item, "ndim", 0) == 0 for item in source
    )


def as_scores(source: _SystemSource, where: str, by_system: bool = False) -> SystemScores:
    """Return scores as a `SystemScores`; `where` names the argument in errors.

    With `by_system`, one score per system (an array or a dict to float) becomes one segment.

    >>> as_scores({"A": [1, 2, 3], "B": [4, None, 6]}, "human")
    SystemScores(2 systems, 3 segments, 1 score missing)
    >>> as_scores({"A": 26.5, "B": 28.25}, "metric", by_system=True)
    SystemScores(2 systems, 1 segment)
    """
    if isinstance(source, SystemScores):
        return source
    values: Any = source
    names: list[Any] | None = None
    try:
        if hasattr(values, "items") and hasattr(values, "keys"):
            named = dict(values.items())
            names = list(named)
            values = list(named.values())
        if _are_numbers(values) and (by_system or not len(values)):
            return SystemScores(_column(values), names)
        if _are_numbers(values):
            raise TypeError(
                "expected scores of segments for each system; got one score for each; those of one "
                "system go in brackets, [scores]"
            )
        if names is None:
            return SystemScores(values)
        return SystemScores(_matrix(values, [f"[{name!r}]" for name in names]), names)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        text = str(error).removeprefix("values: ")
        raise kind(f"{where}{text}" if text.startswith("[") else f"{where}: {text}") from None


def matched(
    human: _SystemSource, metrics: Mapping[str, _SystemSource], by_system: bool = False
) -> tuple[SystemScores, list[SystemScores]]:
    """Return scores of the same systems and segments, in the order of the human scores.

    Systems and segments are matched by name if both sides have names, else by position. With
    `by_system` only systems must match. The keys of `metrics` name the arguments in errors.

    >>> human, metrics = {"A": [1, 2], "B": [3, 4]}, {"metric": {"B": 0.5, "A": 0.25}}
    >>> matched(human, metrics, by_system=True)[1][0].values
    array([[0.25],
           [0.5 ]])
    """
    wanted = as_scores(human, "human", by_system)
    matrices = []
    for where, source in metrics.items():
        scores = as_scores(source, where, by_system)
        if scores.systems is not None and wanted.systems is not None:
            scores = scores._rows(_order(wanted.systems, scores.systems, where, "system"))
        if by_system:
            if len(scores.values) != len(wanted.values):
                raise ValueError(
                    f"{where}: expected {counted(len(wanted.values), 'system')}, as human has; "
                    f"got {len(scores.values)}"
                )
        elif scores.values.shape != wanted.values.shape:
            raise ValueError(
                f"{where}: expected {shape_of(wanted.values)}, as human has; "
                f"got {shape_of(scores.values)}"
            )
        elif scores.segments is not None and wanted.segments is not None:
            order = _order(wanted.segments, scores.segments, where, "segment")
            scores = SystemScores._like(scores.values[:, order], scores.systems, wanted.segments)
        matrices.append(scores)
    return wanted, matrices


def _order(wanted: tuple[str, ...], got: tuple[str, ...], where: str, what: str) -> list[int]:
    """Return the positions in `got` of all names in `wanted`; both must be the same set."""
    indices = {name: i for i, name in enumerate(got)}
    for name in wanted:
        if name not in indices:
            raise ValueError(
                f"{where}: expected scores of {what} {name!r}, which human has; "
                f"got scores of {listed(got)}"
            )
    if len(got) > len(wanted):
        name = next(name for name in got if name not in wanted)
        raise ValueError(f"{where}: expected scores of {what}s that human has; got {name!r}")
    return [indices[name] for name in wanted]


def by_argument(metrics: Mapping[str, _SystemSource]) -> dict[str, _SystemSource]:
    """Return metrics keyed by the argument names used in errors.

    >>> by_argument({"BLEU": {"A": 26.5, "B": 28.25}})
    {"metrics['BLEU']": {'A': 26.5, 'B': 28.25}}
    """
    if not hasattr(metrics, "items"):
        raise TypeError(f"metrics: expected a mapping; got {type(metrics).__name__}")
    if not metrics:
        raise ValueError("metrics: expected at least one; got none")
    for name in metrics:
        if not isinstance(name, str):
            raise TypeError(f"metrics: expected names; got {type(name).__name__}")
    return {f"metrics[{name!r}]": scores for name, scores in metrics.items()}
