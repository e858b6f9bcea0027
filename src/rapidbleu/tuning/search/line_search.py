"""Exact line search: the corpus score along a line through the space of weights."""

from __future__ import annotations

import math
from typing import NamedTuple

from rapidbleu._core.tuning.line_search import Landscape, WeightPoint
from rapidbleu._lib.checks import check_flag, check_type
from rapidbleu._lib.loader import np
from rapidbleu.tuning.checks import check_pair, check_vector
from rapidbleu.tuning.nbest import NBestList

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu._types import FloatArray, IntArray, Items, Smoothing, Vector

SMOOTHINGS = ("mean", "min")
SUM_BITS = 53  # of the integer part of a sum of scores, which fits a double
COUNT_BITS = 62

MOSES_CLOSEST = 1e-4  # Moses drops a boundary if the segment's next one is nearer than this


class LineSearchResult(NamedTuple):
    """The best point of a line, and the whole landscape.

    Attributes
    ----------
    x : float
        Distance along the direction; 0 on a line without boundaries.
    weights : float64 array of shape (n_features,)
        Weights at x.
    score : float
        Score at x.
    interval : tuple of float
        Ends of the interval around x, possibly infinite.
    boundaries : float64 array of shape (m,)
        Ascending points at which some segment changes its hypothesis.
    scores : float64 array of shape (m + 1,)
        ``scores[i]`` is the score between ``boundaries[i - 1]`` and ``boundaries[i]``.

    Examples
    --------
    >>> from rapidbleu.tuning import NBestList, line_search
    >>> nbest = NBestList.from_lists([["a b", "a c"]], [[0, 1], [1, 0]], [["a c"]])
    >>> found = line_search(nbest, [0, 1], [1, 0])
    >>> found.boundaries, len(found.scores)
    (array([1.]), 2)
    """

    x: float
    weights: FloatArray
    score: float
    interval: tuple[float, float]
    boundaries: FloatArray
    scores: FloatArray

    def __repr__(self) -> str:
        low, high = self.interval
        return (
            f"<LineSearchResult x = {self.x:.6g} in ({low:.6g}, {high:.6g}), "
            f"score = {self.score:.4f}, {len(self.boundaries)} boundaries>"
        )


def check_smooth(smooth: Smoothing | None) -> tuple[str, int]:
    """Return the kind of smoothing, and the number of intervals on either side."""
    if smooth is None:
        return "none", 0
    if not isinstance(smooth, tuple) or len(smooth) != 2 or smooth[0] not in SMOOTHINGS:
        raise ValueError(f"smooth: expected ('mean', window) or ('min', window); got {smooth!r}")
    kind, window = smooth
    if isinstance(window, bool) or not isinstance(window, int):
        raise TypeError(f"smooth[1]: expected int; got {type(window).__name__}")
    if window < 0:
        raise ValueError(f"smooth[1]: expected at least 0 intervals; got {window}")
    return kind, window


def line_search(
    nbest: NBestList,
    weights: Vector,
    direction: Vector,
    *,
    bounds: Items[float] | None = None,
    smooth: Smoothing | None = None,
    moses_compat: bool = False,
) -> LineSearchResult:
    """Find the best score along ``weights + x * direction``, over all x.

    Usually takes time linear in the hypotheses: some 3 ns each in long lists.

    Parameters
    ----------
    nbest : NBestList
        Dense features.
    weights : float array of shape (n_features,), or dict
        Weights at x = 0.
    direction : float array of shape (n_features,), or dict
    bounds : (low, high), optional
        Limits of x.
    smooth : ("mean" or "min", window), optional
        Choose by the mean or the minimum of scores over up to this many intervals on either side.
        Time does not depend on the window.
    moses_compat : bool
        Choose and step by the rules of Moses, in single precision.

    Notes
    -----
    The score is constant between boundaries; adjacent intervals with equal scores are merged. x is
    the middle of the widest interval with the best score. Beyond the outermost boundary, x is past
    it by a tenth of its distance from 0.

    Moses takes the first interval with the best score, goes back by 1000 from the first boundary or
    forward by 0.1 from the last one, skips steps below 0.00015, and drops the first of two
    boundaries of a segment nearer than 0.0001. It computes boundaries in single precision, so more
    of them are equal, and where lines of equal hypotheses cross another one it takes the last.

    References
    ----------
    Och, F. J. 2003. Minimum Error Rate Training in Statistical Machine Translation, section 4. ACL.
    Cer, D., Jurafsky, D., Manning, C. D. 2008. Regularization and Search for Minimum Error Rate
    Training. WMT, section 3.

    Examples
    --------
    >>> from rapidbleu import SegmentScores
    >>> metric = SegmentScores()
    >>> features = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 3.0]]
    >>> rows = metric.stats([0.2, 0.8, 0.5, 0.1])
    >>> nbest = NBestList(features, rows, [0, 2, 4], metric=metric)
    >>> found = line_search(nbest, [1.0, 0.0], [0.0, 1.0])
    >>> found.boundaries, found.scores.round(2)
    (array([0.5, 1. ]), array([0.65, 0.45, 0.15]))
    >>> found
    <LineSearchResult x = 0.45 in (-inf, 0.5), score = 0.6500, 2 boundaries>
    """
    check_type("nbest", nbest, NBestList)
    start = check_vector(weights, nbest.names)
    along = check_vector(direction, nbest.names, "direction")
    span = check_span(bounds)
    moses = check_flag("moses_compat", moses_compat)
    smoothing, window = check_smooth(smooth)
    point = WeightPoint(nbest._feature_columns(), nbest._counts)
    point.place(start, None, moses)
    landscape = Landscape(nbest.metric._kernel, nbest.stats)
    x, score, _, _, low, high = best_point(landscape, point, along, *span, smoothing, window, moses)
    boundaries, scores = intervals_of(landscape)
    return LineSearchResult(x, start + x * along, score, (low, high), boundaries, scores)


