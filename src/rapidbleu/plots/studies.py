"""Figure of a study for the command line: human and metric scores, and the metrics' p-values."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

from rapidbleu._lib.loader import np
from rapidbleu.meta.figures import outlying
from rapidbleu.plots.drawing import COLORS, INK, SOFT, draw_p_values, dress, new_figure

if TYPE_CHECKING:
    from rapidbleu._types import FloatArray
    from rapidbleu.meta import MetricComparison

PANELS = 3  # side by side
MOST = 30  # metrics with a panel of their own
SMALL = 7.5  # size of names, in points


def drawn(result: MetricComparison, study: Any) -> Any:
    """Return a figure with a panel for each metric, and p-values of metrics for each statistic."""
    names = result.columns[0].ranking.metrics[:MOST]
    matrices = result.columns if len(result.metrics) > 1 else []
    n_columns = min(PANELS, max(len(names), len(matrices)))
    n_rows = ceil(len(names) / n_columns)
    n_all = n_rows + ceil(len(matrices) / n_columns)
    size = 4.6 * n_columns, 3.6 * n_all
    figure = new_figure(*size)
    panels = figure.subplots(n_all, n_columns, squeeze=False).ravel().tolist()
    for panel in panels:
        panel.set_axis_off()
    for panel, name in zip(panels, names, strict=False):
        _scatter(panel, study, name)
    for panel, column in zip(panels[n_rows * n_columns :], matrices, strict=False):
        panel.set_axis_on()
        ranking = column.ranking
        pairs = zip(ranking.metrics, ranking.ranks, strict=True)
        rows = [f"{name}  {rank}" for name, rank in pairs]
        p = np.ma.masked_invalid(ranking.p_values[:-1, 1:])
        dress(panel, f"p: {column.title}", "worse metric", "better metric, rank", grid=None)
        draw_p_values(panel, p, rows[:-1], ranking.metrics[1:])
    return figure


def _scatter(panel: Any, study: Any, name: str) -> None:
    """Draw a point for each system, better ones higher."""
    people = study.means("human")
    scores = study.means(name)
    scored = np.flatnonzero(~np.isnan(people + scores))
    outliers = outlying(people)
    kept = np.setdiff1d(scored, outliers)
    shown = -scores if name in study.negated else scores
    panel.set_axis_on()
    text = f"{name}, r = {_pearson(people[scored], scores[scored]):.3f}"
    if len(kept) < len(scored):
        text += f", {_pearson(people[kept], scores[kept]):.3f} without outliers"
    x = "human score" + ", negated" * ("human" in study.negated)
    dress(panel, text, x, "less is better" * (name in study.negated), grid="both")
    colors = [COLORS[1] if i in outliers else COLORS[0] for i in scored]
    panel.scatter(people[scored], shown[scored], s=26, c=colors, linewidths=0, zorder=3)
    for i in scored.tolist():
        panel.annotate(
            study.systems[i],
            (people[i], shown[i]),
            (4, 3),
            textcoords="offset points",
            fontsize=SMALL,
            color=COLORS[1] if i in outliers else INK,
            parse_math=False,
        )
    if len(np.unique(people[kept])) > 1:
        ends = np.array([people[kept].min(), people[kept].max()])
        line = np.poly1d(np.polyfit(people[kept], shown[kept], 1))
        panel.plot(ends, line(ends), color=SOFT, linewidth=1, zorder=1)
    panel.margins(0.14)
    if name in study.negated:
        panel.invert_yaxis()


def _pearson(people: FloatArray, scores: FloatArray) -> float:
    if len(people) < 2 or not (np.ptp(people) and np.ptp(scores)):
        return float("nan")
    return float(np.corrcoef(people, scores)[0, 1])
