"""Plots of systems: precisions, buckets, segment and resample differences, p-values."""

from __future__ import annotations

from collections.abc import Mapping
from math import isqrt

from rapidbleu._lib.checks import check_type
from rapidbleu._lib.floats import p_text
from rapidbleu._lib.loader import np
from rapidbleu.comparison import Comparison
from rapidbleu.comparison.tables import (
    FREQUENCY,
    LABEL,
    LENGTH,
    LENGTH_DIFFERENCE,
    RATES,
    TITLES,
    bucket_title,
    check_name,
    check_pair,
    score_buckets,
    shown_in,
)
from rapidbleu.plots.drawing import (
    COLORS,
    INK,
    LINE,
    P_VALUES,
    SLANT,
    SOFT,
    Plot,
    axes_for,
    color_of,
    draw_p_values,
    dress,
    load,
    name_series,
    shortened,
)
from rapidbleu.significance import PairedResult, ResampledScore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from matplotlib.axes import Axes

    from rapidbleu._types import FloatArray
    from rapidbleu.metrics.bleu import BLEUScore

BAR: dict[str, Any] = {"edgecolor": "white", "linewidth": 0.7}
SHARE = 0.8  # of a group's width filled by its bars
MOST_LETTERS = 56  # below all groups; names slant if the longest would need more
WORDS = "words"
KINDS = {
    LABEL: "label of the segment",
    LENGTH: "words of the reference",
    LENGTH_DIFFERENCE: "words of the output less those of the reference",
    WORDS: "frequency of the word in the references",
}
SIDE = 15  # bins on either side of 0
FEWEST = 11
MOST = 51  # bins of a density
HILL = "#3d9bd6"  # of a density; contrasts with ink and with the second color
CELL = 0.75, 0.42  # width and height in inches
AROUND = 4.2, 1.6


def plot_precisions(
    comparison: Comparison | Mapping[str, BLEUScore],
    metric: str | None = None,
    *,
    ax: Axes | None = None,
) -> Plot[Axes]:
    """Draw the n-gram precisions of systems as bars.

    Parameters
    ----------
    comparison : Comparison, or dict of str to BLEUScore
        Comparison, or scores by name of the system.
    metric : str, optional
        Metric of a comparison (default: the first one with precisions).

    Returns
    -------
    Plot of (figure, axes)
        The bars of a system are one of ``axes.containers``; heights are in percent.

    Examples
    --------
    >>> from rapidbleu import BLEU
    >>> references = [["The cat sat on the mat.", "It was raining."]]
    >>> outputs = {"old": ["A cat sat.", "It rained."], "new": ["The cat sat.", "It was raining."]}
    >>> scores = {name: BLEU().corpus_score(own, references) for name, own in outputs.items()}
    >>> figure, axes = plot_precisions(scores)
    >>> [f"{bar.get_height():.1f}" for bar in axes.containers[1]]
    ['100.0', '83.3', '75.0', '50.0']
    """
    precisions = {
        str(name): score.precisions for name, score in _scores_with_precisions(comparison, metric)
    }
    first, orders = next(iter(precisions.items()))
    for name, values in precisions.items():
        if len(values) != len(orders):
            raise ValueError(
                f"comparison[{name!r}]: expected {len(orders)} precisions as {first!r} has; "
                f"got {len(values)}"
            )
    figure, axes = axes_for(ax)
    groups = [f"{n}-grams" for n in range(1, len(orders) + 1)]
    _draw_bars(axes, groups, precisions)
    dress(axes, "n-gram precisions", "", "precision (%)")
    return Plot(figure, axes)


def _scores_with_precisions(source: Any, metric: str | None) -> Iterable[tuple[Any, Any]]:
    if isinstance(source, Comparison):
        known = [
            name
            for name, scores in source.corpus_scores.items()
            if hasattr(next(iter(scores.values())), "precisions")
        ]
        if not known:
            listed = ", ".join(source.metrics)
            raise ValueError(f"comparison: expected a metric with precisions; got {listed}")
        check_name("metric", metric or known[0], known)
        return source.corpus_scores[metric or known[0]].items()
    if not isinstance(source, Mapping):
        raise TypeError(
            f"comparison: expected Comparison or a dict of scores; got {type(source).__name__}"
        )
    if metric is not None:
        raise ValueError(f"metric: expected none with a dict of scores; got {metric!r}")
    if not source:
        raise ValueError("comparison: expected at least one system; got none")
    for name, score in source.items():
        if not hasattr(score, "precisions"):
            kind = type(score).__name__
            raise TypeError(f"comparison[{name!r}]: expected BLEUScore; got {kind}")
    return source.items()


