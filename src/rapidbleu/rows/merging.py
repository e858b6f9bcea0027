"""Merging of partial tables of rows: compatibility and order."""

from __future__ import annotations

from itertools import islice

from rapidbleu._lib.checks import check_count, items_of
from rapidbleu._lib.lazy import np
from rapidbleu.rows.kinds import VARIES, split_signature
from rapidbleu.rows.labels import ID, join_columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias

    _StatsTable: TypeAlias = Any  # the class, which imports this module
    _Shard = tuple[int, int]

SHOWN = 10  # maximum number of missing shards in a message


def merge_tables(tables: Any, kind: type) -> dict[str, Any]:
    """Return the arguments of `StatsTable` for the rows of tables; see `StatsTable.merge`."""
    given: list[_StatsTable] = items_of(tables, "tables", "StatsTable")
    for i, table in enumerate(given):
        if not isinstance(table, kind):
            raise TypeError(f"tables[{i}]: expected StatsTable; got {type(table).__name__}")
    if not given:
        raise ValueError("tables: expected at least one; got none")
    names = [f"tables[{i}]" for i in range(len(given))]
    order, about = plan_merge(given, list(map(len, given)), names, "tables")
    with_rows = those_with_rows([given[i] for i in order], [len(given[i]) for i in order])
    head = with_rows[0]
    kept = [name for name in head.names if name != ID and name not in head.statistics]
    return {
        "metric": head.metric,
        "rows": np.concatenate([table.rows for table in with_rows]),
        "signature": join_signatures([table.signature for table in with_rows]),
        "ids": None
        if all(table.numbered for table in with_rows)
        else join_columns(ID, [table[ID] for table in with_rows]),
        "keep": {
            name: join_columns(f"keep[{name!r}]", [table[name] for table in with_rows])
            for name in kept
        },
        **about,
    }


def plan_merge(
    tables: Sequence[_StatsTable], lengths: Sequence[int], names: Sequence[str], whole: str
) -> tuple[list[int], dict[str, Any]]:
    """Return the order of parts, and the arguments of `StatsTable` that describe all of them.

    Uses `lengths` in place of the rows of `tables`. Errors name parts by `names`, and all of them
    by `whole`. ValueError if they are not parts of one corpus.
    """
    known = those_with_rows(tables, lengths)[0]
    for table, name in zip(tables, names, strict=True):
        if table is not known:
            check_alike(known, table, name)
    order = order_of_shards([table.shard for table in tables], names, whole)
    first = first_row([(tables[i].first, lengths[i]) for i in order], [names[i] for i in order])
    shards: list[_Shard] = []
    for i in order:
        shards += tables[i].merged or filter(None, [tables[i].shard])
    inputs = dict.fromkeys(name for i in order for name in tables[i].inputs)
    return order, {"first": first, "inputs": list(inputs), "merged": shards}


def those_with_rows(tables: Sequence[_StatsTable], lengths: Sequence[int]) -> list[_StatsTable]:
    """Return the nonempty tables, which know the column types and the number of references.

    If all are empty, the first one represents them.
    """
    nonempty = [table for table, n in zip(tables, lengths, strict=True) if n]
    return nonempty or [tables[0]]


def check_alike(one: _StatsTable, other: _StatsTable, where: str) -> None:
    """Refuse a table, `where` in errors, whose rows cannot be added to another table's."""
    one.metric._check_that_rows_add_up(where)
    difference = one._kind.difference(other._kind)
    if difference:
        raise ValueError(f"{where}: {difference}")
    join_signatures([one.signature, other.signature], where)
    if one.names != other.names:
        raise ValueError(
            f"{where}: expected columns {', '.join(one.names)}; got {', '.join(other.names)}"
        )


def join_signatures(signatures: Sequence[str], where: str = "tables") -> str:
    """Return the common signature of rows; refuse different versions or numbers of references.

    >>> join_signatures(["nrefs:1|case:lc|version:2.6.0", "nrefs:var|case:lc|version:2.6.0"])
    'nrefs:var|case:lc|version:2.6.0'
    """
    parts = [split_signature(signature) for signature in signatures]
    versions = list(dict.fromkeys(version for _, _, version in parts))
    if len(versions) > 1:
        raise ValueError(f"{where}: expected rows of version {versions[0]}; got {versions[1]}")
    numbers = dict.fromkeys(nrefs for nrefs, _, _ in parts)
    known = [nrefs for nrefs in numbers if nrefs != VARIES]
    if len(known) > 1:
        raise ValueError(f"{where}: expected nrefs:{known[0]}; got nrefs:{known[1]}")
    nrefs = VARIES if VARIES in numbers else known[0]
    return f"nrefs:{nrefs}|{parts[0][1]}|version:{versions[0]}"


def first_row(parts: Sequence[tuple[int | None, int]], where: Sequence[str]) -> int | None:
    """Return the index of the first row; refuse tables that are not consecutive.

    `parts` contains, for each table, the index of the first row, if known, and the number of rows.

    >>> first_row([(4, 3), (None, 2), (9, 1)], ["a", "b", "c"])
    4
    """
    begin = position = parts[0][0] or 0
    for (first, n), name in zip(parts, where, strict=True):
        if first not in (None, position):
            raise ValueError(
                f"{name}: expected row {position} of the corpus first; got row {first}"
            )
        position += n
    return None if all(first is None for first, _ in parts) else begin


def check_shard(shard: Any) -> _Shard | None:
    """Return the number of a shard, from 1, and the number of shards; None for a whole corpus.

    >>> check_shard((3, 4))
    (3, 4)
    >>> check_shard((5, 4))
    Traceback (most recent call last):
    ...
    ValueError: shard[0]: expected at most 4; got 5
    """
    if shard is None:
        return None
    if not isinstance(shard, tuple | list) or len(shard) != 2:
        raise TypeError(f"shard: expected its number and how many there are; got {shard!r}")
    of = check_count("shard[1]", shard[1], 1)
    return check_count("shard[0]", shard[0], 1, of), of


def order_of_shards(
    shards: Sequence[_Shard | None], names: Sequence[str], whole: str = "tables"
) -> list[int]:
    """Return the indices of the shards in order; refuse missing and repeated shards.

    None stands for a table that is not a shard. Errors name each by `names`, and all by `whole`.

    >>> order_of_shards([(2, 2), (1, 2)], "ab"), order_of_shards([None, None], "ab")
    ([1, 0], [0, 1])
    >>> order_of_shards([(2, 3), (1, 3)], "ab")
    Traceback (most recent call last):
    ...
    ValueError: tables: expected all 3 shards; got none for shard 3
    """
    if all(shard is None for shard in shards):
        return list(range(len(shards)))
    places: dict[int, int] = {}
    most = 0
    for i, shard in enumerate(shards):
        if shard is None:
            raise ValueError(f"{names[i]}: expected a shard, as others are; got a whole table")
        number, of = shard
        most = most or of
        if of != most:
            raise ValueError(f"{names[i]}: expected a shard of {most}; got one of {of}")
        if number in places:
            raise ValueError(
                f"{names[i]}: expected another shard than {names[places[number]]}; "
                f"got shard {number} again"
            )
        places[number] = i
    n_missing = most - len(places)
    if n_missing:
        missing = islice((number for number in range(1, most + 1) if number not in places), SHOWN)
        listed = ", ".join(map(str, missing)) + ", ..." * (n_missing > SHOWN)
        what = "shard" if n_missing == 1 else "shards"
        raise ValueError(f"{whole}: expected all {most} shards; got none for {what} {listed}")
    return [places[number] for number in range(1, most + 1)]
