"""A comparison as one HTML file, which needs no network; made with Jinja2 (extra ``report``).

Sections of tables and charts come first. Then come the segments, for the page's script: numbers in
one piece, texts in compressed blocks. A page of 50,000 segments under five systems has 40 MB of
text; the script opens the blocks that it shows.
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
from rapidbleu.comparison.inputs import text_of
from rapidbleu.comparison.report.sections import (
    COLORS,
    bucket_section,
    ngram_section,
    precision_section,
    score_section,
    test_section,
    word_section,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from rapidbleu._types import Path
    from rapidbleu.comparison.result import Comparison

__all__ = ["render_report", "write_report"]

TITLE = "Comparison of systems"
BLOCK = 1000  # segments
LEVEL = 3  # of compression: a third of the time of the default, a tenth more bytes


def render_report(comparison: Comparison, title: str = TITLE) -> str:
    """Write a comparison as one HTML page.

    Parameters
    ----------
    comparison : Comparison
    title : str

    Returns
    -------
    str
        A page that loads nothing: styles, pictures, scripts and compressed texts are within.

    Notes
    -----
    All text of users is escaped. Tables are complete without scripts, which sort them, and show
    the texts of segments.

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
    return environment.get_template("page.html").render(
        title=title,
        version=__version__,
        found=comparison,
        n_colors=COLORS,
        scores=score_section(comparison),
        precisions=precision_section(comparison),
        tests=test_section(comparison),
        buckets=bucket_section(comparison),
        words=word_section(comparison),
        ngrams=ngram_section(comparison),
        numbers=_embedded_numbers(comparison),
        blocks=_embedded_blocks(comparison),
    )


def write_report(comparison: Comparison, path: Path, title: str = TITLE) -> None:
    """Write the page of `render_report` to a file, which is replaced as a whole.

    Parameters
    ----------
    comparison : Comparison
    path : path
    title : str

    Raises
    ------
    OSError
        If it cannot be written.
    """
    page = render_report(comparison, title)
    with replacing_text(path) as file:
        file.write(page)


def _compressed(data: bytes) -> str:
    """Return bytes compressed, in base64."""
    return base64.b64encode(gzip.compress(data, LEVEL, mtime=0)).decode()


def _packed(numbers: Any, dtype: str) -> str:
    """Return numbers of a type, compressed."""
    return _compressed(np.asarray(numbers, dtype).tobytes())


def _embedded_numbers(found: Comparison) -> dict[str, Any]:
    """Return what the script knows of all segments: names, and little-endian columns, packed.

    ``lengths`` are int32, ``labels`` int32 places in ``label_names`` or None, ``scores`` float32
    for each system under each metric.
    """
    label_names = labels = None
    if found.labels is not None:
        label_names = list(dict.fromkeys(found.labels))
        places = {name: i for i, name in enumerate(label_names)}
        labels = _packed([places[label] for label in found.labels], "<i4")
    return {
        "systems": found.systems,
        "metrics": found.metrics,
        "n_segments": found.n_segments,
        "block": BLOCK,
        "has_sources": found.sources is not None,
        "higher_is_better": [found.higher_is_better[metric] for metric in found.metrics],
        "digits": [found.scores._digits[column] for column in found.columns.values()],
        "lengths": _packed(found.segments["length"], "<i4"),
        "labels": labels,
        "label_names": label_names,
        "scores": [
            [_packed(found.segment_scores[metric][system], "<f4") for system in found.systems]
            for metric in found.metrics
        ],
    }


def _embedded_blocks(found: Comparison) -> Iterator[str]:
    """Yield the texts of segments, block by block, packed.

    A block is JSON: for each segment the list of its references, of its outputs, and its source or
    null.
    """
    for begin in range(0, found.n_segments, BLOCK):
        part = slice(begin, begin + BLOCK)
        references = [list(map(text_of, several)) for several in found.references[part]]
        columns = [list(map(text_of, own[part])) for own in found.outputs.values()]
        sources = [None] * len(references) if found.sources is None else found.sources[part]
        block = list(zip(references, zip(*columns, strict=True), sources, strict=True))
        text = json.dumps(block, ensure_ascii=False, separators=(",", ":"))
        yield _compressed(text.encode("utf-8", "replace"))
