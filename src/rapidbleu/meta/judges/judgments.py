"""What people said about segments: a score for each system, segment and judge."""

from rapidbleu.counts import check_count
from rapidbleu.meta.judges.columns import checked_name
from rapidbleu.meta.judges.norms import (
    computed_norms,
    given_norms,
    leveled_scores,
    standard_scores,
)
from rapidbleu.meta.judges.rows import JudgmentColumns
from rapidbleu.meta.scores.checks import checked_names
from rapidbleu.meta.scores.table import SystemScores
from rapidbleu.sequences import items_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from rapidbleu.meta.judges.columns import Column, _Names
    from rapidbleu.typing import Array


class Judgments(JudgmentColumns):
    """Scores that judges gave, each with the system, the segment and the judge.

    Parameters
    ----------
    systems, segments, judges : sequence of str or int
        A name for each judgment. A judge may judge the same twice.
    scores : sequence of numbers
        All finite: what was not judged has no judgment.
    documents : sequence of str or int, optional
        Where the segment is from. A segment is in one document.
    kinds : sequence of str, optional
        What kind of item was judged, such as WMT's SYSTEM and BAD_REF.

    Attributes
    ----------
    values : float64 array of shape (n_judgments,)
        The scores; read-only.
    system, segment, judge : Column
        `names`, in the order of their first judgments, and `codes`, the place in `names` for each
        judgment.
    document, kind : Column, or None

    Raises
    ------
    TypeError, ValueError
        If the columns differ in length, are empty, or hold something else.

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

    def scores(
        self,
        *,
        systems: "_Names | None" = None,
        segments: "_Names | None" = None,
    ) -> SystemScores:
        """Return the mean of the judgments of each system and segment.

        Parameters
        ----------
        systems, segments : sequence of str or int, optional
            The rows and the columns, in this order; a name without a judgment has nan. The
            default is what was judged, in the order of the first judgments.

        Returns
        -------
        SystemScores
            nan where there is no judgment.

        Notes
        -----
        Time and memory O(n_judgments + n_systems * n_segments).
        """
        import numpy as np

        row, rows = _placed(self.system, systems, "systems")
        column, columns = _placed(self.segment, segments, "segments")
        there = (row >= 0) & (column >= 0)
        size = len(rows) * len(columns)
        cells = (row * len(columns) + column)[there]
        counts = np.bincount(cells, minlength=size)
        sums = np.bincount(cells, self.values[there], size)
        means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        return SystemScores(means.reshape(len(rows), len(columns)), rows, columns)

    def norms(self, *, ddof: int = 1) -> "dict[str, tuple[float, float]]":
        """Return the mean and the standard deviation of each judge's scores.

        Parameters
        ----------
        ddof : int
            What is subtracted from the number of scores in the variance's denominator. WMT
            subtracts 1.

        Returns
        -------
        dict of str to tuple of two floats
            A deviation is nan for `ddof` scores or fewer.
        """
        means, deviations = computed_norms(self.values, self.judge, check_count("ddof", ddof, 0))
        pairs = zip(means.tolist(), deviations.tolist(), strict=True)
        return dict(zip(self.judge.names, pairs, strict=True))

    def standardized(
        self, norms: "Mapping[str, tuple[float, float]] | None" = None, *, ddof: int = 1
    ) -> "Judgments":
        """Return z-scores: (score - mean) / deviation, with those of its judge.

        Parameters
        ----------
        norms : dict of str to tuple of two floats, optional
            A mean and a standard deviation for each judge, as published, or as `norms` returns
            them. The default is to compute them from these judgments: WMT computes them from all
            that a judge did, items for quality control included.
        ddof : int
            As in `norms`; not used with given norms.

        Returns
        -------
        Judgments
            Without those of a judge whose deviation is 0 or not defined: such scores say nothing
            of which segment is better, and WMT leaves them out as well.

        Raises
        ------
        TypeError, ValueError
            If norms are given and a judge has none, or no judge's scores differ.

        Warns
        -----
        MetaWarning
            If a judge's judgments are left out, or there is one judge only.

        References
        ----------
        Graham, Baldwin, Moffat and Zobel 2017, Can machine translation systems be evaluated by
        the crowd alone. The README of WMT21's human evaluation
        (https://github.com/wmt-conference/wmt21-news-systems/tree/main/humaneval): "over all the
        judgments they provided".

        Examples
        --------
        >>> judgments = Judgments(
        ...     ["A", "B", "A", "B"], [1, 1, 1, 1], ["Ann", "Ann", "Bob", "Bob"], [5, 4, 2, 1]
        ... )
        >>> judgments.standardized(ddof=0).values
        array([ 1., -1.,  1., -1.])
        """
        if norms is None:
            found = computed_norms(self.values, self.judge, check_count("ddof", ddof, 0))
        else:
            found = given_norms(norms, self.judge)
        return self._like(*standard_scores(self.values, self.judge, *found))

    def leveled(self) -> "Judgments":
        """Return scores after which all judges have about one distribution, with one median.

        Returns
        -------
        Judgments
            A score that is the r-th of its judge's n, on average where several are the same, is
            now the quantile (r - 1/2) / n of all judges' scores.

        Notes
        -----
        Time O(n log n). The text below says that medians and distributions of judges were
        normalized, and no more; this is one way to do so.

        References
        ----------
        Lavie 2007, Evaluation of machine translation, slide 33.

        Examples
        --------
        >>> judgments = Judgments(
        ...     ["A", "B", "C"] * 2, [1] * 6, ["Ann"] * 3 + ["Bob"] * 3, [5, 4, 4, 3, 2, 1]
        ... )
        >>> judgments.leveled().values
        array([4.5, 2.5, 2.5, 4.5, 3.5, 1.5])
        """
        import numpy as np

        return self._like(leveled_scores(self.values, self.judge), np.arange(len(self)))

    def scaled(self, low: float = 1, high: float = 5) -> "Judgments":
        """Return scores from 0 to 1, of those from `low` to `high`, such as adequacy from 1 to 5.

        Raises
        ------
        ValueError
            If `low` is not below `high`, or a score is beyond them.

        Examples
        --------
        >>> Judgments(["A", "B"], [1, 1], ["Ann", "Ann"], [2, 5]).scaled().values
        array([0.25, 1.  ])
        """
        import numpy as np

        if not low < high:
            raise ValueError(f"low: expected less than high, {high}, got {low}")
        wrong = np.flatnonzero((self.values < low) | (self.values > high))
        if len(wrong):
            i = wrong[0]
            raise ValueError(
                f"scores[{i}]: expected a number from {low} to {high}, got {self.values[i]}"
            )
        return self._like((self.values - low) / (high - low), np.arange(len(self)))


def _placed(
    column: "Column", names: "_Names | None", where: str
) -> "tuple[Array, tuple[str, ...]]":
    """Return the row of each judgment among some names, -1 for none, and the names."""
    import numpy as np

    if names is None:
        return column.codes, column.names
    items = items_of(names, where, "names")
    wanted = checked_names([checked_name(item, where, i) for i, item in enumerate(items)], where)
    places = {name: i for i, name in enumerate(wanted)}
    return np.array([places.get(name, -1) for name in column.names])[column.codes], wanted
