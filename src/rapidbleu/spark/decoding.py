"""Minimum Bayes risk decoding of candidates in groups, each of them whole in one task."""

from __future__ import annotations

from functools import partial
from importlib import import_module

from rapidbleu._lib.lazy import np
from rapidbleu.metrics import BLEU
from rapidbleu.spark.rows import (
    ORDERED,
    SOME_ORDERED,
    TEXT,
    check_column,
    check_frame,
    check_other_names,
    quoted,
)
from rapidbleu.streams.tables import scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from pyspark.sql import DataFrame

    from rapidbleu.metrics.metric import Metric
    from rapidbleu.typing import Items

SCORE, CANDIDATES = "score", "candidates"


def mbr(
    df: DataFrame,
    by: str = "segment",
    hyp: str = "hyp",
    metric: Metric | None = None,
    keep: str | Items[str] = (),
    *,
    order: str | None = None,
) -> DataFrame:
    """Return for each segment the candidate that agrees most with all others: minimum Bayes risk.

    Parameters
    ----------
    df : DataFrame
        A row for each candidate, in any order and partitions.
    by : str
        The column that says which segment a candidate is of.
    hyp : str
        Column of the candidates.
    metric : Metric, optional
        `BLEU(effective_order=True)` by default.
    keep : str or sequence of str
        More columns, of any type, whose values are those of the chosen row.
    order : str, optional
        A column that candidates of a segment are ordered by, such as their rank; its values differ
        within a segment. Of several that are best the first one is chosen, so that order matters.
        Rows of a DataFrame have none: by default candidates are in the order of their texts; it
        must be given if columns are kept, since equal texts would not be told apart.

    Returns
    -------
    DataFrame
        A row for each segment: the columns `by`, `hyp` and `keep`; ``score``, the expected score as
        double; and ``candidates``, how many there were, as bigint. For candidates in their order
        they are what `metric.select` and `metric.mbr` say on one machine, to the last bit.

    Raises
    ------
    TypeError, ValueError
        Before a job is run, if names are those of no columns or clash, types do not fit, or the
        metric cannot compare two candidates: `NIST` and `CIDErD` without `information`, `GECGLEU`.
        A null in `by`, `hyp` or `order`, and values of `order` that come twice, end the job with an
        error that names the segment.

    Notes
    -----
    Candidates are sorted by segment once; all those of a segment are in one task. m candidates
    take m * m comparisons.

    Examples
    --------
    >>> from rapidbleu.spark import mbr
    >>> mbr(candidates, hyp="text").show()  # doctest: +SKIP
    +-------+-----------+-----------------+----------+
    |segment|       text|            score|candidates|
    +-------+-----------+-----------------+----------+
    |      1|the cat sat|60.76782331449151|         3|
    +-------+-----------+-----------------+----------+
    """
    check_frame(df, "df")
    own = BLEU(effective_order=True) if metric is None else metric
    check_metric(own)
    kept = scan((), hyp, keep=keep).keep
    check_column(df, by, "by", ORDERED, SOME_ORDERED)
    check_column(df, hyp, "hyp", TEXT, "strings")
    for name in kept:
        check_column(df, name, "keep")
    if order is not None:
        check_column(df, order, "order", ORDERED, SOME_ORDERED)
    elif kept:
        raise ValueError("order: expected a column, since others are kept, got none")
    check_other_names([by, hyp, *kept, SCORE, CANDIDATES], "keep")
    from pyspark.sql.types import DoubleType, LongType, StructField, StructType

    place = hyp if order is None else order
    fields: list[Any] = [df.schema[name] for name in (by, hyp, *kept)]
    fields += [StructField(SCORE, DoubleType(), False), StructField(CANDIDATES, LongType(), False)]
    rows = df.select(*map(quoted, dict.fromkeys((by, hyp, place, *kept))))
    together = rows.repartition(quoted(by)).sortWithinPartitions(quoted(by), quoted(place))
    return together.mapInArrow(
        partial(chosen, metric=own, by=by, hyp=hyp, keep=kept, order=order), StructType(fields)
    )


