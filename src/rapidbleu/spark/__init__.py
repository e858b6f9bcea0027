"""Spark: statistics, scores, intervals and MBR decoding for DataFrames of any size.

Needs the extra ``spark``. Tasks turn segments into rows of integers, which Spark adds up. So scores
equal scores on one machine to the last bit, independent of partitions, failures and retries. Only
TER's `corpus_score` may differ in the last bit, because it rounds as sacrebleu does if the number
of references is not a power of two.

Examples
--------
>>> from rapidbleu.spark import poisson_bootstrap, score, stats
>>> df = session.read.parquet("segments.parquet")                       # doctest: +SKIP
>>> st = stats(df, hyp="mt", refs=["reference"], id_column="segment", keep="lang")  # doctest: +SKIP
>>> st.write.mode("overwrite").parquet("stats.parquet")                 # doctest: +SKIP
>>> st = session.read.parquet("stats.parquet")                          # doctest: +SKIP
>>> score(st)                                                           # doctest: +SKIP
>>> score(st, by="lang")["de"].score                                    # doctest: +SKIP
>>> poisson_bootstrap(st)                                                       # doctest: +SKIP
"""

from __future__ import annotations

import json
import operator
from functools import partial, reduce
from importlib import import_module

from rapidbleu._lib.checks import check_count, check_level
from rapidbleu._lib.loader import np
from rapidbleu.metrics import BLEU
from rapidbleu.rows.kinds import (
    Kind,
    describe_metric,
    make_metric,
    signature_of,
    split_signature,
    stored_difference,
)
from rapidbleu.rows.labels import ID, stats_batch
from rapidbleu.score import RowScoring
from rapidbleu.significance.resamples import score_of_sums, sum_resamples
from rapidbleu.stats import MAX_COUNT
from rapidbleu.streams.tables import scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence
    from typing import Any

    from pyspark.sql import DataFrame

    from rapidbleu._types import IntArray, Items
    from rapidbleu.metrics.metric import Metric
    from rapidbleu.score import Score
    from rapidbleu.significance.result import ResampledScore

__all__ = ["mbr", "poisson_bootstrap", "score", "stats"]

KEY = "rapidbleu"  # in the metadata of columns
RESAMPLE = "resample"  # column of resample numbers, from 1; 0 is the corpus itself
MOST_SEED = 2**64 - 1
SCORE = "score"
CANDIDATES = "candidates"  # columns of `mbr`

TEXT = frozenset(["string"])
TEXTS = "array<string>"
INTEGERS = frozenset(["tinyint", "smallint", "int", "bigint"])
IDS = TEXT | INTEGERS
ORDERED = IDS | {"boolean", "date"}  # ordered types whose values stay distinct in Python
SOME_ORDERED = "strings, integers, booleans or dates"


