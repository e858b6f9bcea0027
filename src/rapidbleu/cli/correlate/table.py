"""A study as text: tables of metrics and figures, JSON, and lines for other programs."""

import json
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from rapidbleu.meta.figures import TITLES
from rapidbleu.printing.tables import delimited, latex_booktabs, markdown_table

if TYPE_CHECKING:
    from rapidbleu.cli.correlate.material import Material
    from rapidbleu.meta import Study, StudyColumn

FORMATS = ("text", "json", "tsv", "markdown", "latex")
WIDEST = 100  # characters of a line of text; further figures are another table
BY = {"none": "all scores", "segment": "by segment", "system": "by system", "means": "of systems"}


def report(study: "Study", material: "Material", args: Namespace) -> list[str]:
    """Return the lines to print."""
    if args.format == "json":
        return [json.dumps(content(study, material, args), indent=4, ensure_ascii=False)]
    if args.format == "tsv":
        return tsv(study)
    cells = [cells_of(study, column, args.width) for column in study.columns]
    titles = [title_lines(column) for column in study.columns]
    if args.format == "latex":
        headers = ["metric", *(", ".join(filter(None, title)) for title in titles)]
        return [latex_booktabs(headers, [names_in_order(study), *cells])]
    if args.format == "markdown":
        headers = ["metric", *(", ".join(filter(None, title)) for title in titles)]
        stripped = [[cell.strip() for cell in own] for own in cells]
        right = [False] + [True] * len(cells)
        return [markdown_table(headers, [names_in_order(study), *stripped], right)]
    lines: list[str] = []
    for block in _blocks(study, titles, cells):
        lines += [*block, ""]
    return [*lines, *notes(study, material, args)]


def names_in_order(study: "Study") -> list[str]:
    """Return the metrics, the best of the first figure first."""
    return list(study.columns[0].ranking.metrics)


def title_lines(column: "StudyColumn") -> list[str]:
    """Return the figure, what it is averaged over, and whether outliers are left out."""
    return [TITLES[column.figure], BY[column.by], "without outliers" * bool(column.left_out)]


def cells_of(study: "Study", column: "StudyColumn", width: int) -> list[str]:
    """Return the figure of each metric with its interval and its rank."""
    ranks = dict(zip(column.ranking.metrics, column.ranking.ranks, strict=True))
    cells = []
    for name in names_in_order(study):
        found = column.intervals[name]
        value, low, high = (f"{x:.{width}f}" for x in (found.value, found.low, found.high))
        cells.append(f"{value} [{low}, {high}] {ranks[name]}")
    most = max(map(len, cells))
    return [f"{cell:>{most}}" for cell in cells]


def _blocks(study: "Study", titles: list[list[str]], cells: list[list[str]]) -> "list[list[str]]":
    """Return tables that are no wider than a line, of as many figures as fit."""
    names = names_in_order(study)
    first = max(map(len, names))
    widths = [max(map(len, [*title, *own])) for title, own in zip(titles, cells, strict=True)]
    blocks: list[list[int]] = []
    room = 0
    for i, width in enumerate(widths):
        if not blocks or width + 2 > room:
            blocks.append([])
            room = WIDEST - first
        blocks[-1].append(i)
        room -= width + 2
    tables = []
    for block in blocks:
        n_lines = 3 if any(titles[i][2] for i in block) else 2
        table = [
            f"{'':{first}}" + "".join(f"  {titles[i][line]:>{widths[i]}}" for i in block)
            for line in range(n_lines)
        ]
        table += [
            f"{name:{first}}" + "".join(f"  {cells[i][row]:>{widths[i]}}" for i in block)
            for row, name in enumerate(names)
        ]
        tables.append([line.rstrip() for line in table])
    return tables


def notes(study: "Study", material: "Material", args: Namespace) -> list[str]:
    """Return the lines that say what was compared, and how the table is read."""
    n_scores = int((~_missing(material)).sum())
    n_systems, n_segments = material.human.values.shape
    lines = [
        f"{n_systems} systems, {n_segments} segments, {n_scores} human scores.",
        f"[{args.level * 100:g}% interval] rank: a new rank begins where a metric is significantly "
        "worse",
        f"than one of the rank before (permutation tests, n = {args.n}, p <= {args.alpha:g}).",
    ]
    out = next((column.left_out for column in study.columns if column.left_out), ())
    if out:
        lines.append(f"Outliers: {', '.join(out)}")
    if material.negated:
        lines.append(f"Less is better, so negated: {', '.join(material.negated)}")
    width = max(map(len, material.signatures), default=0)
    return lines + [f"{name:{width}}  {own}" for name, own in material.signatures.items()]


def _missing(material: "Material") -> Any:
    import numpy as np

    return np.isnan(material.human.values)


def tsv(study: "Study") -> list[str]:
    """Return a line for each figure of each metric, with all digits."""
    headers = ["metric", "figure", "by", "without", "rank", "value", "low", "high"]
    rows = []
    for column in study.columns:
        start = [column.figure, column.by, ",".join(column.left_out)]
        ranking = column.ranking
        for name, rank in zip(ranking.metrics, ranking.ranks, strict=True):
            found = column.intervals[name]
            numbers = [repr(x) for x in (found.value, found.low, found.high)]
            rows.append([name, *start, str(rank), *numbers])
    columns = [list(column) for column in zip(*rows, strict=True)]
    return [delimited(headers, columns, "\t").removesuffix("\n")]


def content(study: "Study", material: "Material", args: Namespace) -> dict[str, Any]:
    """Return all that was found; null stands for nan."""
    means = {name: _numbers(material.means(name)) for name in ("human", *study.metrics)}
    systems = material.systems
    return {
        "systems": {
            system: {name: own[i] for name, own in means.items()}
            for i, system in enumerate(systems)
        },
        "n_segments": material.human.values.shape[1],
        "n_human_scores": int((~_missing(material)).sum()),
        "negated": material.negated,
        "signatures": material.signatures,
        "n": args.n,
        "seed": args.seed,
        "level": args.level,
        "alpha": args.alpha,
        "figures": [_figure(column) for column in study.columns],
    }


def _figure(column: "StudyColumn") -> dict[str, Any]:
    ranking = column.ranking
    metrics = {}
    for name, rank in zip(ranking.metrics, ranking.ranks, strict=True):
        found = column.intervals[name]
        value, low, high = _numbers([found.value, found.low, found.high])
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
