"""Scores of parts of a corpus: a part for each value of a column that was kept beside rows."""

import json
from typing import Any

from rapidbleu.cli.messages import CommandError
from rapidbleu.cli.score.corpus import Corpus
from rapidbleu.cli.score.forms import SEPARATORS, as_json, markdown, separated
from rapidbleu.cli.score.report import Style
from rapidbleu.cli.score.rows import check_same
from rapidbleu.cli.score.statistics import signature_of
from rapidbleu.printing.tables import latex_booktabs, plain_table
from rapidbleu.rows.stats_table import StatsTable


def report_by(column: str, tables: list[StatsTable], corpus: Corpus, style: Style) -> str:
    """Score each value; return what to print.

    JSON is a list of what a single system has, with the value, and the name of the system if there
    are several. Other forms have a row for each value, and a column for each system.
    """
    names = [system.name for system in corpus.systems]
    for name, table in zip(names, tables, strict=True):
        if column not in table.names or column in table.statistics:
            known = [own for own in table.names if own not in table.statistics]
            raise CommandError(
                f"{name}: --by: expected one of the columns {', '.join(known)}, got {column!r}"
            )
    for name, table in zip(names[1:], tables[1:], strict=True):
        check_same(column, names[0], tables[0], name, table)
    scores: list[dict[Any, Any]] = [table.score(by=column) for table in tables]
    if style.format == "json":
        signature = style.signature(signature_of(tables[0].metric))
        return as_json(_entries(names, scores, signature, style))
    columns = [(column, ["" if value is None else str(value) for value in scores[0]])]
    for name, own in zip(names, scores, strict=True):
        printed = next(iter(own.values())).name
        header = f"{name} {printed}" if len(names) > 1 else printed
        columns.append((header, [f"{score.score:.{style.width}f}" for score in own.values()]))
    headers, cells = map(list, zip(*columns, strict=True))
    if style.format in SEPARATORS:
        return separated(columns, style)
    if style.format == "markdown":
        return markdown(columns, 1)
    if style.format == "latex":
        return latex_booktabs(headers, cells)
    return plain_table(headers, cells, [False] + [True] * len(names))


def _entries(
    names: list[str], scores: list[dict[Any, Any]], signature: str, style: Style
) -> list[dict[str, Any]]:
    entries = []
    for name, own in zip(names, scores, strict=True):
        for value, score in own.items():
            system = {"system": name} if len(names) > 1 else {}
            entry = score.format(style.width, signature=signature, is_json=True)
            entries.append({**system, "value": value, **json.loads(entry)})
    return entries