def stats(
    df: DataFrame,
    metric: Metric | None = None,
    hyp: str = "hyp",
    refs: str | Items[str] = "ref",
    id_column: str | None = None,
    keep: str | Items[str] = (),
) -> DataFrame:
    """Return the sufficient statistics of segments.

    Parameters
    ----------
    df : DataFrame
    metric : Metric, optional
        Metric to compute (default: `BLEU()`).
    hyp : str
        Column of the hypotheses.
    refs : str or sequence of str
        Columns of the references, or one column of arrays of references.
    id_column : str, optional
        Column of unique segment ids, text or integers, which `poisson_bootstrap` needs.
    keep : str or sequence of str
        More columns, of any type.

    Returns
    -------
    DataFrame
        A row for each segment: ``id`` if there is an `id_column`, the columns of `keep`, and a
        bigint column for each statistic, named as in `StatsTable`. Metadata of these columns, which
        Parquet files preserve, describes the metric.

    Raises
    ------
    TypeError, ValueError
        Before a job runs, if a column does not exist, names clash, types do not fit, or rows of the
        metric do not add up (`NIST` and `CIDErD` without `information`). A null hypothesis ends the
        job with an error that names row and column.

    Notes
    -----
    The result is computed lazily, each time it is used: write it before computing several scores
    from it. Spark commits the output of a task once, so rows are neither lost nor doubled if tasks
    fail, are retried or run twice. A program that is run again adds its rows again with
    ``mode("append")``, but not with ``mode("overwrite")``.

    Executors need rapidbleu installed. A task uses one thread unless the metric uses more.

    Examples
    --------
    >>> from rapidbleu import CHRF
    >>> from rapidbleu.spark import stats
    >>> df = session.createDataFrame([("It rained.", "It was raining.")], "hyp string, ref string")\
 # doctest: +SKIP
    >>> stats(df, CHRF(char_order=1)).show()  # doctest: +SKIP
    +-------+-------+---------+
    |hyp_1  |ref_1  |matched_1|
    +-------+-------+---------+
    |9      |13     |7        |
    +-------+-------+---------+
    """
    check_frame(df, "df")
    scorer = BLEU() if metric is None else metric
    if not hasattr(scorer, "map_stats"):
        raise TypeError(f"metric: expected a metric of text; got {type(scorer).__name__}")
    scorer.map_stats((), hyp, refs, id_column, keep)  # fails early where tasks would fail
    texts = scan((), hyp, refs, id_column, keep)
    check_column(df, hyp, "hyp", TEXT, "strings")
    for name in texts._refs:
        if len(texts._refs) == 1:
            check_column(df, name, "refs", TEXT | {TEXTS}, "strings or arrays of strings")
        else:
            check_column(df, name, "refs", TEXT, "strings")
    if id_column is not None:
        check_column(df, id_column, "id_column", IDS, "strings or integers")
    for name in texts.keep:
        check_column(df, name, "keep")
    from pyspark.sql.types import LongType, StructField, StructType

    statistics = scorer._stat_names()
    fields: list[Any] = [df.schema[name] for name in texts.keep]
    if id_column is not None:
        ids = df.schema[id_column]
        fields.insert(0, StructField(ID, ids.dataType, ids.nullable))
    check_other_names([*(field.name for field in fields), *statistics], "keep")
    fields += [StructField(name, LongType(), False) for name in statistics]
    names = dict.fromkeys((hyp, *texts._refs, *texts.labels))
    rows = df.select(*map(quoted, names)).mapInArrow(
        partial(scorer.map_stats, hyp=hyp, refs=texts._refs, id_column=id_column, keep=texts.keep),
        StructType(fields),
    )
    return with_metric(rows, scorer)


def score(
    st: DataFrame, by: str | None = None, metric: RowScoring | None = None
) -> Score | dict[Any, Score]:
    """Return the score of the corpus, or of each part with the same value in a column.

    Parameters
    ----------
    st : DataFrame
        Rows of statistics, as returned by `stats`.
    by : str, optional
        A column of strings, integers, booleans or dates.
    metric : metric, optional
        By default the metric described by the columns of statistics, as returned by `stats`.

    Returns
    -------
    Score, or dict of the values to Score
        Scores of `metric.score` for the sums of rows, to the last bit; values ascending, None last.

    Raises
    ------
    TypeError, ValueError
        If a column is missing or of another type, rows contain nulls or negative numbers, a sum
        exceeds 2**60, or there are no rows.

    Notes
    -----
    This is one aggregation: each task sends one row of sums per value. Sums are exact and do not
    depend on the order of tasks. For `TER` with numbers of references that are not powers of two,
    this is the score of the exact sum, as for `corpus_stats`; `TER.corpus_score` adds lengths as
    doubles, so last digits may differ.

    Examples
    --------
    >>> from rapidbleu.spark import score
    >>> score(st)  # doctest: +SKIP
    >>> score(st, by="lang")["de"].score  # doctest: +SKIP
    """
    scorer: Any = metric_of(st, metric)
    statistics = statistics_of(scorer)
    if by is not None:
        if by in statistics:
            raise ValueError(f"by: expected a column other than statistics; got {by!r}")
        check_column(st, by, "by", ORDERED, SOME_ORDERED)
    sums = added_up(st, statistics, by)
    if not sums:
        scorer.score(np.zeros((0, len(statistics)), np.int64))  # raises the usual error
    if by is None:
        total: Score = scorer.score(sums[None])
        return total
    ordered = sorted(sums, key=lambda value: (value is None, value))
    return {value: scorer.score(sums[value]) for value in ordered}


