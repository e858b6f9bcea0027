"""Files of rows: ``.npz``, Parquet or Arrow IPC, each with a manifest, ``<name>.json``.

In an ``.npz`` archive, batch ``k`` consists of ``k/rows``, the matrix of statistics, and
``k/<name>/column`` for each other column; texts are bytes (`join_texts`). Parquet and Arrow files
contain a column for each statistic.

The manifest contains the size and SHA-256 of the data, and a SHA-256 of its own entries. This
detects damage and mistakes in either file, but not forgery.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from itertools import count

from rapidbleu._lib.files import naming, replacing
from rapidbleu._lib.loader import np
from rapidbleu._version import __version__
from rapidbleu.rows.archives import (
    Archive,
    HashedFile,
    digest_of,
    join_texts,
    new_archive,
    split_texts,
    write_array,
)
from rapidbleu.rows.kinds import (
    describe_metric,
    join_signatures,
    make_metric,
    score_name,
    signature_of,
    split_signature,
    stored_difference,
)
from rapidbleu.rows.labels import ID, REAL, TEXT, empty_column, type_of
from rapidbleu.stats import MAX_COUNT
from rapidbleu.table import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, BinaryIO, TypeAlias, TypeVar

    from rapidbleu._types import Path

    _StatsTable: TypeAlias = Any  # the class, which imports this module
    _TableT = TypeVar("_TableT")
    _Columns: TypeAlias = dict[str, Any]
    _Write: TypeAlias = Callable[[_Columns, Any, Sequence[str]], None]

MARK = "rapidbleu_stats"
FORMAT = 1  # first entry and format version
CHECKSUM = "checksum"
GIVEN = "given"
NUMBERS = "numbers"  # kinds of ids

NPZ = "npz"
PARQUET = "parquet"
ARROW = "arrow"
ENDINGS = {
    ".npz": NPZ,
    ".parquet": PARQUET,
    ".arrow": ARROW,
    ".ipc": ARROW,
    ".feather": ARROW,
}
MOST_EXACT = 2**53  # maximum integer up to which floats are exact
GROUP = 1 << 16  # rows per group in Parquet files; a group costs a kilobyte in the footer


def manifest_path(path: str) -> str:
    """Return the path of the manifest of a file.

    >>> manifest_path("part-0.parquet")
    'part-0.parquet.json'
    """
    return f"{path}.json"


def format_manifest(entries: dict[str, Any]) -> bytes:
    """Return a manifest as JSON in UTF-8.

    >>> print(format_manifest({"rows": 2}).decode())  # doctest: +ELLIPSIS
    {
      "rapidbleu_stats": 1,
      "rows": 2,
      "checksum": "..."
    }
    <BLANKLINE>
    """
    whole = {MARK: FORMAT, **entries}
    text = json.dumps({**whole, CHECKSUM: _checksum(whole)}, indent=2, ensure_ascii=False)
    return f"{text}\n".encode("utf-8", "backslashreplace")  # halves of surrogate pairs: as in JSON


def _checksum(entries: dict[str, Any]) -> str:
    return sha256(json.dumps(entries).encode()).hexdigest()


def read_manifest(path: Path) -> dict[str, Any]:
    """Return the verified manifest entries of a file.

    ValueError if the manifest is missing or damaged, or the data has a different size.
    """
    name = os.fsdecode(path)
    format_of(name)
    size = os.path.getsize(path)
    beside = manifest_path(name)
    try:
        with open(beside, "rb") as file:
            entries = _parse(file.read())
    except FileNotFoundError:
        raise ValueError(
            f"{beside}: expected a manifest beside {name}, which says whose rows they are; "
            f"found none"
        ) from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{beside}: expected a manifest of rows: {error}") from None
    if size != entries["size"]:
        raise ValueError(f"{beside}: size: expected {size}, that of {name}; got {entries['size']}")
    return entries


def _parse(data: bytes) -> dict[str, Any]:
    entries = json.loads(data.decode("utf-8"))
    if not isinstance(entries, dict) or MARK not in entries:
        raise ValueError(f"expected an entry {MARK}")
    if entries[MARK] != FORMAT or isinstance(entries[MARK], bool):
        raise ValueError(f"{MARK}: expected format {FORMAT}; got {entries[MARK]!r}")
    checksum = entries.pop(CHECKSUM, None)
    expected = _checksum(entries)
    if checksum != expected:
        raise ValueError(f"{CHECKSUM} of the other entries: expected {expected}; got {checksum!r}")
    return entries


def read_table(
    path: Path,
    entries: dict[str, Any],
    metric: Any,
    make: Callable[..., _TableT],
    with_rows: bool = True,
) -> _TableT:
    """Return the table stored in a file, given its manifest entries; see `StatsTable.load`."""
    name = os.fsdecode(path)
    with _naming_manifest(name):
        parts = _parts_of(entries, metric)
    batches = list(iter_batches(path, entries)) if with_rows else []
    with _naming_manifest(name):
        rows = [block for _, block in batches]
        if len(rows) == 1:
            parts["rows"] = rows[0]
        elif rows:
            parts["rows"] = np.concatenate(rows)
        for label in parts["keep"]:
            kind = entries["columns"][label]
            columns = [labels[label] for labels, _ in batches]
            if kind == TEXT:
                parts["keep"][label] = [text for column in columns for text in column]
            else:
                parts["keep"][label] = np.concatenate([empty_column(kind), *columns]).astype(kind)
        ids = parts["keep"].pop(ID)
        return make(**parts, ids=ids if entries["ids"] == GIVEN else None)


def iter_batches(path: Path, entries: dict[str, Any]) -> Iterator[tuple[_Columns, Any]]:
    """Yield the labels and the rows of each batch of a file, given the entries of its manifest."""
    name = os.fsdecode(path)
    sums = entries["sums"]
    types = {label: kind for label, kind in entries["columns"].items() if label not in sums}
    with _naming_manifest(name), open(path, "rb") as file:
        digest = digest_of(file, entries["size"])
        if digest != entries["sha256"]:
            raise ValueError(f"sha256: expected {digest} for {name}; got {entries['sha256']}")
        yield from read_batches(name, file, types, list(sums))
        if not os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
            raise ValueError(f"expected one file {name}, which was replaced while it was read")


def read_head(path: Path, make: Callable[..., _TableT]) -> tuple[dict[str, Any], _TableT]:
    """Return the manifest entries of a file, and its table without rows."""
    entries = read_manifest(path)
    return entries, read_table(path, entries, None, make, with_rows=False)


@contextmanager
def _naming_manifest(name: str) -> Iterator[None]:
    try:
        yield
    except (TypeError, ValueError) as error:
        raise ValueError(f"{manifest_path(name)}: {error}") from None


def _parts_of(entries: dict[str, Any], metric: Any) -> dict[str, Any]:
    """Return the arguments of `StatsTable` for a table without rows; ids are among `keep`."""
    metric = _metric_of(entries["metric"], metric)
    statistics = metric._stat_names()
    kept = list(entries["columns"])[: -len(statistics)]
    if [*kept, *statistics] != list(entries["columns"]):
        raise ValueError(
            f"columns: expected {ID}, those that are kept, and {', '.join(statistics)}; "
            f"got {', '.join(entries['columns'])}"
        )
    return {
        "metric": metric,
        "rows": np.empty((0, len(statistics)), np.int64),
        "keep": {name: empty_column(entries["columns"][name]) for name in kept},
        "signature": _signature_for(metric, entries),
        **{name: entries[name] for name in ("shard", "first", "inputs", "merged")},
    }


def _metric_of(described: dict[str, Any], metric: Any) -> Any:
    """Return the given metric if it matches, or else create it from its description."""
    scorer = make_metric(described) if metric is None else metric
    name = score_name(scorer)
    if name != described["score"]:
        raise ValueError(
            f"metric: score: expected {name}, as of the metric; got {described['score']}"
        )
    if metric is not None:
        difference = stored_difference(described, metric)
        if difference:
            raise ValueError(f"metric: {difference}")
    return scorer


def _signature_for(metric: Any, entries: dict[str, Any]) -> str:
    """Return the stored signature; if another version wrote it, with options in today's form."""
    signature: str = entries["signature"]
    if entries["library"] == __version__:
        return signature
    nrefs, _, version = split_signature(signature)
    options = split_signature(signature_of(metric, 1))[1]
    return f"nrefs:{nrefs}|{options}|version:{version}"


