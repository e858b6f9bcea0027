"""Line searches and MERT on a cluster of two executors: every number is that of one machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rapidbleu.spark
from rapidbleu import BLEU, TER, MeanScore
from rapidbleu.rows.kinds import Kind
from rapidbleu.spark.columns import metric_of, statistics_of, with_metric
from rapidbleu.tuning import NBestList, line_search, mert
from support.tuning_lists import made, planted

pa = pytest.importorskip("pyarrow")
pytestmark = pytest.mark.slow

SKEWED = (1, 900, 2, 3, 1, 40, 8, 5)


def frame(spark: Any, nbest: NBestList, names: list[Any] | None = None, seed: int = 0) -> Any:
    """The candidates of a list in a DataFrame, in any order."""
    lengths = np.diff(nbest.offsets)
    names = nbest.ids.tolist() if names is None else names
    single = nbest.features.dtype == np.float32
    columns = {
        "segment": [n for n, k in zip(names, lengths, strict=True) for _ in range(k)],
        "features": pa.array(
            nbest.features.tolist(), pa.list_(pa.float32() if single else pa.float64())
        ),
        "rank": np.concatenate([np.arange(n) for n in lengths]),
    }
    statistics = statistics_of(nbest.metric)
    columns |= dict(zip(statistics, np.ascontiguousarray(nbest.stats.T), strict=True))
    order = np.random.default_rng(seed).permutation(len(nbest))
    return spark.createDataFrame(pa.table(columns).take(pa.array(order)))


@contextmanager
def settings(spark: Any, **values: Any) -> Iterator[None]:
    """Options of Spark's SQL for a while."""
    names = {name: f"spark.sql.{name.replace('_', '.')}" for name in values}
    before = {name: spark.conf.get(names[name]) for name in values}
    for name, value in values.items():
        spark.conf.set(names[name], str(value))
    try:
        yield
    finally:
        for name, value in before.items():
            spark.conf.set(names[name], value)


def partitions(spark: Any, n: int) -> Any:
    return settings(spark, shuffle_partitions=n, adaptive_enabled="false")


def numbers(result: Any) -> Any:
    """Every number of a result."""
    found = dict(vars(result))
    if "starts" in found:
        found["starts"] = [
            {name: np.asarray(value).tolist() for name, value in one.items()}
            for one in found["starts"]
        ]
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in found.items()
    }


# Line searches


@pytest.mark.parametrize(
    ("n", "options"),
    [
        (1, {}),
        (2, {"moses_compat": True, "smooth": ("mean", 1)}),
        (7, {"bounds": (-0.5, 3.0)}),
        (7, {"smooth": ("min", 2), "moses_compat": True, "bounds": (-1, 1)}),
    ],
)
def test_line_search(spark: Any, n: int, options: dict[str, Any]) -> None:
    nbest = made(n, SKEWED, 3, np.float64)
    weights, direction = np.random.default_rng(n).normal(size=(2, 3))
    expected = line_search(nbest, weights, direction, **options)
    with partitions(spark, n):
        found = rapidbleu.spark.line_search(
            frame(spark, nbest), weights, direction, order="rank", metric=nbest.metric, **options
        )
    assert type(found) is type(expected)
    assert numbers(found) == numbers(expected)
    assert len(found.boundaries) > 10


@pytest.mark.parametrize("rows", [1, 3, 50])
def test_segments_span_batches(spark: Any, rows: int) -> None:
    nbest = made(1, SKEWED, 2, np.float32)
    names = [f"s{i}" for i in range(len(SKEWED))]
    expected = line_search(nbest, [1, 0.5], [1, 0])
    with settings(spark, execution_arrow_maxRecordsPerBatch=rows):
        found = rapidbleu.spark.line_search(
            frame(spark, nbest, names), [1, 0.5], [1, 0], order="rank", metric=nbest.metric
        )
    assert numbers(found) == numbers(expected)


def test_names_and_columns(spark: Any) -> None:
    """Names of columns with dots; other integers; names of features."""
    nbest = made(9, [4] * 10, 2, np.float64)
    st = frame(spark, nbest).withColumnsRenamed(
        {"segment": "a.b", "features": "c`d", "rank": "order by"}
    )
    st = st.withColumn("rest", st.hyp_len * 0.5)
    st = st.withColumn("hyp_len", st.hyp_len.cast("int"))
    found = rapidbleu.spark.line_search(
        st, {"lm": 1, "tm": 2}, {"tm": 1, "lm": 0}, segment="a.b", features="c`d",
        order="order by", metric=nbest.metric, names=["lm", "tm"],
    )  # fmt: skip
    assert numbers(found) == numbers(line_search(nbest, [1, 2], [0, 1]))


