"""A comparison as one HTML file that needs no network, rendered by Jinja2 (extra ``report``).

Tables and charts come first, then the segments for the page's script: numbers as one piece, texts
in compressed blocks, which the script opens on demand, because 50,000 segments under five systems
have 40 MB of text.
"""

from __future__ import annotations

import base64
import gzip
import json

from rapidbleu._lib.lazy import np

try:
    from jinja2 import Environment, PackageLoader, StrictUndefined
except ImportError as error:
    raise ImportError(
        'rapidbleu.comparison.report needs jinja2: pip install "rapidbleu[report]"'
    ) from error

from rapidbleu._lib.files import replacing_text
from rapidbleu._version import __version__
from rapidbleu.comparison.report.sections import (
    COLORS,
    MOST_DRAWN,
    bucket_section,
    first_pair,
    ngram_data,
    precision_section,
    ranking,
    score_section,
    test_data,
    test_section,
    word_section,
)
from rapidbleu.comparison.result import MOST_BITS
from rapidbleu.comparison.tables import segment_columns, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
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
        places = {name: i for i, name in enumerate(label_names)}
        labels = _packed(np.array([places[label] for label in result.labels])[listed], "<i4")
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
        "scores": [
            [
                _packed(result.segment_scores[metric][system][listed], "<f4")
                for system in result.systems
            ]
            for metric in result.metrics
        ],
    }


def _embedded_blocks(result: Comparison, listed: IntArray) -> Iterator[str]:
    """Yield the texts of segments in packed blocks.

    A block is JSON: for each segment its references, outputs, and source or null.
    """
    columns = list(result.outputs.values())
    for begin in range(0, len(listed), BLOCK):
        block = [
            (
                list(map(text_of, result.references[i])),
                [text_of(own[i]) for own in columns],
                None if result.sources is None else result.sources[i],
            )
            for i in listed[begin : begin + BLOCK].tolist()
        ]
        text = json.dumps(block, ensure_ascii=False, separators=(",", ":"))
        yield _compressed(text.encode("utf-8", "replace"))
