"""Landscapes: how the score of the corpus changes along a line, or along each weight.

Of weights, each panel has the tuned list, the test list if there is one, and the middle half of
the weights that bags have found. Scores are shown as differences from those with the tuned weights,
so that lists with other scores lie upon each other where they agree. Above is better.
"""

from math import ceil, sqrt

from rapidbleu.floats import digits_of
from rapidbleu.plots.drawing import COLORS, INK, axes_for, dress, load, name_series, shortened
from rapidbleu.plots.visible import visible_heights, visible_part, visible_range
from rapidbleu.tuning import BaggedResult, LineSearchResult, NBestList, TuningResult, line_search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rapidbleu.typing import Array, FloatArray

COLUMNS = 6  # at most
MOST = 60  # features; more would be too small to see
WIDTH, HEIGHT = 3.3, 2.3  # of a panel, in inches
ENTRY = 2.4  # of the legend: its width in inches
MANY = 2000  # intervals: more are drawn as pixels in .pdf and .svg files, too
GREY, DARK = "#9a9a9a", "#333333"


def plot_landscape(line: LineSearchResult, *, ax: "Axes | None" = None) -> "tuple[Figure, Axes]":
    """Draw the score along a line through the space of weights.

    Parameters
    ----------
    line : LineSearchResult
    ax : matplotlib.axes.Axes, optional
        What is drawn on.

    Returns
    -------
    (matplotlib.figure.Figure, matplotlib.axes.Axes)
        The score by the distance along the direction, and the point that was chosen: as far as the
        half of the boundaries that is nearest to it.

    Raises
    ------
    TypeError
        If an argument is wrong.
    ImportError
        Without Matplotlib.

    Examples
    --------
    >>> from rapidbleu import MeanScore
    >>> comet = MeanScore("COMET")
    >>> features = [[0.0, 1.0], [1.0, 0.0], [0.5, 2.0], [1.0, 0.0]]
    >>> nbest = NBestList(features, comet.rows([0.5, 0.75, 0.25, 0.5]), [0, 2, 4], metric=comet)
    >>> figure, axes = plot_landscape(line_search(nbest, [0.0, 1.0], [1.0, 0.0]))
    >>> axes.patches[0].get_data().values
    array([0.375, 0.5  , 0.625])
    """
    if not isinstance(line, LineSearchResult):
        raise TypeError(f"line: expected LineSearchResult, got {type(line).__name__}")
    low, high = visible_range([line.boundaries], line.x, [0.0])
    edges, scores = visible_part(line.boundaries, line.scores, low, high)
    figure, axes = axes_for(ax)
    curve = axes.stairs(scores, edges, baseline=None, color=COLORS[0], linewidth=1.6,
                        rasterized=len(scores) > MANY)  # fmt: skip
    start = axes.axvline(0, color=GREY, linewidth=1)
    [chosen] = axes.plot([line.x], [line.score], "o", color=INK, markersize=5, linestyle="none")
    dress(axes, "Landscape along a line", "distance along the direction", "score", grid="both")
    axes.set_xlim(low, high)
    name_series(axes, [curve, chosen, start],
                ["score", f"chosen: {line.score:.4g} at {line.x:.4g}", "start"])  # fmt: skip
    return figure, axes


def plot_landscapes(
    nbest: NBestList, found: TuningResult, metric: str = "score", test: NBestList | None = None
) -> "tuple[Figure, Array]":
    """Draw what each weight alone would change.

    Parameters
    ----------
    nbest : NBestList
        What was tuned on, with dense features.
    found : TuningResult
        The weights around which the landscape lies; of a `BaggedResult` those of the bags, too.
    metric : str
        What the scores are called.
    test : NBestList, optional
        A list that was held out, with the same features.

    Returns
    -------
    (matplotlib.figure.Figure, object array of matplotlib.axes.Axes of shape (n,))
        A panel for each feature, of which there are 60 at most.

    Raises
    ------
    TypeError, ValueError
        If an argument is wrong.
    ImportError
        Without Matplotlib.

    Examples
    --------
    >>> from rapidbleu import MeanScore
    >>> from rapidbleu.tuning import mert
    >>> comet = MeanScore("COMET")
    >>> features = [[0.0, 1.0], [1.0, 0.0], [0.5, 2.0], [1.0, 0.0]]
    >>> nbest = NBestList(
    ...     features, comet.rows([0.5, 0.75, 0.25, 0.5]), [0, 2, 4], metric=comet,
    ...     names=["lm", "length"],
    ... )
    >>> figure, panels = plot_landscapes(nbest, mert(nbest), "COMET")
    >>> [panel.get_title(loc="left") for panel in panels]
    ['lm', 'length']
    """
    _check(nbest, found, test)
    names = nbest.names[:MOST]
    n_columns = min(COLUMNS, ceil(sqrt(len(names))))
    n_rows = ceil(len(names) / n_columns)
    size = max(WIDTH * n_columns, 5.5), max(HEIGHT * n_rows, 3.0) + 0.8
    figure = load("figure").Figure(figsize=size, layout="constrained")
    panels = figure.subplots(n_rows, n_columns, squeeze=False, sharey=True).ravel()
    lists = {"tuned on": nbest} if test is None else {"tuned on": nbest, "held out": test}
    scores = {label: one.evaluate(found.weights) for label, one in lists.items()}
    digits = digits_of(scores.values())
    quartiles = quartiles_of(found)
    parts = []
    for i, (panel, name) in enumerate(zip(panels, names, strict=False)):
        spread = None if quartiles is None else quartiles[:, i].tolist()
        curves = curves_of(lists, found.weights, i, spread or [])
        for label, color, width in (("tuned on", COLORS[0], 1.7), ("held out", COLORS[1], 1.0)):
            if label in curves:
                edges, heights = curves[label]
                parts.append((edges, heights - scores[label]))
                panel.stairs(
                    parts[-1][1], edges, baseline=None, color=color, linewidth=width, zorder=3,
                    rasterized=len(heights) > MANY,
                    label=f"{label} ({metric} {scores[label]:.{digits}f})",
                )  # fmt: skip
        _mark(panel, float(found.weights[i]), spread)
        _dress(panel, name)
        panel.set_xlim(edges[0], edges[-1])
    for panel in panels[len(names) :]:
        panel.set_axis_off()
    panels[0].set_ylim(visible_heights(parts, nbest.metric.higher_is_better))
    _caption(figure, panels[0], nbest, metric)
    return figure, panels[: len(names)]