def test_without_an_order(spark: Any) -> None:
    """Candidates are in the order of their features and statistics then."""
    random = np.random.default_rng(4)
    features = random.integers(0, 2, size=(300, 2)).astype(float)
    lengths = random.integers(1, 9, 300)
    stats = np.stack([random.integers(0, 9, 300), lengths, 0 * lengths, 0 * lengths], axis=1)
    nbest = NBestList(features, stats, range(0, 301, 10), metric=TER())
    order = np.concatenate([
        begin + np.lexsort(np.hstack([own, rows])[:, ::-1].T)
        for begin, own, rows in zip(
            range(0, 300, 10), np.split(features, 30), np.split(stats, 30), strict=True
        )
    ])  # fmt: skip
    expected = NBestList(features[order], stats[order], nbest.offsets, metric=nbest.metric)
    for n in (1, 5):
        with partitions(spark, n):
            found = rapidbleu.spark.line_search(
                frame(spark, nbest, seed=n), [1, 1], [1, -0.5], metric=nbest.metric
            )
        assert numbers(found) == numbers(line_search(expected, [1, 1], [1, -0.5]))
    assert numbers(found) != numbers(line_search(nbest, [1, 1], [1, -0.5]))


# MERT


@pytest.mark.parametrize(
    ("n", "options"),
    [
        (1, {"restarts": 2}),
        (2, {"restarts": 2, "moses_compat": True, "smooth": ("mean", 1), "seed": 3}),
        (7, {"restarts": 3, "random_directions": 3, "bounds": {"F1": (-1, 1)}}),
        (7, {"weights": np.eye(4), "restarts": 1, "penalty": 0.5, "fixed": ["F3"]}),
        (3, {"restarts": 1, "ranges": {f"F{i}": (-1, 2) for i in range(4)}, "normalize": "l2"}),
    ],
)
def test_mert(spark: Any, n: int, options: dict[str, Any]) -> None:
    nbest = made(n, (*SKEWED, *[6] * 30), 4, np.float64 if n % 2 else np.float32)
    options = {"max_steps": 8, **options}
    expected = mert(nbest, **options)
    with partitions(spark, n):
        found = rapidbleu.spark.mert(
            frame(spark, nbest), order="rank", metric=nbest.metric, **options
        )
    assert type(found) is type(expected)
    assert numbers(found) == numbers(expected)
    assert found.history


def test_given_scores(spark: Any) -> None:
    """Metrics without texts, and segments with texts for names; these are sorted for ranges."""
    nbest, _ = planted(3, 30)
    names = sorted(f"segment {i}" for i in range(30))
    st = frame(spark, nbest, names)
    found = rapidbleu.spark.mert(st, restarts=2, order="rank", metric=MeanScore())
    assert numbers(found) == numbers(mert(nbest, restarts=2))


def test_jobs_and_what_is_left(spark: Any) -> None:
    nbest = made(5, [6] * 30, 4)
    st = frame(spark, nbest)
    context = spark.sparkContext
    context.setJobGroup("counted", "mert")
    told: list[Any] = []
    with partitions(spark, 2):
        found = rapidbleu.spark.mert(
            st, order="rank", metric=nbest.metric, restarts=4, ranges=[(-1, 1)] * 4,
            progress=lambda *both: told.append(both),
            callback=lambda entry: told.append(context._jsc.getPersistentRDDs().size()),
        )  # fmt: skip
    context.setJobGroup("others", "")
    jobs = len(context.statusTracker().getJobIdsForGroup("counted"))
    most = max(climb["steps"] for climb in found.starts)
    assert most > 1
    assert jobs == 1 + 1 + most + 1 + 1  # blocks, starts, steps until none gains, the last score
    assert [one for one in told if isinstance(one, tuple)] == [(i, 5) for i in range(1, 6)]
    assert [one for one in told if isinstance(one, int)] == [1] * len(found.history)
    assert context._jsc.getPersistentRDDs().size() == 0


