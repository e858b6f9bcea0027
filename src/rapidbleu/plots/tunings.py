"""Plots of tuning: learning curves, and landscapes along a line or along each weight.

Landscapes of weights have a panel for each weight, with the tuned list, the test list if any, and
the middle half of the bag weights. Scores are differences from the scores at the tuned weights, so
that curves overlap where they agree. Higher is better.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil, sqrt

from rapidbleu._lib.checks import check_type
from rapidbleu._lib.floats import digits_of
from rapidbleu._lib.loader import np
from rapidbleu.comparison.tables import check_name
from rapidbleu.plots.drawing import (
    COLORS,
    INK,
    SOFT,
    Plot,
    axes_for,
    color_of,
    dress,
    load,
    name_series,
    new_figure,
    shortened,
)
from rapidbleu.tuning import (
    BaggedResult,
    LineSearchResult,
    NBestList,
    RepeatedTuning,
    TuningResult,
    line_search,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from matplotlib.axes import Axes

    from rapidbleu._types import Array, FloatArray

    _History: TypeAlias = list[dict[str, Any]]
    _Run: TypeAlias = TuningResult | Iterable[dict[str, Any]]

STEPS = ("step", "epoch", "iteration")  # keys of an entry of the history, which has one of them
SAID = {
    "score": "score of the tuned list",
    "expected": "expected score of the tuned list",
    "objective": "objective",
    "loss": "loss",
}
COLUMNS = 6  # of panels, at most
MOST = 60  # features; more would be too small to see
WIDTH = 3.3
HEIGHT = 2.3  # of a panel, in inches
ENTRY = 2.4  # width of a legend entry, in inches
SHOWN = 0.5  # share of the boundaries, nearest to the tuned weight
HIDDEN = 0.15  # share of the landscape's length with the worst scores
MARGIN = 0.05  # share of width or height


def plot_learning_curve(
    runs: _Run | RepeatedTuning | Mapping[str, _Run],
    what: str | None = None,
    *,
    ax: Axes | None = None,
) -> Plot[Axes]:
    """Draw learning curves from the history of tuning runs.

    Parameters
    ----------
    runs : TuningResult, iterable of dict, RepeatedTuning, or dict of str to one of the first two
        Results of `mert`, `mira`, `pro` or `risk`; dicts are entries of a history, as passed to
        `callback`. The runs of a `RepeatedTuning` are named by their seeds.
    what : {"score", "expected", "objective", "loss"}, optional
        By default the first of these that all runs have: the score of the tuned list after each
        step of `mert` and each epoch of `mira`, the expected score of `risk`, the loss of `pro`.

    Returns
    -------
    Plot of (figure, axes)
        A line for each run; for `mert` a line for each start with at least one step.

    Raises
    ------
    ValueError
        If a run lacks a history of steps, like runs of bags.

    Examples
    --------
    A plot during tuning: collect the entries, and draw them at any time.

    >>> from rapidbleu import SegmentScores
    >>> from rapidbleu.tuning import NBestList, mira
    >>> comet = SegmentScores("COMET")
    >>> features = [[0.0, 1.0], [1.0, 0.0], [0.5, 2.0], [1.0, 0.0]]
    >>> nbest = NBestList(features, comet.stats([0.5, 0.75, 0.25, 0.5]), [0, 2, 4], metric=comet)
    >>> entries = []
    >>> found = mira(nbest, callback=entries.append)
    >>> figure, axes = plot_learning_curve(entries)
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('epoch', 'score of the tuned list')
    >>> len(axes.lines[0].get_ydata()) == len(found.history)
    True
    """
    histories = _histories(runs)
    entries = [entry for history in histories.values() for entry in history]
    common = set.intersection(*map(set, entries))
    known = [key for key in SAID if key in common]
    if not known:
        raise ValueError(f"runs: expected entries that all have one of {', '.join(SAID)}")
    if what is not None:
        check_name("what", what, known)
    key = known[0] if what is None else what
    figure, axes = axes_for(ax)
    firsts = [
        _draw_run(axes, history, key, color_of(i)) for i, history in enumerate(histories.values())
    ]
    kinds = dict.fromkeys(_step_of(entry) for entry in entries)
    dress(
        axes,
        "Learning curves" if len(firsts) > 1 else "Learning curve",
        " or ".join(kinds),
        SAID[key],
        grid="both",
    )
    ticker = load("ticker")
    axes.xaxis.set_major_locator(ticker.MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))
    if len(firsts) > 1:
        name_series(axes, firsts, list(histories))
    return Plot(figure, axes)


def _draw_run(ax: Axes, history: _History, key: str, color: str) -> Any:
    """Draw the lines of a run; return the first one."""
    climbs: dict[int, _History] = {}
    for entry in history:
        climbs.setdefault(entry.get("start", 0), []).append(entry)
    width = 1.0 if len(climbs) > 1 else 1.8
    lines = [
        ax.plot(
            [entry[_step_of(entry)] for entry in climb],
            [entry[key] for entry in climb],
            color=color,
            linewidth=width,
            alpha=0.75 if len(climbs) > 1 else 1.0,
            marker="o",
            markersize=2.5 * width if len(climb) <= 30 else 0,
        )[0]
        for climb in climbs.values()
    ]
    return lines[0]


def _step_of(entry: dict[str, Any]) -> str:
    """Return the name of a step in an entry of a history."""
    return next(key for key in STEPS if key in entry)


def _histories(runs: object) -> dict[str, _History]:
    if isinstance(runs, RepeatedTuning):
        runs = {f"seed {seed}": run for seed, run in zip(runs.seeds, runs.results, strict=True)}
    if not isinstance(runs, Mapping):
        return {"": _history(runs, "runs")}
    if not runs:
        raise ValueError("runs: expected at least one run; got none")
    return {str(name): _history(run, f"runs[{name!r}]") for name, run in runs.items()}


def _history(run: object, where: str) -> _History:
    """Return the entries of a run that have a step."""
    if isinstance(run, TuningResult):
        run = run.history
        where = f"{where}.history"
    if not isinstance(run, Iterable) or isinstance(run, (str, bytes, Mapping)):
        kind = type(run).__name__
        raise TypeError(f"{where}: expected TuningResult or entries of a history; got {kind}")
    entries = list(run)
    if not entries:
        raise ValueError(f"{where}: expected at least one entry; got none")
    for i, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise TypeError(f"{where}[{i}]: expected dict; got {type(entry).__name__}")
        if not any(key in entry for key in STEPS):
            listed = ", ".join(map(str, entry))
            raise ValueError(f"{where}[{i}]: expected one of {', '.join(STEPS)}; got {listed}")
    return entries


def plot_landscape(line: LineSearchResult, *, ax: Axes | None = None) -> Plot[Axes]:
    """Draw the score along a line through the space of weights.

    Parameters
    ----------
    line : LineSearchResult

    Returns
    -------
    Plot of (figure, axes)
        The score by distance along the direction, within the nearer half of the boundaries, and the
        chosen point.

    Examples
    --------
    >>> from rapidbleu import SegmentScores
    >>> comet = SegmentScores("COMET")
    >>> features = [[0.0, 1.0], [1.0, 0.0], [0.5, 2.0], [1.0, 0.0]]
    >>> nbest = NBestList(features, comet.stats([0.5, 0.75, 0.25, 0.5]), [0, 2, 4], metric=comet)
    >>> figure, axes = plot_landscape(line_search(nbest, [0.0, 1.0], [1.0, 0.0]))
    >>> axes.patches[0].get_data().values
    array([0.375, 0.5  , 0.625])
    """
    check_type("line", line, LineSearchResult)
    low, high = visible_range([line.boundaries], line.x, [0.0])
    edges, scores = visible_part(line.boundaries, line.scores, low, high)
    figure, axes = axes_for(ax)
    curve = axes.stairs(scores, edges, baseline=None, color=COLORS[0], linewidth=1.6)
    start = axes.axvline(0, color=SOFT, linewidth=1)
    [chosen] = axes.plot([line.x], [line.score], "o", color=INK, markersize=5, linestyle="none")
    dress(axes, "Landscape along a line", "distance along the direction", "score", grid="both")
    axes.set_xlim(low, high)
    name_series(
        axes,
        [curve, chosen, start],
        ["score", f"chosen: {line.score:.4g} at {line.x:.4g}", "start"],
    )
    return Plot(figure, axes)


def plot_landscapes(
    nbest: NBestList, result: TuningResult, metric: str = "score", test: NBestList | None = None
) -> Plot[Array]:
    """Draw the effect of each weight alone.

    Parameters
    ----------
    nbest : NBestList
        Tuned list with dense features.
    result : TuningResult
        Result with the weights at the center; a `BaggedResult` adds bag weights.
    metric : str
        Name of the scores.
    test : NBestList, optional
        Held-out list with the same features.

    Returns
    -------
    Plot of (figure, object array of matplotlib.axes.Axes of shape (n,))
        A panel for each feature, at most 60.

    Examples
    --------
    >>> from rapidbleu import SegmentScores
    >>> from rapidbleu.tuning import mert
    >>> comet = SegmentScores("COMET")
    >>> features = [[0.0, 1.0], [1.0, 0.0], [0.5, 2.0], [1.0, 0.0]]
    >>> nbest = NBestList(
    ...     features, comet.stats([0.5, 0.75, 0.25, 0.5]), [0, 2, 4], metric=comet,
    ...     names=["lm", "length"],
    ... )
    >>> figure, panels = plot_landscapes(nbest, mert(nbest), "COMET")
    >>> [panel.get_title(loc="left") for panel in panels]
    ['lm', 'length']
    """
    lists = {"tuned on": nbest} if test is None else {"tuned on": nbest, "held out": test}
    arguments: list[tuple[str, Any, type]] = [("nbest", nbest, NBestList)]
    arguments.append(("result", result, TuningResult))
    if test is not None:
        arguments.append(("test", test, NBestList))
    for where, value, kind in arguments:
        check_type(where, value, kind)
        if value.names != nbest.names:
            raise ValueError(f"{where}: expected the features of nbest; got others")
    names = nbest.names[:MOST]
    n_columns = min(COLUMNS, ceil(sqrt(len(names))))
    n_rows = ceil(len(names) / n_columns)
    size = max(WIDTH * n_columns, 5.5), max(HEIGHT * n_rows, 3.0) + 0.8
    figure = new_figure(*size)
    panels = figure.subplots(n_rows, n_columns, squeeze=False, sharey=True).ravel()
    scores = {label: each.evaluate(result.weights) for label, each in lists.items()}
    digits = digits_of(scores.values())
    quartiles = quartiles_of(result)
    parts = []
    for i, (panel, name) in enumerate(zip(panels, names, strict=False)):
        weight = float(result.weights[i])
        marked = [] if quartiles is None else quartiles[:, i].tolist()
        direction = np.eye(len(result.weights))[i]
        lines = {
            label: line_search(each, result.weights, direction) for label, each in lists.items()
        }
        low, high = visible_range(
            [line.boundaries + weight for line in lines.values()], weight, marked
        )
        for (label, line), color, width in zip(lines.items(), COLORS, (1.7, 1.0), strict=False):
            edges, heights = visible_part(line.boundaries + weight, line.scores, low, high)
            heights = heights - scores[label]
            parts.append((edges, heights))
            panel.stairs(
                heights,
                edges,
                baseline=None,
                color=color,
                linewidth=width,
                zorder=3,
                label=f"{label} ({metric} {scores[label]:.{digits}f})",
            )
        if marked:
            panel.axvspan(
                marked[0],
                marked[2],
                color=SOFT,
                alpha=0.3,
                linewidth=0,
                zorder=1,
                label="middle half of the bags",
            )
            panel.axvline(
                marked[1], color=SOFT, linewidth=1.2, zorder=2, label="median of the bags"
            )
        panel.plot(
            [weight],
            [0.0],
            "o",
            color=INK,
            markersize=4,
            zorder=5,
            label="tuned weight",
            linestyle="none",
        )
        dress(panel, shortened(name), "", "", grid="both")
        panel.locator_params(axis="x", nbins=5)
        panel.set_xlim(low, high)
    for panel in panels[len(names) :]:
        panel.set_axis_off()
    panels[0].set_ylim(visible_heights(parts, nbest.metric.higher_is_better))
    less = "" if nbest.metric.higher_is_better else ", less is better"
    hidden = nbest.n_features - len(names)
    more = f" ({hidden} more are not shown)" if hidden else ""
    figure.supxlabel(f"weight{more}", color=INK, fontsize="medium")
    figure.supylabel(f"change of {metric}{less}", color=INK, fontsize="medium")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="outside upper left",
        frameon=False,
        fontsize="medium",
        ncols=min(len(labels), int(figure.get_figwidth() / ENTRY)),
        labelcolor=INK,
    )
    return Plot(figure, panels[: len(names)])


def quartiles_of(result: TuningResult) -> FloatArray | None:
    """Return quartiles of bag weights [3, n_features], or None for results without bags.

    All weights are scaled by one factor, so that their mean is as long as the tuned weights.
    """
    if not isinstance(result, BaggedResult):
        return None
    quartiles: FloatArray = np.quantile(result.bag_weights, [0.25, 0.5, 0.75], axis=0)
    length = np.abs(result.bag_weights.mean(axis=0)).sum()
    return quartiles * (np.abs(result.weights).sum() / length) if length > 0 else quartiles


def visible_range(
    boundaries: list[FloatArray], weight: float, marked: list[float]
) -> tuple[float, float]:
    """Return the range of weights to show, centered on the tuned weight.

    It contains the nearest half of the boundaries of all lists, and all marks; the whole range
    would hide details because some boundaries are far away.
    """
    radius = max((abs(mark - weight) for mark in marked), default=0.0)
    distances = np.abs(np.concatenate(boundaries) - weight)
    if len(distances):
        radius = max(radius, float(np.quantile(distances, SHOWN, method="lower")))
    radius += 2.0 * MARGIN * radius or 1.0
    return weight - radius, weight + radius


def visible_part(
    boundaries: FloatArray, scores: FloatArray, low: float, high: float
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the intervals between two weights, and the scores."""
    begin, end = np.searchsorted(boundaries, [low, high])
    edges: FloatArray = np.concatenate([[low], boundaries[begin:end], [high]])
    return edges, scores[begin : end + 1]


def visible_heights(
    parts: list[tuple[FloatArray, FloatArray]], higher_is_better: bool
) -> tuple[float, float]:
    """Return the heights at the bottom and top of panels with these edges and heights.

    The best height is at the top. The worst are hidden, because next to a steep slope the rest
    would look flat, unless all of the rest is flat.
    """
    sign = 1.0 if higher_is_better else -1.0
    heights = sign * np.concatenate([part for _, part in parts])
    lengths = np.concatenate([np.diff(edges) / (edges[-1] - edges[0]) for edges, _ in parts])
    order = heights.argsort()
    covered = np.cumsum(lengths[order])
    low = float(heights[order][np.searchsorted(covered, HIDDEN * covered[-1])])
    high = float(heights.max())
    if low == high:
        low = float(heights.min())
    margin = MARGIN * (high - low) or 1.0
    return sign * (low - margin), sign * (high + margin)
