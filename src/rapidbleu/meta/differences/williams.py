"""Williams' test: do two metrics' correlations with the same people differ?"""

from rapidbleu.loading.loader import load
from rapidbleu.meta.differences.difference import Difference
from rapidbleu.meta.differences.sharing import NAMES, shared
from rapidbleu.meta.figures.correlation import Question, figure_of, grouped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rapidbleu.meta.figures.groups import _SystemSource
    from rapidbleu.typing import FloatArray


def williams_test(
    human: "_SystemSource", one: "_SystemSource", other: "_SystemSource", by: str = "means"
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

    Warns
    -----
    MetaWarning
        As `correlate`.

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
        raise ImportError(
            'williams_test needs SciPy: pip install "rapidbleu[meta]"'
        ) from None
    question = Question("pearson", by)
    wanted, matched = question.match(human, {"one": one, "other": other})
    metrics = shared(matched)
    groups = grouped(wanted, metrics, by)
    n = len(groups.human)
    if n < 4:
        raise ValueError(f"human: expected at least four scores that all three have, got {n}")
    first, second = (
        figure_of(question, wanted, own, name).value
        for name, own in zip(NAMES, metrics, strict=True)
    )
    t = _statistic(groups.human, *groups.metrics)
    return Difference("Williams", "pearson", by, first, second, float(stdtr(n - 3, -t)), n)


def _statistic(human: "FloatArray", one: "FloatArray", other: "FloatArray") -> float:
    """Return Williams' t with n - 3 degrees of freedom; nan if all of one side are the same."""
    import numpy as np

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

