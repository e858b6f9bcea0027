"""The sections of the page: tables as cells, with charts as SVG in the colors of the style."""

from __future__ import annotations

from html import escape
from math import ceil, floor, log10
from typing import NamedTuple

from rapidbleu._lib.floats import SIGNIFICANT
from rapidbleu.comparison.tables import (
    FREQUENCY,
    RATES,
    TITLES,
    bucket_title,
    score_buckets,
    score_columns,
    shown_in,
)
from rapidbleu.significance.correction import resamples_needed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from rapidbleu.comparison.result import Comparison
    from rapidbleu.table import Table

NGRAMS = 25  # of a pair
MOST_PAIRS = 20  # whose n-grams are listed
WIDTH, HEIGHT = 720, 230
LEFT, RIGHT, TOP, BOTTOM = 44, 8, 10, 30
ROW = 26  # of a chart of intervals
NAME = 150  # room for the names of its systems
MOST_LETTERS = 14  # of a group's name, roughly what has room at the least
LINES = 4  # of the scale
COLORS = 8  # of series in style.css; the next ones begin anew


class Cell(NamedTuple):
    """A cell of a table: its text, the number that it is sorted by if any, and how it looks."""

    text: str
    key: float | None = None
    kind: str = ""


class Sheet(NamedTuple):
    """A table of the page."""

    caption: str
    headers: list[str]
    rows: list[list[Cell]]


class Figure(NamedTuple):
    """A chart, and the table with its numbers."""

    metric: str
    chart: str
    sheet: Sheet


def number(value: float, digits: int = 2, kind: str = "") -> Cell:
    """Return a cell with a number; an empty one for nan.

    Examples
    --------
    >>> number(26.5958).text, number(float("nan")).text
    ('26.60', '')
    """
    if value != value:
        return Cell("", float("-inf"), "number")
    return Cell(f"{value:,.{digits}f}", value, f"number {kind}".rstrip())


def cells_of(table: Table, name: str) -> list[Cell]:
    """Return the cells of a column: numbers with its digits, whole ones without."""
    column = table[name]
    if isinstance(column, list):
        return [Cell(text) for text in column]
    digits = 0 if column.dtype.kind == "i" else table._digits[name]
    return [number(value, digits) for value in column]


def interval_cell(low: float, high: float, digits: int) -> Cell:
    """Return a cell with an interval, sorted by its lower end."""
    return Cell(f"{low:.{digits}f} to {high:.{digits}f}", float(low), "number")


def sheet_of(caption: str, headers: Iterable[str], columns: Iterable[list[Cell]]) -> Sheet:
    """Return a table of columns under their headers."""
    return Sheet(caption, list(headers), [list(row) for row in zip(*columns, strict=True)])


def score_section(found: Comparison) -> dict[str, Any]:
    """Return the scores of the systems, and a chart of intervals for each metric."""
    table = found.scores
    headers, columns, charts = ["system"], [cells_of(table, "system")], []
    names = iter(score_columns(found.columns))
    for metric, column in found.columns.items():
        scores, low, high = (table[next(names)].tolist() for _ in range(3))
        digits = table._digits[column]
        best = max(scores) if found.higher_is_better[metric] else min(scores)
        kinds = ["best" if score == best and len(scores) > 1 else "" for score in scores]
        headers += [metric, f"{100 * found.level:g} % interval"]
        columns += [
            [number(score, digits, kind) for score, kind in zip(scores, kinds, strict=True)],
            [interval_cell(*ends, digits) for ends in zip(low, high, strict=True)],
        ]
        rows = list(zip(scores, low, high, strict=True))
        charts.append((metric, interval_chart(f"{metric} with intervals", found.systems, rows)))
    headers += ["words", "length ratio"]
    columns += [cells_of(table, "words"), cells_of(table, "length_ratio")]
    return {"sheet": sheet_of("Scores of the systems", headers, columns), "charts": charts}


def precision_section(found: Comparison) -> list[tuple[str, str]]:
    """Return a chart of n-gram precisions for each metric that has them."""
    charts = []
    for metric in found.metrics:
        scores = found.corpus_scores[metric].values()
        own = [score.precisions for score in scores if hasattr(score, "precisions")]
        if own:
            groups = [f"{order}-grams" for order in range(1, 1 + len(own[0]))]
            chart = bar_chart(f"Precisions of {metric}", groups, found.systems, own)
            charts.append((metric, chart))
    return charts


