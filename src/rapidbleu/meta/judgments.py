"""Judgments of human annotators: means, and normalization of each judge's scores."""

from __future__ import annotations

from rapidbleu._lib.checks import check_count, check_type
from rapidbleu._lib.loader import np
from rapidbleu.meta.scores import (
    Column,
    SystemScores,
    caution,
    counted,
    listed,
    names_of,
    numbers_of,
    places_of,
    unique_names,
)
from rapidbleu.stats import unmasked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from rapidbleu._types import Array, FloatArray, Items
    from rapidbleu.meta.scores import _Names


class Judgments:
    """Scores, each with its system, segment and judge.

    Parameters
    ----------
    systems, segments, judges : sequence of str or int
        A name for each judgment. A judge may score the same item twice.
    scores : sequence of numbers
        Finite; omit what was not judged.
    documents : sequence of str or int, optional
        Document of each segment, the same on every row.
    kinds : sequence of str, optional
        Kinds of items, such as WMT's SYSTEM and BAD_REF.

    Attributes
    ----------
    values : float64 array of shape (n_judgments,)
        The scores, read-only.
    system, segment, judge : Column
        `names`, in order of first appearance, and `codes`, indices into `names`.
    document, kind : Column, or None

    Examples
    --------
    >>> judgments = Judgments(
    ...     systems=["A", "B", "A", "B"],
    ...     segments=[1, 1, 1, 2],
    ...     judges=["Ann", "Ann", "Bob", "Bob"],
    ...     scores=[80, 60, 50, 30],
    ... )
    >>> judgments
    Judgments(4 scores, 2 systems, 2 segments, 2 judges)
    >>> judgments.scores().values
    array([[65., nan],
           [60., 30.]])
    """

    def __init__(
        self,
        systems: _Names,
        segments: _Names,
        judges: _Names,
        scores: Items[float] | Array,
        *,
        documents: _Names | None = None,
        kinds: _Names | None = None,
    ) -> None:
        self.values = numbers_of(unmasked(scores, "scores"), "scores")
        if not len(self.values):
            raise ValueError("scores: expected at least one judgment; got none")
        wrong = np.flatnonzero(~np.isfinite(self.values))
        if len(wrong):
            i = wrong[0]
            raise ValueError(f"scores[{i}]: expected a finite number; got {self.values[i]}")
        self.values.setflags(write=False)
        self.system = self._column(systems, "systems")
        self.segment = self._column(segments, "segments")
        self.judge = self._column(judges, "judges")
        self.document = None if documents is None else self._column(documents, "documents")
        self.kind = None if kinds is None else self._column(kinds, "kinds")
        if self.document is None:
            return
        first = np.unique(self.segment.codes, return_index=True)[1]
        expected = self.document.codes[first][self.segment.codes]
        wrong = np.flatnonzero(expected != self.document.codes)
        if len(wrong):
            i = wrong[0]
            raise ValueError(
                f"documents[{i}]: expected {self.document.names[expected[i]]!r}, as segment "
                f"{self.segment.names[self.segment.codes[i]]!r} has before; "
                f"got {self.document.names[self.document.codes[i]]!r}"
            )

    def _column(self, names: Any, where: str) -> Column:
        column = Column.of(names_of(names, where))
        if len(column.codes) != len(self.values):
            raise ValueError(
                f"{where}: expected {len(self.values)} names, one for each score; "
                f"got {len(column.codes)}"
            )
        return column

    def _columns(self) -> dict[str, Column | None]:
        return {
            "system": self.system,
            "segment": self.segment,
            "judge": self.judge,
            "document": self.document,
            "kind": self.kind,
        }

    def _like(self, values: FloatArray, rows: Array | None = None) -> Judgments:
        """Return judgments with other scores; `rows` selects some."""
        new = object.__new__(Judgments)
        values.setflags(write=False)
        new.values = values
        for name, column in self._columns().items():
            setattr(new, name, column if column is None or rows is None else column.taken(rows))
        return new

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        counts = [counted(len(self), "score")]
        for what in ("system", "segment", "judge"):
            counts.append(counted(len(getattr(self, what).names), what))
        return f"Judgments({', '.join(counts)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Judgments):
            return NotImplemented
        same = len(self) == len(other) and self._columns() == other._columns()
        return same and bool((self.values == other.values).all())

    __hash__ = None  # type: ignore[assignment]

    def select(
        self,
        *,
        systems: _Names | None = None,
        segments: _Names | None = None,
        judges: _Names | None = None,
        documents: _Names | None = None,
        kinds: _Names | None = None,
    ) -> Judgments:
        """Return the judgments with all of these names.

        Raises ValueError if a name is unknown, or no judgment matches.

        Examples
        --------
        >>> both = Judgments(["A", "A"], [1, 1], ["Ann", "Bob"], [3, 4])
        >>> both.select(judges=["Bob"]).values
        array([4.])
        """
        rows = np.ones(len(self), np.bool_)
        wanted = (systems, segments, judges, documents, kinds)
        for names, (what, column) in zip(wanted, self._columns().items(), strict=True):
            where = f"{what}s"
            if names is not None and column is None:
                raise ValueError(f"{where}: the judgments have none")
            if names is not None and column is not None:
                codes = places_of(names_of(names, where), column.names, where)
                rows &= np.isin(column.codes, codes)
        if not rows.any():
            raise ValueError("select: expected judgments that have these names; got none")
        return self._like(self.values[rows], rows)

    def scores(
        self, *, systems: _Names | None = None, segments: _Names | None = None
    ) -> SystemScores:
        """Return the mean judgment of each system and segment, nan where there is none.

        Takes time and memory in O(n_judgments + n_systems * n_segments).

        Parameters
        ----------
        systems, segments : sequence of str or int, optional
            Rows and columns, in this order (default: all that were judged, by first appearance).
        """
        row, rows = _placed(self.system, systems, "systems")
        column, columns = _placed(self.segment, segments, "segments")
        chosen = (row >= 0) & (column >= 0)
        size = len(rows) * len(columns)
        cells = (row * len(columns) + column)[chosen].astype(np.intp)
        counts = np.bincount(cells, minlength=size)
        sums = np.bincount(cells, self.values[chosen], size)
        means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        return SystemScores._like(means.reshape(len(rows), len(columns)), rows, columns)

    def norms(self, *, ddof: int = 1) -> dict[str, tuple[float, float]]:
        """Return the mean and the standard deviation of each judge's scores.

        A deviation is nan for `ddof` scores or fewer.

        Parameters
        ----------
        ddof : int
            Subtracted from the number of scores in the variance's denominator. WMT uses 1.
        """
        means, deviations = self._norms(ddof)
        pairs = zip(means.tolist(), deviations.tolist(), strict=True)
        return dict(zip(self.judge.names, pairs, strict=True))

    def _norms(self, ddof: int) -> tuple[FloatArray, FloatArray]:
        """Return means and deviations; exactly 0 for a judge whose scores are all the same."""
        check_count("ddof", ddof, 0)
        values = self.values
        n_judges = len(self.judge.names)
        codes = self.judge.codes.astype(np.intp)
        counts = np.bincount(codes, minlength=n_judges)
        means = np.bincount(codes, values, n_judges) / counts
        squares = np.bincount(codes, (values - means[codes]) ** 2, n_judges)
        free = counts - ddof
        deviations = np.sqrt(np.where(free > 0, squares / np.maximum(free, 1), np.nan))
        first = values[np.unique(codes, return_index=True)[1]]
        n_different = np.bincount(codes, values != first[codes], n_judges)
        deviations[(n_different == 0) & (free > 0)] = 0.0
        return means, deviations

    def standardized(
        self, norms: Mapping[str, tuple[float, float]] | None = None, *, ddof: int = 1
    ) -> Judgments:
        """Return z-scores: (score - mean) / deviation of the score's judge.

        Judges whose deviation is 0 or undefined are dropped with a `MetaWarning`, as in WMT,
        because their scores rank nothing; a single judge also causes one. Raises ValueError if a
        judge is missing from `norms`, or no judge's scores differ.

        Parameters
        ----------
        norms : dict of str to tuple of two floats, optional
            Mean and standard deviation of each judge (default: from these judgments). WMT computes
            them from all items that a judge scored, including quality control.
        ddof : int
            As in `norms`; unused if norms are passed.

        References
        ----------
        Graham, Baldwin, Moffat and Zobel 2017, Can machine translation systems be evaluated by the
        crowd alone. https://github.com/wmt-conference/wmt21-news-systems/tree/main/humaneval: "over
        all the judgments they provided".

        Examples
        --------
        >>> judgments = Judgments(
        ...     ["A", "B", "A", "B"], [1, 1, 1, 1], ["Ann", "Ann", "Bob", "Bob"], [5, 4, 2, 1]
        ... )
        >>> judgments.standardized(ddof=0).values
        array([ 1., -1.,  1., -1.])
        """
        names = self.judge.names
        means, deviations = self._norms(ddof) if norms is None else _given_norms(norms, names)
        spread = deviations > 0
        if not spread.any():
            raise ValueError("judgments: expected a judge whose scores differ; got none")
        if not spread.all():
            without = listed([names[i] for i in np.flatnonzero(~spread).tolist()])
            caution(
                f"standardized: left out the judgments of {without}, whose scores do not differ"
            )
        if len(names) == 1:
            caution(
                f"standardized: {names[0]!r} is the only judge, so that all scores change by the "
                f"same line"
            )
        kept = spread[self.judge.codes]
        codes = self.judge.codes[kept]
        return self._like((self.values[kept] - means[codes]) / deviations[codes], kept)

    def quantile_normalized(self) -> Judgments:
        """Return scores with about the same distribution and median for all judges.

        A score of rank r among its judge's n (the mean rank of ties) becomes the quantile (r - 1/2)
        / n of all scores, interpolated linearly (Hazen's rule). The source below does not specify
        how to normalize; this is one way. Takes O(n log n) time.

        References
        ----------
        Lavie 2007, Evaluation of machine translation, slide 33.

        Examples
        --------
        >>> judgments = Judgments(
        ...     ["A", "B", "C"] * 2, [1] * 6, ["Ann"] * 3 + ["Bob"] * 3, [5, 4, 4, 3, 2, 1]
        ... )
        >>> judgments.quantile_normalized().values
        array([4.5, 2.5, 2.5, 4.5, 3.5, 1.5])
        """
        values = self.values
        codes = self.judge.codes.astype(np.intp)
        n_scores = np.bincount(codes)  # of each judge
        starts = np.cumsum(n_scores) - n_scores
        # Scores of a judge that are equal form a group. Groups are in order of judges and scores.
        levels, level = np.unique(values, return_inverse=True)
        cells = codes * len(levels) + level
        _, group, sizes = np.unique(cells, return_inverse=True, return_counts=True)
        middle = (np.cumsum(sizes) - sizes / 2)[group] - starts[codes]
        return self._like(np.quantile(values, middle / n_scores[codes], method="hazen"))

    def scaled(self, low: float = 1, high: float = 5) -> Judgments:
        """Return scores mapped linearly from the range `low` to `high` to the range 0 to 1.

        Raises ValueError if `low` is not less than `high`, or a score is outside the range.

        Examples
        --------
        >>> Judgments(["A", "B"], [1, 1], ["Ann", "Ann"], [2, 5]).scaled().values
        array([0.25, 1.  ])
        """
        if not low < high:
            raise ValueError(f"low: expected less than high, {high}; got {low}")
        wrong = np.flatnonzero((self.values < low) | (self.values > high))
        if len(wrong):
            i = wrong[0]
            raise ValueError(
                f"scores[{i}]: expected a number from {low} to {high}; got {self.values[i]}"
            )
        return self._like((self.values - low) / (high - low))

    def _by_cell(self) -> dict[tuple[str, ...], tuple[int, float]]:
        """Return the first row and the mean score, by system, segment and judge."""
        columns = (self.system, self.segment, self.judge)
        names = [[column.names[code] for code in column.codes.tolist()] for column in columns]
        rows_of: dict[tuple[str, ...], list[int]] = {}
        for row, key in enumerate(zip(*names, strict=True)):
            rows_of.setdefault(key, []).append(row)
        return {key: (rows[0], float(self.values[rows].mean())) for key, rows in rows_of.items()}


