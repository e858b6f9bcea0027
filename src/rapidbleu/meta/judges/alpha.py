"""Krippendorff's alpha: agreement beyond chance of any judges, on any scale, with gaps."""

from rapidbleu.meta.judges.ratings import ratings_of
from rapidbleu.meta.scores.warning import caution

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from rapidbleu.meta.judges.ratings import Ratings, _RatingSource
    from rapidbleu.typing import FloatArray, IntArray

    _Scale = Literal["nominal", "ordinal", "interval", "ratio"]

SCALES = ("nominal", "ordinal", "interval", "ratio")
BLOCK = 1 << 20  # pairs of values at a time


def krippendorff_alpha(ratings: "_RatingSource", *, scale: "_Scale" = "interval") -> float:
    """Return Krippendorff's alpha.

    Parameters
    ----------
    ratings : Judgments, or a matrix [judge, item]
        Numbers, or labels on a nominal scale; nan or None: not judged. Of Judgments an item is a
        system's output for a segment, and a judge's first judgment of it counts.
    scale : {"nominal", "ordinal", "interval", "ratio"}
        How far two ratings are apart: same or not, by how many ratings lie between, by the
        difference, or by the difference in relation to the sum.

    Returns
    -------
    float
        1 for agreement throughout, 0 for as much as by chance; nan if all ratings are the same,
        or no item is judged twice.

    Raises
    ------
    TypeError, ValueError
        If labels are on another than a nominal scale, or numbers below 0 on a ratio scale.

    Warns
    -----
    MetaWarning
        If the result is nan.

    Notes
    -----
    Items with one rating do not count. On an ordinal scale the distance is the difference of the
    mean ranks, and so alpha is that of the interval scale for ranks. Time O(n log n), on the
    ratio scale O(n * n_judges + n_categories ** 2).

    References
    ----------
    Krippendorff 2011, Computing Krippendorff's alpha-reliability.

    Examples
    --------
    >>> ratings = [[1, 2, 3, None, 5], [1, 2, 3, 4, 5], [None, 2, 3, 4, 4]]
    >>> round(krippendorff_alpha(ratings), 4)
    0.958
    """
    if scale not in SCALES:
        raise ValueError(f"scale: expected one of {', '.join(map(repr, SCALES))}, got {scale!r}")
    found = ratings_of(ratings).of_items_with(2)
    if scale != "nominal":
        values = found.numbers(f"the {scale} scale")
        if scale == "ratio" and len(values) and values.min() < 0:
            raise ValueError(f"ratings: expected no number below 0, got {values.min()}")
    if not len(found.item):
        return _undefined("no item is judged twice")
    if found.n_categories == 1:
        return _undefined("all ratings are the same")
    if scale == "nominal":
        observed, expected = _nominal(found)
    elif scale == "ratio":
        observed, expected = _ratio(found, values)
    else:
        observed, expected = _squares(found, _ranks(found) if scale == "ordinal" else values)
    return 1.0 - observed / expected


def _undefined(why: str) -> float:
    text = f"krippendorff_alpha: {why}, so that the figure is not defined"
    caution(text)
    return float("nan")


def _items(ratings: "Ratings") -> "tuple[IntArray, IntArray]":
    """Return the item of each rating, numbered without gaps, and the ratings of each item."""
    import numpy as np

    item = np.unique(ratings.item, return_inverse=True)[1].reshape(-1)
    return item, np.bincount(item)


def _nominal(ratings: "Ratings") -> "tuple[float, float]":
    """Return the observed and the expected share of pairs of ratings that differ."""
    import numpy as np

    item, counts = _items(ratings)
    n, n_categories = len(item), ratings.n_categories
    cells, repeats = np.unique(item * n_categories + ratings.category, return_counts=True)
    same = np.bincount(cells // n_categories, repeats * repeats, len(counts))
    observed = ((counts * counts - same) / (counts - 1)).sum() / n
    totals = np.bincount(ratings.category)
    expected = (n * n - int((totals * totals).sum())) / (n * (n - 1))
    return float(observed), expected


def _ranks(ratings: "Ratings") -> "FloatArray":
    """Return the mean rank of each rating among all, from 0."""
    import numpy as np

    totals = np.bincount(ratings.category)
    ranks: FloatArray = (np.cumsum(totals) - totals / 2)[ratings.category]
    return ranks


def _squares(ratings: "Ratings", values: "FloatArray") -> "tuple[float, float]":
    """Return the observed and the expected square of a difference.

    The squared differences of all ordered pairs of m numbers add up to 2 m times the squared
    differences from their mean.
    """
    import numpy as np

    item, counts = _items(ratings)
    means = np.bincount(item, values) / counts
    within = np.bincount(item, (values - means[item]) ** 2)
    observed = (2 * counts / (counts - 1) * within).sum() / len(values)
    expected = 2 * ((values - values.mean()) ** 2).sum() / (len(values) - 1)
    return float(observed), float(expected)


def _ratio(ratings: "Ratings", values: "FloatArray") -> "tuple[float, float]":
    """Return the observed and the expected square of a difference by the sum."""
    import numpy as np

    item, counts = _items(ratings)
    n = len(values)
    observed = 0.0
    for step in range(1, int(counts.max())):  # the pairs of ratings that are so far apart
        there = item[step:] == item[:-step]
        apart = _relative(values[step:][there], values[:-step][there])
        observed += float((2 * apart / (counts[item[step:][there]] - 1)).sum())
    numbers, totals = np.unique(values, return_counts=True)
    expected = 0.0
    rows = max(1, BLOCK // len(numbers))
    for start in range(0, len(numbers), rows):
        block = slice(start, start + rows)
        apart = _relative(numbers[block, None], numbers[None, :])
        expected += float(totals[block] @ apart @ totals)
    return observed / n, expected / (n * (n - 1))


def _relative(one: "FloatArray", other: "FloatArray") -> "FloatArray":
    """Return ((a - b) / (a + b)) ** 2, and 0 where both are 0."""
    import numpy as np

    sums = one + other
    relative: FloatArray = ((one - other) / np.where(sums > 0, sums, 1.0)) ** 2
    return relative
