"""A comparison as one HTML file that needs no network, rendered by Jinja2 (extra ``report``).

Tables and charts come first, then the segments for the page's script: numbers as one piece, texts
in compressed blocks, which the script opens on demand, because 50,000 segments under five systems
have 40 MB of text.
"""

from __future__ import annotations

import base64
import gzip
import json
from typing import NamedTuple

from rapidbleu._lib.files import replacing_text
from rapidbleu._lib.floats import SIGNIFICANT, p_text
from rapidbleu._lib.loader import np
from rapidbleu._version import __version__
from rapidbleu.comparison.result import MOST_BITS
from rapidbleu.comparison.tables import (
    FREQUENCY,
    RATES,
    TITLES,
    bucket_title,
    score_buckets,
    score_columns,
    segment_columns,
    shown_in,
    text_of,
)
from rapidbleu.significance.result import resamples_needed

try:
    from jinja2 import Environment, PackageLoader, StrictUndefined
except ImportError as error:
    raise ImportError(
        'rapidbleu.comparison.report needs jinja2: pip install "rapidbleu[report]"'
    ) from error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from rapidbleu._types import IntArray, Path
    from rapidbleu.comparison.result import Comparison

__all__ = ["render_report", "write_report"]

TITLE = "Comparison of systems"
BLOCK = 250  # segments; a page of 20 opens at most 20 blocks
LEVEL = 5  # of compression: half the time of the default, one percent more bytes
MOST_TEXTS = 2_000_000  # segments times systems; beyond it, only the most different are listed


