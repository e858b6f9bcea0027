"""The Poisson bootstrap of rows of statistics, each partition where it is."""

from __future__ import annotations

from functools import partial
from importlib import import_module

from rapidbleu._lib.checks import check_count, check_level
from rapidbleu._lib.lazy import np
from rapidbleu.rows.labels import ID
from rapidbleu.significance.resamples import poisson_sums, score_of_sums
from rapidbleu.spark.columns import metric_of, statistics_of
from rapidbleu.spark.frames import IDS, check_column, quoted
from rapidbleu.spark.sums import added_up
from rapidbleu.stats import MAX_COUNT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from pyspark.sql import DataFrame

    from rapidbleu.score import RowScoring
    from rapidbleu.significance.result import ResampledScore
    from rapidbleu.typing import IntArray

RESAMPLE = "resample"  # the column of their numbers, from 1 on; 0 is the corpus itself
MOST_SEED = 2**64 - 1


def bootstrap(
    st: DataFrame,
    n: int = 1000,
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
    n : int
        Resamples.
    seed : int
        From 0 to 2**64 - 1.
    level : float
        Share of the resamples' scores that lie in the interval.
    metric : metric, optional
        As in `score`.

    Returns
    -------
    ResampledScore
        That of `StatsTable.bootstrap` on one machine, to the last bit, however many partitions
        there are. Of two systems with the same ids the same samples are of the same resample: the
        differences of their samples are those of a paired test.

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
    >>> from rapidbleu.spark import bootstrap
    >>> bootstrap(st)  # doctest: +SKIP
    """
    own = metric_of(st, metric)
    check_count("n", n, 1, 2**31 - 1)
    check_count("seed", seed, 0, MOST_SEED)
    check_level(level)
    check_column(st, ID, "st", IDS, "strings or integers")
    from pyspark.sql.types import IntegerType, LongType, StructField, StructType

    statistics = statistics_of(own)
    schema = [StructField(RESAMPLE, IntegerType(), False)]
    schema += [StructField(name, LongType(), False) for name in statistics]
    parts = st.select(*map(quoted, (ID, *statistics))).mapInArrow(
        partial(resampled_sums, statistics=statistics, n=n, seed=seed), StructType(schema)
    )
    found = added_up(parts, statistics, RESAMPLE)
    sums = np.array([found[i] for i in sorted(found)], np.int64).reshape(-1, len(statistics))
    score = own.score(sums[:1])
    return score_of_sums(own, score, sums[1:], level)


def resampled_sums(
    batches: Iterable[Any], statistics: tuple[str, ...], n: int, seed: int
) -> Iterator[Any]:
    """Yield one batch: the sums of all rows, and those of each resample.

    Parameters
    ----------
    batches : iterable of pyarrow.RecordBatch
        With the columns ``id`` and `statistics`.
    statistics : tuple of str
    n, seed
        As in `bootstrap`.

    Yields
    ------
    pyarrow.RecordBatch
        The columns ``resample``, which is 0 for all rows, and `statistics`. None without rows.
    """
    sums = np.zeros((n + 1, len(statistics)), np.int64)
    done = 0
    for batch in batches:
        ids, rows = _read(batch, statistics, done)
        if len(rows):
            sums[1:] += poisson_sums(rows, ids, n, seed)
            sums[0] += rows.sum(axis=0)  # at most 2**60 each, as was checked
            if sums.max() > MAX_COUNT:
                raise ValueError(f"rows: expected sums of at most 2**60, got {sums.max()}")
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
            raise TypeError(f"part of st, row {i}, column {name!r}: expected a value, got null")
    ids = batch.column(ID)
    integers = import_module("pyarrow").types.is_integer(ids.type)
    columns = [batch.column(name).to_numpy() for name in statistics]
    return ids.to_numpy() if integers else ids.to_pylist(), np.column_stack(columns)
