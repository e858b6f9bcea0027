"""Tables of segments: scores, and statistics in memory, in files or for distributed engines."""

from __future__ import annotations

from rapidbleu._lib.checks import items_of
from rapidbleu._lib.loader import load, np
from rapidbleu.metrics.corpus import iter_stats, prepare
from rapidbleu.parallel import check_threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from rapidbleu._types import Hypotheses, Items, Layout, Path, Progress, ReferenceStreams, Tables
    from rapidbleu.rows.stats_table import StatsTable
    from rapidbleu.table import Table

SEGMENT = "segment"


def segment_table(
    metric: Any,
    systems: Mapping[str, Hypotheses],
    references: ReferenceStreams | None = None,
    *,
    ids: Items[Any] | None = None,
    layout: Layout = "stream",
    threads: int = 1,
) -> Table:
    """Score the segments of several systems, in one column per system.

    Parameters
    ----------
    systems : mapping of str to hypotheses
        Hypotheses as in `corpus_score`, by system name.
    references, layout, threads
        As in `corpus_score`.
    ids : sequence of str or int, optional
        Names of the segments; by default their indices.

    Returns
    -------
    Table
        A column ``segment``, and one for each system with its `segment_scores`.

    Raises
    ------
    TypeError, ValueError
        If there is no system, one is named ``segment``, or numbers of segments differ.

    Examples
    --------
    >>> from rapidbleu import CHRF
    >>> systems = {"A": ["the cat sat", "it rains"], "B": ["a cat sat", "it rained"]}
    >>> CHRF().segment_table(systems, [["the cat sat", "it rained"]], ids=["s1", "s2"])
    segment       A       B
    s1       100.00   53.61
    s2        61.77  100.00
    """
    load("rapidbleu.table")
    from rapidbleu.table import Table

    if not hasattr(systems, "items"):
        raise TypeError(
            f"systems: expected a mapping of names to hypotheses; got {type(systems).__name__}"
        )
    named = dict(systems.items())
    if not named or SEGMENT in named:
        got = f"one called {SEGMENT!r}" if named else "none"
        raise ValueError(f"systems: expected at least one, with a name of its own; got {got}")
    if references is not None and not hasattr(references, "_prepared_by"):
        references = prepare(metric, references, layout=layout)
    columns: dict[str, Any] = {SEGMENT: None}
    for name, hypotheses in named.items():
        try:
            columns[name] = metric.segment_scores(
                hypotheses, references, layout=layout, threads=threads
            )
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"systems[{name!r}]: {error}") from None
    n = len(columns[next(iter(named))])
    columns[SEGMENT] = range(n) if ids is None else items_of(ids, "ids", "names or numbers")
    if len(columns[SEGMENT]) != n:
        raise ValueError(f"ids: expected {n}, one for each segment; got {len(columns[SEGMENT])}")
    return Table(columns)


def stats_table(
    metric: Any,
    hypotheses: Hypotheses,
    references: ReferenceStreams | None = None,
    *,
    ids: Items[Any] | None = None,
    keep: Mapping[str, Any] | None = None,
    shard: tuple[int, int] | None = None,
    first: int | None = None,
    inputs: Iterable[str] = (),
    layout: Layout = "stream",
    threads: int = 1,
    progress: Progress | None = None,
) -> StatsTable:
    """Return the sufficient statistics of segments as a table, with ids and other columns.

    Parameters
    ----------
    hypotheses, references, layout, threads, progress
        As in `corpus_score`.
    ids : sequence of str or int, optional
        Unique ids of the segments; by default the ids of a scan, or else the indices.
    keep : mapping of str to sequence, optional
        More columns by name, of int, float or str, such as languages or domains; by default
        the columns that a scan keeps.
    shard : (int, int), optional
        If the segments are part of a corpus, the number of the part, from 1, and the number of
        parts; `StatsTable.merge` then detects missing parts.
    first : int, optional
        Index of the first segment in the corpus (default: 0), where default ids start.
    inputs : sequence of str
        Names of the input files, recorded in the manifest of a file.

    Returns
    -------
    StatsTable
        The rows of `segment_stats`, with named columns.

    Raises
    ------
    TypeError, ValueError
        As in `corpus_score`; also if the length of a column differs, or an id or name repeats.

    Examples
    --------
    >>> from rapidbleu import TER
    >>> hypotheses, references = ["it rains", "the cat sat"], [["it rained", "a cat sat"]]
    >>> table = TER().stats_table(hypotheses, references, keep={"domain": ["weather", "pets"]})
    >>> table.score(by="domain")
    {'weather': TER = 50.00, 'pets': TER = 33.33}
    >>> table.save("stats.parquet")  # doctest: +SKIP
    """
    row_labels = load("rapidbleu.rows.labels")
    stats_tables = load("rapidbleu.rows.stats_table")
    names, about = stats_tables.check_labels(metric, hypotheses, ids, keep, shard, first, inputs)
    blocks = []
    labels = []
    for rows, _, tables in iter_stats(metric, hypotheses, references, layout, threads, progress):
        blocks.append(rows)
        if any(names):
            labels.append(row_labels.read_labels(tables, *names))
    if labels:
        about |= row_labels.join_labels(labels)
    rows = blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
    signature = stats_tables.signature_of(metric, metric.num_refs)
    table: StatsTable = stats_tables.StatsTable(metric, rows, signature, **about)
    return table