def added_up(
    st: DataFrame, statistics: Sequence[str], by: str | None = None
) -> dict[Any, list[int]]:
    """Return the sums of columns by the values of another, or by None; empty without rows.

    ValueError if there are nulls or negative numbers, or a sum exceeds 2**60. Whether Spark's own
    sum detects an overflow of 64 bits depends on the session (``spark.sql.ansi.enabled``);
    ``try_sum`` always does, and returns null. Because counts are not negative, partial sums
    overflow only if the total does.
    """
    from pyspark.sql import functions

    columns = [functions.col(quoted(name)) for name in statistics]
    valid = reduce(operator.and_, (column.isNotNull() & (column >= 0) for column in columns))
    keys = [] if by is None else [functions.col(quoted(by))]
    aggregated = st.groupBy(*keys).agg(
        functions.count("*"), functions.count_if(~valid), *map(functions.try_sum, columns)
    )
    sums: dict[Any, list[int]] = {}
    for row in aggregated.collect():
        key, n_rows, n_wrong, *totals = row if keys else (None, *row)
        if not n_rows:
            return {}
        if n_wrong:
            raise ValueError(f"st: expected counts; got nulls or less than 0 in {n_wrong} rows")
        for name, number in zip(statistics, totals, strict=True):
            if number is None or number > MAX_COUNT:
                got = "more than 2**63" if number is None else number
                raise ValueError(f"{name}: expected a sum of at most 2**60; got {got}")
        sums[key] = totals
    return sums


def poisson_bootstrap(
    st: DataFrame,
    n_resamples: int = 1000,
    *,
    seed: int = 12345,
    level: float = 0.95,
    metric: RowScoring | None = None,
) -> ResampledScore:
    """Estimate an interval of the score by the Poisson bootstrap.

    Parameters
    ----------
    st : DataFrame
        Rows of statistics, as returned by `stats`, with a column of unique ids, ``id``.
    n_resamples, seed, level
        As in `StatsTable.poisson_bootstrap`.
    metric : metric, optional
        As in `score`.

    Returns
    -------
    ResampledScore
        Same as `StatsTable.poisson_bootstrap` on one machine, to the last bit, for any number of
        partitions. For two systems with the same ids, equal positions in the samples belong to the
        same resample, so their differences form a paired test.

    Raises
    ------
    TypeError, ValueError
        If an argument is invalid, or there is no column ``id`` or no rows. A null id and invalid
        counts end the job with an error that describes them. Uniqueness of ids is not checked.

    Notes
    -----
    Each partition returns n_resamples rows of sums, so time is linear in rows times resamples.

    Examples
    --------
    >>> from rapidbleu.spark import poisson_bootstrap
    >>> poisson_bootstrap(st)  # doctest: +SKIP
    """
    scorer = metric_of(st, metric)
    check_count("n_resamples", n_resamples, 1, 2**31 - 1)
    check_count("seed", seed, 0, MOST_SEED)
    check_level(level)
    check_column(st, ID, "st", IDS, "strings or integers")
    from pyspark.sql.types import IntegerType, LongType, StructField, StructType

    statistics = statistics_of(scorer)
    schema = [StructField(RESAMPLE, IntegerType(), False)]
    schema += [StructField(name, LongType(), False) for name in statistics]
    parts = st.select(*map(quoted, (ID, *statistics))).mapInArrow(
        partial(resampled_sums, statistics=statistics, n=n_resamples, seed=seed), StructType(schema)
    )
    totals = added_up(parts, statistics, RESAMPLE)
    sums = np.array([totals[i] for i in sorted(totals)], np.int64).reshape(-1, len(statistics))
    score = scorer.score(sums[:1])
    return score_of_sums(scorer, score, sums[1:], level)


