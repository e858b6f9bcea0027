"""Files of rows that are written batch after batch, each with its manifest."""

import os
from contextlib import contextmanager
from hashlib import sha256

from rapidbleu._version import __version__
from rapidbleu.outputs import naming, replacing
from rapidbleu.rows.columns import REAL, TEXT, type_of
from rapidbleu.rows.formats import NPZ, format_of, sink_maker
from rapidbleu.rows.labelled import LabelledRows
from rapidbleu.rows.manifest import GIVEN, NUMBERS, format_manifest, manifest_path
from rapidbleu.rows.merging import check_alike, join_signatures
from rapidbleu.rows.options import describe_metric
from rapidbleu.stats import MAX_COUNT
from rapidbleu.table import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from rapidbleu.typing import Path


@contextmanager
def stats_writer(path: "Path") -> "Iterator[StatsWriter]":
    """Open a file of rows, which replaces another, with its manifest, at the end of a with block.

    Parameters
    ----------
    path : path
        See `StatsTable.save`.

    Yields
    ------
    StatsWriter

    Examples
    --------
    >>> import os, tempfile
    >>> from rapidbleu import CHRF, StatsTable
    >>> chrf = CHRF()
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "stats.npz")
    >>> with stats_writer(path) as writer:
    ...     writer.write(chrf.stats_table(["the cat", "sat"], [["a cat", "sat"]], first=0))
    ...     writer.write(chrf.stats_table(["it rained"], [["it rains"]], first=2))
    >>> StatsTable.load(path)["id"]
    array([0, 1, 2])
    >>> folder.cleanup()
    """
    name = os.fsdecode(path)
    make_sink = sink_maker(name)
    is_utf8 = format_of(name) != NPZ
    with replacing(path, manifest_path(name)) as (data, manifest):
        writer = StatsWriter(name, HashedFile(data), make_sink, is_utf8)
        try:
            yield writer
            manifest.write(writer.finish())
        finally:
            writer.discard()


class HashedFile:
    """A file that is written from the beginning to the end, with its size and its SHA-256.

    Parameters
    ----------
    file : binary file

    Attributes
    ----------
    size : int
        Bytes written.
    """

    closed = False  # as libraries ask

    def __init__(self, file: "Any") -> None:
        self._file = file
        self._hash = sha256()
        self.size = 0

    @property
    def sha256(self) -> str:
        """Of what was written, in hexadecimal digits."""
        return self._hash.hexdigest()

    def write(self, data: "Any") -> int:
        """Write bytes, all of them."""
        n = memoryview(data).nbytes
        self._file.write(data)
        self._hash.update(data)
        self.size += n
        return n

    def tell(self) -> int:
        """Return how many bytes were written."""
        return self.size

    def flush(self) -> None:
        """Do nothing: it is flushed at the end."""

    def close(self) -> None:
        """Do nothing: the owner of the file closes it."""