def test_interruption(spark: Any) -> None:
    nbest = made(5, [6] * 30, 4)

    def stop(entry: Any) -> None:
        raise KeyboardInterrupt

    found = rapidbleu.spark.mert(
        frame(spark, nbest), order="rank", metric=nbest.metric, callback=stop, restarts=0
    )
    assert found.interrupted
    assert len(found.history) == 1
    assert found.score == nbest.evaluate(found.weights)
    assert spark.sparkContext._jsc.getPersistentRDDs().size() == 0


# Metrics in metadata


def test_columns_name_the_metric(spark: Any, tmp_path: Path) -> None:
    metric = BLEU(tokenize="none", smooth_method="none", weights=[0.5, 0.5, 0, 0])
    nbest = made(5, [6] * 10, 3, np.float64)
    nbest = NBestList(nbest.features, nbest.stats, nbest.offsets, metric=metric)
    plain = frame(spark, nbest)
    named = with_metric(plain, metric, 1)
    assert named.columns == plain.columns
    named.write.parquet(str(tmp_path / "st"))
    st = spark.read.parquet(str(tmp_path / "st"))
    assert [field.name for field in st.schema if field.metadata] == [*statistics_of(metric)]
    found = metric_of(st)
    assert repr(found) == repr(metric)
    assert Kind(found).difference(Kind(metric)) == ""
    expected = numbers(line_search(nbest, [1, 1, 1], [1, 0, 0]))
    for given in (None, metric):
        own = rapidbleu.spark.line_search(
            st, [1, 1, 1], [1, 0, 0], order="rank", metric=given
        )
        assert numbers(own) == expected
    with pytest.raises(ValueError, match=r"^metric: expected BLEU\|.*, as st has, got BLEU\|"):
        metric_of(st, BLEU())
    with pytest.raises(ValueError, match=r"^metric: expected BLEU\|.*, as st has, got MeanScore"):
        metric_of(st, MeanScore())
    mixed = with_metric(st, BLEU(max_ngram_order=1))
    with pytest.raises(ValueError, match=r"^st: expected statistics of one metric, got BLEU"):
        metric_of(mixed)
    with pytest.raises(ValueError, match=r"^st: expected one column 'total_4', there are"):
        metric_of(st.drop("total_4"))


def test_functions_must_be_given(spark: Any) -> None:
    metric = BLEU(tokenize=str.split, max_ngram_order=1)
    st = with_metric(spark.createDataFrame([(1, 1, 1, 1)], list(statistics_of(metric))), metric)
    with pytest.raises(ValueError, match=r"^st: expected metric=, a BLEU with the same tokenize"):
        metric_of(st)
    assert metric_of(st, metric) is metric


# What is wrong


