"""Kappa: agreement on categories beyond chance, of two judges (Cohen) or of many (Fleiss)."""

from rapidbleu.meta.judges.ratings import ratings_of
from rapidbleu.meta.scores.warning import caution

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from rapidbleu.meta.judges.ratings import _RatingSource
    from rapidbleu.typing import FloatArray

    _KappaWeights = Literal["none", "linear", "quadratic"]

WEIGHTS = ("none", "linear", "quadratic")


def cohen_kappa(ratings: "_RatingSource", *, weights: "_KappaWeights" = "none") -> float:
    """Return Cohen's kappa of two judges.

    Parameters
    ----------
    ratings : Judgments of two judges, or a matrix [judge, item] with two rows
        Numbers or labels; nan or None: not judged. Of Judgments an item is a system's output for
        a segment, and a judge's first judgment of it counts. Items that one judge alone judged
        are left out.
    weights : {"none", "linear", "quadratic"}
        What a disagreement counts: 1, the difference of the two numbers, or its square.

    Returns
    -------
    float
        1 for agreement throughout, 0 for as much as by chance; nan if both judges always say the
        same one thing, or no item is judged by both.

    Raises
    ------
    TypeError, ValueError
        If there are other than two judges, or labels with weights.

    Warns
    -----
    MetaWarning
        If the result is nan.

    Notes
    -----
    One minus observed by expected disagreement. Some programs weigh by the categories' places in
    the sorted list rather than by the numbers; both are the same if the categories are
    consecutive integers that all occur. Time O(n log n).

    References
    ----------
    Cohen 1960, A coefficient of agreement for nominal scales. Cohen 1968, Weighted kappa: nominal
    scale agreement with provision for scaled disagreement or partial credit.

    Examples
    --------
    >>> ratings = [[1, 2, 3, 3], [1, 2, 2, 3]]
    >>> round(cohen_kappa(ratings), 4)
    0.6364
    >>> round(cohen_kappa(ratings, weights="quadratic"), 4)
    0.8
    """
    import numpy as np

    if weights not in WEIGHTS:
        known = ", ".join(map(repr, WEIGHTS))
        raise ValueError(f"weights: expected one of {known}, got {weights!r}")
    found = ratings_of(ratings)
    if found.n_judges != 2:
        raise ValueError(f"ratings: expected two judges, got {found.n_judges}")
    found = found.of_items_with(2)
    if weights != "none":
        found.numbers("weights")
    if not len(found.item):
        return _undefined("cohen_kappa: no item is judged by both judges")
    if found.n_categories == 1:
        return _undefined("cohen_kappa: all ratings are the same")
    sides = found.category[0::2], found.category[1::2]  # by item, then by judge
    shares = [np.bincount(side, minlength=found.n_categories) / len(side) for side in sides]
    if weights == "none" or found.values is None:
        observed = float((sides[0] != sides[1]).mean())
        expected = 1.0 - float(shares[0] @ shares[1])
        return 1.0 - observed / expected
    one, other = (found.values[side] for side in sides)
    if weights == "linear":
        observed = float(np.abs(one - other).mean())
        below, under = (np.cumsum(share)[:-1] for share in shares)
        apart = below * (1.0 - under) + under * (1.0 - below)
        return 1.0 - observed / float(np.diff(found.values) @ apart)
    squares = ((one - other) ** 2).mean()
    return 1.0 - float(squares / (one.var() + other.var() + (one.mean() - other.mean()) ** 2))


def fleiss_kappa(ratings: "_RatingSource") -> float:
    """Return Fleiss' kappa of any number of judges.

    Parameters
    ----------
    ratings : Judgments, or a matrix [judge, item]
        As in `cohen_kappa`. Who gave a rating does not matter.

    Returns
    -------
    float
        1 for agreement throughout, 0 for as much as by chance; nan if all ratings are the same,
        or no item is judged twice.

    Raises
    ------
    TypeError, ValueError
        If ratings are no matrix of numbers or labels.

    Warns
    -----
    MetaWarning
        If the result is nan.

    Notes
    -----
    Fleiss has the same number of ratings for each item. Here that may differ: items with fewer
    than two ratings are left out, and of the others each counts the same, for the agreement and
    for the shares of the categories alike (a mean of shares of items). Time O(n log n).

    References
    ----------
    Fleiss 1971, Measuring nominal scale agreement among many raters.

    Examples
    --------
    >>> round(fleiss_kappa([[1, 1, 2, 2], [1, 1, 2, 1], [1, 2, 2, 2]]), 4)
    0.3333
    """
    import numpy as np

    found = ratings_of(ratings).of_items_with(2)
    if not len(found.item):
        return _undefined("fleiss_kappa: no item is judged twice")
    if found.n_categories == 1:
        return _undefined("fleiss_kappa: all ratings are the same")
    items, item = np.unique(found.item, return_inverse=True)
    counts = np.bincount(item)
    cells, repeats = np.unique(item * found.n_categories + found.category, return_counts=True)
    own = cells // found.n_categories
    pairs = np.bincount(own, repeats * (repeats - 1.0), len(items))
    agreement = float((pairs / (counts * (counts - 1.0))).mean())
    shares: FloatArray = np.bincount(cells % found.n_categories, repeats / counts[own]) / len(items)
    expected = float((shares**2).sum())
    return (agreement - expected) / (1.0 - expected)


def _undefined(why: str) -> float:
    caution(f"{why}, so that the figure is not defined")
    return float("nan")