def plot_buckets(
    comparison: Comparison,
    buckets: str = LENGTH,
    what: str | None = None,
    *,
    ax: Axes | None = None,
) -> Plot[Axes]:
    """Draw the systems' scores in buckets of segments or words as bars.

    Parameters
    ----------
    comparison : Comparison
    buckets : str
        One of ``found.buckets``, or "words".
    what : str, optional
        As in `Comparison.side_by_side`. By default the first metric, for buckets by score
        "segments", for words "f" (F1).

    Returns
    -------
    Plot of (figure, axes)
        The bars of a system are one of ``axes.containers``. Labels show how many segments or words
        a bucket has if all systems agree; an empty bucket has no bars.

    Examples
    --------
    >>> from rapidbleu import compare
    >>> outputs = {"A": ["a rose is red", "a rose"], "B": ["one rose is red", "some rose"]}
    >>> found = compare(outputs, [["a rose is red", "a rose"]])
    >>> figure, axes = plot_buckets(found, "words", "recall")
    >>> axes.get_ylabel()
    'recall of words'
    """
    check_type("comparison", comparison, Comparison)
    if what is None:
        what = "f" if buckets == WORDS else shown_in(buckets, comparison.columns)[0]
    table = comparison.side_by_side(buckets, what)
    x = KINDS.get(buckets) or f"{score_buckets(comparison.columns)[buckets]} of the segment"
    names = [shortened(name) for name in table["bucket"]]
    sizes = None
    columns = table.names[-len(comparison.systems) :]
    if len(table.names) > 1 + len(columns):  # has a column of sizes before them
        sizes = table[table.names[1]].tolist()
        x += f"; number of {TITLES.get(table.names[1], table.names[1])}"
    title = TITLES.get(what, what)
    y = f"{title} of words" if what in RATES and buckets == WORDS else title
    if not comparison.higher_is_better.get(what, True):
        y += " (less is better)"
    figure, axes = axes_for(ax)
    series = {system: table[name] for system, name in zip(comparison.systems, columns, strict=True)}
    _draw_bars(axes, names, series, sizes)
    head = what if what in comparison.metrics else title[0].upper() + title[1:]
    by = bucket_title(FREQUENCY if buckets == WORDS else buckets, comparison.columns)
    dress(axes, f"{head} by {by}", x, y)
    return Plot(figure, axes)


def _draw_bars(
    ax: Axes,
    groups: list[str],
    series: Mapping[str, Sequence[float] | FloatArray],
    sizes: list[int] | None = None,
) -> None:
    """Draw grouped bars, one for each group and series, and label groups with sizes."""
    at = np.arange(len(groups))
    width = SHARE / len(series)
    bars = [
        ax.bar(
            at + width * (i + 0.5) - SHARE / 2,
            heights,
            width,
            color=color_of(i),
            **BAR,
        )
        for i, heights in enumerate(series.values())
    ]
    slanted = max(map(len, groups)) * len(groups) > MOST_LETTERS
    if sizes is not None:
        form = "{} ({})" if slanted else "{}\n{}"
        groups = [form.format(group, n) for group, n in zip(groups, sizes, strict=True)]
    ax.set_xticks(at, groups, parse_math=False, **(SLANT if slanted else {}))
    ax.axhline(0, color=INK, linewidth=0.7)
    name_series(ax, bars, list(series))


