"""Files of rows that become one file, in the memory of the largest of them."""

import os

from rapidbleu.parallel import check_progress
from rapidbleu.rows.columns import ID, INTEGER, REAL, type_of
from rapidbleu.rows.formats import format_of
from rapidbleu.rows.labelled import LabelledRows
from rapidbleu.rows.merging import check_alike, first_row, join_origins, those_with_rows
from rapidbleu.rows.reading import read_head
from rapidbleu.rows.shards import order_of_shards
from rapidbleu.rows.stats_table import StatsTable
from rapidbleu.rows.writing import stats_writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rapidbleu.typing import Path, Progress


def join_files(
    paths: "Sequence[Path]", output: "Path", progress: "Progress | None" = None
) -> int:
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
    names = [os.fsdecode(path) for path in given]
    [known, *_] = those_with_rows(*zip(*read, strict=True))
    for name, (head, _) in zip(names, read, strict=True):
        if len(read) > 1:
            check_alike(known, head, name)
    order = order_of_shards([head.shard for head, _ in read], names, "parts")
    names = [names[place] for place in order]
    heads, lengths = zip(*[read[place] for place in order], strict=True)
    first = first_row([(h.first, n) for h, n in zip(heads, lengths, strict=True)], names)
    with_rows = those_with_rows(heads, lengths)
    origins = join_origins(heads)
    kinds = _joined_types(with_rows)
    numbered = all(head.numbered for head in with_rows)
    ids: set[Any] = set()
    with stats_writer(output) as writer:
        for name, head, n in zip(names, heads, lengths, strict=True):
            table = StatsTable.load(name)
            _check_unchanged(name, head, n, table)
            if not n and head is not with_rows[0]:
                continue
            if not numbered:
                _check_ids(name, table, ids)
            position = (first or 0) + writer.n_rows
            part = StatsTable(
                heads[0].metric,
                table.rows,
                table.signature,
                id=None if numbered else table[ID],
                keep={own: _as_type(table[own], kind) for own, kind in kinds.items()},
                first=position if writer.n_rows else first,
                **origins,
            )
            writer.write(part)
            if progress is not None:
                progress(writer.n_rows, sum(lengths))
    return writer.n_rows


def _check_files(paths: "Sequence[Path]", output: "Path") -> None:
    """Refuse a part that is there twice, or is the output."""
    for i, path in enumerate(paths):
        name = os.fsdecode(path)
        if os.path.exists(output) and os.path.samefile(path, output):
            raise ValueError(f"{os.fsdecode(output)}: expected another file than the part {name}")
        for other in paths[:i]:
            if os.path.samefile(path, other):
                raise ValueError(f"{name}: expected each part once, got it again")


def _joined_types(heads: "Sequence[LabelledRows]") -> dict[str, str]:
    """Return the types of the columns that are kept; integers become floats if some parts do."""
    head = heads[0]
    return {
        name: REAL if {own.types[name] for own in heads} == {INTEGER, REAL} else kind
        for name, kind in head.types.items()
        if name != ID and name not in head.statistics
    }


def _as_type(column: "Any", kind: str) -> "Any":
    return column.astype(kind) if type_of(column) == INTEGER and kind == REAL else column


def _check_unchanged(name: str, head: LabelledRows, n: int, table: StatsTable) -> None:
    """Refuse a part that was replaced since its manifest was read."""
    known = ("shard", "first", "signature", "types", "inputs", "numbered")
    if len(table) != n or any(getattr(head, own) != getattr(table, own) for own in known):
        raise ValueError(f"{name}: expected the file that was there before, got another one")


def _check_ids(name: str, table: StatsTable, ids: "set[Any]") -> None:
    """Refuse ids that parts before have; add others to them."""
    column = table[ID]
    own = column if isinstance(column, list) else column.tolist()
    for i, item in enumerate(own):
        if item in ids:
            raise ValueError(f"{name}, row {i}: expected an id of its own, got {item!r} again")
    ids.update(own)
