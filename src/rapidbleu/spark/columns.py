"""Columns of statistics in Spark DataFrames, and the metric that they are of, in their metadata."""

from __future__ import annotations

import json

from rapidbleu.rows.kinds import (
    Kind,
    describe_metric,
    digests_of,
    make_metric,
    signature_of,
    split_signature,
)
from rapidbleu.score import RowScoring
from rapidbleu.spark.frames import INTEGERS, check_column, check_frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KEY = "rapidbleu"  # in the metadata of columns


def statistics_of(metric: Any) -> tuple[str, ...]:
    """Return the names of the columns of statistics; of metrics without texts ``stat_0`` and so on.

    Examples
    --------
    >>> from rapidbleu import BLEU, MeanScore
    >>> statistics_of(BLEU(max_ngram_order=1))
    ('hyp_len', 'ref_len', 'correct_1', 'total_1')
    >>> statistics_of(MeanScore())
    ('stat_0', 'stat_1', 'stat_2', 'stat_3', 'stat_4')
    """
    name_stats = getattr(metric, "_stat_names", None)
    if name_stats is not None:
        return tuple(name_stats())
    return tuple(f"stat_{i}" for i in range(metric._kernel.n_stats))


def with_metric(df: Any, metric: Any, num_refs: int = -1) -> Any:
    """Return a DataFrame whose columns of statistics say which metric they are of.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        With the columns that `statistics_of` names.
    metric : metric
        Of text.
    num_refs : int
        How many references each segment has; -1: it varies.

    Returns
    -------
    pyspark.sql.DataFrame
        Parquet keeps the metadata, and so does everything that leaves a column as it is.
    """
    described = describe_metric(metric)
    described["options"] = json.dumps(described["options"])  # Spark has no lists of mixed numbers
    described["signature"] = signature_of(metric, num_refs)
    for name in statistics_of(metric):
        df = df.withMetadata(name, {KEY: described})
    return df


def metric_of(st: Any, metric: Any = None) -> Any:
    """Return the metric that the statistics of a DataFrame are of.

    Parameters
    ----------
    st : pyspark.sql.DataFrame
    metric : metric, optional
        By default the one that the columns name; if they name one, it must be of the same kind.

    Returns
    -------
    metric

    Raises
    ------
    TypeError, ValueError
        If there is none, or it is another one, or a column of its statistics is missing or does not
        hold integers.
    """
    check_frame(st, "st")
    if metric is not None and not isinstance(metric, RowScoring):
        raise TypeError(f"metric: expected a metric, got {type(metric).__name__}")
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
        raise TypeError("metric: expected one, as no column of st names it, got None")
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
                f"st: expected statistics of one metric, got {_kind(found[first])} in {first!r} "
                f"and {_kind(found[name])} in {name!r}"
            )
    return dict(found[first])


def _kind(described: dict[str, Any]) -> str:
    """Return what `Kind.text` is of a metric that columns describe."""
    return f"{described['score']}|{split_signature(described['signature'])[1]}"


def _compare(described: dict[str, Any], metric: Any) -> None:
    """Refuse a metric of another kind than columns describe."""
    own = Kind(metric).text if hasattr(metric, "_calls") else type(metric).__name__
    if own != _kind(described):
        raise ValueError(f"metric: expected {_kind(described)}, as st has, got {own}")
    for name, digest in digests_of(metric._changed_options()).items():
        if described["given"].get(name) != digest:
            raise ValueError(f"metric: expected the same {name} as st has, got other references")