def render_report(comparison: Comparison, title: str = TITLE) -> str:
    """Return a comparison as an HTML page.

    Parameters
    ----------
    comparison : Comparison
    title : str

    Returns
    -------
    str
        A page that loads nothing: it contains styles, figures, scripts and compressed texts.

    Notes
    -----
    All user text is escaped. Tables are complete without scripts, which sort them, draw charts and
    list segments. With more than two million texts (segments times systems), only the segments
    whose scores under the first metric differ most between systems are listed, which the page
    notes. The same comparison always yields the same page.

    Examples
    --------
    >>> from rapidbleu import compare
    >>> found = compare({"A": ["<b> and <i>"], "B": ["so"]}, [["<b> and <i>"]])
    >>> page = render_report(found, "A & B")
    >>> "<title>A &amp; B</title>" in page, "<b>" in page
    (True, False)
    """
    environment = Environment(
        loader=PackageLoader("rapidbleu.comparison.report", "assets"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    listed = _listed(comparison)
    n_listed, ngrams = ngram_data(comparison)
    return environment.get_template("page.html").render(
        title=title,
        version=__version__,
        found=comparison,
        pair=first_pair(comparison),
        scores=score_section(comparison),
        precisions=precision_section(comparison),
        tests=test_section(comparison),
        bound_note=comparison._bound_note("-n"),
        buckets=bucket_section(comparison),
        words=word_section(comparison),
        n_listed=n_listed,
        numbers=_embedded_numbers(comparison, ngrams, listed),
        blocks=_embedded_blocks(comparison, listed),
    )


def write_report(comparison: Comparison, path: Path, title: str = TITLE) -> None:
    """Write the page of `render_report` to a file, which is replaced as a whole.

    Parameters
    ----------
    comparison : Comparison
    path : path
    title : str
    """
    page = render_report(comparison, title)
    with replacing_text(path) as file:
        file.write(page)


def _compressed(data: bytes) -> str:
    """Return bytes compressed, in base64."""
    return base64.b64encode(gzip.compress(data, LEVEL, mtime=0)).decode()


def _packed(numbers: Any, dtype: str) -> str:
    """Return numbers of a type, compressed, in base64."""
    return _compressed(np.asarray(numbers, dtype).tobytes())


def _listed(result: Comparison) -> IntArray:
    """Return the segments that the page lists, in order."""
    most = MOST_TEXTS // len(result.systems)
    if result.n_segments <= most:
        return np.arange(result.n_segments)
    scores = np.array(list(result.segment_scores[result.metrics[0]].values()))
    return np.sort(np.argsort(-np.ptp(scores, axis=0), kind="stable")[:most])


def _embedded_numbers(result: Comparison, ngrams: Any, listed: IntArray) -> dict[str, Any]:
    """Return the script's data about all segments: names, and little-endian columns, packed.

    ``ids`` are the listed segments, or None for all; ``lengths`` and ``output_lengths`` int32
    words; ``labels`` int32 indices in ``label_names`` or None; ``words`` int32 with a bit for each
    of the ``frequencies`` of the segment's words; ``scores`` float32 by metric and system.
    """
    label_names = labels = None
    if result.labels is not None:
        label_names = list(dict.fromkeys(result.labels))
        numbers = {name: i for i, name in enumerate(label_names)}
        labels = _packed(np.array([numbers[label] for label in result.labels])[listed], "<i4")
    scores = []
    for by_system in result.segment_scores.values():
        scores.append([_packed(values[listed], "<f4") for values in by_system.values()])
    lengths = list(segment_columns(result.systems, result.metrics))[: len(result.systems)]
    is_whole = len(listed) == result.n_segments
    return {
        "systems": result.systems,
        "order": ranking(result),
        "metrics": result.metrics,
        "n": len(listed),
        "block": BLOCK,
        "n_colors": COLORS,
        "most_drawn": MOST_DRAWN,
        "has_sources": result.sources is not None,
        "higher_is_better": [result.higher_is_better[metric] for metric in result.metrics],
        "digits": [result.scores._digits[column] for column in result.columns.values()],
        "tests": test_data(result),
        "least": result.tests._least["p_corrected"],
        "ngrams": _compressed(json.dumps(ngrams, separators=(",", ":")).encode()),
        "ids": None if is_whole else _packed(listed, "<i4"),
        "lengths": _packed(result.segments["length"][listed], "<i4"),
        "output_lengths": [_packed(result.segments[name][listed], "<i4") for name in lengths],
        "labels": labels,
        "label_names": label_names,
        "words": _packed(result._words.frequency_bits()[listed], "<i4"),
        "frequencies": result.words["bucket"][:: len(result.systems)][1 : MOST_BITS + 1],
        "scores": scores,
    }


def _embedded_blocks(result: Comparison, listed: IntArray) -> Iterator[str]:
    """Yield the texts of segments in packed blocks.

    A block is JSON: for each segment its references, outputs, and source or null.
    """
    columns = list(result.outputs.values())
    for begin in range(0, len(listed), BLOCK):
        block = []
        for i in listed[begin : begin + BLOCK].tolist():
            references = list(map(text_of, result.references[i]))
            outputs = [text_of(segments[i]) for segments in columns]
            block.append((references, outputs, result.sources and result.sources[i]))
        text = json.dumps(block, ensure_ascii=False, separators=(",", ":"))
        yield _compressed(text.encode("utf-8", "replace"))


NGRAMS = 25  # per pair
MOST_WORK = 10_000_000  # pairs times segments for n-grams: about four seconds
MOST_DRAWN = 4  # systems in a chart; beyond it, the chosen two
COLORS = 20  # in style.css, reused for further systems


class Cell(NamedTuple):
    """A cell of a table.

    `key` is its number for sorting, if any; `system` the index of the system that it names; `span`
    an interval and its score, as percentages of a chart's width.
    """

    text: str
    key: float | None = None
    kind: str = ""
    system: int | None = None
    span: tuple[float, float, float] | None = None


class Sheet(NamedTuple):
    """A table of the page."""

    caption: str
    headers: list[str]
    rows: list[list[Cell]]


class Figure(NamedTuple):
    """A table that is also drawn: buckets of a kind as columns, systems as rows."""

    metric: str
    kind: str
    sheet: Sheet


def number(value: float, digits: int = 2, kind: str = "") -> Cell:
    """Return a cell with a number; an empty cell for nan.

    >>> number(26.5958).text, number(float("nan")).text
    ('26.60', '')
    """
    if value != value:
        return Cell("", float("-inf"), "number")
    return Cell(f"{value:,.{digits}f}", value, f"number {kind}".rstrip())


def _p_cell(p: float, least: float, kind: str = "") -> Cell:
    return number(p, 4, kind)._replace(text=p_text(p, least))


def name_cells(result: Comparison) -> list[Cell]:
    return [Cell(name, system=i) for i, name in enumerate(result.systems)]


def ranking(result: Comparison) -> list[int]:
    """Return the indices of the systems, the best under the first metric first."""
    metric = result.metrics[0]
    scores = result.scores[result.columns[metric]]
    order: list[int] = np.argsort(
        -scores if result.higher_is_better[metric] else scores, kind="stable"
    ).tolist()
    return order


def first_pair(result: Comparison) -> tuple[int, int]:
    """Return A and B: baseline and best other system, first chosen pair, both or best two."""
    order = ranking(result)
    if result.baseline is not None:
        a = result.systems.index(result.baseline)
        return a, next((b for b in order if b != a), a)
    if result.pairs and not len(result.ranks):
        a, b = map(result.systems.index, result.pairs[0])
        return a, b
    return (0, len(order) - 1) if len(order) < 3 else (order[0], order[1])


def score_section(result: Comparison) -> Sheet:
    """Return the scores of the systems with their intervals, the best system first."""
    table = result.scores
    names = iter(score_columns(result.columns))
    headers = ["system"]
    columns = [name_cells(result)]
    for metric, column in result.columns.items():
        scores, low, high = (table[next(names)].tolist() for _ in range(3))
        digits = table._digits[column]
        best = max(scores) if result.higher_is_better[metric] else min(scores)
        kinds = ["best" if score == best and len(scores) > 1 else "" for score in scores]
        begin = min(low)
        width = (max(high) - min(low)) or 1.0
        headers += [metric, f"{100 * result.level:g} % interval"]
        columns.append(
            [number(score, digits, kind) for score, kind in zip(scores, kinds, strict=True)]
        )
        columns.append([])
        for score, *ends in zip(scores, low, high, strict=True):
            text = " to ".join([f"{end:.{digits}f}" for end in ends])
            left, right, at = (round(100 * (x - begin) / width, 1) for x in (*ends, score))
            columns[-1].append(Cell(text, ends[0], "range", span=(left, right, at)))
        if len(result.ranks):
            headers.append("rank")
            ranks = result._ranked()[f"{column} rank"]
            columns.append([Cell(rank, float(rank.split("-")[0]), "number") for rank in ranks])
    headers += ["words", "length ratio"]
    columns.append([number(n, 0) for n in table["words"].tolist()])
    columns.append([number(ratio, 4) for ratio in table["length_ratio"].tolist()])
    rows = list(zip(*columns, strict=True))
    return Sheet("Scores of the systems", headers, [list(rows[i]) for i in ranking(result)])


def test_section(result: Comparison) -> Sheet | None:
    """Return the tests of pairs; None for a single system."""
    if not len(result.tests):
        return None
    rows = []
    least = result.tests._least
    for metric, a, b, gap, low, high, p, corrected, verdict in _tests(result):
        digits = result.scores._digits[result.columns[metric]]
        kind = "best" if verdict.endswith("better") else ""
        rows.append(
            [
                Cell(metric),
                Cell(a),
                Cell(b),
                number(gap, digits),
                Cell(f"{low:.{digits}f} to {high:.{digits}f}", float(low), "number"),
                _p_cell(p, least["p_value"]),
                _p_cell(corrected, least["p_corrected"], kind),
                Cell(verdict),
            ]
        )
    headers = [
        "metric",
        "first",
        "second",
        "second − first",
        f"{100 * result.level:g} % interval",
        "p",
        "p, corrected",
        f"at {SIGNIFICANT}",
    ]
    return Sheet(f"Paired bootstrap of {result._tested}", headers, rows)


def _tests(result: Comparison) -> Iterable[tuple[Any, ...]]:
    """Yield the rows of the tests; the last item is the better system, if any."""
    needed = resamples_needed(result.n_tests, result.correction)
    undecided = "no clear difference" if result.n_resamples >= needed else "too few resamples"
    for metric, a, b, gap, low, high, p, corrected, identical in result.tests.rows():
        verdict = f"identical {identical}" if identical else undecided
        if not identical and corrected <= SIGNIFICANT:
            better = b if (gap > 0) == result.higher_is_better[metric] else a
            verdict = f"{better} is better"
        yield metric, a, b, gap, low, high, p, corrected, verdict


def test_data(result: Comparison) -> list[list[Any]]:
    """Return the tests for the script: names as indices, numbers, and p-values also as texts."""
    metrics = result.metrics.index
    systems = result.systems.index
    least = result.tests._least
    data = []
    for metric, a, b, *rest, p, corrected, verdict in _tests(result) if len(result.tests) else ():
        texts = [
            p_text(p, least["p_value"]),
            p_text(corrected, least["p_corrected"]),
            p_text(corrected, least["p_corrected"], 3),
        ]
        data.append([metrics(metric), systems(a), systems(b), *rest, corrected, verdict, texts])
    return data


def precision_section(result: Comparison) -> list[Figure]:
    """Return the n-gram precisions for each metric that has them."""
    figures = []
    for metric in result.metrics:
        scores = result.corpus_scores[metric].values()
        precisions = [score.precisions for score in scores if hasattr(score, "precisions")]
        if precisions:
            headers = [f"{order}-grams" for order in range(1, 1 + len(precisions[0]))]
            rows = [list(map(number, values)) for values in precisions]
            caption = f"Precisions of {metric} by length of the n-gram"
            figures.append(_figure(result, metric, "precision", caption, headers, rows))
    return figures


def bucket_section(result: Comparison) -> list[Figure]:
    """Return figures of buckets: their scores, or their sizes for buckets by score."""
    columns = result.columns
    of_scores = score_buckets(result.columns)
    return [
        _buckets(result, kind, what, bucket_title(kind, columns), of_scores.get(kind, what))
        for kind in result.buckets
        for what in shown_in(kind, columns)
    ]


def word_section(result: Comparison) -> list[Figure]:
    """Return precision, recall and F1 of words by frequency in the references."""
    return [_buckets(result, "words", what, TITLES[FREQUENCY], what) for what in RATES]


def _buckets(result: Comparison, kind: str, what: str, by: str, metric: str) -> Figure:
    table = result.side_by_side(kind, what)
    names = table.names[1:]
    rows = []
    for name in names:
        digits = 0 if table[name].dtype.kind == "i" else table._digits[name]
        rows.append([number(value, digits) for value in table[name].tolist()])
    caption = f"{TITLES.get(what, what)} by {by}"
    size = None if len(rows) == len(result.systems) else table._titles.get(names[0], names[0])
    return _figure(result, metric, kind, caption, table["bucket"], rows, size)


def _figure(
    result: Comparison,
    metric: str,
    kind: str,
    caption: str,
    headers: list[str],
    rows: list[list[Cell]],
    size: str | None = None,
) -> Figure:
    """Return a figure with the best system first, after an optional row called `size`."""
    names = [[name] for name in name_cells(result)]
    first = [] if size is None else [[Cell(size), *rows[0]]]
    of_systems = rows[len(first) :]
    rows = first + [[*names[i], *of_systems[i]] for i in ranking(result)]
    return Figure(metric, kind, Sheet(caption, ["", *headers], rows))


def ngram_data(result: Comparison) -> tuple[int, dict[str, list[list[Any]]]]:
    """Return the number of systems whose pairs are listed, and their n-grams.

    N-grams that the first system has right more often, with both counts, by the indices of a pair,
    such as "0 3". If all pairs are too many, the best systems are listed.
    """
    chosen = list(dict.fromkeys([*first_pair(result), *ranking(result)]))
    while len(chosen) > 2 and len(chosen) * (len(chosen) - 1) * result.n_segments > MOST_WORK:
        chosen.pop()
    names = result.systems
    lists = {}
    for i in chosen:
        for k in chosen:
            if i != k:
                table = result.ngrams(names[i], names[k], NGRAMS)
                counts = (table[column].tolist() for column in ("a", "b"))
                lists[f"{i} {k}"] = [list(row) for row in zip(table["ngram"], *counts, strict=True)]
    return len(chosen), lists