def test_columns_are_checked(spark: Any) -> None:
    nbest = made(5, [6] * 10, 3)
    st, metric = frame(spark, nbest), nbest.metric

    def search(st: Any, **options: Any) -> None:
        options = {"metric": metric, "order": "rank", **options}
        rapidbleu.spark.line_search(st, [1, 1, 1], [1, 0, 0], **options)

    wrong: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
        ([], {}, TypeError, "st: expected a Spark DataFrame, got list"),
        (st, {"metric": None}, TypeError, "metric: expected one, as no column of st names it"),
        (st, {"metric": "bleu"}, TypeError, "metric: expected a metric, got str"),
        (st, {"metric": TER()}, ValueError, "st: expected one column 'edits', there are"),
        (st, {"segment": "id"}, ValueError, "segment: expected one column 'id', there are 'segm"),
        (st, {"features": "x"}, ValueError, "features: expected one column 'x', there are 'seg"),
        (st, {"order": "x"}, ValueError, "order: expected one column 'x', there are 'segmen"),
        (st, {"order": 1}, TypeError, "order: expected the name of a column, got int"),
        (st, {"features": "rank"}, TypeError,
         "features: expected a column of arrays of double or float, got 'rank' of bigint$"),
        (st, {"segment": "features"}, TypeError,
         "segment: expected a column of strings or integers, got 'features' of array<float>$"),
        (st.withColumn("ref_len", st.ref_len * 0.5), {}, TypeError,
         "st: expected a column of integers, got 'ref_len' of double"),
        (st, {"smooth": "mean"}, ValueError, "smooth: expected"),
        (st, {"bounds": (1, 0)}, ValueError, "bounds: expected low < high"),
    ]  # fmt: skip
    tracker = spark.sparkContext.statusTracker()
    spark.sparkContext.setJobGroup("none", "")
    for frame_, options, kind, message in wrong:
        with pytest.raises(kind, match=f"^{message}"):
            search(frame_, **options)
    with pytest.raises(ValueError, match=r"^restarts: "):
        rapidbleu.spark.mert(st, metric=metric, restarts=-1)
    assert len(tracker.getJobIdsForGroup("none")) == 0
    spark.sparkContext.setJobGroup("others", "")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("features = if(segment = 3 and rank = 2, null, features)",
         r"st: segment 3: features\[2\]: expected numbers, got null"),
        ("features = if(segment = 3 and rank = 2, array(1D, null, 2D), features)",
         r"st: segment 3: features\[2\]\[1\]: expected a finite number, got null"),
        ("features = if(segment = 3 and rank = 1, array(1D, 2D), features)",
         r"st: segment 3: features\[\d\]: expected \d numbers, got \d"),
        ("features = if(segment = 3, array(1D, 2D), features)",
         r"st: segment \d: .*expected \d .*"),
        ("features = if(segment = 3 and rank = 5, array(1D, 2D, 'NaN'), features)",
         r"st: segment 3: features\[5\]\[2\]: expected a finite number, got nan"),
        ("ref_len = if(segment = 4 and rank = 0, null, ref_len)",
         r"st: segment 4: ref_len\[0\]: expected an integer, got null"),
        ("correct_1 = if(segment = 4 and rank = 0, -1L, correct_1)",
         r"st: segment 4: stats\[0\]\[2\]: expected"),
        ("segment = if(segment > 4, null, segment)", "st: segment: expected no nulls, got one"),
        ("rank = if(segment = 7, 1L, rank)", r"st: segment 7: order\[1\]: expected another value"),
        ("total_1 = if(rank = 1, shiftleft(1L, 57), total_1)", r"st: .*sums of at most 2\*\*60"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("n", [1, 7])
def test_values_are_checked(spark: Any, change: str, message: str, n: int) -> None:
    nbest = made(5, [6] * 10, 3, np.float64)
    name, expression = change.split(" = ", 1)
    from pyspark.sql.functions import expr

    st = frame(spark, nbest).withColumn(name, expr(expression))
    with partitions(spark, n), pytest.raises(ValueError, match=f"^{message}"):
        rapidbleu.spark.mert(st, order="rank", metric=nbest.metric)
    assert spark.sparkContext._jsc.getPersistentRDDs().size() == 0


def test_segments_of_different_partitions_have_the_same_features(spark: Any) -> None:
    from pyspark.sql.functions import expr, spark_partition_id

    nbest = made(5, [6] * 10, 3, np.float64)
    st = frame(spark, nbest)
    with partitions(spark, 7):
        rows = st.repartition("segment").select("segment", spark_partition_id()).collect()
        there = dict(sorted(map(tuple, rows)))
        other = next(segment for segment in there if there[segment] != there[0])
        two = st.where(f"segment in (0, {other})")
        wrong = two.withColumn("features", expr("if(segment = 0, array(1D, 2D), features)"))
        message = rf"^st: segment {other}: expected 2 features, as in segment 0, got 3$"
        with pytest.raises(ValueError, match=message):
            rapidbleu.spark.mert(wrong, order="rank", metric=nbest.metric)


def test_no_candidates(spark: Any) -> None:
    nbest = made(5, [6] * 10, 3)
    with pytest.raises(ValueError, match=r"^st: expected a candidate at least, got none$"):
        rapidbleu.spark.mert(frame(spark, nbest).where("segment < 0"), metric=nbest.metric)


def test_features_fit_to_what_is_given(spark: Any) -> None:
    nbest = made(5, [6] * 10, 3)
    st = frame(spark, nbest)
    with pytest.raises(ValueError, match=r"^weights: expected 3, one for each feature"):
        rapidbleu.spark.mert(st, [1, 2], metric=nbest.metric)
    with pytest.raises(ValueError, match=r"^names: expected 3, one for each feature, got 2"):
        rapidbleu.spark.line_search(st, [1, 2], [1, 0], metric=nbest.metric, names=["a", "b"])
    huge = frame(spark, NBestList(
        nbest.features * 1e30, nbest.stats, nbest.offsets, metric=nbest.metric
    ))  # fmt: skip
    with pytest.raises(ValueError, match=r"^weights: expected finite sums .* in segment 0$"):
        rapidbleu.spark.mert(huge, [1e300] * 3, metric=nbest.metric, restarts=0)
