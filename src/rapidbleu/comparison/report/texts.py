"""Segments for the page's script: numbers in one piece, texts in compressed blocks.

A page of 50,000 segments under five systems has 40 MB of text. Blocks of it are compressed and
written in base64, and the script opens those that it shows.
"""

import base64
import gzip
import json

from rapidbleu.comparison.inputs import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from rapidbleu.comparison.result import Comparison

BLOCK = 1000  # segments
LEVEL = 3  # of compression: a third of the time of the default, a tenth more bytes


def packed(data: bytes) -> str:
    """Return bytes compressed, in base64.

    Examples
    --------
    >>> gzip.decompress(base64.b64decode(packed(b"text")))
    b'text'
    """
    return base64.b64encode(gzip.compress(data, LEVEL, mtime=0)).decode()


def embedded_numbers(found: "Comparison") -> "dict[str, Any]":
    """Return what the script knows of all segments.

    Returns
    -------
    dict
        Names, and little-endian columns, packed: ``lengths`` as int32, ``labels`` as int32 places
        in ``label_names`` or None, ``scores`` as float32 for each system under each metric.
    """
    import numpy as np

    label_names = None if found.labels is None else list(dict.fromkeys(found.labels))
    numbers: dict[str, Any] = {
        "systems": found.systems,
        "metrics": found.metrics,
        "n_segments": found.n_segments,
        "block": BLOCK,
        "has_sources": found.sources is not None,
        "higher_is_better": [found.higher_is_better[metric] for metric in found.metrics],
        "digits": [found.scores._digits[metric] for metric in found.metrics],
        "lengths": packed(found.segments["length"].astype("<i4").tobytes()),
        "labels": None,
        "label_names": label_names,
        "scores": [
            [
                packed(np.asarray(found.segment_scores[metric][system], "<f4").tobytes())
                for system in found.systems
            ]
            for metric in found.metrics
        ],
    }
    if found.labels is not None and label_names is not None:
        places = {name: i for i, name in enumerate(label_names)}
        where = np.fromiter((places[label] for label in found.labels), "<i4", found.n_segments)
        numbers["labels"] = packed(where.tobytes())
    return numbers


def embedded_blocks(found: "Comparison") -> "Iterator[str]":
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
        yield packed(text.encode("utf-8", "replace"))
