"""What is particular to a judge, taken away: z-scores, and distributions made the same.

References
----------
Graham, Baldwin, Moffat and Zobel 2017, Can machine translation systems be evaluated by the crowd
alone. Lavie 2007, Evaluation of machine translation, slide 33.
"""

from rapidbleu.meta.scores.warning import caution

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from rapidbleu.meta.judges.columns import Column
    from rapidbleu.typing import Array, FloatArray


def computed_norms(
    values: "FloatArray", judge: "Column", ddof: int
) -> "tuple[FloatArray, FloatArray]":
    """Return the mean and the standard deviation of each judge's scores.

    Returns
    -------
    means, deviations : float64 array of shape (n_judges,)
        A deviation is 0 where all scores are the same, and nan for `ddof` scores or fewer.
    """
    import numpy as np

    n_judges = len(judge.names)
    counts = np.bincount(judge.codes, minlength=n_judges)
    means = np.bincount(judge.codes, values, n_judges) / counts
    squares = np.bincount(judge.codes, (values - means[judge.codes]) ** 2, n_judges)
    free = counts - ddof
    deviations = np.sqrt(np.where(free > 0, squares / np.maximum(free, 1), np.nan))
    low, high = np.full(n_judges, np.inf), np.full(n_judges, -np.inf)
    np.minimum.at(low, judge.codes, values)
    np.maximum.at(high, judge.codes, values)
    deviations[(low == high) & (free > 0)] = 0.0
    return means, deviations


def given_norms(
    norms: "Mapping[str, tuple[float, float]]", judge: "Column"
) -> "tuple[FloatArray, FloatArray]":
    """Return given means and standard deviations, in the order of the judges.

    Raises
    ------
    TypeError, ValueError
        If a judge has none, or they are no finite numbers, or a deviation is negative.
    """
    import numpy as np

    if not hasattr(norms, "keys"):
        raise TypeError(f"norms: expected a dict of judges, got {type(norms).__name__}")
    found = np.empty((2, len(judge.names)))
    for i, name in enumerate(judge.names):
        if name not in norms:
            raise ValueError(f"norms: expected a mean and a deviation of judge {name!r}")
        pair = norms[name]
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise TypeError(f"norms[{name!r}]: expected a mean and a deviation, got {pair!r}")
        found[:, i] = pair
        if not np.isfinite(found[:, i]).all() or found[1, i] < 0:
            raise ValueError(f"norms[{name!r}]: expected a mean and a deviation, got {pair!r}")
    return found[0], found[1]


def standard_scores(
    values: "FloatArray", judge: "Column", means: "FloatArray", deviations: "FloatArray"
) -> "tuple[FloatArray, Array]":
    """Return (score - mean) / deviation, and which judgments have such a score.

    Raises
    ------
    ValueError
        If none has one.

    Warns
    -----
    MetaWarning
        If a judge's deviation is 0 or not defined, or there is one judge only.
    """
    import numpy as np

    spread = deviations > 0
    if not spread.any():
        raise ValueError("judgments: expected a judge whose scores differ, got none")
    if not spread.all():
        names = [repr(judge.names[i]) for i in np.flatnonzero(~spread).tolist()]
        shown = ", ".join(names[:8]) + ", ..." * (len(names) > 8)
        caution(f"standardized: left out the judgments of {shown}, whose scores do not differ")
    if len(judge.names) == 1:
        caution(
            f"standardized: {judge.names[0]!r} is the only judge, so that all scores change by the "
            f"same line"
        )
    there = spread[judge.codes]
    codes = judge.codes[there]
    scores: FloatArray = (values[there] - means[codes]) / deviations[codes]
    return scores, there


def leveled_scores(values: "FloatArray", judge: "Column") -> "FloatArray":
    """Return scores after which all judges have about the same distribution, that of all scores.

    Notes
    -----
    A score that is on average the r-th of a judge's n becomes the quantile (r - 1/2) / n of all
    judges' scores, between two of them by a straight line (Hazen's rule). Time O(n log n).
    """
    import numpy as np

    order = np.lexsort((values, judge.codes))
    sorted_codes, sorted_values = judge.codes[order], values[order]
    n = len(values)
    starts = np.searchsorted(sorted_codes, np.arange(len(judge.names)))
    begins = np.ones(n, np.bool_)
    begins[1:] = (sorted_codes[1:] != sorted_codes[:-1]) | (sorted_values[1:] != sorted_values[:-1])
    first = np.flatnonzero(begins)
    last = np.append(first[1:], n)
    group = np.cumsum(begins) - 1
    middle = (first + last)[group] / 2 - starts[sorted_codes]
    counts = np.bincount(judge.codes, minlength=len(judge.names))
    leveled = np.empty(n)
    leveled[order] = np.quantile(values, middle / counts[sorted_codes], method="hazen")
    return leveled