def resampled_sums(
    batches: Iterable[Any], statistics: tuple[str, ...], n: int, seed: int
) -> Iterator[Any]:
    """Yield one batch of the sums of all rows and of each resample; none without rows.

    `batches` are pyarrow record batches with the columns ``id`` and `statistics`. The result has
    the columns ``resample``, 0 for all rows, and `statistics`.
    """
    sums = np.zeros((n + 1, len(statistics)), np.int64)
    done = 0
    for batch in batches:
        ids, rows = _read(batch, statistics, done)
        if len(rows):
            sums[1:] += sum_resamples(rows, ids, n, seed)
            sums[0] += rows.sum(axis=0)  # at most 2**60 each, as checked above
            if sums.max() > MAX_COUNT:
                raise ValueError(f"rows: expected sums of at most 2**60; got {sums.max()}")
        done += len(rows)
    if done:
        numbers = import_module("pyarrow").array(np.arange(n + 1, dtype=np.int32))
        yield stats_batch({RESAMPLE: numbers}, sums, statistics)


def _read(batch: Any, statistics: tuple[str, ...], done: int) -> tuple[Any, IntArray]:
    """Return the ids and rows of a batch; refuse nulls."""
    for name in (ID, *statistics):
        refuse_null(batch, name, lambda i: f"part of st, row {done + i}")
    ids = batch.column(ID)
    integers = import_module("pyarrow").types.is_integer(ids.type)
    columns = [batch.column(name).to_numpy() for name in statistics]
    return ids.to_numpy() if integers else ids.to_pylist(), np.column_stack(columns)


def refuse_null(batch: Any, name: str, place: Callable[[int], str]) -> None:
    """Refuse a null in a column of a record batch; `place` names a row in errors."""
    column = batch.column(name)
    if column.null_count:
        i = import_module("pyarrow.compute").index(column.is_null(), True).as_py()
        raise TypeError(f"{place(i)}, column {name!r}: expected a value; got null")


def statistics_of(metric: Any) -> tuple[str, ...]:
    """Return the names of statistics columns; for metrics without texts ``stat_0`` and so on.

    >>> from rapidbleu import BLEU, SegmentScores
    >>> statistics_of(BLEU(max_ngram_order=1))
    ('hyp_len', 'ref_len', 'matches_1', 'total_1')
    >>> statistics_of(SegmentScores())
    ('stat_0', 'stat_1', 'stat_2', 'stat_3', 'stat_4')
    """
    name_stats = getattr(metric, "_stat_names", None)
    if name_stats is not None:
        return tuple(name_stats())
    return tuple(f"stat_{i}" for i in range(metric._kernel.n_stats))


def with_metric(df: Any, metric: Any, num_refs: int = -1) -> Any:
    """Return a DataFrame whose statistics columns describe their metric.

    `num_refs` is the number of references per segment, -1 if it varies. Parquet preserves the
    metadata, as do all operations that leave a column unchanged.
    """
    described = describe_metric(metric)
    described["options"] = json.dumps(described["options"])  # Spark has no lists of mixed numbers
    described["signature"] = signature_of(metric, num_refs)
    for name in statistics_of(metric):
        df = df.withMetadata(name, {KEY: described})
    return df


def metric_of(st: Any, metric: Any = None) -> Any:
    """Return the metric of the statistics in a DataFrame.

    By default the metric that its columns describe, which a given `metric` must match. TypeError or
    ValueError if there is none or it differs, or a statistics column is missing or not of integers.
    """
    check_frame(st, "st")
    if metric is not None and not isinstance(metric, RowScoring):
        raise TypeError(f"metric: expected a metric; got {type(metric).__name__}")
    described = _description(st)
    if described is not None and metric is None:
        options = json.loads(described["options"])
        try:
            metric = make_metric({**described, "options": options})
        except ValueError as error:
            raise ValueError(f"st: {error}") from None
    elif described is not None:
        _compare(described, metric)
    elif metric is None:
        raise TypeError("metric: expected one, as no column of st names it; got None")
    for name in statistics_of(metric):
        check_column(st, name, "st", INTEGERS, "integers")
    return metric


def _description(st: Any) -> dict[str, Any] | None:
    """Return the metric description in the columns; refuse different ones."""
    known: dict[str, Any] = {
        field.name: field.metadata[KEY] for field in st.schema.fields if KEY in field.metadata
    }
    if not known:
        return None
    first, *rest = known
    for name in rest:
        if known[name] != known[first]:
            raise ValueError(
                f"st: expected statistics of one metric; got {_kind(known[first])} in {first!r} "
                f"and {_kind(known[name])} in {name!r}"
            )
    return dict(known[first])


