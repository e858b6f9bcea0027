"""Tables of rows behind each other, if they are parts of one corpus."""

from rapidbleu.rows.columns import ID, join_columns
from rapidbleu.rows.kinds import VARIES, split_signature
from rapidbleu.rows.labelled import LabelledRows
from rapidbleu.rows.shards import order_of_shards
from rapidbleu.sequences import items_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def merge_parts(tables: "Any") -> "dict[str, Any]":
    """Return what `StatsTable` is made of, for the rows of several; see `StatsTable.merge`."""
    import numpy as np

    given: list[LabelledRows] = items_of(tables, "tables", "StatsTable")
    for i, table in enumerate(given):
        if not isinstance(table, LabelledRows):
            raise TypeError(f"tables[{i}]: expected StatsTable, got {type(table).__name__}")
    if not given:
        raise ValueError("tables: expected at least one, got none")
    for i, table in enumerate(given[1:], 1):
        check_alike(given[0], table, f"tables[{i}]")
    order = order_of_shards([table.shard for table in given])
    ordered = [given[place] for place in order]
    where = [f"tables[{place}]" for place in order]
    first = first_row([(table.first, len(table)) for table in ordered], where)
    with_rows = those_with_rows(ordered, list(map(len, ordered)))
    numbered = all(table.numbered for table in with_rows)
    head = with_rows[0]
    kept = [name for name in head.names if name != ID and name not in head.statistics]
    return {
        "metric": head.metric,
        "rows": np.concatenate([table.rows for table in with_rows]),
        "signature": join_signatures([table.signature for table in with_rows]),
        "id": None if numbered else join_columns(ID, [table[ID] for table in with_rows]),
        "keep": {
            name: join_columns(f"keep[{name!r}]", [table[name] for table in with_rows])
            for name in kept
        },
        "first": first,
        **join_origins(ordered),
    }


def those_with_rows(
    tables: "Sequence[LabelledRows]", lengths: "Sequence[int]"
) -> "list[LabelledRows]":
    """Return the tables that say of which type columns are, and how many references there are.

    A shard without segments knows neither; if there are no others, the first one has to do.
    """
    found = [table for table, n in zip(tables, lengths, strict=True) if n]
    return found or [tables[0]]


def join_origins(tables: "Sequence[LabelledRows]") -> "dict[str, Any]":
    """Return what several tables were read from, and the shards that they are."""
    return {
        "inputs": list(dict.fromkeys(name for table in tables for name in table.inputs)),
        "merged": [
            shard
            for table in tables
            for shard in table.merged or ([table.shard] if table.shard else [])
        ],
    }


def check_alike(one: LabelledRows, other: LabelledRows, where: str) -> None:
    """Refuse a table whose rows cannot be added to those of another.

    Parameters
    ----------
    one, other : LabelledRows
    where : str
        What messages call the other.
    """
    one.metric._check_that_rows_add_up(where)
    difference = one._kind.difference(other._kind)
    if difference:
        raise ValueError(f"{where}: {difference}")
    join_signatures([one.signature, other.signature], where)
    if one.names != other.names:
        raise ValueError(
            f"{where}: expected columns {', '.join(one.names)}, got {', '.join(other.names)}"
        )


def join_signatures(signatures: "Sequence[str]", where: str = "tables") -> str:
    """Return the signature of all rows together; refuse other versions and numbers of references.

    Examples
    --------
    >>> join_signatures(["nrefs:1|case:lc|version:2.6.0", "nrefs:var|case:lc|version:2.6.0"])
    'nrefs:var|case:lc|version:2.6.0'
    """
    parts = [split_signature(signature) for signature in signatures]
    versions = list(dict.fromkeys(version for _, _, version in parts))
    if len(versions) > 1:
        raise ValueError(f"{where}: expected rows of version {versions[0]}, got {versions[1]}")
    numbers = dict.fromkeys(nrefs for nrefs, _, _ in parts)
    known = [nrefs for nrefs in numbers if nrefs != VARIES]
    if len(known) > 1:
        raise ValueError(f"{where}: expected nrefs:{known[0]}, got nrefs:{known[1]}")
    nrefs = VARIES if VARIES in numbers else known[0]
    return f"nrefs:{nrefs}|{parts[0][1]}|version:{versions[0]}"


def first_row(parts: "Sequence[tuple[int | None, int]]", where: "Sequence[str]") -> "int | None":
    """Return the number of the first row; refuse tables that do not follow on each other.

    Parameters
    ----------
    parts : sequence of (int or None, int)
        The number of the first row of each table, and how many there are.
    where : sequence of str
        What messages call each of them.

    Examples
    --------
    >>> first_row([(4, 3), (None, 2), (9, 1)], ["a", "b", "c"])
    4
    """
    begin = position = parts[0][0] or 0
    for (first, n), name in zip(parts, where, strict=True):
        if first not in (None, position):
            raise ValueError(
                f"{name}: expected row {position} of the corpus first, got row {first}"
            )
        position += n
    return None if all(first is None for first, _ in parts) else begin
