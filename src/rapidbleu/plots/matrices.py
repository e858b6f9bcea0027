"""A matrix of p-values: which systems differ."""

from bisect import bisect_left

from rapidbleu.comparison import Comparison
from rapidbleu.comparison.inputs import check_name
from rapidbleu.plots.drawing import (
    INK,
    SLANT,
    SOFT,
    axes_for,
    dress,
    load,
    name_series,
    shortened,
)
from rapidbleu.significance import PairedResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rapidbleu.typing import FloatArray

ENDS = (0.001, 0.01, 0.05, 1.0)
SHADES = ("#004b76", "#3d8fc0", "#a9cfe6", "#eef1f4")  # of p-values up to these
TEXTS = ("white", "white", INK, SOFT)
SAID = ("up to 0.001", "up to 0.01", "up to 0.05", "above 0.05")
CELL = 0.75, 0.42  # its width and height in inches
AROUND = 4.2, 1.6


def plot_p_values(
    result: "PairedResult | Comparison", metric: str, *, ax: "Axes | None" = None
) -> "tuple[Figure, Axes]":
    """Draw the p-values of pairs of systems as a matrix.

    Parameters
    ----------
    result : PairedResult or Comparison
        Of a comparison the corrected p-values are drawn.
    metric : str
    ax : matplotlib.axes.Axes, optional
        What is drawn on.

    Returns
    -------
    (matplotlib.figure.Figure, matplotlib.axes.Axes)
        A cell for each pair, darker the less p is. With a baseline there is one column, otherwise
        each pair is there once.

    Raises
    ------
    TypeError, ValueError
        If an argument is wrong, or if there is one system only.
    ImportError
        Without Matplotlib.

    Examples
    --------
    >>> from rapidbleu import MeanScore
    >>> from rapidbleu.significance import paired_bootstrap
    >>> comet = MeanScore("COMET")
    >>> scores = {"A": [0.8, 0.7, 0.6, 0.9], "B": [0.9, 0.5, 0.8, 0.9], "C": [0.1, 0.2, 0.1, 0.4]}
    >>> rows = {name: comet.rows(own) for name, own in scores.items()}
    >>> figure, axes = plot_p_values(paired_bootstrap(rows, None, comet), "COMET")
    >>> [cell.get_text() for cell in axes.texts]
    ['0.2887', '0.0010']
    """
    import numpy as np

    p_values, how = _p_values(result, metric)
    systems = result.systems
    if result.baseline is None:
        rows, columns = list(range(1, len(systems))), list(range(len(systems) - 1))
        hidden = np.triu(np.ones((len(systems) - 1,) * 2, bool), 1)
    else:
        columns = [systems.index(result.baseline)]
        rows = [i for i in range(len(systems)) if i != columns[0]]
        hidden = np.zeros((len(rows), 1), bool)
    shown = np.ma.masked_array(p_values[np.ix_(rows, columns)], hidden)
    colors, patches = load("colors"), load("patches")
    size = (len(columns), len(rows))
    width, height = (
        around + cell * n for around, cell, n in zip(AROUND, CELL, size, strict=True)
    )
    figure, axes = axes_for(ax, width, height)
    axes.imshow(
        np.ma.masked_array(np.searchsorted(ENDS, shown.data), hidden), aspect="auto",
        cmap=colors.ListedColormap(SHADES), vmin=-0.5, vmax=len(SHADES) - 0.5,
    )  # fmt: skip
    for i, j in np.argwhere(~hidden).tolist():
        p = float(shown[i, j])
        axes.text(j, i, f"{p:.4f}", ha="center", va="center", fontsize="small",
                  color=TEXTS[bisect_left(ENDS, p)])  # fmt: skip
    dress(axes, f"p-values of {metric}, {how}", "", "", grid=None)
    for axis, chosen, more in ((axes.xaxis, columns, SLANT), (axes.yaxis, rows, {})):
        names = [shortened(systems[i]) for i in chosen]
        axis.set_ticks(range(len(chosen)), names, parse_math=False, **more)
        axis.set_ticks([i + 0.5 for i in range(len(chosen) - 1)], minor=True)
    axes.grid(which="minor", color="white", linewidth=2)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
    name_series(axes, [patches.Patch(color=color) for color in SHADES], SAID)
    return figure, axes


def _p_values(result: object, metric: str) -> "tuple[FloatArray, str]":
    """Return the p-values of all pairs, and what was done to them."""
    import numpy as np

    if not isinstance(result, (PairedResult, Comparison)):
        raise TypeError(
            f"result: expected PairedResult or Comparison, got {type(result).__name__}"
        )
    check_name("metric", metric, result.metrics)
    if isinstance(result, PairedResult):
        return result.p_values[metric], result.test
    n = len(result.systems)
    if n < 2:
        raise ValueError("result: expected two systems or more, got one")
    values = np.full((n, n), np.nan)
    tests = result.tests
    for own, a, b, p in zip(
        *(tests[name] for name in ("metric", "a", "b", "corrected p")), strict=True
    ):
        if own == metric:
            i, j = result.systems.index(a), result.systems.index(b)
            values[i, j] = values[j, i] = p
    correction = result.correction
    return values, "uncorrected" if correction == "none" else f"corrected ({correction})"
