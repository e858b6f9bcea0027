"""Tables of segments: scores, and statistics in memory, in files or for distributed engines."""

from __future__ import annotations

from rapidbleu._lib.checks import items_of
from rapidbleu._lib.lazy import np
from rapidbleu._lib.loader import load
from rapidbleu.metrics.corpus import iter_stats, prepare
from rapidbleu.parallel import check_threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from rapidbleu._types import Hypotheses, Items, Layout, Path, Progress, ReferenceStreams, Tables
    from rapidbleu.rows.stats_table import StatsTable
    from rapidbleu.table import Table

SEGMENT = "segment"


def segment_table(
    metric: Any, systems: Mapping[str, Hypotheses], references: ReferenceStreams | None,
    ids: Items[Any] | None, layout: Layout, threads: int,
) -> Table:  # fmt: skip
    """Return the scores of segments by system; see `Metric.segment_table`."""
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
        references = prepare(metric, references, layout)
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
    metric: Any, hypotheses: Hypotheses, references: ReferenceStreams | None,
    about: dict[str, Any], layout: Layout, threads: int, progress: Progress | None,
) -> StatsTable:  # fmt: skip
    """Return rows with labels; see `Metric.stats_table`, whose options `about` contains."""
    load("rapidbleu.rows.labels")
    load("rapidbleu.rows.stats_table")
    from rapidbleu.rows.kinds import signature_of
    from rapidbleu.rows.labels import check_alone, join_labels, labels_of, read_labels
    from rapidbleu.rows.stats_table import StatsTable, check_labels

    statistics = metric._stat_names()
    names = labels_of(hypotheses, statistics)
    check_alone(names, about["ids"], about["keep"])
    about = check_labels(statistics, hypotheses, **about)
    blocks, labels = [], []
    for rows, _, tables in iter_stats(metric, hypotheses, references, layout, threads, progress):
        blocks.append(rows)
        if any(names):
            labels.append(read_labels(tables, *names))
    if labels:
        about |= join_labels(labels)
    rows = blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
    return StatsTable(metric, rows, signature_of(metric, metric.num_refs), **about)


def save_stats(
    metric: Any, path: Path, hypotheses: Hypotheses, references: ReferenceStreams | None,
    about: dict[str, Any], layout: Layout, threads: int, progress: Progress | None,
) -> int:  # fmt: skip
    """Write rows to a file part by part; see `Metric.save_stats`."""
    load("rapidbleu.rows.labels")
    load("rapidbleu.rows.stats_table")
    from rapidbleu.rows.files import stats_writer
    from rapidbleu.rows.kinds import signature_of
    from rapidbleu.rows.labels import labels_of, naming_rows, read_labels
    from rapidbleu.rows.stats_table import StatsTable, check_labels

    statistics = metric._stat_names()
    names = labels_of(hypotheses, statistics)
    begin = about["first"] or 0
    about = check_labels(statistics, hypotheses, **about)
    of_first: int | None = None  # number of references in the first part
    with stats_writer(path) as writer:
        for rows, num_refs, tables in iter_stats(
            metric, hypotheses, references, layout, threads, progress
        ):
            if any(names):
                about |= read_labels(tables, *names)
            of_first = num_refs if of_first is None else of_first
            signature = signature_of(metric, num_refs if num_refs == of_first else -1)
            with naming_rows(tables):
                writer.write(StatsTable(metric, rows, signature, **about))
            about["first"] = begin + writer.n_rows
        return writer.n_rows


def map_stats(
    metric: Any, batches: Tables, hyp: str, refs: str | Items[str], id_column: str | None,
    keep: str | Items[str], threads: int,
) -> Iterator[Any]:  # fmt: skip
    """Check arguments, and return an iterator of row batches; see `Metric.map_stats`."""
    from importlib import import_module

    load("rapidbleu.rows.labels")
    load("rapidbleu.streams.tables")
    from rapidbleu.rows.labels import labels_of
    from rapidbleu.streams.tables import scan

    pyarrow = import_module("pyarrow")
    table = scan(batches, hyp, refs, id_column, keep)
    table.least = 0
    names = labels_of(table, metric._stat_names())
    n_threads = check_threads(threads)
    metric._check_that_rows_add_up()
    return _iter_batches(metric, pyarrow, table, names, n_threads)


def _iter_batches(
    metric: Any, pyarrow: Any, table: Any, names: tuple[str | None, tuple[str, ...]], threads: int
) -> Iterator[Any]:
    from rapidbleu.rows.labels import named_arrays

    statistics = metric._stat_names()
    for rows, _, tables in iter_stats(metric, table, None, "stream", threads, None):
        columns = named_arrays(tables, *names)
        columns |= {name: pyarrow.array(rows[:, j]) for j, name in enumerate(statistics)}
        yield pyarrow.RecordBatch.from_pydict(columns)