@contextmanager
def stats_writer(path: Path, group: int = GROUP) -> Iterator[StatsWriter]:
    """Open a file of rows that replaces an existing one at the end of a with block.

    Parameters
    ----------
    path : path
        As in `StatsTable.save`.
    group : int
        Number of rows per group in Parquet files.

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
    kind = format_of(name)
    with replacing(path, manifest_path(name)) as (data, manifest):
        file = HashedFile(data)
        sink = _npz_sink(file) if kind == NPZ else _pyarrow_sink(file, kind == PARQUET, group)
        with sink as write:
            writer = StatsWriter(name, write)
            yield writer
        manifest.write(writer.finish(file))


class StatsWriter:
    """Writer of the batches of one table to the file `path`; created by `stats_writer`."""

    def __init__(self, path: str, write: Callable[..., None]) -> None:
        self._path = path
        self._write = write
        self._entries: dict[str, Any] = {}
        self.n_rows = 0

    def write(self, table: _StatsTable) -> None:
        """Append the rows of a table; ValueError if it does not fit or a text cannot be stored.

        Parameters
        ----------
        table : StatsTable
            Must match the first table except in its rows, the number of references and missing
            integers. If ids are row indices, its `first` must continue them.
        """
        labels = {name: table[name] for name in table.names if name not in table.statistics}
        entries = self._entries_with(table, labels)
        for name, total in entries["sums"].items():
            if total > MAX_COUNT:
                raise ValueError(f"{name}: expected a sum of at most 2**60; got {total}")
        if format_of(self._path) != NPZ:
            _check_texts(labels, self._path, self.n_rows)
        with naming(self._path):
            self._write(labels, table.rows, table.statistics)
        self._entries = entries
        self.n_rows += len(table)

    def _entries_with(self, table: _StatsTable, labels: dict[str, Any]) -> dict[str, Any]:
        """Return the manifest entries with one more batch."""
        sums = dict(zip(table.statistics, table.sum().tolist(), strict=True))
        if not self._entries:
            return {
                "library": __version__,
                "metric": describe_metric(table.metric),
                "signature": table.signature,
                "inputs": list(table.inputs),
                "shard": table.shard,
                "merged": table.merged,
                "first": table.first,
                "ids": NUMBERS if table.numbered else GIVEN,
                "rows": len(table),
                "columns": table.types,
                "sums": sums,
            }
        known = self._entries
        return known | {
            "signature": join_signatures([known["signature"], table.signature], "table"),
            "inputs": list(dict.fromkeys([*known["inputs"], *table.inputs])),
            "rows": known["rows"] + len(table),
            "columns": _fit(labels, table.types, known["columns"]),
            "sums": {name: known["sums"][name] + total for name, total in sums.items()},
        }

    def finish(self, file: HashedFile) -> bytes:
        """Return the manifest of the finished file."""
        data = {"size": file.size, "sha256": file.digest.hexdigest()}
        return format_manifest(self._entries | data)


def _fit(labels: dict[str, Any], types: dict[str, str], known: dict[str, str]) -> dict[str, str]:
    """Return the types of all columns including this batch, whose missing texts become numbers.

    Integers become floats if a batch lacks some, as in a `StatsTable`.
    """
    joined = dict(known)
    for name, column in labels.items():
        kind = types[name]
        if kind == TEXT != known[name] and not any(text is not None for text in column):
            labels[name], kind = np.full(len(column), np.nan), REAL
        if kind != known[name] and TEXT in (kind, known[name]):
            raise ValueError(
                f"{name}: expected {known[name]} as in the batches before; got {kind}; all of a "
                f"column must be numbers, or all texts"
            )
        if kind == REAL:
            joined[name] = REAL
    return joined


def _check_texts(labels: dict[str, Any], path: str, before: int) -> None:
    """Refuse texts that UTF-8 cannot encode; `before` is the number of rows before them."""
    for name, column in labels.items():
        for i, text in enumerate(column if type_of(column) == TEXT else ()):
            if text is not None and not text.isascii():
                try:
                    text.encode()
                except UnicodeEncodeError:
                    raise ValueError(
                        f"{path}: {name}[{before + i}]: expected text that UTF-8 can hold, as .npz "
                        f"does not ask for; got {text!r}"
                    ) from None


def format_of(path: str) -> str:
    """Return the format of a file; ImportError if its library is not installed.

    >>> format_of("part-0.NPZ")
    'npz'
    >>> format_of("part-0.csv")
    Traceback (most recent call last):
    ...
    ValueError: part-0.csv: expected a name with the ending .npz, .parquet, .arrow, .ipc or .feather
    """
    kind = ENDINGS.get(os.path.splitext(path)[1].lower())
    if kind is None:
        *most, last = ENDINGS
        raise ValueError(f"{path}: expected a name with the ending {', '.join(most)} or {last}")
    if kind != NPZ and find_spec("pyarrow") is None:
        raise ImportError(
            f"{path}: Parquet and Arrow files need pyarrow: pip install 'rapidbleu[parquet]'"
        )
    return kind


@contextmanager
def _npz_sink(file: Any) -> Iterator[_Write]:
    numbers = count()
    with new_archive(file) as members:

        def write(labels: _Columns, rows: Any, statistics: Sequence[str]) -> None:
            number = next(numbers)
            for name, column in labels.items():
                array = join_texts(column) if type_of(column) == TEXT else column
                write_array(members, f"{number}/{name}/column", array)
            write_array(members, f"{number}/rows", rows)

        yield write


@contextmanager
def _pyarrow_sink(file: Any, is_parquet: bool, group: int) -> Iterator[_Write]:
    pyarrow = import_module("pyarrow")
    schema: Any = None
    writer: Any = None
    waiting: list[Any] = []  # tables that do not fill a group yet

    def write(labels: _Columns, rows: Any, statistics: Sequence[str]) -> None:
        nonlocal schema, writer
        columns = {name: rows[:, j] for j, name in enumerate(statistics)}
        table = pyarrow.table(Table(labels | columns))
        if writer is None:
            schema = table.schema
            if is_parquet:
                writer = import_module("pyarrow.parquet").ParquetWriter(file, schema)
            else:
                writer = import_module("pyarrow.ipc").new_file(file, schema)
        elif table.schema != schema:
            _check_whole(labels, schema)
            table = table.cast(schema, safe=False)
        waiting.append(table)
        if not is_parquet or sum(map(len, waiting)) >= group:
            write_group()

    def write_group() -> None:
        table = pyarrow.concat_tables(waiting)
        waiting.clear()
        writer.write_table(table)

    try:
        yield write
        if waiting:
            write_group()
        writer.close()
    finally:
        waiting.clear()
        writer = None  # before its file is closed, because freeing the writer writes to the file


def _check_whole(labels: _Columns, schema: Any) -> None:
    """Refuse fractions in a column that the file stores as integers or nulls."""
    for name, column in labels.items():
        if str(schema.field(name).type) != "int64" or type_of(column) != REAL:
            continue
        whole = (np.trunc(column) == column) & (abs(column) <= MOST_EXACT) | np.isnan(column)
        if not whole.all():
            got = column[int(whole.argmin())]
            raise ValueError(
                f"{name}: expected integers up to 2**53 or nulls, since batches before have "
                f"integers; got {got}; .npz takes both"
            )


def read_batches(
    path: str, file: BinaryIO, types: dict[str, str], statistics: Sequence[str]
) -> Iterator[tuple[_Columns, Any]]:
    """Yield the labels, of these types, and the rows of each batch of a file."""
    if format_of(path) == NPZ:
        arrays = Archive(file)
        for number in count():
            if f"{number}/rows" not in arrays:
                return
            labels: _Columns = {name: arrays[f"{number}/{name}/column"] for name in types}
            for name, kind in types.items():
                if kind == TEXT:
                    labels[name] = split_texts(labels[name], name)
            yield labels, arrays[f"{number}/rows"]
    from rapidbleu.streams.tables import open_file

    for part in open_file(path, (*types, *statistics)):
        rows = np.empty((len(part), len(statistics)), np.int64)
        for j, name in enumerate(statistics):
            rows[:, j] = part.values(name)
        yield {name: part.values(name) for name in types}, rows