def _check(nbest: object, found: object, test: object) -> None:
    """Refuse what is no list or no result, and features that are not those of the tuned list."""
    for where, value, kind in (
        ("nbest", nbest, NBestList), ("found", found, TuningResult), ("test", test, NBestList),
    ):  # fmt: skip
        if value is None and where == "test":
            continue
        if not isinstance(value, kind):
            raise TypeError(f"{where}: expected {kind.__name__}, got {type(value).__name__}")
        if value.names != nbest.names:  # type: ignore[attr-defined]
            raise ValueError(f"{where}: expected the features of nbest, got others")


def curves_of(
    lists: dict[str, NBestList], weights: "FloatArray", i: int, marked: list[float]
) -> "dict[str, tuple[FloatArray, FloatArray]]":
    """Return the landscape of each list along a weight: ends of intervals, and their scores."""
    import numpy as np

    direction = np.zeros(len(weights))
    direction[i] = 1.0
    found = {label: line_search(one, weights, direction) for label, one in lists.items()}
    weight = float(weights[i])
    low, high = visible_range([one.boundaries + weight for one in found.values()], weight, marked)
    return {
        label: visible_part(one.boundaries + weight, one.scores, low, high)
        for label, one in found.items()
    }


def quartiles_of(found: TuningResult) -> "FloatArray | None":
    """Return quartiles of the weights of bags [3, n_features], None if the result has no bags.

    All weights are scaled by one number, with which their mean is as long as the tuned weights.

    Examples
    --------
    >>> import numpy as np
    >>> bags, tuned = np.array([[0.5, 0.5], [0.5, -0.5]]), np.array([1.0, 0.0])
    >>> quartiles_of(BaggedResult(
    ...     tuned, ["lm", "length"], 30.0, "bagged mert", [],
    ...     bag_weights=bags, counts=np.ones((2, 1)), out_of_bag=29.0,
    ... ))
    array([[ 1. , -0.5],
           [ 1. ,  0. ],
           [ 1. ,  0.5]])
    """
    import numpy as np

    if not isinstance(found, BaggedResult):
        return None
    quartiles: FloatArray = np.quantile(found.bag_weights, [0.25, 0.5, 0.75], axis=0)
    length = np.abs(found.bag_weights.mean(axis=0)).sum()
    return quartiles * (np.abs(found.weights).sum() / length) if length > 0 else quartiles


def _mark(panel: "Any", weight: float, spread: list[float] | None) -> None:
    """Mark the tuned weight, and the quartiles of the bags' weights."""
    if spread is not None:
        first, median, third = spread
        panel.axvspan(first, third, color=GREY, alpha=0.3, linewidth=0, zorder=1,
                      label="middle half of the bags")  # fmt: skip
        panel.axvline(median, color=GREY, linewidth=1.2, zorder=2, label="median of the bags")
    panel.plot([weight], [0.0], "o", color=DARK, markersize=4, zorder=5, label="tuned weight",
               linestyle="none")  # fmt: skip


def _dress(panel: "Any", name: str) -> None:
    """Give a panel its title, grid and axes."""
    panel.set_title(shortened(name), loc="left", fontsize="medium", fontweight="bold", color=DARK,
                    parse_math=False)  # fmt: skip
    panel.grid(color="#e6e6e6", linewidth=0.6)
    panel.set_axisbelow(True)
    panel.spines[["top", "right"]].set_visible(False)
    panel.spines[["left", "bottom"]].set_color(GREY)
    panel.tick_params(labelsize="small", labelcolor=DARK, color=GREY)
    panel.locator_params(axis="x", nbins=5)


def _caption(figure: "Any", panel: "Any", nbest: NBestList, metric: str) -> None:
    """Give the picture the names of its axes, and one legend."""
    less = "" if nbest.metric.higher_is_better else ", less is better"
    hidden = max(nbest.n_features - MOST, 0)
    more = f" ({hidden} more are not shown)" if hidden else ""
    figure.supxlabel(f"weight{more}", color=DARK, fontsize="medium")
    figure.supylabel(f"change of {metric}{less}", color=DARK, fontsize="medium")
    handles, labels = panel.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside upper left", frameon=False, fontsize="medium",
        ncols=min(len(labels), int(figure.get_figwidth() / ENTRY)), labelcolor=DARK,
    )  # fmt: skip
