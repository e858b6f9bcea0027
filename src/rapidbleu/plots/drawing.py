"""Shared parts of plots: figures without pyplot, files, colors, axes, legends, matrices."""

from __future__ import annotations

import sys
from base64 import b64encode
from bisect import bisect_left
from importlib import import_module
from io import BytesIO
from typing import Generic, NamedTuple, TypeVar

from rapidbleu._lib.files import replacing
from rapidbleu._lib.floats import p_text
from rapidbleu._lib.loader import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal, TypeAlias

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rapidbleu._types import Array

    _Grid: TypeAlias = Literal["x", "y", "both"]

AxesT = TypeVar("AxesT")

# As in the report, by light or dark mode: `comparison/report/assets/style.css`.
COLORS = (
    "#0072b2", "#d55e00", "#009e73", "#b5539a", "#761a31", "#1f309a", "#a40021", "#9d82ab",
    "#6a8e36", "#cf758a", "#916972", "#a73680", "#5f744f", "#2794ff", "#6f2d82", "#3c4d00",
    "#c24215", "#b561d1", "#8931a0", "#5452c4",
)  # fmt: skip
INK = "#1c2127"
SOFT = "#5b6470"
LINE = "#d9dee4"
WIDTH = 7.2
HEIGHT = 3.8  # of a figure, in inches
DOTS_PER_INCH = 150  # of a file
LONGEST = 32  # letters of a name
SLANT: dict[str, Any] = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"}  # of names

P_VALUES = {
    "up to 0.001": (0.001, "#004b76", "white"),
    "up to 0.01": (0.01, "#3d8fc0", "white"),
    "up to 0.05": (0.05, "#a9cfe6", INK),
    "above 0.05": (1.0, "#eef1f4", SOFT),
}  # by end of the range: its shade, and the color of text on it


class Plot(NamedTuple, Generic[AxesT]):
    """A figure and its axes, as from ``pyplot.subplots``; notebooks show the figure.

    Attributes
    ----------
    fig : matplotlib.figure.Figure
    ax : matplotlib.axes.Axes, or an array of them
    """

    fig: Figure
    ax: AxesT

    def _repr_png_(self) -> bytes | None:
        return picture_of(self.fig)

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, str], dict[str, Any]]:
        return bundle_of(self.fig)


def picture_of(figure: Figure) -> bytes | None:
    """Return the image of a figure, unless pyplot has the figure and shows it after the cell."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None and getattr(figure, "number", None) in pyplot.get_fignums():
        return None
    figure.savefig(file := BytesIO(), format="png", dpi=DOTS_PER_INCH)
    return file.getvalue()


def bundle_of(figure: Figure) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the image with the width of the figure, for high-resolution screens."""
    if (picture := picture_of(figure)) is None:
        return {}, {}
    width = round(figure.get_figwidth() * figure.dpi)
    return {"image/png": b64encode(picture).decode()}, {"image/png": {"width": width}}


def load(module: str) -> Any:
    """Return a module of Matplotlib; ImportError explains how to install it."""
    try:
        return import_module(f"matplotlib.{module}")
    except ImportError:
        raise ImportError('plots need Matplotlib: pip install "rapidbleu[plot]"') from None


def new_figure(width: float = WIDTH, height: float = HEIGHT) -> Figure:
    """Return an empty figure that notebooks display."""
    load("figure")
    figures = import_module("rapidbleu.plots.figures")
    figure: Figure = figures.Figure(figsize=(width, height), layout="constrained")
    return figure


def axes_for(ax: Axes | None, width: float = WIDTH, height: float = HEIGHT) -> tuple[Figure, Axes]:
    """Return the axes to draw on, new ones for None, and their figure."""
    kinds = load("axes")
    if ax is None:
        figure = new_figure(width, height)
        return figure, figure.add_subplot()
    if not isinstance(ax, kinds.Axes):
        raise TypeError(f"ax: expected matplotlib.axes.Axes; got {type(ax).__name__}")
    drawn_on: Any = ax.figure
    return drawn_on, ax


def picture_format(path: str, where: str) -> str:
    """Return the image format of a file name's ending; `where` names it in errors."""
    form = path.rpartition(".")[2].lower()
    if form not in load("figure").Figure().canvas.get_supported_filetypes():
        raise ValueError(f"{where}: expected a file name that ends in .png or .pdf; got {path}")
    return form


def save_picture(figure: Figure, path: str) -> None:
    """Write a figure to a file, whose ending determines the format."""
    with replacing(path) as (file,):
        figure.savefig(file, format=picture_format(path, "path"), dpi=DOTS_PER_INCH)


def dress(ax: Axes, title: str, x: str, y: str, grid: _Grid | None = "y") -> None:
    """Style axes: title and labels, a grid along one axis or both, and quiet lines."""
    ax.set_title(
        title, loc="left", fontsize="medium", fontweight="bold", color=INK, parse_math=False
    )
    ax.set_xlabel(x, color=SOFT, parse_math=False)
    ax.set_ylabel(y, color=SOFT, parse_math=False)
    if grid:
        ax.grid(axis=grid, color=LINE, linewidth=0.7)
    ax.set_axisbelow(True)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color(SOFT)
    ax.tick_params(labelsize="small", labelcolor=SOFT, color=LINE, length=3)


def name_series(ax: Axes, handles: Sequence[Any], names: Sequence[str]) -> None:
    """Add a legend to the right of the axes, with names shown verbatim."""
    legend = ax.legend(
        handles,
        [str(i) for i in range(len(names))],
        loc="upper left",
        bbox_to_anchor=(1.01, 1.02),
        borderaxespad=0,
        frameon=False,
        fontsize="small",
        labelcolor=INK,
        handlelength=1.2,
    )
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_parse_math(False)
        text.set_text(shortened(name))


def draw_p_values(
    ax: Axes, p_values: Array, rows: Sequence[str], columns: Sequence[str], least: float = 0.0
) -> None:
    """Draw a matrix of p-values, darker if smaller, up to `least` as bounds.

    Masked cells stay empty.
    """
    ends, shades, texts = zip(*P_VALUES.values(), strict=True)
    hidden = np.ma.getmaskarray(p_values)
    ranges = np.ma.masked_array(np.searchsorted(ends, np.ma.getdata(p_values)), hidden)
    palette = load("colors").ListedColormap(shades)
    ax.imshow(ranges, aspect="auto", cmap=palette, vmin=-0.5, vmax=len(shades) - 0.5)
    for i, j in np.argwhere(~hidden).tolist():
        p = float(p_values[i, j])
        ax.text(
            j,
            i,
            p_text(p, least),
            ha="center",
            va="center",
            fontsize="small",
            color=texts[bisect_left(ends, p)],
        )
    for axis, names, more in ((ax.xaxis, columns, SLANT), (ax.yaxis, rows, {})):
        shown = [shortened(name) for name in names]
        axis.set_ticks(range(len(names)), shown, parse_math=False, **more)
        axis.set_ticks([i + 0.5 for i in range(len(names) - 1)], minor=True)
    ax.grid(which="minor", color="white", linewidth=2)
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_visible(False)


def shortened(name: str) -> str:
    """Return a name, without its middle if it is long.

    >>> shortened("transformer-big-with-back-translation")
    'transformer-big-...k-translation'
    """
    half = LONGEST // 2
    return name if len(name) <= LONGEST else f"{name[:half]}...{name[3 - half :]}"


def color_of(i: int) -> str:
    """Return the color of a series.

    >>> color_of(1), color_of(21)
    ('#d55e00', '#d55e00')
    """
    return COLORS[i % len(COLORS)]
