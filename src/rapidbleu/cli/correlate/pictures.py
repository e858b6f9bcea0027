"""A picture of a study: systems by people's scores and by a metric's, and p-values of metrics."""

from importlib import import_module
from math import ceil
from typing import TYPE_CHECKING, Any

from rapidbleu.cli.correlate.labels import Box, place_labels
from rapidbleu.cli.correlate.table import BY, names_in_order
from rapidbleu.meta.figures import TITLES, outlying
from rapidbleu.plots.drawing import DOTS_PER_INCH, load, save_picture

if TYPE_CHECKING:
    from rapidbleu.cli.correlate.material import Material
    from rapidbleu.meta import Study, StudyColumn
    from rapidbleu.typing import FloatArray

COLUMNS = 3
MOST = 30  # metrics with a panel of their own
MOST_NUMBERS = 12  # metrics, for the numbers to fit into a heat map
SMALL = 7.5  # of names, in points
FAR = 7.0  # of a name from its point, in points
BLUE, ORANGE, GREY, DARK = "#2a5b9c", "#d1495b", "#9a9a9a", "#333333"


def plot_study(study: "Study", material: "Material", path: str) -> None:
    """Write a picture to a file, whose ending says in which format."""
    save_picture(drawn(study, material), path)


def drawn(study: "Study", material: "Material") -> Any:
    """Return a picture with a panel for each metric, and a heat map of p-values for each figure."""
    names = names_in_order(study)[:MOST]
    heats = study.columns if len(study.metrics) > 1 else []
    above, below = ceil(len(names) / COLUMNS), ceil(len(heats) / COLUMNS)
    n_columns = min(COLUMNS, max(len(names), len(heats)))
    heights = [3.5 * above + 0.4, (1.7 + 0.33 * len(study.metrics)) * below + 0.5 * bool(below)]
    figure = load("figure").Figure(figsize=(4.1 * n_columns, sum(heights)), layout="constrained")
    parts = figure.subfigures(2 if below else 1, 1, squeeze=False, hspace=0.03,
                              height_ratios=heights[: 2 if below else 1]).ravel()  # fmt: skip
    panels = parts[0].subplots(above, n_columns, squeeze=False).ravel()
    people = material.means("human")
    out = outlying(people)
    for panel, name in zip(panels, names, strict=False):
        _scatter(panel, name, people, material.means(name), out, name in material.negated)
        panel.set_xlabel("human score" + ", negated" * ("human" in material.negated))
    for panel in panels[len(names) :]:
        panel.set_axis_off()
    _title(parts[0], "Systems by their scores")
    if below:
        _heat_maps(parts[1], heats, study, below, n_columns)
    figure.dpi = DOTS_PER_INCH
    figure.draw_without_rendering()  # the panels are now where they stay
    figure.set_layout_engine("none")
    for panel, name in zip(panels, names, strict=False):
        _label(panel, material.systems, people, material.means(name), out, name, material.negated)
    return figure


def _title(part: Any, text: str) -> None:
    part.suptitle(text, x=0.01, ha="left", fontsize="large", fontweight="bold", color=DARK)


def _scatter(
    panel: Any,
    name: str,
    people: "FloatArray",
    scores: "FloatArray",
    out: list[int],
    negated: bool,
) -> None:
    """Draw a point for each system; above is better."""
    import numpy as np

    shown = -scores if negated else scores
    there = np.flatnonzero(~np.isnan(people + scores))
    kept = np.setdiff1d(there, out)
    for rows, dashes in ((there, "--" if out else "-"), (kept, "-")):
        if len(np.unique(people[rows])) > 1 and (len(out) or dashes == "-"):
            line = np.poly1d(np.polyfit(people[rows], shown[rows], 1))
            ends = np.array([people[rows].min(), people[rows].max()])
            panel.plot(ends, line(ends), dashes, color=GREY, linewidth=1, zorder=1)
    panel.scatter(people[kept], shown[kept], s=26, color=BLUE, linewidths=0, zorder=3)
    panel.scatter(people[out], shown[out], s=34, color=ORANGE, marker="D", linewidths=0, zorder=3)
    panel.margins(0.14)
    if negated:
        panel.invert_yaxis()
        panel.set_ylabel("less is better", fontsize="small", color=DARK)
    panel.grid(color="#e6e6e6", linewidth=0.6)
    panel.set_axisbelow(True)
    panel.spines[["top", "right"]].set_visible(False)
    panel.spines[["left", "bottom"]].set_color(GREY)
    panel.tick_params(labelsize="small", color=GREY)
    panel.set_title(name, loc="left", fontsize="medium", fontweight="bold")
    text = f"r = {_pearson(people[there], scores[there]):.3f}"
    if out:
        text += f", {_pearson(people[kept], scores[kept]):.3f} without outliers"
    panel.set_title(text, loc="right", fontsize="small", color=DARK)


def _pearson(people: "FloatArray", scores: "FloatArray") -> float:
    import numpy as np

    if len(people) < 2 or not (np.ptp(people) and np.ptp(scores)):
        return float("nan")
    return float(np.corrcoef(people, scores)[0, 1])