def save_stats(
    metric: Any,
    path: Path,
    hypotheses: Hypotheses,
    references: ReferenceStreams | None = None,
    *,
    shard: tuple[int, int] | None = None,
    first: int | None = None,
    inputs: Iterable[str] = (),
    layout: Layout = "stream",
    threads: int = 1,
    progress: Progress | None = None,
) -> int:
    """Write the statistics of segments to a file with a manifest; return the number of rows.

    Parameters as in `stats_table` and `StatsTable.save`; a scan provides ids and columns.

    Raises
    ------
    TypeError, ValueError, OSError
        As in `stats_table` and `StatsTable.save`; an existing file then stays unchanged.
        `StatsTable.load` checks that ids are unique.

    Notes
    -----
    The file is what ``stats_table(...).save(path)`` writes, except for the sizes of batches and
    for integer columns whose first missing value is in a later batch: these contain nulls
    there, but load as floats with nan either way. Only a few streamed batches are in memory.

    Examples
    --------
    >>> from rapidbleu import CHRF, scan
    >>> table = scan("test.parquet", id_column="segment", keep="domain")
    >>> CHRF().save_stats("stats.npz", table)  # doctest: +SKIP
    3004
    """
    row_labels = load("rapidbleu.rows.labels")
    stats_tables = load("rapidbleu.rows.stats_table")
    names, about = stats_tables.check_labels(metric, hypotheses, None, None, shard, first, inputs)
    of_first: int | None = None  # number of references in the first part
    with stats_tables.stats_writer(path) as writer:
        for rows, num_refs, tables in iter_stats(
            metric, hypotheses, references, layout, threads, progress
        ):
            if any(names):
                about |= row_labels.read_labels(tables, *names)
            of_first = num_refs if of_first is None else of_first
            signature = stats_tables.signature_of(metric, num_refs if num_refs == of_first else -1)
            with row_labels.naming_rows(tables):
                writer.write(stats_tables.StatsTable(metric, rows, signature, **about))
            about["first"] = (first or 0) + writer.n_rows
        return int(writer.n_rows)


def map_stats(
    metric: Any,
    batches: Tables,
    hyp: str = "hyp",
    refs: str | Items[str] = "ref",
    id_column: str | None = None,
    keep: str | Items[str] = (),
    *,
    threads: int = 1,
) -> Iterator[Any]:
    """Turn batches of segments into batches of statistics, for distributed engines.

    Parameters
    ----------
    batches : iterator of pyarrow.RecordBatch
        Or anything else that `scan` accepts.
    hyp, refs, id_column, keep
        Names of columns, as in `scan`. Columns in `keep` may be of any Arrow type.
    threads : int
        As in `corpus_score`.

    Yields
    ------
    pyarrow.RecordBatch
        One per nonempty batch, with as many rows: ``id`` if there is an `id_column`, the
        columns of `keep`, and an int64 column for each statistic, named as in `StatsTable`.

    Raises
    ------
    TypeError, ValueError, ImportError
        If names of columns clash; on reading, as in `scan`; if rows of parts would not add up,
        as in `NIST` and `CIDErD` without `information`; without pyarrow.

    Notes
    -----
    No state passes from batch to batch, so an engine can run it on any part of a table, and
    repeat it. The bound method can be pickled.

    Examples
    --------
    >>> from rapidbleu import TER
    >>> batches = iter([{"hyp": ["it rains"], "ref": ["it rained"], "lang": ["en"]}])
    >>> for batch in TER().map_stats(batches, keep="lang"):  # doctest: +SKIP
    ...     print(batch.to_pylist())
    [{'lang': 'en', 'edits': 1, 'ref_length': 2, ...}]
    """
    load("importlib", "import_module")("pyarrow")
    row_labels = load("rapidbleu.rows.labels")
    table = load("rapidbleu.streams.tables", "scan")(batches, hyp, refs, id_column, keep)
    table.least = 0
    statistics = metric._stat_names()
    names = row_labels.labels_of(table, statistics)
    n_threads = check_threads(threads)
    metric._check_that_rows_add_up()
    return (
        row_labels.stats_batch(row_labels.named_arrays(tables, *names), rows, statistics)
        for rows, _, tables in iter_stats(metric, table, None, "stream", n_threads, None)
    )
