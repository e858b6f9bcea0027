"""Rows of statistics and choices of candidates in tasks, and the sums that Spark makes of rows."""

from __future__ import annotations

import json
from functools import partial, reduce
from importlib import import_module

from rapidbleu._lib.checks import check_count, check_level
from rapidbleu._lib.lazy import np
from rapidbleu.metrics import BLEU
from rapidbleu.rows.kinds import (
    Kind,
    describe_metric,
    make_metric,
    signature_of,
    split_signature,
)
from rapidbleu.rows.labels import ID
from rapidbleu.score import RowScoring
from rapidbleu.significance.resamples import score_of_sums, sum_resamples
from rapidbleu.stats import MAX_COUNT
from rapidbleu.streams.tables import scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence
    from typing import Any

    from pyspark.sql import DataFrame

    from rapidbleu._types import IntArray, Items
    from rapidbleu.metrics.metric import Metric
    from rapidbleu.score import Score
    from rapidbleu.significance.result import ResampledScore

KEY = "rapidbleu"  # in the metadata of columns
RESAMPLE = "resample"  # the column of their numbers, from 1 on; 0 is the corpus itself
MOST_SEED = 2**64 - 1
SCORE, CANDIDATES = "score", "candidates"  # columns of `mbr`

TEXT = frozenset(["string"])
TEXTS = "array<string>"
INTEGERS = frozenset(["tinyint", "smallint", "int", "bigint"])
IDS = TEXT | INTEGERS
ORDERED = IDS | {"boolean", "date"}  # of which each value is another one in Python, and ordered
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
        `BLEU()` by default.
    hyp : str
        Column of the hypotheses.
    refs : str or sequence of str
        Columns of the references, or one of arrays of references.
    id_column : str, optional
        Column of the ids of segments, text or integers, which `poisson_bootstrap` needs; each
        segment has another one.
    keep : str or sequence of str
        More columns, of any type.

    Returns
    -------
    DataFrame
        A row for each segment: ``id``, if there is one, the columns that are kept, and a bigint
        column for each statistic, as `StatsTable` has them. The metadata of these columns says
        which metric they are of; files of Parquet keep it.

    Raises
    ------
    TypeError, ValueError
        Before a job is run, if names are those of no columns or clash, or types do not fit; and if
        rows of the metric do not add up (`NIST` and `CIDErD` without `information`).
        A null among hypotheses ends the job, and its error names row and column.

    Notes
    -----
    Nothing is computed until the result is used, and then as often as that: write it before several
    scores are made of it. Spark commits the output of a task once, so rows are neither lost nor
    doubled if tasks fail, are retried or run twice; with ``mode("append")`` a program that is run
    again adds its rows again, with ``mode("overwrite")`` it does not.

    rapidbleu has to be installed where executors run. A task uses one thread unless the metric has
    more.

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
    own = BLEU() if metric is None else metric
    if not hasattr(own, "map_stats"):
        raise TypeError(f"metric: expected a metric of text; got {type(own).__name__}")
    own.map_stats((), hyp, refs, id_column, keep)  # refuses what it refuses in tasks
    texts = scan((), hyp, refs, id_column, keep)
    _check_types(df, hyp, texts._refs, id_column, texts.keep)
    from pyspark.sql.types import LongType, StructField, StructType

    statistics = own._stat_names()
    fields: list[Any] = [df.schema[name] for name in texts.keep]
    if id_column is not None:
        ids = df.schema[id_column]
        fields.insert(0, StructField(ID, ids.dataType, ids.nullable))
    check_other_names([*(field.name for field in fields), *statistics], "keep")
    fields += [StructField(name, LongType(), False) for name in statistics]
    names = dict.fromkeys((hyp, *texts._refs, *texts.labels))
    rows = df.select(*map(quoted, names)).mapInArrow(
        partial(own.map_stats, hyp=hyp, refs=texts._refs, id_column=id_column, keep=texts.keep),
        StructType(fields),
    )
    return with_metric(rows, own)