def test_section(found: Comparison) -> Sheet | None:
    """Return the tests of all pairs; None for a single system."""
    if not len(found.tests):
        return None
    rows = []
    needed = resamples_needed(found.n_tests, found.correction)
    undecided = "no clear difference" if found.n_resamples >= needed else "too few resamples"
    for metric, a, b, gap, low, high, p, corrected, identical in found.tests.rows():
        digits = found.scores._digits[found.columns[metric]]
        verdict = f"identical {identical}" if identical else undecided
        if not identical and corrected <= SIGNIFICANT:
            better = b if (gap > 0) == found.higher_is_better[metric] else a
            verdict = f"{better} is better"
        kind = "best" if verdict.endswith("better") else ""
        rows.append([
            Cell(metric), Cell(a), Cell(b), number(gap, digits), interval_cell(low, high, digits),
            number(p, 4), number(corrected, 4, kind), Cell(verdict),
        ])  # fmt: skip
    headers = [
        "metric", "A", "B", "B − A", f"{100 * found.level:g} % interval", "p",
        "p, corrected", f"at {SIGNIFICANT}",
    ]  # fmt: skip
    return Sheet("Paired bootstrap of all pairs", headers, rows)


def bucket_section(found: Comparison) -> list[Figure]:
    """Return figures of buckets: scores of each, or how many segments have which score."""
    columns, of_scores = found.columns, score_buckets(found.columns)
    return [
        _figure(found, kind, what, bucket_title(kind, columns), of_scores.get(kind, what))
        for kind in found.buckets
        for what in shown_in(kind, columns)
    ]


def word_section(found: Comparison) -> list[Figure]:
    """Return how well words are found, by their frequency in the references."""
    return [_figure(found, "words", what, TITLES[FREQUENCY], what) for what in RATES]


def _figure(found: Comparison, buckets: str, what: str, by: str, metric: str) -> Figure:
    """Return a chart of buckets with the systems side by side, and its numbers."""
    caption = f"{TITLES.get(what, what)} by {by}"
    table = found.side_by_side(buckets, what)
    columns = {name: cells_of(table, name) for name in table.names}
    columns["bucket"] = [Cell(bucket, i) for i, bucket in enumerate(table["bucket"])]
    values = [table[name].tolist() for name in table.names[-len(found.systems) :]]
    chart = bar_chart(caption, table["bucket"], found.systems, values)
    return Figure(metric, chart, sheet_of(caption, table._titles.values(), columns.values()))


def ngram_section(found: Comparison) -> list[tuple[str, str, Sheet]]:
    """Return the n-grams that one system has right more often than the other, for pairs."""
    sheets = []
    pairs = [(a, b) for a in found.systems for b in found.systems if a != b]
    for a, b in pairs[:MOST_PAIRS]:
        table = found.ngrams(a, b, NGRAMS)
        caption = f"N-grams that {a} has right more often than {b}"
        columns = [cells_of(table, name) for name in ("ngram", "order", "a", "b")]
        sheets.append((a, b, sheet_of(caption, ["n-gram", "words", a, b], columns)))
    return sheets


def scale_end(value: float) -> float:
    """Return the least of 1, 2, 2.5, 5 times a power of ten that is not below a value above 0.

    Examples
    --------
    >>> [scale_end(value) for value in (0.3, 7, 23.5, 41, 100)]
    [0.5, 10.0, 25.0, 50.0, 100.0]
    """
    power = 10.0 ** floor(log10(value))
    for step in (1, 2, 2.5, 5):
        if value <= step * power * (1 + 1e-12):
            return step * power
    return 10.0 ** ceil(log10(value))


def ticks(low: float, high: float) -> list[float]:
    """Return round numbers of a range, of which low is below high: at most seven.

    Examples
    --------
    >>> ticks(21.74, 27.55)
    [22.0, 23.0, 24.0, 25.0, 26.0, 27.0]
    """
    step = scale_end((high - low) / 6)
    return [i * step for i in range(ceil(low / step), floor(high / step) + 1)]


