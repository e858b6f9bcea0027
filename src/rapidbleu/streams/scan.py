"""Tables whose columns are hypotheses and references, read a batch at a time."""

from rapidbleu._core.input.arrow import import_column
from rapidbleu._core.input.columns import Column, ReferenceColumns
from rapidbleu.streams.feeds import is_arrow
from rapidbleu.streams.tables import open_tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from rapidbleu.streams.batches import Batch
    from rapidbleu.streams.tables import Rows
    from rapidbleu.typing import Items, Layout


class Scan:
    """Hypotheses and references that corpus calls read as they need them; made by `scan`.

    A scan of files, of a table or of a lazy frame can be read any number of times, one of an
    iterator or of a record batch reader once.
    """

    def __init__(
        self, source: "Any", hyp: str, refs: "tuple[str, ...]", kept: "tuple[str, ...]"
    ) -> None:
        self._source = source
        self._hyp = hyp
        self._refs = refs
        self._kept = kept

    def __repr__(self) -> str:
        return f"<Scan of {self._hyp!r} against {', '.join(map(repr, self._refs))}>"

    def rows(self) -> "Iterator[Rows]":
        """Yield the tables of the source, with the columns that were asked for."""
        yield from open_tables(self._source, (self._hyp, *self._refs, *self._kept))

    def batches(self, references: None = None) -> "Iterator[Batch]":
        """Yield hypotheses and references, checked; `references` is what else a call was given."""
        if references is not None:
            raise TypeError(
                "references: expected None beside a scan, which has its own, got "
                f"{type(references).__name__}"
            )
        for rows in self.rows():
            if len(rows):
                yield self.read(rows)

    def read(self, rows: "Rows") -> "Batch":
        """Return the hypotheses and references of a table, checked."""
        hyps = _column(rows, self._hyp)
        name = self._refs[0]
        if len(self._refs) == 1 and rows.is_lists(name):
            return hyps, ReferenceColumns(rows.columns[name], "segment", rows.where(name))
        streams = [_column(rows, name, optional=True) for name in self._refs]
        return hyps, ReferenceColumns(streams, "stream")

    def gathered(self, references: None = None) -> "tuple[Any, Any, Layout]":
        """Return all hypotheses, and the references of each, as lists."""
        hyps: list[Any] = []
        refs: list[Any] = []
        for rows in self.rows():
            hyps += _items(rows, self._hyp)
            columns = [_items(rows, name) for name in self._refs]
            if len(columns) == 1 and rows.is_lists(self._refs[0]):
                refs += columns[0]
            else:
                refs += zip(*columns, strict=True)
        return hyps, refs, "segment"


def scan(
    source: "Any", hyp: str = "hyp", refs: "str | Items[str]" = "ref", *, keep: "Items[str]" = ()
) -> Scan:
    """Return hypotheses and references in a table of any length, to be read a batch at a time.

    Examples
    --------
    """
    names = (refs,) if isinstance(refs, str) else tuple(refs)
    return Scan(source, hyp, names, tuple(keep))


def _column(rows: "Rows", name: str, optional: bool = False) -> Column:
    """Return the segments of a column, checked."""
    return Column(
        rows.columns[name], rows.where(name), optional=optional,
        place=lambda i: rows.place(name, i),
    )  # fmt: skip


def _items(rows: "Rows", name: str) -> "list[Any]":
    """Return the segments of a column, or lists of them."""
    source: Any = rows.columns[name]
    if is_arrow(source):
        column = import_column(source, rows.where(name))
        return [column[i] for i in range(len(column))]
    items: list[Any] = source
    return items