def _check_types(
    df: DataFrame, hyp: str, refs: tuple[str, ...], id_column: str | None, keep: tuple[str, ...]
) -> None:
    """Refuse columns that are not there, or whose types do not fit."""
    check_column(df, hyp, "hyp", TEXT, "strings")
    for name in refs:
        if len(refs) == 1:
            check_column(df, name, "refs", TEXT | {TEXTS}, "strings or arrays of strings")
        else:
            check_column(df, name, "refs", TEXT, "strings")
    if id_column is not None:
        check_column(df, id_column, "id_column", IDS, "strings or integers")
    for name in keep:
        check_column(df, name, "keep")


def score(
    st: DataFrame, by: str | None = None, metric: RowScoring | None = None
) -> Score | dict[Any, Score]:
    """Score the corpus, or the parts of it that have the same value in a column.

    Parameters
    ----------
    st : DataFrame
        Rows of statistics, as `stats` gives them.
    by : str, optional
        A column of strings, integers, booleans or dates.
    metric : metric, optional
        By default the one that the columns of statistics name, as those of `stats` do.

    Returns
    -------
    Score, or dict of the values to Score
        What `metric.score` gives for the sum of the rows, to the last bit. Values are in ascending
        order, and None is the last.

    Raises
    ------
    TypeError, ValueError
        If a column is missing or of another type, rows have nulls or numbers below zero, a sum is
        over 2**60, or there are no rows.

    Notes
    -----
    One aggregation: each task sends one row of sums for each value. Sums are exact and do not
    depend on the order of tasks. `TER` against numbers of references that are not powers of two
    is the score of the exact sum, as of `corpus_stats`, while `TER.corpus_score` adds lengths up as
    doubles; they may differ in the last digits.

    Examples
    --------
    >>> from rapidbleu.spark import score
    >>> score(st)  # doctest: +SKIP
    >>> score(st, by="lang")["de"].score  # doctest: +SKIP
    """
    own: Any = metric_of(st, metric)
    statistics = statistics_of(own)
    if by is not None:
        if by in statistics:
            raise ValueError(f"by: expected a column other than statistics; got {by!r}")
        check_column(st, by, "by", ORDERED, SOME_ORDERED)
    sums = added_up(st, statistics, by)
    if not sums:
        own.score(np.zeros((0, len(statistics)), np.int64))  # refuses it, as it does everywhere
    if by is None:
        found: Score = own.score(sums[None])
        return found
    ordered = sorted(sums, key=lambda value: (value is None, value))
    return {value: own.score(sums[value]) for value in ordered}


