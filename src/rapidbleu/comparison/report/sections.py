"""The sections of the page: tables as cells, and the charts beside them."""

from typing import NamedTuple

from rapidbleu.comparison.buckets import score_bucket, shown_in
from rapidbleu.comparison.report.charts import bar_chart, interval_chart
from rapidbleu.printing.results import SIGNIFICANT
from rapidbleu.significance.correction import resamples_needed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu.comparison.result import Comparison

NGRAMS = 25  # of a pair
MOST_PAIRS = 20  # whose n-grams are listed


class Cell(NamedTuple):
    """A cell of a table: its text, the number that it is sorted by if any, and how it looks."""

    text: str
    key: "float | None" = None
    kind: str = ""


class Sheet(NamedTuple):
    """A table of the page."""

    caption: str
    headers: "list[str]"
    rows: "list[list[Cell]]"


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


def score_section(found: "Comparison") -> "dict[str, Any]":
    """Return the scores of the systems, and a chart of intervals for each metric."""
    table, headers = found.scores, ["system"]
    columns = [[Cell(name) for name in found.systems]]
    charts = []
    for metric in found.metrics:
        scores, low, high = (table[name] for name in (metric, f"{metric} low", f"{metric} high"))
        best = max(scores) if found.higher_is_better[metric] else min(scores)
        kinds = ["best" if score == best and len(scores) > 1 else "" for score in scores]
        headers += [metric, f"{100 * found.level:g} % interval"]
        digits = table._digits[metric]
        columns.append([
            number(score, digits, kind) for score, kind in zip(scores, kinds, strict=True)
        ])  # fmt: skip
        columns.append([
            Cell(f"{begin:.{digits}f} to {end:.{digits}f}", float(begin), "number")
            for begin, end in zip(low, high, strict=True)
        ])  # fmt: skip
        rows = [tuple(map(float, row)) for row in zip(scores, low, high, strict=True)]
        charts.append((metric, interval_chart(f"{metric} with intervals", found.systems, rows)))  # type: ignore[arg-type]
    headers += ["words", "length ratio"]
    columns.append([number(n, 0) for n in table["words"]])
    columns.append([number(ratio, 4) for ratio in table["length ratio"]])
    rows_of_cells = [list(row) for row in zip(*columns, strict=True)]
    return {"sheet": Sheet("Scores of the systems", headers, rows_of_cells), "charts": charts}


def precision_section(found: "Comparison") -> "list[tuple[str, str]]":
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


def test_section(found: "Comparison") -> "Sheet | None":
    """Return the tests of all pairs; None for a single system."""
    if not len(found.tests):
        return None
    rows = []
    needed = resamples_needed(len(found.tests) // len(found.metrics), found.correction)
    undecided = "no clear difference" if found.n >= needed else "too few resamples"
    for metric, a, b, gap, low, high, p, corrected, identical in found.tests.rows():
        digits = found.scores._digits[metric]
        verdict = f"identical {identical}" if identical else undecided
        if not identical and corrected <= SIGNIFICANT:
            better = b if (gap > 0) == found.higher_is_better[metric] else a
            verdict = f"{better} is better"
        kind = "best" if verdict.endswith("better") else ""
        rows.append([
            Cell(metric), Cell(a), Cell(b), number(gap, digits),
            Cell(f"{low:.{digits}f} to {high:.{digits}f}", low, "number"),
            number(p, 4), number(corrected, 4, kind), Cell(verdict),
        ])  # fmt: skip
    headers = [
        "metric", "A", "B", "B − A", f"{100 * found.level:g} % interval", "p",
        "p, corrected", f"at {SIGNIFICANT}",
    ]  # fmt: skip
    return Sheet("Paired bootstrap of all pairs", headers, rows)


def bucket_section(found: "Comparison") -> "list[Figure]":
    """Return figures of buckets: scores of each, or how many segments have which score."""
    of_scores = {score_bucket(metric): metric for metric in found.metrics}
    return [
        _figure(found, kind, what, f"{what} by {kind}", of_scores.get(kind, what))
        for kind in found.buckets
        for what in shown_in(kind, found.metrics)
    ]


def word_section(found: "Comparison") -> "list[Figure]":
    """Return how well words are found, by their frequency in the references."""
    return [
        _figure(found, "words", what, f"{what} by word frequency", what)
        for what in ("F1", "precision", "recall")
    ]


def _figure(
    found: "Comparison", buckets: str, what: str, caption: str, metric: str
) -> Figure:
    """Return a chart of buckets with the systems side by side, and its numbers."""
    table = found.side_by_side(buckets, what)
    digits = table._digits[found.systems[0]]
    columns = []
    for name in table.names:
        if name == "bucket":
            columns.append([Cell(bucket, i) for i, bucket in enumerate(table[name])])
        else:
            whole = table[name].dtype.kind == "i"
            columns.append([number(value, 0 if whole else digits) for value in table[name]])
    values = [table[system].tolist() for system in found.systems]
    chart = bar_chart(caption, table["bucket"], found.systems, values)
    rows = [list(row) for row in zip(*columns, strict=True)]
    return Figure(metric, chart, Sheet(caption, list(table.names), rows))


def ngram_section(found: "Comparison") -> "list[tuple[str, str, Sheet]]":
    """Return the n-grams that one system has right more often than the other, for pairs."""
    sheets = []
    pairs = [(a, b) for a in found.systems for b in found.systems if a != b]
    for a, b in pairs[:MOST_PAIRS]:
        table = found.ngrams(a, b, NGRAMS)
        rows = [
            [Cell(ngram), number(order, 0), number(one, 0), number(other, 0)]
            for ngram, order, _, one, other in table.rows()
        ]
        caption = f"N-grams that {a} has right more often than {b}"
        sheets.append((a, b, Sheet(caption, ["n-gram", "words", a, b], rows)))
    return sheets
