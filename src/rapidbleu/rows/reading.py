"""Files of rows: all that the manifest says is verified before any row is used."""

import os
from hashlib import file_digest

from rapidbleu.rows.columns import ID, INTEGER, empty_column, type_of
from rapidbleu.rows.formats import format_of, read_columns
from rapidbleu.rows.kinds import Kind, number_of, score_name, signature_of, split_signature
from rapidbleu.rows.manifest import NUMBERS, check_checksum, manifest_path, parse_manifest
from rapidbleu.rows.options import make_metric
from rapidbleu.scoring import check_metric
from rapidbleu.stats import check_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from io import BufferedReader
    from typing import Any, BinaryIO, TypeVar

    from rapidbleu.typing import Path

    _TableT = TypeVar("_TableT")


LIBRARY = "+rapidbleu."  # what comes before its version in signatures


def read_table(path: "Path", metric: "Any", make: "Callable[..., _TableT]") -> "_TableT":
    """Return the table that `make` makes of a file; see `StatsTable.load`."""
    name = os.fsdecode(path)
    format_of(name)
    if metric is not None:
        check_metric(metric, method="get_signature")
    with open(path, "rb") as file:
        beside = manifest_path(name)
        entries = _read_manifest(name, beside)
        try:
            _check_bytes(file, name, entries)
            metric = _metric_of(entries, metric)
            _check_signature(entries, metric)
            columns = _read_columns(name, file, entries["columns"])
            table = make(metric, **_parts_of(columns, entries, metric, name))
            check_checksum(entries)
            return table
        except (TypeError, ValueError) as error:
            raise ValueError(f"{beside}: {error}") from None


def read_head(path: "Path", make: "Callable[..., _TableT]") -> "tuple[_TableT, int]":
    """Return what a manifest says: the table that `make` makes of it without rows, and how many.

    The size of the data is verified, and nothing else of it.
    """
    name = os.fsdecode(path)
    format_of(name)
    size = os.path.getsize(path)
    beside = manifest_path(name)
    entries = _read_manifest(name, beside)
    try:
        check_checksum(entries)
        expect("size", size, entries["size"], f"that of {name}")
        metric = _metric_of(entries, None)
        _check_signature(entries, metric)
        columns = {own: empty_column(kind) for own, kind in entries["columns"].items()}
        parts = _parts_of(columns, {**entries, "rows": 0, "sums": _no_sums(metric)}, metric, name)
        return make(metric, **parts), entries["rows"]
    except (TypeError, ValueError) as error:
        raise ValueError(f"{beside}: {error}") from None


def _no_sums(metric: "Any") -> "dict[str, int]":
    return dict.fromkeys(metric._stat_names(), 0)


def _read_manifest(name: str, beside: str) -> "dict[str, Any]":
    try:
        with open(beside, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        raise ValueError(
            f"{beside}: expected a manifest beside {name}, which says whose rows they are; "
            f"found none"
        ) from None
    try:
        return parse_manifest(data)
    except ValueError as error:
        raise ValueError(f"{beside}: expected a manifest of rows: {error}") from None


def _check_bytes(file: "BufferedReader", name: str, entries: "dict[str, Any]") -> None:
    """Refuse data of another size or with other bytes."""
    size = file.seek(0, os.SEEK_END)
    expect("size", size, entries["size"], f"that of {name}")
    file.seek(0)
    expect("sha256", file_digest(file, "sha256").hexdigest(), entries["sha256"], f"that of {name}")
    file.seek(0)


def expect(entry: str, found: object, said: object, why: str) -> None:
    """Refuse an entry that says something else than what was found."""
    if found != said:
        raise ValueError(f"{entry}: expected {found}, {why}, got {said}")


def _metric_of(entries: "dict[str, Any]", metric: "Any") -> "Any":
    """Return the metric: that which is given, if it is the same, or one that is made again."""
    described = entries["metric"]
    if metric is None:
        metric = make_metric(described)
    expect("metric: score", score_name(metric), described["score"], "as of the metric")
    for name, digest in Kind(metric).digests.items():
        if digest != described["given"].get(name):
            raise ValueError(f"metric: expected the same {name}, got other references")
    return metric


def _check_signature(entries: "dict[str, Any]", metric: "Any") -> None:
    """Refuse another signature than that of the metric, in the version that wrote the file."""
    nrefs, options, version = split_signature(entries["signature"])
    own = split_signature(signature_of(metric, number_of(nrefs)))[1]
    expect("signature", own, options, "the options of the metric")
    library = version.partition(LIBRARY)[2]
    expect("library", library, entries["library"], "the version in the signature")


def _read_columns(name: str, file: "BinaryIO", types: dict[str, str]) -> "dict[str, Any]":
    """Return the columns, if they are of these types."""
    try:
        return read_columns(name, file, types)
    except (ImportError, MemoryError):
        raise
    except Exception as error:  # libraries have errors of many kinds
        what = f"no {error}" if isinstance(error, KeyError) else str(error) or type(error).__name__
        raise ValueError(f"columns: expected those of {name}: {what}") from None


def _parts_of(
    columns: "dict[str, Any]", entries: "dict[str, Any]", metric: "Any", name: str
) -> "dict[str, Any]":
    """Return what a table is made of, if it is what the manifest says; columns of counts go."""
    import numpy as np

    statistics = metric._stat_names()
    names = list(columns)
    kept = names[1 : -len(statistics)]
    if names != [ID, *kept, *statistics]:
        raise ValueError(
            f"columns: expected {ID}, those that are kept, and {', '.join(statistics)}, "
            f"got {', '.join(names)}"
        )
    ids = columns[ID]
    n = len(ids)
    expect("rows", n, entries["rows"], f"as {name} has")
    rows = np.empty((n, len(statistics)), np.int64)
    for j, statistic in enumerate(statistics):
        column = columns.pop(statistic)  # or there would be all counts twice
        expect(f"columns: {statistic}", INTEGER, type_of(column), "as of all counts")
        expect(f"rows of {statistic}", n, len(column), f"as many as of {ID}")
        rows[:, j] = column
    rows = check_rows(rows, metric._kernel, "rows")
    sums = metric._kernel.sum_rows(rows, "rows") if n else [0] * len(statistics)
    expect("sums", dict(zip(statistics, sums, strict=True)), entries["sums"], f"those of {name}")
    first = entries["first"]
    numbered = entries["ids"] == NUMBERS
    expected = np.arange(first or 0, (first or 0) + n)
    if numbered and not (type_of(ids) == INTEGER and np.array_equal(ids, expected)):
        raise ValueError(f"ids: expected 'given', as those of {name} are others, got {NUMBERS!r}")
    return {
        "rows": rows,
        "signature": entries["signature"],
        "id": None if numbered else ids,
        "keep": {own: columns[own] for own in kept},
        "shard": entries["shard"],
        "first": first,
        "inputs": entries["inputs"],
        "merged": entries["merged"],
    }
