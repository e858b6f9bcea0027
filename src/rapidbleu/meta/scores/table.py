"""Scores of segments by system, with names: what people and metrics are compared by."""

from rapidbleu.counts import check_count
from rapidbleu.meta.scores.checks import checked_names, counted, matrix_of, names_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from rapidbleu.typing import FloatArray


class SystemScores:
    """A matrix of scores, a row for each system and a column for each segment.

    Parameters
    ----------
    values : array of shape (n_systems, n_segments)
        nan or None: missing.
    systems : sequence of str, optional
        The systems' names, no two the same.
    segments : sequence of str, optional
        The segments' names, no two the same.

    Attributes
    ----------
    values : float64 array of shape (n_systems, n_segments)
        Read-only.
    systems : tuple of str, or None
    segments : tuple of str, or None

    Raises
    ------
    TypeError, ValueError
        If the matrix has other than two dimensions, is empty or holds infinities, or names are not
        as many as rows or columns.

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
        values: "Any",
        systems: "Iterable[str] | None" = None,
        segments: "Iterable[str] | None" = None,
    ) -> None:
        self.values = matrix_of(values)
        self.systems = names_of(systems, self.values.shape[0], "systems")
        self.segments = names_of(segments, self.values.shape[1], "segments")

    def __reduce__(self) -> "tuple[Any, ...]":
        return type(self), (self.values, self.systems, self.segments)

    def __repr__(self) -> str:
        n_systems, n_segments = self.values.shape
        missing = int((self.values != self.values).sum())
        parts = [counted(n_systems, "system"), counted(n_segments, "segment")]
        if missing:
            parts.append(f"{counted(missing, 'score')} missing")
        return f"SystemScores({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        import numpy as np

        if not isinstance(other, SystemScores):
            return NotImplemented
        same = np.array_equal(self.values, other.values, equal_nan=True)
        return same and (self.systems, self.segments) == (other.systems, other.segments)

    __hash__ = None  # type: ignore[assignment]

    def name(self, i: int) -> str:
        """Return the name of system `i`, or its number if systems have no names."""
        i = check_count("i", i, 0, len(self.values) - 1)
        return self.systems[i] if self.systems is not None else str(i)

    def kept(self, places: "Sequence[int]") -> "SystemScores":
        """Return the scores of the systems at some places."""
        most = len(self.values) - 1
        rows = [check_count(f"places[{k}]", i, 0, most) for k, i in enumerate(places)]
        systems = None if self.systems is None else [self.systems[i] for i in rows]
        return SystemScores(self.values[rows], systems, self.segments)

    def means(self) -> "FloatArray":
        """Return the mean of each system's scores, those that are missing left out.

        Returns
        -------
        float64 array of shape (n_systems,)
            nan for a system without a score.
        """
        import numpy as np

        there = ~np.isnan(self.values)
        counts = there.sum(axis=1)
        sums = np.where(there, self.values, 0.0).sum(axis=1)
        means: FloatArray = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        return means

    def of(self, systems: "Iterable[str]") -> "SystemScores":
        """Return the scores of some systems, in this order.

        Raises
        ------
        ValueError
            If the systems have no names here, or one of these is unknown.

        Examples
        --------
        >>> SystemScores([[1.0], [2.0], [3.0]], ["A", "B", "C"]).of(["C", "A"]).values
        array([[3.],
               [1.]])
        """
        wanted = checked_names(systems, "systems")
        if self.systems is None:
            raise ValueError("systems: expected scores with names of systems, got none")
        places = {name: i for i, name in enumerate(self.systems)}
        for i, name in enumerate(wanted):
            if name not in places:
                raise ValueError(
                    f"systems[{i}]: expected one of {', '.join(map(repr, self.systems))}, "
                    f"got {name!r}"
                )
        return self.kept([places[name] for name in wanted])

    def without(self, systems: "Iterable[str]") -> "SystemScores":
        """Return the scores of all systems but some.

        Raises
        ------
        ValueError
            As `of`.

        Examples
        --------
        >>> SystemScores([[1.0], [2.0], [3.0]], ["A", "B", "C"]).without(["B"]).systems
        ('A', 'C')
        """
        left_out = self.of(systems).systems or ()
        return self.of([name for name in self.systems or () if name not in left_out])
