"""Streams of segments, each of which gives as many at a time as it is asked for.

One of them leads: it decides how many segments make a batch, and all others follow.
"""

import os

from rapidbleu.loading.loader import load
from rapidbleu.streams.ranges import NO_LIMIT, FileRange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Protocol

    from rapidbleu.typing import Path

    class _Feed(Protocol):
        """What gives segments, and has a name in errors."""

        name: str

        def take(self, n: int, most_size: int) -> Any: ...
        def place(self, i: int) -> str: ...
        def rest(self) -> int | None: ...
        def close(self) -> None: ...


PLAIN = (list, tuple, str)  # a union made for each call would take twice the time

LEAST = 256         # segments of a batch whose size is not known yet
MOST = 1 << 14      # segments of a batch
MOST_SIZE = 1 << 22  # bytes or characters of text of a batch
SAMPLED = 16         # one of so many segments tells how long the next ones may be


def is_stream(source: "Any") -> bool:
    """Return whether segments are to be read as they are needed: from an iterator, file or scan.

    Examples
    --------
    >>> from pathlib import Path
    >>> [is_stream(source) for source in (iter(["a"]), Path("hyp.txt"), ["a"], "a", {"a"})]
    [True, True, False, False, False]
    """
    if isinstance(source, PLAIN):
        return False
    if isinstance(source, os.PathLike) or hasattr(source, "batches"):
        return True
    return (
        hasattr(source, "__iter__")
        and not (hasattr(source, "__len__") and hasattr(source, "__getitem__"))
        and not isinstance(source, set | frozenset | dict)
        and not is_arrow(source)
    )


def is_arrow(source: "Any") -> bool:
    """Return whether something exports Arrow data."""
    return hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__")


def open_feed(source: "Any", name: str) -> "_Feed":
    """Return what gives the segments of a source that is a stream, or is not.

    `name` is what errors call it, unless it is a file.
    """
    if isinstance(source, FileRange):
        return LinesFeed(source.path, source.begin, source.end)
    if isinstance(source, os.PathLike):
        return LinesFeed(source)
    if is_stream(source):
        return IteratorFeed(iter(source), name)
    if is_arrow(source):
        import_column = load("rapidbleu._core.input.arrow", "import_column")
        column = import_column(source, name)
        return IteratorFeed((column[i] for i in range(len(column))), name)
    from rapidbleu.sequences import items_of

    return IteratorFeed(iter(items_of(source, name, "segments")), name)


class IteratorFeed:
    """The items of an iterator."""

    def __init__(self, items: "Iterator[Any]", name: str) -> None:
        self.name = name
        self._items = items
        self._n = LEAST

    def take(self, n: int, most_size: int) -> "list[Any]":
        """Return up to n items, and fewer if they are long."""
        from itertools import islice

        if most_size == NO_LIMIT:
            return list(islice(self._items, n))
        taken = list(islice(self._items, min(n, self._n)))
        some = taken[::SAMPLED]
        size = sum(len(item) for item in some if hasattr(item, "__len__"))
        self._n = max(1, min(n, most_size * len(some) // max(1, size)))
        return taken

    def place(self, i: int) -> str:
        """Return what errors call an item."""
        return f"{self.name}[{i}]"

    def rest(self) -> None:
        """Return how many items are left: it is not known, and there may be no end."""

    def close(self) -> None:
        """Nothing is open."""


class LinesFeed:
    """The lines of a text file in UTF-8, plain or compressed, without white space at their ends.

    Parameters
    ----------
    path : path
    begin, end : int
        From which line on, and before which one it ends, counted from 0.
    """

    def __init__(self, path: "Path", begin: int = 0, end: int = NO_LIMIT) -> None:
        open_reader = load("rapidbleu.streams.files", "open_reader")
        self._reader = open_reader(path, by_name=True)
        self.name = self._reader.name
        self._begin, self._end = begin, end

    def take(self, n: int, most_size: int) -> "Any":
        """Return up to n lines, and no more after so many bytes."""
        read_texts = load("rapidbleu._core.input.lines", "read_texts")
        if self._reader.line < self._begin:
            self._reader.skip_lines(self._begin)
        n = max(0, min(n, self._end - self._reader.line))
        return read_texts(self._reader, strips=True, most_lines=n, most_bytes=most_size)

    def rest(self) -> int:
        """Return how many lines are left."""
        n = 0
        while taken := len(self.take(MOST, MOST_SIZE)):
            n += taken
        return n

    def place(self, i: int) -> str:
        """Return what errors call a line."""
        return f"{self.name}, line {self._begin + i + 1}"

    def close(self) -> None:
        """Close the file."""
        self._reader.__exit__()


def in_step(lead: "_Feed", others: "list[_Feed]") -> "Iterator[tuple[Any, list[Any]]]":
    """Yield batches: segments of the leading feed, and as many of each other one.

    Raises
    ------
    ValueError
        If there is no segment, or one feed ends before another.
    """
    done = 0
    while True:
        first = lead.take(MOST, MOST_SIZE)
        rest = [feed.take(len(first) or 1, NO_LIMIT) for feed in others]
        if any(len(taken) != len(first) for taken in rest):
            lengths = [_length(lead, done + len(first), not len(first))]
            for feed, taken in zip(others, rest, strict=True):
                lengths.append(_length(feed, done + len(taken), len(taken) < (len(first) or 1)))
            raise ValueError(f"numbers of segments differ: {', '.join(lengths)}")
        if not len(first):
            if not done:
                raise ValueError(f"{lead.name}: expected at least one segment, got none")
            return
        yield first, rest
        done += len(first)


def _length(feed: "_Feed", n: int, ended: bool) -> str:
    """Return what there is to say of the length of a feed of which n segments were read."""
    more = 0 if ended else feed.rest()
    return f"{feed.name} has {n} or more" if more is None else f"{feed.name} has {n + more}"
