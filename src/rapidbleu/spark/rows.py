"""Segments to rows of statistics, in the tasks that read them."""

from __future__ import annotations

from functools import partial

from rapidbleu.metrics import BLEU
from rapidbleu.rows.labels import ID
from rapidbleu.spark.columns import with_metric
from rapidbleu.spark.frames import (
    IDS,
    TEXT,
    TEXTS,
    check_column,
    check_frame,
    check_other_names,
    quoted,
)
from rapidbleu.streams.scan import scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pyspark.sql import DataFrame

    from rapidbleu.metrics.metric import Metric
    from rapidbleu.typing import Items


def stats(
    df: DataFrame,
    metric: Metric | None = None,
    hyp: str = "hyp",
    refs: str | Items[str] = "ref",
    id: str | None = None,
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
    id : str, optional
        Column of the ids of segments, text or integers, which `bootstrap` needs; each segment has
        another one.
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
        raise TypeError(f"metric: expected a metric of text, got {type(own).__name__}")
    own.map_stats((), hyp, refs, id, keep)  # refuses what it refuses in tasks
    texts = scan((), hyp, refs, id, keep)
    _check_types(df, hyp, texts._refs, id, texts.keep)
    from pyspark.sql.types import LongType, StructField, StructType

    statistics = own._stat_names()
    fields: list[Any] = [df.schema[name] for name in texts.keep]
    if id is not None:
        fields.insert(0, StructField(ID, df.schema[id].dataType, df.schema[id].nullable))
    check_other_names([*(field.name for field in fields), *statistics], "keep")
    fields += [StructField(name, LongType(), False) for name in statistics]
    names = dict.fromkeys((hyp, *texts._refs, *texts.labels))
    rows = df.select(*map(quoted, names)).mapInArrow(
        partial(own.map_stats, hyp=hyp, refs=texts._refs, id=id, keep=texts.keep),
        StructType(fields),
    )
    return with_metric(rows, own)


def _check_types(
    df: DataFrame, hyp: str, refs: tuple[str, ...], id: str | None, keep: tuple[str, ...]
) -> None:
    """Refuse columns that are not there, or whose types do not fit."""
    check_column(df, hyp, "hyp", TEXT, "strings")
    for name in refs:
        if len(refs) == 1:
            check_column(df, name, "refs", TEXT | {TEXTS}, "strings or arrays of strings")
        else:
            check_column(df, name, "refs", TEXT, "strings")
    if id is not None:
        check_column(df, id, "id", IDS, "strings or integers")
    for name in keep:
        check_column(df, name, "keep")
