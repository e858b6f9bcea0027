"""A study as tables, as JSON, and as a picture."""

from __future__ import annotations

import json
from argparse import Namespace
from math import ceil
from typing import TYPE_CHECKING, Any

from rapidbleu._lib.lazy import np
from rapidbleu.meta.figures import outlying
from rapidbleu.table import Table

if TYPE_CHECKING:
    from rapidbleu.cli.correlate.inputs import StudyInput
    from rapidbleu.meta import Study, StudyColumn
    from rapidbleu.typing import FloatArray

FORMATS = ("text", "json", "tsv", "markdown", "latex")
WIDEST = 100  # characters of a line of text; further figures are another table
PANELS = 3  # side by side
MOST = 30  # metrics with a panel of their own
SMALL = 7.5  # of names, in points


def report(study: Study, given: StudyInput, args: Namespace) -> list[str]:
    """Return the lines to print."""
    if args.format == "json":
        return [json.dumps(content(study, given, args), indent=4, ensure_ascii=False)]
    if args.format == "tsv":
        return [numbers_of(study).format("tsv").removesuffix("\n")]
    columns = {column.title: cells_of(study, column, args.width) for column in study.columns}
    if args.format != "text":
        return [Table({"metric": metrics_of(study), **columns}).format(args.format)]
    names = metrics_of(study)
    blocks: list[dict[str, list[str]]] = []
    room = 0
    for title, cells in columns.items():
        width = 2 + max(len(title), len(cells[0]))
        if not blocks or width > room:
            blocks.append({"metric": names})
            room = WIDEST - max(map(len, ["metric", *names]))
        blocks[-1][title] = cells
        room -= width
    tables = [line for block in blocks for line in (Table(block).format("text"), "")]
    return tables + _notes(given, args)


def metrics_of(study: Study) -> list[str]:
    """Return the metrics, the best of the first figure first."""
    return list(study.columns[0].ranking.metrics)


def cells_of(study: Study, column: StudyColumn, width: int) -> list[str]:
    """Return the figure of each metric with its interval and its rank."""
    ranks = dict(zip(column.ranking.metrics, column.ranking.ranks, strict=True))
    cells = []
    for name in metrics_of(study):
        own = column.intervals[name]
        value, low, high = (f"{x:.{width}f}" for x in (own.value, own.low, own.high))
        cells.append(f"{value} [{low}, {high}] {ranks[name]}")
    most = max(map(len, cells))
    return [f"{cell:>{most}}" for cell in cells]


def numbers_of(study: Study) -> Table:
    """Return a row for each figure of each metric, with all digits."""
    rows = []
    for column in study.columns:
        without = ",".join(column.left_out)
        for name, rank in zip(column.ranking.metrics, column.ranking.ranks, strict=True):
            own = column.intervals[name]
            rows.append(
                (name, column.figure, column.by, without, rank, own.value, own.low, own.high)
            )
    headers = ("metric", "figure", "by", "without", "rank", "value", "low", "high")
    columns: dict[str, Any] = dict(zip(headers, zip(*rows, strict=True), strict=True))
    return Table(columns)


def _notes(given: StudyInput, args: Namespace) -> list[str]:
    """Return the lines that say what was compared, and how the table is read."""
    n_systems, n_segments = given.human.values.shape
    lines = [
        f"{n_systems} systems, {n_segments} segments, {_n_scores(given)} human scores.",
        f"[{args.level * 100:g}% interval] rank: a new rank begins where a metric is significantly "
        "worse",
        f"than one of the rank before (permutation tests, n = {args.n}, p <= {args.alpha:g}).",
    ]
    if given.negated:
        lines.append(f"Less is better, so negated: {', '.join(given.negated)}")
    width = max(map(len, given.signatures), default=0)
    return lines + [f"{name:{width}}  {own}" for name, own in given.signatures.items()]


def _n_scores(given: StudyInput) -> int:
    return int((given.human.values == given.human.values).sum())