class StatsWriter:
    """Batches of one table, on their way to a file; `stats_writer` makes it.

    Parameters
    ----------
    path : str
        As errors call it.
    file : HashedFile
    make_sink : callable
        From the file and the types of columns to a sink of batches.
    is_utf8 : bool
        Whether texts must be such that UTF-8 can hold them.
    """

    def __init__(
        self,
        path: str,
        file: HashedFile,
        make_sink: "Callable[[Any, dict[str, str]], Any]",
        is_utf8: bool,
    ) -> None:
        self._path = path
        self._file = file
        self._make_sink = make_sink
        self._is_utf8 = is_utf8
        self._sink: Any = None
        self._first: Any = None  # the first batch
        self._types: dict[str, str] = {}  # of the columns when they are loaded
        self._signature = ""
        self._sums: list[int] = []
        self._inputs: dict[str, None] = {}
        self._is_whole = True
        self.n_rows = 0

    def write(self, table: LabelledRows) -> None:
        """Write the rows of a table behind those that are there.

        Parameters
        ----------
        table : StatsTable
            As the first, but for its rows: its metric, shard and columns, which have numbers where
            the first has numbers. If ids are numbers of rows, its `first` says that they go on.

        Raises
        ------
        TypeError, ValueError
            If it does not fit, or a text is none that the format can hold.
        """
        if not isinstance(table, LabelledRows):
            raise TypeError(f"table: expected StatsTable, got {type(table).__name__}")
        signature, sums = table.signature, table.sum().tolist()
        if self._first is None:
            columns, types = table.table, table.types
        else:
            self._check(table)
            columns, types = self._fitted(table)
            signature = join_signatures([self._signature, signature], "table")
            sums = [one + other for one, other in zip(self._sums, sums, strict=True)]
        for name, count in zip(table.statistics, sums, strict=True):
            if count > MAX_COUNT:
                raise ValueError(f"{name}: expected a sum of at most 2**60, got {count}")
        if self._is_utf8:
            _check_texts(columns, self._path, self.n_rows)
        if self._sink is None:
            self._sink, self._first = self._make_sink(self._file, types), table
        self._is_whole = False
        with naming(self._path):
            self._sink.write(columns)
        self._is_whole = True
        self._signature, self._sums, self._types = signature, sums, types
        self._inputs |= dict.fromkeys(table.inputs)
        self.n_rows += len(table)

    def _check(self, table: LabelledRows) -> None:
        """Refuse a batch that does not go on where the last one ended."""
        one = self._first
        check_alike(one, table, "table")
        for name in ("numbered", "shard", "merged"):
            if getattr(one, name) != getattr(table, name):
                raise ValueError(
                    f"table: expected {name} {getattr(one, name)}, got {getattr(table, name)}"
                )
        position = (one.first or 0) + self.n_rows
        if table.numbered and table.first != position:
            raise ValueError(f"table: expected first {position}, got {table.first}")

    def _fitted(self, table: LabelledRows) -> "tuple[Table, dict[str, str]]":
        """Return the columns of a batch, and the types of all columns with them.

        Where there were numbers come numbers. Integers become floats with a batch that lacks some,
        as they do in a `StatsTable`.
        """
        import numpy as np

        columns = {name: table[name] for name in table.names}
        types = dict(self._types)
        for name, kind in table.types.items():
            known = types[name]
            if kind == TEXT != known and not any(text is not None for text in columns[name]):
                columns[name], kind = np.full(len(table), np.nan), REAL
            if kind != known and TEXT in (kind, known):
                raise ValueError(
                    f"{name}: expected {known} as in the batches before, got {kind}; all of a "
                    f"column must be numbers, or all texts"
                )
            if kind == REAL:
                types[name] = REAL
        return Table(columns), types

    def finish(self) -> bytes:
        """Write what is left of the data, and return the manifest."""
        one = self._first
        if one is None:
            raise ValueError(f"{self._path}: expected at least one table to write, got none")
        if not self._is_whole:
            raise ValueError(f"{self._path}: expected no error before, but a table is cut off")
        with naming(self._path):
            self._sink.close()
        return format_manifest(
            {
                "library": __version__,
                "metric": describe_metric(one.metric),
                "signature": self._signature,
                "inputs": list(self._inputs),
                "shard": one.shard,
                "merged": one.merged,
                "first": one.first,
                "ids": NUMBERS if one.numbered else GIVEN,
                "rows": self.n_rows,
                "columns": self._types,
                "sums": dict(zip(one.statistics, self._sums, strict=True)),
                "size": self._file.size,
                "sha256": self._file.sha256,
            }
        )

    def discard(self) -> None:
        """Give back what the sink holds."""
        if self._sink is not None:
            self._sink.discard()


def _check_texts(columns: "Table", path: str, before: int) -> None:
    """Refuse texts that UTF-8 cannot hold, with `before` rows before them."""
    for name in columns.names:
        if type_of(columns[name]) != TEXT:
            continue
        for i, text in enumerate(columns[name]):
            if text is not None and not text.isascii():
                try:
                    text.encode()
                except UnicodeEncodeError:
                    raise ValueError(
                        f"{path}: {name}[{before + i}]: expected text that UTF-8 can hold, as .npz "
                        f"does not ask for, got {text!r}"
                    ) from None
