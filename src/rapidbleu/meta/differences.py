"""The difference of two metrics' figures, and Williams' test of two correlations."""

from __future__ import annotations

from dataclasses import dataclass

from rapidbleu._lib.lazy import np
from rapidbleu._lib.loader import load
from rapidbleu.meta.figures import TITLES, Groups, Question, figure_of
from rapidbleu.meta.scores import SystemScores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.meta.scores import _SystemSource
    from rapidbleu.typing import FloatArray

NAMES = ("one", "other")


@dataclass(eq=False, repr=False)
class Difference:
    """How much more one metric agrees with people than another, and how sure that is.

    Attributes
    ----------
    test : str
    figure, by : str
        As in `correlate`.
    one, other : float
        The figures of the two metrics.
    p : float
        Of the one-sided test whether `one` agrees better than `other`.
    n : int
        Trials or resamples; systems for Williams' test.
    count : int or None
        Those that spoke against `one`; ``p`` is ``(count + 1) / (n + 1)``.
    interval : (float, float) or None
        Of the difference, from resamples.
    differences : float64 array of shape (n,), or None
        Of the trials or resamples; nan where a metric has no figure.

    Examples
    --------
    >>> Difference("Williams", "pearson", "means", 0.9, 0.7, 0.03125, 12)
    Pearson's r: 0.9000 - 0.7000 = 0.2000, p = 0.0312 (Williams, 12)
    """

    test: str
    figure: str
    by: str
    one: float
    other: float
    p: float
    n: int
    count: int | None = None
    interval: tuple[float, float] | None = None
    differences: FloatArray | None = None

    @property
    def difference(self) -> float:
        """One - other."""
        return self.one - self.other

    def __repr__(self) -> str:
        text = f"{self.one:.4f} - {self.other:.4f} = {self.difference:.4f}"
        if self.interval is not None:
            text += f" [{self.interval[0]:.4f}, {self.interval[1]:.4f}]"
        return f"{TITLES[self.figure]}: {text}, p = {self.p:.4f} ({self.test}, {self.n})"


def shared(metrics: list[SystemScores]) -> list[SystemScores]:
    """Return metrics without scores that one of them lacks.

    Metrics that have a score of each system, or segments of their own, keep what they have.
    """
    if len({own.values.shape for own in metrics}) > 1:
        return metrics
    there = ~np.isnan(sum(own.values for own in metrics))
    return [
        SystemScores._like(np.where(there, own.values, np.nan), own.systems, None)
        for own in metrics
    ]


def williams_test(
    human: _SystemSource, one: _SystemSource, other: _SystemSource, by: str = "means"
) -> Difference:
    """Test whether Pearson's coefficient of one metric is higher than that of another.

    Parameters
    ----------
    human, one, other
        As in `correlate`.
    by : {"means", "none"}
        Systems' means, or all scores together.

    Returns
    -------
    Difference
        One-sided; `n` is the number of scores that all three have.

    Raises
    ------
    TypeError, ValueError
        If an argument is wrong, or there are fewer than four scores.
    ImportError
        Without SciPy: ``pip install "rapidbleu[meta]"``.

    Notes
    -----
    Assumes normal scores; of those of segments, which depend on each other by system, a
    permutation test says more.

    References
    ----------
    Williams 1959, The Comparison of Regression Variables; Graham & Baldwin 2014, Testing for
    Significance of Increased Correlation with Human Judgment, section 3.

    Examples
    --------
    >>> human = {"A": 1, "B": 2, "C": 3, "D": 4, "E": 5, "F": 6, "G": 7, "H": 8, "I": 9, "J": 10}
    >>> one = dict(zip(human, [1, 2, 4, 3, 5, 6, 7, 8, 10, 9]))
    >>> other = dict(zip(human, [3, 1, 5, 2, 4, 9, 6, 10, 7, 8]))
    >>> williams_test(human, one, other)
    Pearson's r: 0.9758 - 0.7818 = 0.1939, p = 0.0047 (Williams, 10)
    """
    if by not in ("means", "none"):
        raise ValueError(f"by: expected 'means' or 'none', got {by!r}")
    try:
        load("scipy.special")
        from scipy.special import stdtr
    except ImportError:
        raise ImportError('williams_test needs SciPy: pip install "rapidbleu[meta]"') from None
    question = Question("pearson", by)
    wanted, matched = question.match(human, {"one": one, "other": other})
    metrics = shared(matched)
    groups = Groups(wanted.values, [own.values for own in metrics], by)
    n = len(groups.human)
    if n < 4:
        raise ValueError(f"human: expected at least four scores that all three have, got {n}")
    first, second = (
        figure_of(question, wanted, own, name).value
        for name, own in zip(NAMES, metrics, strict=True)
    )
    t = _statistic(groups.human, *groups.metrics)
    return Difference("Williams", "pearson", by, first, second, float(stdtr(n - 3, -t)), n)


def _statistic(human: FloatArray, one: FloatArray, other: FloatArray) -> float:
    """Return Williams' t with n - 3 degrees of freedom; nan if all of one side are the same."""
    n = len(human)
    with np.errstate(invalid="ignore", divide="ignore"):
        matrix = np.corrcoef([human, one, other])
    r12, r13, r23 = matrix[0, 1], matrix[0, 2], matrix[1, 2]
    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    mean = (r12 + r13) / 2
    below = 2 * k * (n - 1) / (n - 3) + mean**2 * (1 - r23) ** 3
    if not below > 0:
        return 0.0 if r12 == r13 else float("nan")
    return float((r12 - r13) * np.sqrt((n - 1) * (1 + r23) / below))