def best_point(
    landscape: Landscape,
    point: WeightPoint,
    direction: FloatArray,
    low: float,
    high: float,
    smoothing: str,
    window: int,
    moses: bool,
    slope: float = 0.0,
    curvature: float = 0.0,
    stop: list[BaseException] | None = None,
) -> tuple[float, float, float, float, float, float]:
    """Survey the line through a point along a direction, and return its best point.

    Stores all boundaries and scores of the line in the landscape. See `Landscape.survey`,
    `smooth_scores` and `Landscape.best_interval` for the parameters and the result.
    """
    landscape.survey(point, direction, low, high, MOSES_CLOSEST if moses else 0.0, stop)
    smoothed = None
    if smoothing != "none":
        scores = intervals_of(landscape)[1]
        smoothed = smooth_scores(scores, smoothing, window, landscape.kernel.lower_is_better)
    return landscape.best_interval(low, high, smoothed, slope, curvature, moses, stop)


def intervals_of(landscape: Landscape) -> tuple[FloatArray, FloatArray]:
    """Return copies of a line's boundaries and of the scores between them."""
    boundaries = np.empty(landscape.n_boundaries)
    scores = np.empty(landscape.n_boundaries + 1)
    landscape.copy_to(boundaries, scores)
    return boundaries, scores


def smooth_scores(scores: FloatArray, kind: str, window: int, lower: bool) -> FloatArray:
    """Return the mean or the worst of each score and its neighbors (Cer et al. 2008).

    `window` is the number of neighbors on either side. The worst score is the highest if `lower`
    is better. Linear in the scores.

    >>> smooth_scores(np.array([1.0, 5.0, 2.0]), "min", 1, False)
    array([1., 1., 2.])
    """
    window = min(window, len(scores) - 1)
    if kind == "mean":
        return _window_means(scores, window)
    return -_window_minima(-scores, window) if lower else _window_minima(scores, window)


def _window_minima(scores: FloatArray, window: int) -> FloatArray:
    # A window of one length is the end of a block of that length and the start of the next, so
    # running minima of all blocks from both sides suffice.
    n = len(scores)
    size = 2 * window + 1
    blocks = np.full((-(-(n + size) // size), size), np.inf)
    blocks.ravel()[window : window + n] = scores
    starts = np.minimum.accumulate(blocks, axis=1).ravel()
    ends = np.minimum.accumulate(blocks[:, ::-1], axis=1)[:, ::-1].ravel()
    return np.minimum(ends[:n], starts[size - 1 : size - 1 + n])


def _window_means(scores: FloatArray, window: int) -> FloatArray:
    # Differences of running sums would drift, so scores are integers plus a fraction of the unit of
    # which the highest possible sum has 53 bits. Both are added exactly, modulo 2**64, and the sum
    # is rounded once. Only bits 70 and more below the highest score are cut off.
    places = np.arange(len(scores))
    begins = np.maximum(places - window, 0)
    ends = np.minimum(places + window + 1, len(scores))
    finite = np.isfinite(scores)
    bits = int(ends.max() - begins[-1]).bit_length()
    highest = np.abs(scores[finite]).max(initial=0.0)
    exponent = SUM_BITS - bits - math.frexp(highest)[1]
    fraction_bits = min(COUNT_BITS - bits, SUM_BITS)

    def summed(parts: Any) -> IntArray:
        totals: IntArray = np.append(0, np.cumsum(parts, dtype=np.int64))
        return totals[ends] - totals[begins]

    scaled = np.ldexp(np.where(finite, scores, 0.0), exponent)
    units = np.trunc(scaled)
    fractions = np.ldexp(scaled - units, fraction_bits)
    carry, rest = np.divmod(summed(fractions.astype(np.int64)), 1 << fraction_bits)
    sums = (summed(units.astype(np.int64)) + carry) + np.ldexp(rest, -fraction_bits)
    means: FloatArray = np.ldexp(sums / (ends - begins), -exponent)
    means[summed(~finite) > 0] = np.nan
    return means


def check_span(bounds: Items[float] | None) -> tuple[float, float]:
    if bounds is None:
        return -math.inf, math.inf
    low, high = check_pair("bounds", bounds)
    if not low < high:
        raise ValueError(f"bounds: expected low < high; got {low} and {high}")
    return low, high
