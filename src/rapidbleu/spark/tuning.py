"""Line searches and MERT on n-best lists in a Spark DataFrame, with the bits of one machine."""

from rapidbleu.spark.ground import ground_on
from rapidbleu.tuning.search.line_search import ask_for, check_smooth, check_span, result_of
from rapidbleu.tuning.search.plan import Plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pyspark.sql import DataFrame

    from rapidbleu.scoring import RowScoring
    from rapidbleu.tuning import LineSearchResult, MertResult
    from rapidbleu.typing import (
        Bounds,
        Items,
        Norm,
        Progress,
        Smoothing,
        StepCallback,
        Vector,
        Weights,
    )


def line_search(
    st: "DataFrame",
    weights: "Vector",
    direction: "Vector",
    *,
    segment: str = "segment",
    features: str = "features",
    order: "str | None" = None,
    metric: "RowScoring | None" = None,
    names: "Sequence[str] | None" = None,
    bounds: "Items[float] | None" = None,
    smooth: "Smoothing | None" = None,
    moses_compat: bool = False,
) -> "LineSearchResult":
    """Find the best score along ``weights + x * direction``, as `rapidbleu.tuning.line_search`.

    Parameters
    ----------
    st : DataFrame
        A row for each candidate, with an integer column for each statistic of the metric.
    weights, direction : float array of shape (n_features,), or dict
    segment : str
        The column that says which segment a candidate is of: integers or texts.
    features : str
        The column of features: arrays of double or float, all of one length.
    order : str, optional
        A column that candidates of a segment are ordered by, such as their rank; its values differ
        within a segment. Of candidates with equal scores the first one is chosen, so that order
        matters. Rows of a DataFrame have none: by default candidates are in the order of their
        features, then of their statistics.
    metric : metric, optional
        Of the statistics; by default the one that their columns name, as those of
        `rapidbleu.spark.stats` do.
    names : sequence of str, optional
        Of the features; F0, F1, ... by default.
    bounds, smooth, moses_compat
        As in `rapidbleu.tuning.line_search`.

    Returns
    -------
    LineSearchResult
        That of `rapidbleu.tuning.line_search` on a list with candidates in this order, to the last
        bit, however many partitions there are.

    Raises
    ------
    TypeError, ValueError
        If something is missing, null, no finite number or does not fit to the rest; names the
        column or the segment.

    Notes
    -----
    Candidates are brought together by segment and sorted once. The driver then takes the boundaries
    of all segments, each with the change of every statistic.

    Examples
    --------
    >>> from rapidbleu.spark import line_search
    >>> line_search(candidates, [0.5, 0.5], [1.0, 0.0], order="rank")  # doctest: +SKIP
    <LineSearchResult x = 0.45 in (-inf, 0.5), score = 0.6500, 2 boundaries>
    """
    check_smooth(smooth)
    check_span(bounds)
    with ground_on(st, segment, features, order, metric, names) as ground:
        ask, line = ask_for(ground.names, weights, direction, bounds, smooth, moses_compat)
        return result_of(*ground.landscape(ask), ask, line)


def mert(
    st: "DataFrame",
    weights: "Weights | None" = None,
    *,
    segment: str = "segment",
    features: str = "features",
    order: "str | None" = None,
    metric: "RowScoring | None" = None,
    names: "Sequence[str] | None" = None,
    restarts: int = 20,
    axes: bool = True,
    random_directions: int = 0,
    fixed: "Collection[str]" = (),
    bounds: "Bounds | None" = None,
    ranges: "Bounds | None" = None,
    normalize: "Norm | None" = "l1",
    min_gain: "float | None" = None,
    max_steps: int = 1000,
    smooth: "Smoothing | None" = None,
    penalty: float = 0.0,
    seed: int = 0,
    callback: "StepCallback | None" = None,
    progress: "Progress | None" = None,
    moses_compat: bool = False,
) -> "MertResult":
    """Tune weights by exact line searches, as `rapidbleu.tuning.mert`.

    Parameters
    ----------
    st, segment, features, order, metric, names
        As in `line_search`.
    weights, restarts, axes, random_directions, fixed, bounds, ranges, normalize, min_gain
        As in `rapidbleu.tuning.mert`, and so are the following.
    max_steps, smooth, penalty, seed, callback, progress, moses_compat
        All climbs go step by step together, so `callback` is told of their steps in turn.

    Returns
    -------
    MertResult
        That of `rapidbleu.tuning.mert` with all its steps, to the last bit, on a list with
        segments in ascending order and candidates as in `line_search`, however many partitions
        there are.

    Raises
    ------
    TypeError, ValueError
        As `line_search` and `rapidbleu.tuning.mert`.

    Notes
    -----
    Candidates are sorted and checked once, and persisted until the end. Then the scores of all
    starts are one Spark job, a step of all climbs is another one, or several where the boundaries
    of all lines would take more than 128 MB of the driver, and the last score is one.

    Examples
    --------
    >>> from rapidbleu.spark import mert
    >>> mert(candidates, order="rank", names=["lm", "length"])  # doctest: +SKIP
    mert: 100.0000
      lm      1
      length  1.1
    """
    plan = Plan(
        restarts=restarts, axes=axes, random_directions=random_directions, fixed=fixed,
        bounds=bounds, ranges=ranges, normalize=normalize, min_gain=min_gain, max_steps=max_steps,
        smooth=smooth, penalty=penalty, seed=seed, callback=callback, progress=progress,
        moses_compat=moses_compat,
    )  # fmt: skip
    with ground_on(st, segment, features, order, metric, names) as ground:
        return plan.carry_out(ground, weights)