def check_metric(metric: Any) -> None:
    """Refuse a metric that cannot compare two candidates."""
    name = type(metric).__name__
    if not hasattr(metric, "map_stats"):
        raise TypeError(f"metric: expected a metric of text, got {name}")
    if not metric._rows_add_up:
        raise ValueError(
            f"metric: expected information, without which {name} weighs n-grams by the candidates"
        )
    try:
        metric.mbr(["a", "b"])
    except ValueError as error:
        raise ValueError(
            f"metric: expected one that compares candidates, got {name}: {error}"
        ) from None


def chosen(
    batches: Iterable[Any], metric: Metric, by: str, hyp: str, keep: tuple[str, ...],
    order: str | None,
) -> Iterator[Any]:  # fmt: skip
    """Yield a batch with a row for each segment: the choices among candidates in their order.

    `batches` are record batches of pyarrow, sorted by segment; the other arguments are those of
    `mbr`.
    """
    pyarrow = import_module("pyarrow")
    held: list[Any] = []  # of the last segment, which may go on
    for batch in batches:
        if not batch.num_rows:
            continue
        begin = int(begins(batch.column(by))[-1])
        goes_on = not held or held[-1].column(by)[-1] == batch.column(by)[0]
        if begin or not goes_on:
            whole = pyarrow.Table.from_batches([*held, batch.slice(0, begin)])
            yield _choices(whole, metric, by, hyp, keep, order)
            held = []
        held.append(batch.slice(begin))
    if held:
        yield _choices(pyarrow.Table.from_batches(held), metric, by, hyp, keep, order)


def _choices(
    table: Any, metric: Any, by: str, hyp: str, keep: tuple[str, ...], order: str | None
) -> Any:
    """Return the choices among candidates of whole segments."""
    pyarrow = import_module("pyarrow")
    batch = table.combine_chunks().to_batches()[0]
    first = begins(batch.column(by))
    _check_rows(batch, by, hyp, order, first)
    texts = batch.column(hyp).to_pylist()
    ends = np.append(first[1:], len(texts))
    groups = [texts[begin:end] for begin, end in zip(first, ends, strict=True)]
    find = np.argmax if metric.higher_is_better else np.argmin
    expected = metric.mbr(groups, groups=True)
    best = np.array([find(scores) for scores in expected], np.int64)
    scores = np.array([own[i] for own, i in zip(expected, best, strict=True)], np.float64)
    rows = pyarrow.array(first + best)
    columns = {name: batch.column(name).take(rows) for name in (by, hyp, *keep)}
    columns |= {SCORE: pyarrow.array(scores), CANDIDATES: pyarrow.array(ends - first)}
    return pyarrow.RecordBatch.from_pydict(columns)


def _check_rows(batch: Any, by: str, hyp: str, order: str | None, first: Any) -> None:
    """Refuse nulls, and candidates of which none is the first; name the segment."""
    compute = import_module("pyarrow.compute")
    segments = batch.column(by)
    if segments.null_count:
        raise TypeError(f"column {by!r}: expected a value for each candidate, got null")
    for name in (hyp,) if order is None else (hyp, order):
        column = batch.column(name)
        if column.null_count:
            i = compute.index(column.is_null(), True).as_py()
            raise TypeError(
                f"{by} {segments[i].as_py()!r}, column {name!r}: expected a value, got null"
            )
    if order is not None:
        i = first_repeated(batch.column(order), first)
        if i is not None:
            raise ValueError(
                f"{by} {segments[i].as_py()!r}, column {order!r}: expected a value of its own for "
                f"each candidate, got {batch.column(order)[i].as_py()!r} again"
            )


def begins(column: Any) -> Any:
    """Return where other values begin in a column, which has one at least; each null is another."""
    compute = import_module("pyarrow.compute")
    same = compute.equal(column.slice(1), column.slice(0, len(column) - 1))
    changes = compute.invert(compute.fill_null(same, False))
    return np.append(0, np.flatnonzero(changes.to_numpy(zero_copy_only=False)) + 1)


def first_repeated(column: Any, groups: Any) -> int | None:
    """Return the place of the first value that is that before it, in the same group.

    `column` has no nulls, and is sorted within each group; groups begin at `groups`.
    """
    others = np.union1d(groups, begins(column))
    if len(others) == len(column):
        return None
    return int(np.setdiff1d(np.arange(len(column)), others)[0])