def plot_differences(
    comparison: Comparison,
    a: str,
    b: str,
    metric: str | None = None,
    *,
    ax: Axes | None = None,
) -> Plot[Axes]:
    """Draw how the segment scores of two systems differ, as a histogram.

    Parameters
    ----------
    comparison : Comparison
    a, b : str
        Systems.
    metric : str, optional
        Default: the first one.

    Returns
    -------
    Plot of (figure, axes)
        Bars count segments by the score of `b` minus the score of `a`, in the unit of the metric.
        The middle of 31 bins of equal width is centered on 0, and its bar grey; each other bar has
        the color of the system that is better there.

    Examples
    --------
    >>> from rapidbleu import compare
    >>> outputs = {"A": ["a rose is red", "a rose"], "B": ["one rose is red", "some rose"]}
    >>> found = compare(outputs, [["a rose is red", "a rose"]])
    >>> figure, axes = plot_differences(found, "A", "B", "chrF2")
    >>> axes.get_xlabel()
    'chrF2 of B less that of A'
    """
    check_type("comparison", comparison, Comparison)
    check_pair(a, b, comparison.systems)
    metric = comparison.metrics[0] if metric is None else metric
    check_name("metric", metric, comparison.metrics)
    scores = comparison.segment_scores[metric]
    differences = scores[b] - scores[a]
    far = float(np.abs(differences).max()) or 1.0
    edges = np.linspace(-far, far, 2 * SIDE + 2)
    counts, _ = np.histogram(differences, edges)
    figure, axes = axes_for(ax)
    more = comparison.higher_is_better[metric]
    below, above = (COLORS[0], COLORS[1]) if more else (COLORS[1], COLORS[0])
    axes.bar(
        edges[:-1],
        counts,
        np.diff(edges),
        align="edge",
        **BAR,
        color=[below] * SIDE + [SOFT] + [above] * SIDE,
    )
    mean = float(differences.mean())
    line = axes.axvline(mean, color=INK, linewidth=1.4, linestyle="--")
    gains = differences if more else -differences
    n_a = int((gains < 0).sum())
    n_b = int((gains > 0).sum())
    patch = load("patches").Patch
    patches = [patch(color=color) for color in (COLORS[0], COLORS[1], SOFT)]
    name_series(
        axes,
        [*patches, line],
        [
            f"{shortened(a)} better: {n_a}",
            f"{shortened(b)} better: {n_b}",
            f"equal: {len(differences) - n_a - n_b}",
            f"mean: {mean:+.4g}",
        ],
    )
    x = f"{metric} of {shortened(b)} less that of {shortened(a)}"
    dress(axes, f"Segments by difference of {metric}", x, "segments")
    axes.locator_params(axis="y", integer=True)
    return Plot(figure, axes)


def plot_bootstrap(
    result: PairedResult | Comparison,
    metric: str,
    a: str,
    b: str,
    *,
    ax: Axes | None = None,
) -> Plot[Axes]:
    """Draw the density of the differences between two systems in paired bootstrap resamples.

    Parameters
    ----------
    result : PairedResult or Comparison
        Result for both systems, from `paired_bootstrap` or `compare`.
    metric : str
    a, b : str
        Systems.

    Returns
    -------
    Plot of (figure, axes)
        Differences are the score of `b` minus the score of `a`: a histogram of area 1, the observed
        difference, the interval at the test's level, and 0. The title contains the p-value, and the
        corrected one if a comparison corrects.

    Examples
    --------
    >>> from rapidbleu import SegmentScores
    >>> from rapidbleu.significance import paired_bootstrap
    >>> comet = SegmentScores("COMET")
    >>> scores = {"A": [0.8, 0.7, 0.6, 0.9], "B": [0.9, 0.5, 0.8, 0.9]}
    >>> rows = {name: comet.stats(own) for name, own in scores.items()}
    >>> figure, axes = plot_bootstrap(paired_bootstrap(rows, None, comet), "COMET", "A", "B")
    >>> axes.get_title(loc="left")
    'Bootstrap of COMET: p = 0.2887'
    """
    p_values = _p_values(result, metric, "p_value")
    check_pair(a, b, result.systems)
    pair = result.systems.index(a), result.systems.index(b)
    if isinstance(result, PairedResult) and result.test != "paired bootstrap":
        raise ValueError(f"result: expected a paired bootstrap; got a {result.test}")
    if np.isnan(p_values[pair]):
        raise ValueError(f"{a!r} and {b!r} were not compared")
    p = p_text(p_values[pair], _least(result, "p_value"))
    title = f"Bootstrap of {metric}: p {p}" if p[0] == "≤" else f"Bootstrap of {metric}: p = {p}"
    if isinstance(result, Comparison):
        scores: Any = result.resampled[metric]
        if result.correction != "none":
            corrected = _p_values(result, metric, "p_corrected")[pair]
            title += f", {p_text(corrected, _least(result, 'p_corrected'))} corrected"
    else:
        scores = result[metric]
    of_a = scores[a]
    of_b = scores[b]
    samples = of_b.samples - of_a.samples
    gap = ResampledScore(metric, of_b.score - of_a.score, samples, of_a.level)
    low = float(samples.min())
    high = float(samples.max())
    if high - low <= 1e-9 * max(1.0, abs(low), abs(high)):  # all equal except for rounding
        low = low - 0.5
        high = high + 0.5
    n_bins = min(max(isqrt(len(samples)), FEWEST), MOST) | 1  # one of them is centered
    heights, edges = np.histogram(samples, n_bins, (low, high), density=True)
    figure, axes = axes_for(ax)
    begin, end = gap.interval or (low, high)
    band = axes.axvspan(begin, end, color=LINE, alpha=0.6, linewidth=0, zorder=0.5)
    axes.bar(
        edges[:-1],
        heights,
        np.diff(edges),
        align="edge",
        color=HILL,
        **BAR,
    )
    zero = axes.axvline(0, color=COLORS[1], linewidth=1.4)
    seen = axes.axvline(gap.score, color=INK, linewidth=1.4, linestyle="--")
    name_series(
        axes,
        [seen, band, zero],
        [
            f"observed: {gap.score:+.4g}",
            f"{100 * gap.level:g}%: {begin:+.4g} to {end:+.4g}",
            "no difference",
        ],
    )
    x = f"{metric} of {shortened(b)} less that of {shortened(a)}"
    dress(axes, title, x, "density of the resamples")
    return Plot(figure, axes)


