"""Sources of segments, and batches of hypotheses and references.

A source is an iterator, a text file or a sequence. The source of hypotheses determines the size of
a batch; the sources of references follow it.
"""

from __future__ import annotations

import os
from itertools import islice

from rapidbleu._core.input.columns import Column, ReferenceColumns
from rapidbleu._lib.checks import is_arrow
from rapidbleu._lib.loader import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from typing import Any, TypeAlias, TypeVar

    from rapidbleu._types import Layout, Path

    _Source: TypeAlias = "Items | Lines"
    _Batch: TypeAlias = tuple[Column, ReferenceColumns, Any]  # the last: `Rows` or None
    _T = TypeVar("_T")


NO_LIMIT = 2**63 - 1
LEAST = 16  # segments of a batch of unknown size
MOST = 1 << 14  # maximum segments of a batch
ROWS = 1 << 12  # the same for files and iterators, of which fewer stay in the cache
MOST_SIZE = 1 << 22  # maximum bytes or characters of text of a batch
SAMPLED = 16  # sampling interval for estimating the length of further segments
PATIENCE = 1.0  # seconds to wait, on early exit, for a thread that reads from a slow source


class FileRange(os.PathLike[str]):
    """A range of lines of a text file or of rows of a table.

    It replaces the path in corpus calls, and each path in `scan`. Preceding lines are skipped
    without decoding, and row groups of Parquet files by their metadata.

    Parameters
    ----------
    path : path
    begin, end : int
        Indices of the first line or row, and of the one after the last.
    """

    def __init__(self, path: Path, begin: int = 0, end: int = NO_LIMIT) -> None:
        self.path = os.fsdecode(path)
        self.begin = begin
        self.end = end

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"FileRange({self.path!r}, {self.begin}, {self.end})"


def ranges_of(
    paths: Sequence[Path], lengths: Sequence[int], begin: int, end: int
) -> list[FileRange]:
    """Return the ranges of files that make up a range of all their rows.

    >>> ranges_of(["a.tsv", "b.tsv", "c.tsv"], [3, 3, 3], 4, 7)
    [FileRange('b.tsv', 1, 3), FileRange('c.tsv', 0, 1)]
    """
    ranges = []
    for path, n in zip(paths, lengths, strict=True):
        low = max(0, begin)
        high = min(n, end)
        if low < high:
            ranges.append(FileRange(path, low, high))
        begin = begin - n
        end = end - n
    return ranges


def is_stream(source: Any) -> bool:
    """Return whether segments are read on demand: from an iterator, file or scan.

    >>> from pathlib import Path
    >>> [is_stream(source) for source in (iter(["a"]), Path("hyp.txt"), ["a"], "a", {"a"})]
    [True, True, False, False, False]
    """
    if isinstance(source, (list, tuple, str)):
        return False
    if isinstance(source, os.PathLike) or hasattr(source, "batches"):
        return True
    return (
        hasattr(source, "__iter__")
        and not (hasattr(source, "__len__") and hasattr(source, "__getitem__"))
        and not isinstance(source, set | frozenset | dict)
        and not is_arrow(source)
    )