def added_up(
    st: DataFrame, statistics: Sequence[str], by: str | None = None
) -> dict[Any, list[int]]:
    """Return the sums of columns by the values of another, or by None; nothing without rows.

    ValueError if there are nulls or numbers below zero, or a sum is over 2**60. Whether Spark's own
    sum notices that it is beyond 64 bits depends on the session (``spark.sql.ansi.enabled``);
    ``try_sum`` always does, and is null then. Of counts no part has a larger sum than the whole, so
    that is the case if and only if the sum is beyond.
    """
    from pyspark.sql import functions

    columns = [functions.col(quoted(name)) for name in statistics]
    valid = reduce(
        lambda one, other: one & other, (column.isNotNull() & (column >= 0) for column in columns)
    )
    keys = [] if by is None else [functions.col(quoted(by))]
    found = st.groupBy(*keys).agg(
        functions.count("*"), functions.count_if(~valid), *map(functions.try_sum, columns)
    )
    sums: dict[Any, list[int]] = {}
    for row in found.collect():
        key, n_rows, n_wrong, *own = row if keys else (None, *row)
        if not n_rows:
            return {}
        if n_wrong:
            raise ValueError(f"st: expected counts; got nulls or less than 0 in {n_wrong} rows")
        for name, number in zip(statistics, own, strict=True):
            if number is None or number > MAX_COUNT:
                got = "more than 2**63" if number is None else number
                raise ValueError(f"{name}: expected a sum of at most 2**60; got {got}")
        sums[key] = own
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
        Rows of statistics, as `stats` gives them, with a column ``id``; each row has another one.
    n_resamples, seed, level
        As in `StatsTable.poisson_bootstrap`.
    metric : metric, optional
        As in `score`.

    Returns
    -------
    ResampledScore
        That of `StatsTable.poisson_bootstrap` on one machine, to the last bit, however many
        partitions there are. Of two systems with the same ids the same samples are of the same
        resample: the differences of their samples are those of a paired test.

    Raises
    ------
    TypeError, ValueError
        If an argument is wrong, there is no column ``id``, or there are no rows. An id that is null
        and rows that are no counts end the job with an error that says so. That no id comes twice
        is not checked.

    Notes
    -----
    Each partition gives n rows of sums, whatever its size, and Spark adds them up. Time is linear
    in rows times resamples.

    Examples
    --------
    >>> from rapidbleu.spark import poisson_bootstrap
    >>> poisson_bootstrap(st)  # doctest: +SKIP
    """
    own = metric_of(st, metric)
    check_count("n_resamples", n_resamples, 1, 2**31 - 1)
    check_count("seed", seed, 0, MOST_SEED)
    check_level(level)
    check_column(st, ID, "st", IDS, "strings or integers")
    from pyspark.sql.types import IntegerType, LongType, StructField, StructType

    statistics = statistics_of(own)
    schema = [StructField(RESAMPLE, IntegerType(), False)]
    schema += [StructField(name, LongType(), False) for name in statistics]
    parts = st.select(*map(quoted, (ID, *statistics))).mapInArrow(
        partial(resampled_sums, statistics=statistics, n=n_resamples, seed=seed), StructType(schema)
    )
    found = added_up(parts, statistics, RESAMPLE)
    sums = np.array([found[i] for i in sorted(found)], np.int64).reshape(-1, len(statistics))
    score = own.score(sums[:1])
    return score_of_sums(own, score, sums[1:], level)


def resampled_sums(
    batches: Iterable[Any], statistics: tuple[str, ...], n: int, seed: int
) -> Iterator[Any]:
    """Yield one batch, or none without rows: the sums of all rows, and those of each resample.

    `batches` are record batches of pyarrow with the columns ``id`` and `statistics`. The batch has
    the columns ``resample``, which is 0 for all rows, and `statistics`.
    """
    sums = np.zeros((n + 1, len(statistics)), np.int64)
    done = 0
    for batch in batches:
        ids, rows = _read(batch, statistics, done)
        if len(rows):
            sums[1:] += sum_resamples(rows, ids, n, seed)
            sums[0] += rows.sum(axis=0)  # at most 2**60 each, as was checked
            if sums.max() > MAX_COUNT:
                raise ValueError(f"rows: expected sums of at most 2**60; got {sums.max()}")
        done += len(rows)
    if done:
        pyarrow = import_module("pyarrow")
        columns = {RESAMPLE: pyarrow.array(np.arange(n + 1, dtype=np.int32))}
        columns |= {name: pyarrow.array(sums[:, j]) for j, name in enumerate(statistics)}
        yield pyarrow.RecordBatch.from_pydict(columns)


def _read(batch: Any, statistics: tuple[str, ...], done: int) -> tuple[Any, IntArray]:
    """Return the ids and the rows of a batch, of which none is null."""
    compute = import_module("pyarrow.compute")
    for name in (ID, *statistics):
        column = batch.column(name)
        if column.null_count:
            i = done + compute.index(column.is_null(), True).as_py()
            raise TypeError(f"part of st, row {i}, column {name!r}: expected a value; got null")
    ids = batch.column(ID)
    integers = import_module("pyarrow").types.is_integer(ids.type)
    columns = [batch.column(name).to_numpy() for name in statistics]
    return ids.to_numpy() if integers else ids.to_pylist(), np.column_stack(columns)


# The metric of statistics, in the metadata of their columns


def statistics_of(metric: Any) -> tuple[str, ...]:
    """Return the names of the columns of statistics; of metrics without texts ``stat_0`` and so on.

    Examples
    --------
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
    """Return a DataFrame whose columns of statistics say which metric they are of.

    `num_refs` is how many references each segment has; -1: it varies. Parquet keeps the metadata,
    and so does everything that leaves a column as it is.
    """
    described = describe_metric(metric)
    described["options"] = json.dumps(described["options"])  # Spark has no lists of mixed numbers
    described["signature"] = signature_of(metric, num_refs)
    for name in statistics_of(metric):
        df = df.withMetadata(name, {KEY: described})
    return df


