"""Sums of rows of statistics, added up by Spark, and their scores."""

from __future__ import annotations

from functools import reduce

from rapidbleu._lib.lazy import np
from rapidbleu.spark.columns import metric_of, statistics_of
from rapidbleu.spark.frames import ORDERED, SOME_ORDERED, check_column, quoted
from rapidbleu.stats import MAX_COUNT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from pyspark.sql import DataFrame

    from rapidbleu.score import RowScoring, Score


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
            raise ValueError(f"by: expected a column other than statistics, got {by!r}")
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

    Parameters
    ----------
    st : DataFrame
    statistics : sequence of str
        Columns of integers.
    by : str, optional

    Raises
    ------
    ValueError
        If there are nulls or numbers below zero, or a sum is over 2**60.

    Notes
    -----
    Whether Spark's own sum notices that it is beyond 64 bits depends on the session
    (``spark.sql.ansi.enabled``); ``try_sum`` always does, and is null then. Of counts no part has a
    larger sum than the whole, so that is the case if and only if the sum is beyond.
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
            raise ValueError(f"st: expected counts, got nulls or less than 0 in {n_wrong} rows")
        for name, number in zip(statistics, own, strict=True):
            if number is None or number > MAX_COUNT:
                got = "more than 2**63" if number is None else number
                raise ValueError(f"{name}: expected a sum of at most 2**60, got {got}")
        sums[key] = own
    return sums