def read_batches(
    hypotheses: Any,
    references: Any,
    layout: Layout,
    least: int = LEAST,
    most: int = ROWS,
    most_size: int = MOST_SIZE,
) -> Iterator[_Batch]:
    """Yield hypotheses, references and None (in place of a table); files stay open meanwhile.

    The first arguments are as in corpus calls, not prepared. `least` is the number of segments of a
    batch of unknown size; `most` and `most_size` limit the segments and characters of any batch.
    Errors name the position of a segment.
    """
    by_segment = layout == "segment" or is_arrow(references)
    streams = [_checked_lists(references)] if by_segment else _checked_streams(references)
    names = ["references"] if by_segment else [f"references[{i}]" for i in range(len(streams))]
    sources: list[_Source] = []
    try:
        sources.append(open_source(hypotheses, "hypotheses", least))
        for stream, name in zip(streams, names, strict=True):
            sources.append(open_source(stream, name))
        done = 0
        for first, rest in _in_step(sources[0], sources[1:], most, most_size):
            hyps = _column(sources[0], first, done)
            if by_segment:
                place = _shifted(sources[1].place, done)
                refs = ReferenceColumns(rest[0], "segment", "references", place)
            else:
                columns = [
                    _column(source, taken, done, optional=True)
                    for source, taken in zip(sources[1:], rest, strict=True)
                ]
                place = _shifted("references: segment {}".format, done)
                refs = ReferenceColumns(columns, "stream", "references", place)
            yield hyps, refs, None
            done += len(hyps)
    finally:
        for source in sources:
            source.close()


def _column(source: _Source, taken: Any, first: int, optional: bool = False) -> Column:
    """Return segments of a source; `first` is the index of the first one."""
    return Column(taken, source.name, optional=optional, place=_shifted(source.place, first))


def _shifted(place: Callable[[int], str], first: int) -> Callable[[int], str]:
    return lambda i: place(first + i)


def _checked_lists(references: Any) -> Any:
    if isinstance(references, os.PathLike):
        raise TypeError(
            "references: expected the references of each segment; got a file of text, which is "
            "one stream"
        )
    return references


def _checked_streams(references: Any) -> Sequence[Any]:
    if references is None:
        raise ValueError(
            "references: expected a list of streams; got None; batches that have both sides, and "
            "files of tables, go to a corpus call as scan(batches)"
        )
    if not isinstance(references, list | tuple):
        raise TypeError(
            f"references: expected a list of streams; got {type(references).__name__}; "
            "one stream goes in brackets, [refs]"
        )
    if not references:
        raise ValueError("references: expected at least one stream of references; got none")
    return references


def _in_step(
    lead: _Source, others: list[_Source], most: int, most_size: int
) -> Iterator[tuple[Any, list[Any]]]:
    """Yield segments of the leading source, and as many of each other source.

    ValueError without segments, or if one source ends before another.
    """
    done = 0
    while True:
        first = lead.take(most, most_size)
        rest = [source.take(len(first) or 1, NO_LIMIT) for source in others]
        if any(len(taken) != len(first) for taken in rest):
            lengths = [_length(lead, done + len(first), not len(first))]
            for source, taken in zip(others, rest, strict=True):
                lengths.append(_length(source, done + len(taken), len(taken) < (len(first) or 1)))
            raise ValueError(f"numbers of segments differ: {', '.join(lengths)}")
        if not len(first):
            if not done:
                raise ValueError(f"{lead.name}: expected at least one segment; got none")
            return
        yield first, rest
        done += len(first)


def _length(source: _Source, n: int, ended: bool) -> str:
    """Return the length of a source after n segments, as far as it is known."""
    more = 0 if ended else source.rest()
    return f"{source.name} has {n} or more" if more is None else f"{source.name} has {n + more}"


def open_source(source: Any, name: str, least: int = LEAST) -> _Source:
    """Return a source of segments; errors use `name` unless it is a file."""
    if isinstance(source, FileRange):
        return Lines(source.path, source.begin, source.end)
    if isinstance(source, os.PathLike):
        return Lines(source)
    if is_stream(source):
        return Items(iter(source), name, least)
    if is_arrow(source):
        column = load("rapidbleu._core.input.arrow", "import_column")(source, name)
        return Items(iter(column), name, least)
    segments = load("rapidbleu._lib.checks", "items_of")(source, name, "segments")
    return Items(iter(segments), name, least)


