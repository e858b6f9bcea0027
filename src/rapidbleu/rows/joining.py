"""Files of rows that become one file, in the memory of the largest of them."""

from __future__ import annotations

import os

from rapidbleu.parallel import check_progress
from rapidbleu.rows.files import format_of, read_head, read_table, stats_writer
from rapidbleu.rows.labels import ID, INTEGER, REAL, type_of
from rapidbleu.rows.merging import plan_merge, those_with_rows
from rapidbleu.rows.stats_table import StatsTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rapidbleu.typing import Path, Progress


def join_files(paths: Sequence[Path], output: Path, progress: Progress | None = None) -> int:
    """Write the rows of several files to one, as `StatsTable.merge` and `StatsTable.save` do.

    All manifests are verified before anything is written, and the data of each part before its rows
    are. Ids that were given stay in memory, since none may come twice.

    Parameters
    ----------
    paths : sequence of paths
        Parts of one corpus, in any order if they are shards, else in that of the corpus.
    output : path
        None of these.
    progress : callable, optional
        Called with the rows done and all of them.

    Returns
    -------
    int
        The number of rows.

    Raises
    ------
    TypeError, ValueError, OSError
        As `StatsTable.load`, `StatsTable.merge` and `StatsTable.save`; the message names the part.

    Examples
    --------
    >>> import os, tempfile
    >>> from rapidbleu import CHRF
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = [os.path.join(folder, f"{i}-of-2.npz") for i in (1, 2)]
    ...     for i, path in enumerate(paths, 1):
    ...         CHRF().stats_table(["the cat"], [["a cat"]], shard=(i, 2), first=i - 1).save(path)
    ...     join_files(reversed(paths), os.path.join(folder, "all.npz"))
    ...     StatsTable.load(os.path.join(folder, "all.npz"))["id"]
    2
    array([0, 1])
    """
    check_progress(progress)
    given = list(paths)
    if not given:
        raise ValueError("parts: expected at least one, got none")
    format_of(os.fsdecode(output))
    _check_files(given, output)
    read = [read_head(path, StatsTable) for path in given]
    manifests, heads = zip(*read, strict=True)
    lengths = [entries["rows"] for entries in manifests]
    names = [os.fsdecode(path) for path in given]
    order, about = plan_merge(heads, lengths, names, "parts")
    first = about.pop("first")
    with_rows = those_with_rows([heads[i] for i in order], [lengths[i] for i in order])
    kinds = _joined_types(with_rows)
    numbered = all(head.numbered for head in with_rows)
    ids: set[Any] = set()
    with stats_writer(output) as writer:
        for i in order:
            if not lengths[i] and heads[i] is not with_rows[0]:
                continue
            table = read_table(names[i], manifests[i], None, StatsTable)
            if not numbered:
                _check_ids(names[i], table, ids)
            part = StatsTable(
                with_rows[0].metric,
                table.rows,
                table.signature,
                id=None if numbered else table[ID],
                keep={own: _as_type(table[own], kind) for own, kind in kinds.items()},
                first=(first or 0) + writer.n_rows if writer.n_rows else first,
                **about,
            )
            writer.write(part)
            if progress is not None:
                progress(writer.n_rows, sum(lengths))
    return writer.n_rows


def _check_files(paths: Sequence[Path], output: Path) -> None:
    """Refuse a part that is there twice, or is the output."""
    for i, path in enumerate(paths):
        name = os.fsdecode(path)
        if os.path.exists(output) and os.path.samefile(path, output):
            raise ValueError(f"{os.fsdecode(output)}: expected another file than the part {name}")
        for other in paths[:i]:
            if os.path.samefile(path, other):
                raise ValueError(f"{name}: expected each part once, got it again")


def _joined_types(heads: Sequence[StatsTable]) -> dict[str, str]:
    """Return the types of the columns that are kept; integers become floats if some parts do."""
    head = heads[0]
    return {
        name: REAL if {own.types[name] for own in heads} == {INTEGER, REAL} else kind
        for name, kind in head.types.items()
        if name != ID and name not in head.statistics
    }


def _as_type(column: Any, kind: str) -> Any:
    return column.astype(kind) if type_of(column) == INTEGER and kind == REAL else column


def _check_ids(name: str, table: StatsTable, ids: set[Any]) -> None:
    """Refuse ids that parts before have; add others to them."""
    column = table[ID]
    own = column if isinstance(column, list) else column.tolist()
    for i, item in enumerate(own):
        if item in ids:
            raise ValueError(f"{name}, row {i}: expected an id of its own, got {item!r} again")
    ids.update(own)