def plot_p_values(
    result: PairedResult | Comparison, metric: str, *, ax: Axes | None = None
) -> Plot[Axes]:
    """Draw the p-values of pairs of systems as a matrix.

    Parameters
    ----------
    result : PairedResult or Comparison
        For a comparison, corrected p-values are drawn.
    metric : str

    Returns
    -------
    Plot of (figure, axes)
        A cell for each pair, darker for smaller p-values; the legend has the shades that this
        number of resamples can reach. With a baseline there is one column,
        otherwise each pair occurs once.

    Examples
    --------
    >>> from rapidbleu import SegmentScores
    >>> from rapidbleu.significance import paired_bootstrap
    >>> comet = SegmentScores("COMET")
    >>> scores = {"A": [0.8, 0.7, 0.6, 0.9], "B": [0.9, 0.5, 0.8, 0.9], "C": [0.1, 0.2, 0.1, 0.4]}
    >>> rows = {name: comet.stats(own) for name, own in scores.items()}
    >>> figure, axes = plot_p_values(paired_bootstrap(rows, None, comet), "COMET")
    >>> [cell.get_text() for cell in axes.texts]
    ['0.2887', '≤0.0010']
    """
    p_values = _p_values(result, metric, "p_corrected")
    if isinstance(result, PairedResult):
        how = result.test
    else:
        how = f"corrected ({result.correction})"
        if result.correction == "none":
            how = "uncorrected"
        if len(result.systems) < 2:
            raise ValueError("result: expected two systems or more; got one")
    systems = result.systems
    if result.baseline is None:
        rows = list(range(1, len(systems)))
        columns = list(range(len(systems) - 1))
        hidden = np.triu(np.ones((len(systems) - 1,) * 2, bool), 1)
    else:
        columns = [systems.index(result.baseline)]
        rows = [i for i in range(len(systems)) if i != columns[0]]
        hidden = np.zeros((len(rows), 1), bool)
    shown = np.ma.masked_array(p_values[np.ix_(rows, columns)], hidden)
    figure, axes = axes_for(ax, AROUND[0] + CELL[0] * len(columns), AROUND[1] + CELL[1] * len(rows))
    dress(axes, f"p-values of {metric}, {how}", "", "", grid=None)
    least = _least(result, "p_corrected")
    draw_p_values(axes, shown, [systems[i] for i in rows], [systems[i] for i in columns], least)
    patch = load("patches").Patch
    shades = {name: shade for name, (end, shade, _) in P_VALUES.items() if end >= least}
    name_series(axes, [patch(color=shade) for shade in shades.values()], list(shades))
    return Plot(figure, axes)


def _p_values(result: PairedResult | Comparison, metric: str, column: str) -> FloatArray:
    """Return the p-values of all pairs; `column` is their column in the tests of a comparison."""
    if not isinstance(result, PairedResult | Comparison):
        raise TypeError(f"result: expected PairedResult or Comparison; got {type(result).__name__}")
    check_name("metric", metric, result.metrics)
    if isinstance(result, PairedResult):
        return result.p_values[metric]
    return result._p_values(metric, column)


def _least(result: PairedResult | Comparison, column: str) -> float:
    """Return the least p-value in such a column, which is a bound."""
    return result._least if isinstance(result, PairedResult) else result.tests._least[column]
