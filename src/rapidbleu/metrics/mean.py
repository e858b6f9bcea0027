"""Means of segment scores from other programs, such as neural metrics."""

from __future__ import annotations

from rapidbleu._core.metrics.kernel import RESTS, UNITS, MeanKernel
from rapidbleu._lib.floats import digits_of
from rapidbleu._lib.loader import np
from rapidbleu.score import RowScoring, Score
from rapidbleu.stats import unmasked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu._types import IntArray, Items

LARGEST = 2.0**20
ROWS = 1 << 16  # rows created at a time


class GivenScore(Score):
    """A mean, printed with four decimals if it is within [-1, 1].

    >>> GivenScore("COMET", 0.86342)
    COMET = 0.8634
    """

    def format(
        self,
        width: int | None = None,
        score_only: bool = False,
        signature: str = "",
        is_json: bool = False,
    ) -> str:
        """Format as `Score.format` does, by default with the decimals that suit the scale."""
        return super().format(
            digits_of([self.score]) if width is None else width, score_only, signature, is_json
        )


class SegmentScores(RowScoring[Score]):
    """The mean of given segment scores, so that any metric can be used in place of BLEU.

    Parameters
    ----------
    name : str
        Name of the scores, as printed.

    Notes
    -----
    Rows are integers, so sums are exact; scores are stored to 2**-51, which is 4.4e-16. A row
    contains the score if above zero in two columns, whole units of 2**-20 and the rest in units of
    2**-50; its negative, if below, in two more; and a 1.

    Examples
    --------
    >>> comet = SegmentScores("COMET")
    >>> rows = comet.stats([0.75, -0.5, 0.25])
    >>> comet.score(rows[:2])
    COMET = 0.1250
    >>> comet.score_rows(rows)
    array([ 0.75, -0.5 ,  0.25])
    """

    _fixed = frozenset(["name"])

    if TYPE_CHECKING:
        name: str

    def __init__(self, name: str = "mean") -> None:
        if not isinstance(name, str):
            raise TypeError(f"name: expected str; got {type(name).__name__}")
        self._put("name", name)
        self._mean_kernel = MeanKernel()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name,)

    def _changed_options(self) -> dict[str, object]:
        return {} if self.name == "mean" else {"name": self.name}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def _kernel(self) -> MeanKernel:
        return self._mean_kernel

    def _make_score(self, parts: tuple[Any, ...]) -> Score:
        return GivenScore(self.name, parts[0])

    @staticmethod
    def mcnemar_test(a: Items[float], b: Items[float]) -> float:
        """Return the p-value of McNemar's exact test that two systems are right equally often.

        Parameters
        ----------
        a, b : sequence of bool or float, or array of shape (n,)
            1 or True for each segment that the system has right, else 0 or False.

        Returns
        -------
        float
            Probability that coin tosses divide the segments that only one system has right as
            unevenly; `significance.paired_randomization` of these scores estimates it.

        References
        ----------
        McNemar 1947, Note on the sampling error of the difference between correlated proportions.

        Examples
        --------
        >>> SegmentScores.mcnemar_test([1, 1, 1, 1, 1, 1, 0, 0], [0, 0, 0, 0, 0, 0, 0, 1])
        0.125
        """
        right = [np.asarray(unmasked(own, name)) for own, name in ((a, "a"), (b, "b"))]
        for name, own in zip("ab", right, strict=True):
            if own.dtype.kind not in "biuf" and own.size:
                raise TypeError(f"{name}: expected 0 and 1; got {own.dtype}")
            if own.shape != (right[0].size,):
                raise ValueError(f"{name}: expected shape ({right[0].size},); got {own.shape}")
            for i in np.flatnonzero((own != 0) & (own != 1)):
                raise ValueError(f"{name}[{i}]: expected 0 or 1; got {own[i]}")
        better, worse = (int(np.sum(i > j)) for i, j in (right, right[::-1]))
        n = better + worse
        least = min(better, worse)
        weight = tail = 1  # of 0 of n tosses, and of at most k
        for k in range(least):
            weight = weight * (n - k) // (k + 1)
            tail += weight
        return min(1.0, 2 * tail / (1 << n))

    def stats(self, scores: Items[float]) -> IntArray:
        """Return the rows of segments with these scores, an int64 array of shape (n, 5).

        Parameters
        ----------
        scores : float array of shape (n,)
            Scores between -2**20 and 2**20.

        Raises
        ------
        TypeError, ValueError
            If scores are not numbers, or one is not finite or too large.
        """
        array = np.asarray(unmasked(scores, "scores"))
        if array.dtype.kind not in "iuf" and array.size:
            raise TypeError(f"scores: expected numbers; got {array.dtype}")
        if array.ndim != 1:
            raise ValueError(f"scores: expected one dimension; got {array.ndim}")
        rows = np.zeros((len(array), 5), np.int64)
        for begin in range(0, len(array), ROWS):  # signals cannot interrupt a call of NumPy
            values = array[begin : begin + ROWS].astype(np.float64)
            wrong = np.flatnonzero(~(np.abs(values) <= LARGEST))
            if len(wrong):
                i = int(wrong[0])
                raise ValueError(
                    f"scores[{begin + i}]: expected a number from -2**20 to 2**20; got {values[i]}"
                )
            block = rows[begin : begin + ROWS]
            block[:, 4] = 1
            for first, signed in ((0, values), (2, -values)):
                units = np.maximum(signed, 0) * UNITS
                block[:, first] = whole = np.floor(units)
                block[:, first + 1] = np.floor((units - whole) * RESTS + 0.5)
        return rows
