"""Differences of two systems: of the segments' scores, and of the scores of resamples."""

from math import isqrt

from rapidbleu.comparison import Comparison
from rapidbleu.comparison.inputs import check_name, check_pair
from rapidbleu.plots.drawing import (
    COLORS,
    INK,
    LINE,
    SOFT,
    axes_for,
    check_comparison,
    dress,
    load,
    name_series,
    shortened,
)
from rapidbleu.significance import PairedResult, ResampledScore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIDE = 15  # bins on either side of 0
FEWEST, MOST = 11, 51  # bins of a density


def plot_differences(
    found: Comparison,
    a: str,
    b: str,
    metric: "str | None" = None,
    *,
    ax: "Axes | None" = None,
) -> "tuple[Figure, Axes]":
    """Draw how the segment scores of two systems differ, as a histogram.

    Parameters
    ----------
    found : Comparison
    a, b : str
        Systems.
    metric : str, optional
        The first one by default.
    ax : matplotlib.axes.Axes, optional
        What is drawn on.

    Returns
    -------
    (matplotlib.figure.Figure, matplotlib.axes.Axes)
        Bars count segments by the score of `b` less that of `a`, in the unit of the metric: 31
        bins of the same width, of which the middle one has 0 in its middle. Its bar is grey; the
        others have the color of the system that is better there.

    Raises
    ------
    TypeError, ValueError
        If an argument is wrong.
    ImportError
        Without Matplotlib.

    Examples
    --------
    >>> from rapidbleu import compare
    >>> outputs = {"A": ["a rose is red", "a rose"], "B": ["one rose is red", "some rose"]}
    >>> found = compare(outputs, [["a rose is red", "a rose"]])
    >>> figure, axes = plot_differences(found, "A", "B", "chrF2")
    >>> axes.get_xlabel()
    'chrF2 of B less that of A'
    """
    import numpy as np

    check_comparison(found)
    check_pair(a, b, found.systems)
    metric = found.metrics[0] if metric is None else metric
    check_name("metric", metric, found.metrics)
    scores = found.segment_scores[metric]
    differences = scores[b] - scores[a]
    far = float(np.abs(differences).max()) or 1.0
    edges = np.linspace(-far, far, 2 * SIDE + 2)
    counts, _ = np.histogram(differences, edges)
    figure, axes = axes_for(ax)
    more = found.higher_is_better[metric]
    below, above = (COLORS[0], COLORS[1]) if more else (COLORS[1], COLORS[0])
    axes.bar(edges[:-1], counts, np.diff(edges), align="edge", edgecolor="white", linewidth=0.7,
             color=[below] * SIDE + [SOFT] + [above] * SIDE)  # fmt: skip
    mean = float(differences.mean())
    line = axes.axvline(mean, color=INK, linewidth=1.4, linestyle="--")
    gains = differences if more else -differences
    n_a, n_b = int((gains < 0).sum()), int((gains > 0).sum())
    patch = load("patches").Patch
    patches = [patch(color=color) for color in (COLORS[0], COLORS[1], SOFT)]
    name_series(axes, [*patches, line], [
        f"{shortened(a)} better: {n_a}", f"{shortened(b)} better: {n_b}",
        f"equal: {len(differences) - n_a - n_b}", f"mean: {mean:+.4g}",
    ])  # fmt: skip
    x = f"{metric} of {shortened(b)} less that of {shortened(a)}"
    dress(axes, f"Segments by difference of {metric}", x, "segments")
    axes.locator_params(axis="y", integer=True)
    return figure, axes