def _kind(described: dict[str, Any]) -> str:
    """Return the `Kind.text` of a described metric."""
    return f"{described['score']}|{split_signature(described['signature'])[1]}"


def _compare(described: dict[str, Any], metric: Any) -> None:
    """Refuse a metric of another kind than described."""
    kind = Kind(metric) if hasattr(metric, "_calls") else None
    text = type(metric).__name__ if kind is None else kind.text
    if text != _kind(described):
        raise ValueError(f"metric: expected {_kind(described)}, as st has; got {text}")
    options = json.loads(described["options"])
    difference = kind and stored_difference({**described, "options": options}, metric)
    if difference:
        raise ValueError(f"metric: as st has, {difference}")


def check_frame(df: Any, where: str) -> None:
    """Refuse anything but a Spark DataFrame."""
    if not hasattr(df, "mapInArrow"):
        raise TypeError(f"{where}: expected a Spark DataFrame; got {type(df).__name__}")


def quoted(name: str) -> str:
    """Return a column name in the quotes that Spark needs because dots lead into structures.

    >>> quoted("a.b")
    '`a.b`'
    """
    return "`" + name.replace("`", "``") + "`"


def check_column(
    df: DataFrame,
    name: Any,
    where: str,
    types: Container[str] | None = None,
    expected: str = "",
) -> None:
    """Refuse a column that does not exist, or whose Spark type is not in `types`.

    Errors name the argument `where`, and the valid types `expected`.
    """
    if not isinstance(name, str):
        raise TypeError(f"{where}: expected the name of a column; got {type(name).__name__}")
    if df.columns.count(name) != 1:
        there = ", ".join(map(repr, df.columns)) or "none"
        raise ValueError(f"{where}: expected one column {name!r}, there are {there}")
    kind = str(df.schema[name].dataType.simpleString())
    if types is not None and kind not in types:
        raise TypeError(f"{where}: expected a column of {expected}; got {name!r} of {kind}")


def check_other_names(names: list[str], where: str) -> None:
    """Refuse column names of one DataFrame that Spark considers equal."""
    seen: dict[str, str] = {}
    for name in names:
        if name.lower() in seen:
            raise ValueError(
                f"{where}: expected names that differ in more than case; got "
                f"{seen[name.lower()]!r} and {name!r}"
            )
        seen[name.lower()] = name