def bar_chart(
    label: str,
    groups: Sequence[str],
    series: Sequence[str],
    values: Sequence[Sequence[float]],
) -> str:
    """Return bars in groups; `label` is what the chart shows, for screen readers.

    Each of the `series` has a color, and its `values` one for each of the `groups`; nan: no bar.
    """
    known = [value for own in values for value in own if value == value]
    high = scale_end(max(known)) if known and max(known) > 0 else 0.0
    low = -scale_end(-min(known)) if known and min(known) < 0 else 0.0
    if high == low:
        high = 1.0
    inner = HEIGHT - TOP - BOTTOM

    def y(value: float) -> float:
        return TOP + inner * (high - value) / (high - low)

    parts = [_open(label, HEIGHT)]
    for i in range(LINES + 1):
        at = low + (high - low) * i / LINES
        parts += [
            _grid_line((LEFT, y(at)), (WIDTH - RIGHT, y(at))),
            _label(f"{at:g}", LEFT - 6, y(at) + 3.5, "end"),
        ]
    step = (WIDTH - LEFT - RIGHT) / max(1, len(groups))
    width = 0.78 * step / max(1, len(series))
    for g, group in enumerate(groups):
        begin = LEFT + g * step
        parts.append(_label(group, begin + step / 2, HEIGHT - 10, "middle", len(groups)))
        for s, name in enumerate(series):
            value = values[s][g]
            if value != value:
                continue
            top, bottom = y(max(value, 0.0)), y(min(value, 0.0))
            left = begin + 0.11 * step + s * width
            parts.append(
                f'<rect class="c{s % COLORS}" x="{left:.1f}" y="{top:.1f}" '
                f'width="{max(width - 1, 0.5):.1f}" height="{bottom - top:.1f}" rx="1.5">'
                f"<title>{escape(name)}, {escape(group)}: {value:.4g}</title></rect>"
            )
    return "".join([*parts, "</svg>"])


def interval_chart(
    label: str, names: Sequence[str], rows: Sequence[tuple[float, float, float]]
) -> str:
    """Return a line for each system: its score and the interval around it, as `rows` have them.

    `label` is what the chart shows, for screen readers.
    """
    low = min(min(row) for row in rows)
    high = max(max(row) for row in rows)
    margin = 0.06 * (high - low) or 1.0
    low, high = low - margin, high + margin
    height = ROW * len(names) + BOTTOM

    def x(value: float) -> float:
        return NAME + (WIDTH - NAME - 3 * RIGHT) * (value - low) / (high - low)

    parts = [_open(label, height)]
    for at in ticks(low, high):
        parts += [
            _grid_line((x(at), 4), (x(at), height - BOTTOM + 4)),
            _label(f"{at:g}", x(at), height - 10, "middle"),
        ]
    for i, (name, (score, begin, end)) in enumerate(zip(names, rows, strict=True)):
        middle = ROW * i + ROW / 2
        parts += [
            _label(name, NAME - 12, middle + 4, "end", 1),
            f'<g class="c{i % COLORS}"><line class="whisker" x1="{x(begin):.1f}" x2="{x(end):.1f}" '
            f'y1="{middle}" y2="{middle}"/><circle cx="{x(score):.1f}" cy="{middle}" r="5"/>'
            f"<title>{escape(name)}: {score:.4g} ({begin:.4g} to {end:.4g})</title></g>",
        ]
    return "".join([*parts, "</svg>"])


def _open(label: str, height: int) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(label)}" '
        f'class="chart">'
    )


def _grid_line(begin: tuple[float, float], end: tuple[float, float]) -> str:
    (x1, y1), (x2, y2) = begin, end
    return f'<line class="grid" x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}"/>'


def _label(text: str, x: float, y: float, anchor: str, n_names: int = 0) -> str:
    """Return a text of a chart; the whole name when pointed at, if it is one of some names."""
    inside = escape(text)
    if n_names:
        most = max(4, min(22, 7 * MOST_LETTERS // n_names))
        short = text if len(text) <= most else f"{text[: most - 1]}…"
        inside = f"{escape(short)}<title>{inside}</title>"
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{inside}</text>'