def content(study: Study, given: StudyInput, args: Namespace) -> dict[str, Any]:
    """Return all results; null stands for nan."""
    means = {name: _numbers(given.means(name)) for name in ("human", *study.metrics)}
    return {
        "systems": {
            system: {name: own[i] for name, own in means.items()}
            for i, system in enumerate(given.systems)
        },
        "n_segments": given.human.values.shape[1],
        "n_human_scores": _n_scores(given),
        "negated": given.negated,
        "signatures": given.signatures,
        "n": args.n,
        "seed": args.seed,
        "level": args.level,
        "alpha": args.alpha,
        "figures": [_figure(column) for column in study.columns],
    }


def _figure(column: StudyColumn) -> dict[str, Any]:
    ranking = column.ranking
    metrics = {}
    for name, rank in zip(ranking.metrics, ranking.ranks, strict=True):
        own = column.intervals[name]
        value, low, high = _numbers([own.value, own.low, own.high])
        metrics[name] = {"rank": rank, "value": value, "low": low, "high": high}
    return {
        "figure": column.figure,
        "by": column.by,
        "without": list(column.left_out),
        "metrics": metrics,
        "p": [_numbers(row) for row in ranking.p],
    }


def _numbers(values: Any) -> list[float | None]:
    return [None if x != x else float(x) for x in values]


def drawn(study: Study, given: StudyInput) -> Any:
    """Return a picture with a panel for each metric, and p-values of metrics for each figure."""
    from rapidbleu.plots.drawing import draw_p_values, dress, load

    names = metrics_of(study)[:MOST]
    matrices = study.columns if len(study.metrics) > 1 else []
    n_columns = min(PANELS, max(len(names), len(matrices)))
    n_rows = ceil(len(names) / n_columns)
    n_all = n_rows + ceil(len(matrices) / n_columns)
    size = 4.6 * n_columns, 3.6 * n_all
    figure = load("figure").Figure(figsize=size, layout="constrained")
    panels = figure.subplots(n_all, n_columns, squeeze=False).ravel().tolist()
    for panel in panels:
        panel.set_axis_off()
    for panel, name in zip(panels, names, strict=False):
        _scatter(panel, given, name)
    for panel, column in zip(panels[n_rows * n_columns :], matrices, strict=False):
        panel.set_axis_on()
        ranking = column.ranking
        pairs = zip(ranking.metrics, ranking.ranks, strict=True)
        rows = [f"{name}  {rank}" for name, rank in pairs]
        p = np.ma.masked_invalid(ranking.p[:-1, 1:])
        dress(panel, f"p: {column.title}", "worse metric", "better metric, rank", grid=None)
        draw_p_values(panel, p, rows[:-1], ranking.metrics[1:])
    return figure


def _scatter(panel: Any, given: StudyInput, name: str) -> None:
    """Draw a point for each system; above is better."""
    from rapidbleu.plots.drawing import COLORS, INK, SOFT, dress

    people, scores = given.means("human"), given.means(name)
    there = np.flatnonzero(~np.isnan(people + scores))
    kept = np.setdiff1d(there, out := outlying(people))
    shown = -scores if name in given.negated else scores
    panel.set_axis_on()
    text = f"{name}, r = {_pearson(people[there], scores[there]):.3f}"
    if len(kept) < len(there):
        text += f", {_pearson(people[kept], scores[kept]):.3f} without outliers"
    x = "human score" + ", negated" * ("human" in given.negated)
    dress(panel, text, x, "less is better" * (name in given.negated), grid="both")
    colors = [COLORS[1] if i in out else COLORS[0] for i in there]
    panel.scatter(people[there], shown[there], s=26, c=colors, linewidths=0, zorder=3)
    for i in there.tolist():
        panel.annotate(
            given.systems[i], (people[i], shown[i]), (4, 3), textcoords="offset points",
            fontsize=SMALL, color=COLORS[1] if i in out else INK, parse_math=False,
        )  # fmt: skip
    if len(np.unique(people[kept])) > 1:
        ends = np.array([people[kept].min(), people[kept].max()])
        line = np.poly1d(np.polyfit(people[kept], shown[kept], 1))
        panel.plot(ends, line(ends), color=SOFT, linewidth=1, zorder=1)
    panel.margins(0.14)
    if name in given.negated:
        panel.invert_yaxis()


def _pearson(people: FloatArray, scores: FloatArray) -> float:
    if len(people) < 2 or not (np.ptp(people) and np.ptp(scores)):
        return float("nan")
    return float(np.corrcoef(people, scores)[0, 1])
