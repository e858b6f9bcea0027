"""N-best lists in a Spark DataFrame as the ground of climbs: one job for what they ask together."""

from contextlib import contextmanager
from importlib import import_module

from rapidbleu.spark.answers import ANSWERS, answering, telling_variances, variances_schema
from rapidbleu.spark.blocks import (
    FEATURES,
    N_FEATURES,
    ORDER,
    PROBLEM,
    SEGMENT,
    SEGMENTS,
    TOP,
    block_schema,
    packing,
)
from rapidbleu.spark.columns import metric_of, statistics_of
from rapidbleu.spark.frames import IDS, check_column, quoted
from rapidbleu.stats import MAX_COUNT
from rapidbleu.tuning.lists.checks import check_names
from rapidbleu.tuning.parts.ground import PartedGround
from rapidbleu.tuning.search.limits import ranges_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from rapidbleu.scoring import RowScoring
    from rapidbleu.tuning.search.asking import Ask
    from rapidbleu.typing import FloatArray


REALS = frozenset(["array<double>", "array<float>"])


@contextmanager
def ground_on(
    st: "Any", segment: str, features: str, order: "str | None",
    metric: "RowScoring | None", names: "Sequence[str] | None",
) -> "Iterator[SparkGround]":  # fmt: skip
    """Give the ground that a DataFrame is, which is persisted meanwhile.

    The parameters are those of `rapidbleu.spark.line_search`.
    """
    metric = metric_of(st, metric)
    sorted_rows, kind = _candidates(st, segment, features, order, statistics_of(metric))
    pack = packing(metric, statistics_of(metric), order is not None)
    blocks = sorted_rows.mapInArrow(pack, block_schema(kind)).persist()
    try:
        yield SparkGround(blocks, kind, metric, names)
    finally:
        blocks.unpersist()


class SparkGround(PartedGround):
    """Blocks of candidates in a DataFrame.

    Parameters
    ----------
    blocks : pyspark.sql.DataFrame
    kind : str
        The type of segments.
    metric : metric
    names : sequence of str, optional
    """

    def __init__(
        self, blocks: "Any", kind: str, metric: "RowScoring", names: "Sequence[str] | None"
    ) -> None:
        self.blocks = blocks
        self.kind = kind
        rows = blocks.selectExpr(
            PROBLEM, f"{SEGMENTS}[0] AS first", f"size({SEGMENTS}) AS n", N_FEATURES, TOP
        ).toArrow().to_pylist()
        if not rows:
            raise ValueError("st: expected a candidate at least, got none")
        rows.sort(key=lambda row: [key for key in [row["first"]] if key is not None])
        for row in rows:
            if row[PROBLEM] is not None:
                raise ValueError(f"st: {row[PROBLEM]}")
        n_features = rows[0][N_FEATURES]
        for row in rows:
            if row[N_FEATURES] != n_features:
                raise ValueError(
                    f"st: segment {row['first']!r}: expected {n_features} features, as in segment "
                    f"{rows[0]['first']!r}, got {row[N_FEATURES]}"
                )
        if sum(row[TOP] for row in rows) > MAX_COUNT:
            raise ValueError("st: expected sums of at most 2**60 over all segments, got more")
        n_segments = sum(row["n"] for row in rows)
        super().__init__(metric, check_names(names, n_features), len(rows), n_segments)

    def ask_parts(self, asks: "list[Ask]") -> "Iterable[tuple[int, bytes]]":
        """Return what each block answers, from one job."""
        table = self.blocks.mapInArrow(answering(asks, self.metric), ANSWERS).toArrow()
        problems = [text for text in table[PROBLEM].to_pylist() if text is not None]
        if problems:
            raise ValueError(min(problems))
        return zip(table["number"].to_pylist(), table["events"].to_pylist(), strict=True)

    def ranges(self) -> "FloatArray":
        """Return ranges of weights in which each feature can tell as much as any other."""
        import numpy as np

        compute = import_module("pyarrow.compute")
        tell, schema = telling_variances(self.metric), variances_schema(self.kind)
        table = self.blocks.mapInArrow(tell, schema).toArrow()
        order = compute.sort_indices(compute.list_flatten(table[SEGMENTS])).to_numpy()
        parts = [
            np.frombuffer(data).reshape(len(self.names), -1)
            for data in table["variances"].to_pylist()
        ]
        return ranges_of(np.ascontiguousarray(np.concatenate(parts, axis=1)[:, order]))


def _candidates(
    st: "Any", segment: str, features: str, order: "str | None", statistics: tuple[str, ...]
) -> "tuple[Any, str]":
    """Return candidates by segment, sorted, as `packing` wants them, and the type of segments."""
    check_column(st, segment, "segment", IDS, "strings or integers")
    check_column(st, features, "features", REALS, "arrays of double or float")
    if order is not None:
        check_column(st, order, "order")
    kind = str(st.schema[segment].dataType.simpleString())
    numbers = [f"stat_{i}" for i in range(len(statistics))]
    rows = st.select(
        st[quoted(segment)].alias(SEGMENT),
        st[quoted(features)].alias(FEATURES),
        *(
            st[quoted(name)].cast("bigint").alias(number)
            for name, number in zip(statistics, numbers, strict=True)
        ),
        *([] if order is None else [st[quoted(order)].alias(ORDER)]),
    )
    by = [FEATURES, *numbers] if order is None else [ORDER]
    return rows.repartition(SEGMENT).sortWithinPartitions(SEGMENT, *by), kind