def mbr(
    df: DataFrame,
    by: str = "segment",
    hyp: str = "hyp",
    metric: Metric | None = None,
    keep: str | Items[str] = (),
    *,
    order: str | None = None,
) -> DataFrame:
    """Return, for each segment, the candidate with minimum Bayes risk.

    Parameters
    ----------
    df : DataFrame
        A row for each candidate, in any order and partitioning.
    by : str
        Column that identifies the segment of a candidate.
    hyp : str
        Column of the candidates.
    metric : Metric, optional
        Metric to compare with (default: `BLEU(effective_order=True)`).
    keep : str or sequence of str
        More columns, of any type, copied from the chosen row.
    order : str, optional
        Column that orders the candidates of a segment, such as their rank, with distinct values.
        Order matters because the first of several best candidates is chosen, and rows of a
        DataFrame have none. By default candidates are ordered by their texts; required with `keep`,
        because equal texts would be ambiguous.

    Returns
    -------
    DataFrame
        A row for each segment: the columns `by`, `hyp` and `keep`; ``score``, the expected score as
        double; and ``candidates``, their number as bigint. They equal the results of
        `metric.select` and `metric.mbr` on one machine for ordered candidates, to the last bit.

    Raises
    ------
    TypeError, ValueError
        Before a job runs, if a column does not exist, names clash, types do not fit, or the metric
        cannot compare two candidates (`NIST` and `CIDErD` without `information`, `GECGLEU`). A null
        in `by`, `hyp` or `order`, or a repeated `order`, ends the job; the error names the segment.

    Notes
    -----
    Candidates are sorted by segment once; one task processes the m * m pairs of a segment.

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
    scorer = BLEU(effective_order=True) if metric is None else metric
    check_comparing(scorer)
    kept = scan((), hyp, keep=keep).keep
    check_column(df, by, "by", ORDERED, SOME_ORDERED)
    check_column(df, hyp, "hyp", TEXT, "strings")
    for name in kept:
        check_column(df, name, "keep")
    if order is not None:
        check_column(df, order, "order", ORDERED, SOME_ORDERED)
    elif kept:
        raise ValueError("order: expected a column, since others are kept; got none")
    check_other_names([by, hyp, *kept, SCORE, CANDIDATES], "keep")
    from pyspark.sql.types import DoubleType, LongType, StructField, StructType

    place = hyp if order is None else order
    fields: list[Any] = [df.schema[name] for name in (by, hyp, *kept)]
    fields += [StructField(SCORE, DoubleType(), False), StructField(CANDIDATES, LongType(), False)]
    rows = df.select(*map(quoted, dict.fromkeys((by, hyp, place, *kept))))
    together = rows.repartition(quoted(by)).sortWithinPartitions(quoted(by), quoted(place))
    return together.mapInArrow(
        partial(chosen, metric=scorer, by=by, hyp=hyp, keep=kept, order=order), StructType(fields)
    )


def check_comparing(metric: Any) -> None:
    name = type(metric).__name__
    if not hasattr(metric, "map_stats"):
        raise TypeError(f"metric: expected a metric of text; got {name}")
    if not metric._rows_add_up:
        raise ValueError(
            f"metric: expected information, without which {name} weighs n-grams by the candidates"
        )
    try:
        metric.mbr(["a", "b"])
    except ValueError as error:
        raise ValueError(
            f"metric: expected one that compares candidates; got {name}: {error}"
        ) from None


def chosen(
    batches: Iterable[Any],
    metric: Metric,
    by: str,
    hyp: str,
    keep: tuple[str, ...],
    order: str | None,
) -> Iterator[Any]:
    """Yield batches of one row per segment, with the choice among ordered candidates.

    `batches` are pyarrow record batches sorted by segment; other arguments are as in `mbr`.
    """
    pyarrow = import_module("pyarrow")
    held: list[Any] = []  # of the last segment, which may continue
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
    """Return the choices among the candidates of complete segments."""
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
    scores = np.array([values[i] for values, i in zip(expected, best, strict=True)], np.float64)
    rows = pyarrow.array(first + best)
    columns = {name: batch.column(name).take(rows) for name in (by, hyp, *keep)}
    columns |= {SCORE: pyarrow.array(scores), CANDIDATES: pyarrow.array(ends - first)}
    return pyarrow.RecordBatch.from_pydict(columns)


def _check_rows(batch: Any, by: str, hyp: str, order: str | None, first: Any) -> None:
    """Refuse nulls and repeated orders; errors name the segment."""
    segments = batch.column(by)
    if segments.null_count:
        raise TypeError(f"column {by!r}: expected a value for each candidate; got null")
    refuse_null(batch, hyp, lambda i: f"{by} {segments[i].as_py()!r}")
    if order is not None:
        refuse_null(batch, order, lambda i: f"{by} {segments[i].as_py()!r}")
        i = first_repeated(batch.column(order), first)
        if i is not None:
            raise ValueError(
                f"{by} {segments[i].as_py()!r}, column {order!r}: expected a value of its own for "
                f"each candidate; got {batch.column(order)[i].as_py()!r} again"
            )


def begins(column: Any) -> Any:
    """Return the indices where the value of a nonempty column changes; each null is a change."""
    compute = import_module("pyarrow.compute")
    same = compute.equal(column.slice(1), column.slice(0, len(column) - 1))
    changes = compute.invert(compute.fill_null(same, False))
    return np.append(0, np.flatnonzero(changes.to_numpy(zero_copy_only=False)) + 1)


def first_repeated(column: Any, groups: Any) -> int | None:
    """Return the index of the first value that repeats the one before it in the same group.

    `column` has no nulls and is sorted within each group; `groups` contains the start indices.
    """
    changes = np.union1d(groups, begins(column))
    if len(changes) == len(column):
        return None
    return int(np.setdiff1d(np.arange(len(column)), changes)[0])