def _label(
    panel: Any,
    systems: tuple[str, ...],
    people: "FloatArray",
    scores: "FloatArray",
    out: list[int],
    name: str,
    negated: list[str],
) -> None:
    """Write the names of systems beside their points."""
    path_of = import_module("matplotlib.textpath").TextPath
    halo = import_module("matplotlib.patheffects").withStroke(linewidth=2, foreground="white")
    unit = 72 / panel.figure.dpi  # points of print in a dot
    shown = -scores if name in negated else scores
    points = [
        (i, x, y) for i, (x, y) in enumerate(zip(people, shown, strict=True)) if x + y == x + y
    ]
    if not points:
        return
    at = [(x * unit, y * unit)
          for x, y in panel.transData.transform([point[1:] for point in points])]  # fmt: skip
    boxes = [path_of((0, 0), systems[i], size=SMALL).get_extents() for i, _, _ in points]
    frame = panel.get_window_extent()
    corners = place_labels(
        at,
        [(box.width + 2, SMALL) for box in boxes],
        Box(*(edge * unit for edge in (frame.x0, frame.y0, frame.x1, frame.y1))),
        [i in out for i, _, _ in points],
    )
    for (i, x, y), box, corner in zip(points, boxes, corners, strict=True):
        if corner is not None:
            panel.annotate(
                systems[i], (x, y), corner, textcoords="offset points",
                fontsize=SMALL, color=ORANGE if i in out else DARK, va="bottom", zorder=4,
                annotation_clip=False, path_effects=[halo],
                arrowprops=_thread(corner, (box.width + 2, SMALL)),
            )  # fmt: skip


def _thread(corner: tuple[float, float], size: tuple[float, float]) -> dict[str, Any] | None:
    """Return a thin line from a name that is far from its point to the point."""
    near = [
        0.0 if low > 0 else 1.0 if low + length < 0 else 0.5
        for low, length in zip(corner, size, strict=True)
    ]
    gaps = [max(low, -low - length, 0.0) for low, length in zip(corner, size, strict=True)]
    if max(gaps) < FAR:
        return None
    return {
        "arrowstyle": "-", "color": GREY, "linewidth": 0.6, "relpos": near, "shrinkA": 0.5,
        "shrinkB": 3,
    }  # fmt: skip


def _heat_maps(
    part: Any, columns: "list[StudyColumn]", study: "Study", n_rows: int, n_columns: int
) -> None:
    """Draw the p-values of each figure, in the colors of what they are below."""
    colors = import_module("matplotlib.colors")
    alpha = columns[0].ranking.alpha
    edges = [0.0, alpha / 50, alpha / 5, alpha * (1 + 1e-9), min(5 * alpha, (1 + alpha) / 2), 1.0]
    shades = ["#163a63", "#2f6ca8", "#8fbbdc", "#e4e8ec", "#f6f6f6"]
    norm = colors.BoundaryNorm(edges, len(shades))
    palette = colors.ListedColormap(shades)
    panels = part.subplots(n_rows, n_columns, squeeze=False).ravel()
    for panel, column in zip(panels, columns, strict=False):
        ranking = column.ranking
        n = len(ranking.metrics)
        image = panel.imshow(ranking.p[:-1, 1:], cmap=palette, norm=norm, aspect="auto")
        panel.set_xticks(range(n - 1), ranking.metrics[1:], rotation=30, ha="right",
                         rotation_mode="anchor", fontsize="small")  # fmt: skip
        named = [f"{name}  {rank}" for name, rank in
                 zip(ranking.metrics, ranking.ranks, strict=True)]  # fmt: skip
        panel.set_yticks(range(n - 1), named[:-1], fontsize="small")
        panel.tick_params(length=0)
        panel.spines[:].set_visible(False)
        panel.set_xticks([i + 0.5 for i in range(n - 2)], minor=True)
        panel.set_yticks([i + 0.5 for i in range(n - 2)], minor=True)
        panel.grid(which="minor", color="white", linewidth=1.5)
        panel.tick_params(which="minor", length=0)
        title = f"{TITLES[column.figure]}, {BY[column.by]}"
        if column.left_out:
            title += ",\nwithout outliers"
        panel.set_title(title, loc="left", fontsize="small", fontweight="bold")
        if n <= MOST_NUMBERS:
            _write_numbers(panel, ranking.p[:-1, 1:], alpha / 5)
    for panel in panels[len(columns) :]:
        panel.set_axis_off()
    bar = part.colorbar(image, ax=panels.tolist(), ticks=edges, shrink=0.8, pad=0.02, aspect=18)
    bar.ax.set_yticklabels([f"{edge:.3g}" for edge in edges], fontsize="small")
    bar.ax.set_title("p", fontsize="medium", loc="left")
    bar.outline.set_visible(False)
    _title(part, f"Is the metric of the row better than that of the column? Ranks at {alpha:g}")


def _write_numbers(panel: Any, p: "FloatArray", dark: float) -> None:
    """Write the p-values into their cells, light where these are dark."""
    for i, row in enumerate(p.tolist()):
        for j, value in enumerate(row):
            if value == value:
                panel.text(j, i, f"{value:.3f}".lstrip("0"), ha="center", va="center",
                           fontsize=SMALL, color="white" if value < dark else DARK)  # fmt: skip
