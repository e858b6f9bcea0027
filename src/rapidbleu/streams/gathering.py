"""Streams read as a whole, for what needs all segments at once."""

import os

from rapidbleu.streams.feeds import is_stream, open_feed
from rapidbleu.streams.ranges import NO_LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu.streams.rows import Rows
    from rapidbleu.typing import Layout


def gathered(
    hypotheses: "Any", references: "Any", layout: "Layout"
) -> "tuple[Any, Any, Layout, list[Rows]]":
    """Return the input of a corpus call with nothing that streams, and the tables it was in.

    Examples
    --------
    >>> gathered(iter(["a", "b"]), [["c", "d"]], "stream")
    (['a', 'b'], [['c', 'd']], 'stream', [])
    """
    if hasattr(hypotheses, "gathered"):
        whole: tuple[Any, Any, Layout, list[Rows]] = hypotheses.gathered(references)
        return whole
    if layout == "stream" and isinstance(references, list | tuple):
        references = [_gathered(stream) for stream in references]
    return _gathered(hypotheses), _gathered(references), layout, []


def _gathered(source: "Any") -> "Any":
    """Return a stream as a list or a column; anything else as it is."""
    if isinstance(source, os.PathLike):
        feed = open_feed(source, "segments")
        try:
            return feed.take(NO_LIMIT, NO_LIMIT)
        finally:
            feed.close()
    return list(source) if is_stream(source) else source