def plot_bootstrap(
    result: "PairedResult | Comparison",
    metric: str,
    a: str,
    b: str,
    *,
    ax: "Axes | None" = None,
) -> "tuple[Figure, Axes]":
    """Draw the differences of two systems in the resamples of a paired bootstrap, as a density.

    Parameters
    ----------
    result : PairedResult or Comparison
        Of `paired_bootstrap` or `compare`, which compared the two systems.
    metric : str
    a, b : str
        Systems.
    ax : matplotlib.axes.Axes, optional
        What is drawn on.

    Returns
    -------
    (matplotlib.figure.Figure, matplotlib.axes.Axes)
        Of the score of `b` less that of `a`: a histogram whose area is 1, the difference that was
        observed, the interval at the level of the test, and 0. The title has the p-value, and the
        corrected one of a comparison that corrects.

    Raises
    ------
    TypeError, ValueError
        If an argument is wrong, or if the two systems were not compared by a bootstrap.
    ImportError
        Without Matplotlib.

    Examples
    --------
    >>> from rapidbleu import MeanScore
    >>> from rapidbleu.significance import paired_bootstrap
    >>> comet = MeanScore("COMET")
    >>> scores = {"A": [0.8, 0.7, 0.6, 0.9], "B": [0.9, 0.5, 0.8, 0.9]}
    >>> rows = {name: comet.rows(own) for name, own in scores.items()}
    >>> figure, axes = plot_bootstrap(paired_bootstrap(rows, None, comet), "COMET", "A", "B")
    >>> axes.get_title(loc="left")
    'Bootstrap of COMET: p = 0.2887'
    """
    import numpy as np

    p = _p_value(result, metric, a, b)
    scores = result.resampled[metric] if isinstance(result, Comparison) else result[metric]
    one, other = scores[a], scores[b]
    samples: Any = other.samples - one.samples  # type: ignore[operator]
    gap = ResampledScore(metric, other.score - one.score, samples, one.level)
    low, high = float(samples.min()), float(samples.max())
    if high - low <= 1e-9 * max(1.0, abs(low), abs(high)):  # all the same, but for rounding
        low, high = low - 0.5, high + 0.5
    n_bins = min(max(isqrt(len(samples)), FEWEST), MOST) | 1  # one of them has the middle
    heights, edges = np.histogram(samples, n_bins, (low, high), density=True)
    figure, axes = axes_for(ax)
    begin, end = gap.interval or (low, high)
    band = axes.axvspan(begin, end, color=LINE, alpha=0.6, linewidth=0, zorder=0.5)
    axes.bar(edges[:-1], heights, np.diff(edges), align="edge", color=COLORS[5],
             edgecolor="white", linewidth=0.7)  # fmt: skip
    zero = axes.axvline(0, color=COLORS[1], linewidth=1.4)
    seen = axes.axvline(gap.score, color=INK, linewidth=1.4, linestyle="--")
    name_series(axes, [seen, band, zero], [
        f"observed: {gap.score:+.4g}",
        f"{100 * gap.level:g}%: {begin:+.4g} to {end:+.4g}", "no difference",
    ])  # fmt: skip
    x = f"{metric} of {shortened(b)} less that of {shortened(a)}"
    dress(axes, f"Bootstrap of {metric}: {p}", x, "density of the resamples")
    return figure, axes


def _p_value(result: object, metric: str, a: str, b: str) -> str:
    """Return the p-value of a pair as it is written, after all arguments were checked."""
    if not isinstance(result, (PairedResult, Comparison)):
        raise TypeError(
            f"result: expected PairedResult or Comparison, got {type(result).__name__}"
        )
    check_name("metric", metric, result.metrics)
    check_pair(a, b, result.systems)
    if isinstance(result, PairedResult):
        if result.test != "paired bootstrap":
            raise ValueError(f"result: expected a paired bootstrap, got a {result.test}")
        return f"p = {result.p(metric, a, b):.4f}"
    tests = result.tests
    for own, one, other, p, fixed in zip(
        *(tests[name] for name in ("metric", "a", "b", "p", "corrected p")), strict=True
    ):
        if own == metric and {one, other} == {a, b}:
            more = "" if result.correction == "none" else f", {fixed:.4f} corrected"
            return f"p = {p:.4f}{more}"
    raise ValueError(f"{a!r} and {b!r} were not compared")
