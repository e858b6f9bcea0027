"""The hypotheses and references of a call, checked a batch at a time."""

import os

from rapidbleu._core.input.columns import Column, ReferenceColumns
from rapidbleu.streams.feeds import PLAIN, in_step, is_arrow, is_stream, open_feed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, TypeAlias

    from rapidbleu.streams.feeds import _Feed
    from rapidbleu.streams.rows import Rows
    from rapidbleu.typing import Layout

    _Batch: TypeAlias = tuple[Column, ReferenceColumns, Rows | None]


def is_streamed(hypotheses: "Any", references: "Any", layout: "Layout") -> bool:
    """Return whether the input of a call is to be read as it is needed.

    Examples
    --------
    >>> is_streamed(iter(["a"]), [["a"]], "stream"), is_streamed(["a"], [iter(["a"])], "stream")
    (True, True)
    >>> is_streamed(["a"], [["a"]], "stream")
    False
    """
    if not isinstance(references, PLAIN):
        return is_stream(references) or is_stream(hypotheses)
    if layout == "stream":
        for stream in references:
            if is_stream(stream):
                return True
    return is_stream(hypotheses)


def read_batches(hypotheses: "Any", references: "Any", layout: "Layout") -> "Iterator[_Batch]":
    """Yield hypotheses, references and their table, if there is one; files are open meanwhile.

    Parameters
    ----------
    hypotheses, references, layout
        As corpus calls take them; nothing is prepared.

    Raises
    ------
    TypeError, ValueError
        If a segment is of the wrong type, or numbers of segments differ; the message names the
        place.
    """
    feeds: list[_Feed] = []
    by_segment = layout == "segment" or is_arrow(references)
    streams = [_checked_lists(references)] if by_segment else _checked_streams(references)
    names = ["references"] if by_segment else [f"references[{i}]" for i in range(len(streams))]
    try:
        feeds.append(open_feed(hypotheses, "hypotheses"))
        for stream, name in zip(streams, names, strict=True):
            feeds.append(open_feed(stream, name))
        done = 0
        for first, rest in in_step(feeds[0], feeds[1:]):
            hyps = _column(feeds[0], first, done)
            if by_segment:
                place = _shifted(feeds[1].place, done)
                refs = ReferenceColumns(rest[0], "segment", "references", place)
            else:
                columns = [
                    _column(feed, taken, done, optional=True)
                    for feed, taken in zip(feeds[1:], rest, strict=True)
                ]
                place = _shifted("references: segment {}".format, done)
                refs = ReferenceColumns(columns, "stream", "references", place)
            yield hyps, refs, None
            done += len(hyps)
    finally:
        for feed in feeds:
            feed.close()


def _column(feed: "_Feed", taken: "Any", first: int, optional: bool = False) -> Column:
    """Return segments of a feed, of which the first one is number `first`."""
    return Column(taken, feed.name, optional=optional, place=_shifted(feed.place, first))


def _shifted(place: "Callable[[int], str]", first: int) -> "Callable[[int], str]":
    """Return what names the segments of a batch, of which the first one is number `first`."""
    return lambda i: place(first + i)


def _checked_lists(references: "Any") -> "Any":
    """Refuse a file in the place of references by segment."""
    if isinstance(references, os.PathLike):
        raise TypeError(
            "references: expected the references of each segment, got a file of text, which is "
            "one stream"
        )
    return references


def _checked_streams(references: "Any") -> "Sequence[Any]":
    """Refuse what is no sequence of streams."""
    if references is None:
        raise ValueError(
            "references: expected a list of streams, got None; batches that have both sides, and "
            "files of tables, go to a corpus call as scan(batches)"
        )
    if not isinstance(references, list | tuple):
        raise TypeError(
            f"references: expected a list of streams, got {type(references).__name__}; "
            "one stream goes in brackets, [refs]"
        )
    if not references:
        raise ValueError("references: expected at least one stream of references, got none")
    return references