def average_judgments(adequacy: Judgments, fluency: Judgments) -> Judgments:
    """Return the mean of the adequacy and fluency scores of each judge, system and segment.

    The result has the order, documents and kinds of `adequacy`. Raises ValueError if an item is
    judged on one side only.

    Parameters
    ----------
    adequacy, fluency : Judgments
        Scores of the same items by the same judges, in any order; repeated ones are averaged.

    References
    ----------
    Lavie 2007, Evaluation of machine translation, slides 24 and 30.

    Examples
    --------
    >>> adequacy = Judgments(["A", "B"], [1, 1], ["Ann", "Ann"], [4, 2])
    >>> fluency = Judgments(["B", "A"], [1, 1], ["Ann", "Ann"], [3, 5])
    >>> average_judgments(adequacy, fluency).scaled(1, 5).values
    array([0.875, 0.375])
    """
    check_type("adequacy", adequacy, Judgments)
    check_type("fluency", fluency, Judgments)
    left = adequacy._by_cell()
    right = fluency._by_cell()
    for where, cells, counterpart in (("fluency", right, left), ("adequacy", left, right)):
        for system, segment, judge in counterpart:
            if (system, segment, judge) not in cells:
                raise ValueError(
                    f"{where}: expected a score of system {system!r}, segment {segment!r}, "
                    f"by judge {judge!r}"
                )
    rows = np.array([row for row, _ in left.values()])
    means: FloatArray = np.array([(left[key][1] + right[key][1]) / 2 for key in left])
    return adequacy._like(means, rows)


def _given_norms(
    norms: Mapping[str, tuple[float, float]], judges: tuple[str, ...]
) -> tuple[FloatArray, FloatArray]:
    if not hasattr(norms, "keys"):
        raise TypeError(f"norms: expected a dict of judges; got {type(norms).__name__}")
    values = np.empty((2, len(judges)))
    for i, name in enumerate(judges):
        if name not in norms:
            raise ValueError(f"norms: expected a mean and a deviation of judge {name!r}")
        pair = norms[name]
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise TypeError(f"norms[{name!r}]: expected a mean and a deviation; got {pair!r}")
        values[:, i] = pair
        if not np.isfinite(values[:, i]).all() or values[1, i] < 0:
            raise ValueError(f"norms[{name!r}]: expected a mean and a deviation; got {pair!r}")
    return values[0], values[1]


def _placed(column: Column, names: _Names | None, where: str) -> tuple[Array, tuple[str, ...]]:
    if names is None:
        return column.codes, column.names
    wanted = unique_names(names_of(names, where), where)
    indices = {name: i for i, name in enumerate(wanted)}
    return np.array([indices.get(name, -1) for name in column.names])[column.codes], wanted
