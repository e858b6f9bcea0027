"""Systems whose rows of statistics are in files: ``--stats FILE [FILE ...]``."""

from argparse import Namespace
from typing import Any

from rapidbleu.cli.files import System, check_lengths, readable
from rapidbleu.cli.messages import CommandError
from rapidbleu.cli.score.corpus import Corpus
from rapidbleu.cli.score.statistics import AnyMetric
from rapidbleu.metrics import BLEU
from rapidbleu.rows.kinds import number_of, split_signature
from rapidbleu.rows.stats_table import StatsTable
from rapidbleu.table import Table

SLICE = 1 << 14  # rows that are compared at a time, as Python objects


def read_tables(args: Namespace) -> list[StatsTable]:
    """Return the rows of all files, which are of the same segments and metric."""
    names = [readable(path) for path in args.stats]
    tables = [StatsTable.load(path) for path in args.stats]
    for name, table in zip(names, tables, strict=True):
        if not len(table):
            raise CommandError(f"{name}: expected at least one segment, got none")
        table.rows_for(tables[0].metric, name)
        if table.signature != tables[0].signature:
            raise CommandError(
                f"{name}: expected rows of {tables[0].signature}, as {names[0]} has, got "
                f"{table.signature}"
            )
    check_lengths(zip(names, map(len, tables), strict=True))
    for name, table in zip(names[1:], tables[1:], strict=True):
        if table.shard != tables[0].shard:
            raise CommandError(
                f"{name}: expected {_part(tables[0])}, as {names[0]} is, got {_part(table)}"
            )
        check_same("id", names[0], tables[0], name, table)
    return tables


def check_same(
    column: str, name: str, table: StatsTable, other_name: str, other: StatsTable
) -> None:
    """Refuse a table that says something else of the segments than another one."""
    for begin in range(0, len(table), SLICE):
        pairs = zip(_items(table, column, begin), _items(other, column, begin), strict=True)
        for i, (one, own) in enumerate(pairs, begin):
            if one != own:
                raise CommandError(
                    f"{other_name}, row {i}, column {column!r}: expected {one!r}, as {name} has, "
                    f"got {own!r}"
                )


def _items(table: StatsTable, column: str, begin: int) -> list[Any]:
    """Return some items of a column as int, float, str and None."""
    part = Table({column: table[column][begin : begin + SLICE]})
    found: list[Any] = part.to_dict()[column]
    return found


def as_corpus(
    tables: list[StatsTable], args: Namespace
) -> tuple[dict[str, AnyMetric], Corpus, dict[str, str]]:
    """Return the metric by its name, systems with their rows, and more entries of signatures."""
    head = tables[0]
    metric = head.metric
    if args.sentence_level and isinstance(metric, BLEU):  # as with texts
        options: dict[str, Any] = {**metric._changed_options(), "effective_order": True}
        metric = BLEU(**options)
    nrefs, _, version = split_signature(head.signature)
    metric._calls.remember(number_of(nrefs))
    also = {"version": version}
    if head.shard is not None and head.shard != (1, 1):
        also["shard"] = "{}/{}".format(*head.shard)
    key = type(metric).__name__.lower()
    systems = [System(readable(name), []) for name in args.names or args.stats]
    corpus = Corpus(systems, [], {key: [table.rows for table in tables]}, head.first or 0)
    return {key: metric}, corpus, also


def _part(table: StatsTable) -> str:
    return "all segments" if table.shard is None else "shard {} of {}".format(*table.shard)
