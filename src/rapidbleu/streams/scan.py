"""Tables whose columns are hypotheses and references, read a batch at a time."""

from __future__ import annotations

from rapidbleu._core.input.arrow import import_column
from rapidbleu._core.input.columns import Column, ReferenceColumns
from rapidbleu._lib.checks import is_arrow, items_of
from rapidbleu.streams.batches import MOST
from rapidbleu.streams.tables import Rows, open_tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from rapidbleu.streams.batches import _Batch
    from rapidbleu.typing import Items, Layout, Tables


class Scan:
    """Hypotheses and references that corpus calls read as they need them; made by `scan`.

    Attributes
    ----------
    id : str or None
        Column of the ids.
    keep : tuple of str
        Columns that are kept beside statistics.
    least : int
        Minimum number of segments; 1, since a corpus has one.
    most : int
        Maximum number of rows of a batch.
    """

    least = 1
    most = MOST

    def __init__(
        self, source: Any, hyp: str, refs: tuple[str, ...], id: str | None = None,
        keep: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        self._source = source
        self._hyp = hyp
        self._refs = refs
        self.id = id
        self.keep = keep

    def __repr__(self) -> str:
        return f"<Scan of {self._hyp!r} against {', '.join(map(repr, self._refs))}>"

    @property
    def labels(self) -> tuple[str, ...]:
        """Columns beside the texts: that of the ids, if there is one, and those that are kept."""
        return self.keep if self.id is None else (self.id, *self.keep)

    def rows(self) -> Iterator[Rows]:
        """Yield the tables of the source, with the columns that were asked for."""
        names = dict.fromkeys((self._hyp, *self._refs, *self.labels))
        yield from open_tables(self._source, tuple(names), self.most)

    def batches(self, references: None = None) -> Iterator[_Batch]:
        """Yield hypotheses and references, checked; `references` is what else a call was given."""
        _check_alone(references)
        n = 0
        for rows in self.rows():
            if len(rows):
                yield self.read(rows)
                n += len(rows)
        if n < self.least:
            raise ValueError("hypotheses: expected at least one segment, got none")

    def read(self, rows: Rows) -> _Batch:
        """Return the hypotheses and references of a table, checked."""
        hyps = _column(rows, self._hyp)
        name = self._refs[0]
        if len(self._refs) == 1 and rows.is_lists(name):
            where, place = rows.where(name), _place(rows, name)
            refs = ReferenceColumns(rows.columns[name], "segment", where, place)
        else:
            streams = [_column(rows, name, optional=True) for name in self._refs]
            where = f"{rows.table}, references"
            refs = ReferenceColumns(streams, "stream", where, rows.place)
        return hyps, refs, rows

    def gathered(self, references: None = None) -> tuple[Any, Any, Layout, list[Rows]]:
        """Return all hypotheses, and the references of each, as lists; and the tables."""
        _check_alone(references)
        hyps: list[Any] = []
        refs: list[Any] = []
        tables = []
        for rows in self.rows():
            tables.append(rows)
            hyps += _items(rows, self._hyp)
            columns = [_items(rows, name) for name in self._refs]
            if len(columns) == 1 and rows.is_lists(self._refs[0]):
                refs += columns[0]
            else:
                refs += zip(*columns, strict=True)
        return hyps, refs, "segment", tables


def scan(
    source: Tables,
    hyp: str = "hyp",
    refs: str | Items[str] = "ref",
    id: str | None = None,
    keep: str | Items[str] = (),
) -> Scan:
    """Return hypotheses and references in a table of any length, to be read a batch at a time.

    Parameters
    ----------
    source : path, list of paths, Arrow table or stream, lazy frame, data set, or iterable of tables
        Files are Parquet (``.parquet``) and Arrow IPC (``.arrow``, ``.ipc``, ``.feather``), which
        need pyarrow (extra ``parquet``); tab-separated values with names in the first
        line (``.tsv``) and JSON lines (``.jsonl``, ``.ndjson``), which may be compressed
        (``.gz``, ``.bz2``, ``.xz``, ``.zst``). Several files follow each other.
        Arrow: whatever exports a table by the C stream or data interface, such as a
        ``RecordBatchReader``, a polars or pandas frame, a relation of DuckDB. Data sets are those
        of Hugging Face, streamed or not, and of pyarrow. An iterable yields such tables, mappings
        of names to columns, or tuples of the columns in the order of the arguments.
    hyp : str
        Column of the hypotheses.
    refs : str or sequence of str
        Columns of the references: each is a stream; one alone may have lists of references.
    id : str, optional
        Column of the ids of segments, text or integers, for `stats_table` and `save_stats`.
    keep : str or sequence of str
        More columns for the same: of text, integers or floats.

    Returns
    -------
    Scan
        Takes the place of the hypotheses in `corpus_score`, `corpus_stats`, `segment_stats`,
        `segment_scores`, `stats_table` and `save_stats`, without references beside it. It can be
        read again if the source can.

    Raises
    ------
    TypeError
        If the names are none. All else is found where it is read: a column that is missing or of
        another type, a hypothesis that is null, a file that ends too early. The message names
        file and place.

    Notes
    -----
    Memory is that of a few batches, whatever the length. With two or more threads
    the next batch is read while the last one is scored. Metrics whose scores depend on all
    references (`NIST` and `CIDErD` without `information`) read the whole input first.

    Examples
    --------
    >>> from rapidbleu import CHRF, scan
    >>> def batches():
    ...     yield {"mt": ["It was raining."], "reference": ["It rained."]}
    ...     yield {"mt": ["He left.", "So did I."], "reference": ["He left.", "I did, too."]}
    >>> CHRF().corpus_score(scan(batches(), "mt", "reference"))
    chrF2 = 40.95
    """
    for what, given in ("hyp", hyp), ("id", id):
        if not isinstance(given, str) and not (what == "id" and given is None):
            raise TypeError(f"{what}: expected the name of a column, got {type(given).__name__}")
    streams = _names(refs, "refs")
    if not streams:
        raise ValueError("refs: expected at least one name of a column, got none")
    return Scan(source, hyp, streams, id, _names(keep, "keep"))


def _names(given: str | Items[str], where: str) -> tuple[str, ...]:
    """Return names of columns."""
    names = (given,) if isinstance(given, str) else tuple(items_of(given, where, "names"))
    for i, name in enumerate(names):
        if not isinstance(name, str):
            raise TypeError(
                f"{where}[{i}]: expected the name of a column, got {type(name).__name__}"
            )
    return names


def _check_alone(references: object) -> None:
    """Refuse references beside a scan."""
    if references is not None:
        raise TypeError(
            "references: expected None beside a scan, which has its own, got "
            f"{type(references).__name__}"
        )


def _column(rows: Rows, name: str, optional: bool = False) -> Column:
    """Return the segments of a column, checked."""
    return Column(rows.columns[name], rows.where(name), optional=optional, place=_place(rows, name))


def _place(rows: Rows, name: str) -> Callable[[int], str]:
    """Return what names the items of a column in errors."""
    return lambda i: rows.place(i, name)


def _items(rows: Rows, name: str) -> list[Any]:
    """Return the segments of a column, or lists of them."""
    source: Any = rows.columns[name]
    if is_arrow(source):
        column = import_column(source, rows.where(name), _place(rows, name))
        return [column[i] for i in range(len(column))]
    items: list[Any] = source
    return items