class Items:
    """The items of an iterator."""

    def __init__(self, items: Iterator[Any], name: str, least: int) -> None:
        self.name = name
        self._items = items
        self._n = least

    def take(self, n: int, most_size: int) -> list[Any]:
        """Return up to n items, fewer if they are long."""
        if most_size == NO_LIMIT:
            return list(islice(self._items, n))
        taken = list(islice(self._items, min(n, self._n)))
        some = taken[::SAMPLED]
        size = sum(len(item) for item in some if hasattr(item, "__len__"))
        self._n = max(1, min(n, most_size * len(some) // max(1, size)))
        return taken

    def place(self, i: int) -> str:
        """Return the name of an item in errors."""
        return f"{self.name}[{i}]"

    def rest(self) -> None:
        """Return None because the number of remaining items is unknown, possibly infinite."""

    def close(self) -> None:
        """Do nothing, as nothing is open."""


class Lines:
    """The lines of a UTF-8 file, plain or compressed, without trailing white space."""

    def __init__(self, path: Path, begin: int = 0, end: int = NO_LIMIT) -> None:
        open_reader = load("rapidbleu.streams.files", "open_reader")
        self._read_texts = load("rapidbleu._core.input.lines", "read_texts")
        self._reader = open_reader(path, by_name=True)
        self.name = self._reader.name
        self._begin = begin
        self._end = end

    def take(self, n: int, most_size: int) -> Any:
        """Return up to n lines, and no more after `most_size` bytes."""
        if self._reader.line < self._begin:
            self._reader.skip_lines(self._begin)
        n = max(0, min(n, self._end - self._reader.line))
        return self._read_texts(self._reader, strips=True, most_lines=n, most_bytes=most_size)

    def place(self, i: int) -> str:
        return f"{self.name}, line {self._begin + i + 1}"

    def rest(self) -> int:
        """Return the number of remaining lines."""
        n = 0
        while taken := len(self.take(MOST, MOST_SIZE)):
            n += taken
        return n

    def close(self) -> None:
        self._reader.__exit__()


def read_ahead(batches: Iterator[_T]) -> Generator[_T]:
    """Yield the items of an iterator; a thread reads the next item while you use the last one.

    >>> list(read_ahead(iter(range(3))))
    [0, 1, 2]
    """
    SimpleQueue = load("queue", "SimpleQueue")
    Thread = load("threading", "Thread")
    ready = SimpleQueue()
    wanted = SimpleQueue()
    ended = False

    def work() -> None:
        try:
            while wanted.get() is None and not ended:
                ready.put((next(batches), None))
        except BaseException as error:  # including StopIteration at the end
            ready.put((None, error))
        finally:
            close = getattr(batches, "close", None)
            if close is not None:
                close()

    reader = Thread(target=work, name="rapidbleu-reader", daemon=True)
    reader.start()
    wanted.put(None)
    try:
        while True:
            wanted.put(None)
            batch, error = ready.get()
            if isinstance(error, StopIteration):
                return
            if error is not None:
                raise error
            yield batch
    finally:
        ended = True
        wanted.put(None)
        reader.join(PATIENCE)


def gathered(
    hypotheses: Any, references: Any, layout: Layout
) -> tuple[Any, Any, Layout, list[Any]]:
    """Return the input of a corpus call without streams, and the tables that contained it.

    >>> gathered(iter(["a", "b"]), [["c", "d"]], "stream")
    (['a', 'b'], [['c', 'd']], 'stream', [])
    """
    if hasattr(hypotheses, "gathered"):
        whole: tuple[Any, Any, Layout, list[Any]] = hypotheses.gathered(references)
        return whole
    if layout == "stream" and isinstance(references, list | tuple):
        references = [_gathered(stream) for stream in references]
    return _gathered(hypotheses), _gathered(references), layout, []


def _gathered(source: Any) -> Any:
    """Return a stream as a list or a column; anything else unchanged."""
    if isinstance(source, os.PathLike):
        lines = open_source(source, "segments")
        try:
            return lines.take(NO_LIMIT, NO_LIMIT)
        finally:
            lines.close()
    return list(source) if is_stream(source) else source