def metric_of(st: Any, metric: Any = None) -> Any:
    """Return the metric that the statistics of a DataFrame are of.

    By default it is the one that the columns name; if they name one, a given one must be of the
    same kind. TypeError or ValueError if there is none, or it is another one, or a column of its
    statistics is missing or does not hold integers.
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
    """Return what columns say of their metric; refuse those of several ones."""
    found: dict[str, Any] = {
        field.name: field.metadata[KEY] for field in st.schema.fields if KEY in field.metadata
    }
    if not found:
        return None
    first, *others = found
    for name in others:
        if found[name] != found[first]:
            raise ValueError(
                f"st: expected statistics of one metric; got {_kind(found[first])} in {first!r} "
                f"and {_kind(found[name])} in {name!r}"
            )
    return dict(found[first])


def _kind(described: dict[str, Any]) -> str:
    """Return what `Kind.text` is of a metric that columns describe."""
    return f"{described['score']}|{split_signature(described['signature'])[1]}"


def _compare(described: dict[str, Any], metric: Any) -> None:
    """Refuse a metric of another kind than columns describe."""
    kind = Kind(metric) if hasattr(metric, "_calls") else None
    text = type(metric).__name__ if kind is None else kind.text
    if text != _kind(described):
        raise ValueError(f"metric: expected {_kind(described)}, as st has; got {text}")
    for name, digest in kind.digests.items() if kind is not None else ():
        if described["given"].get(name) != digest:
            raise ValueError(f"metric: expected the same {name} as st has; got other references")


# Columns of DataFrames by name, and their types


def check_frame(df: Any, where: str) -> None:
    """Refuse what is no DataFrame of Spark."""
    if not hasattr(df, "mapInArrow"):
        raise TypeError(f"{where}: expected a Spark DataFrame; got {type(df).__name__}")


def quoted(name: str) -> str:
    """Return the name of a column as Spark wants it where dots lead into structures.

    Examples
    --------
    >>> quoted("a.b")
    '`a.b`'
    """
    return "`" + name.replace("`", "``") + "`"


def check_column(
    df: DataFrame, name: Any, where: str, types: Container[str] | None = None,
    expected: str = "",
) -> None:  # fmt: skip
    """Refuse a column that is not there, or whose type Spark writes otherwise than one of `types`.

    Errors call the argument `where`, and what fits `expected`.
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
    """Refuse columns of one DataFrame whose names Spark takes for the same."""
    seen: dict[str, str] = {}
    for name in names:
        if name.lower() in seen:
            raise ValueError(
                f"{where}: expected names that differ in more than case; got "
                f"{seen[name.lower()]!r} and {name!r}"
            )
        seen[name.lower()] = name


# Minimum Bayes risk decoding of candidates in groups, each of them whole in one task


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
    check_comparing(own)
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
        partial(chosen, metric=own, by=by, hyp=hyp, keep=kept, order=order), StructType(fields)
    )


def check_comparing(metric: Any) -> None:
    """Refuse a metric that cannot compare two candidates."""
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
    batches: Iterable[Any], metric: Metric, by: str, hyp: str, keep: tuple[str, ...],
    order: str | None,
) -> Iterator[Any]:  # fmt: skip
    """Yield a batch with a row for each segment: the choices among candidates in their order.

    `batches` are record batches of pyarrow, sorted by segment; the other arguments are as in
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
        raise TypeError(f"column {by!r}: expected a value for each candidate; got null")
    for name in (hyp,) if order is None else (hyp, order):
        column = batch.column(name)
        if column.null_count:
            i = compute.index(column.is_null(), True).as_py()
            raise TypeError(
                f"{by} {segments[i].as_py()!r}, column {name!r}: expected a value; got null"
            )
    if order is not None:
        i = first_repeated(batch.column(order), first)
        if i is not None:
            raise ValueError(
                f"{by} {segments[i].as_py()!r}, column {order!r}: expected a value of its own for "
                f"each candidate; got {batch.column(order)[i].as_py()!r} again"
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
