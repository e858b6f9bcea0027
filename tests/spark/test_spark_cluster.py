"""`rapidbleu.spark` on a cluster of two executors: the bits of one machine, under all failures."""

import os
import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import pytest

import rapidbleu
from rapidbleu import BLEU, CHRF, TER, SegmentScores, metrics
from rapidbleu.rows.kinds import Kind
from rapidbleu.spark import (
    mbr,
    metric_of,
    poisson_bootstrap,
    score,
    statistics_of,
    stats,
    with_metric,
)
from support.corpora import random_corpus
from support.family import METRICS
from support.places import PYTHONPATH, REPO
from support.processes import linux_only

pytestmark = pytest.mark.slow

N = 500
HYPS, STREAMS = random_corpus(Random("cluster"), N, kind="mixed", n_refs=3)
IDS = [f"segment {i}" for i in range(N)]
LANGS = [("de", "cs", None, "zh")[i % 4] for i in range(N)]
NAMES = ["a", "b", "c"]
COLUMNS: dict[str, Any] = {
    "hyp": HYPS,
    **dict(zip(NAMES, STREAMS, strict=True)),
    "seg": IDS,
    "lang": LANGS,
    "place": [i // (N - 3) * (i % 3 + 1) for i in range(N)],
}


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    sql = pytest.importorskip("pyspark.sql")
    if find_spec("pyarrow") is None:
        pytest.skip("pyarrow is not installed")
    folder = tmp_path_factory.mktemp("spark")
    environment = {
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_WORKER_DIR": str(folder / "work"),
    }
    options = {
        "spark.executorEnv.PYTHONPATH": PYTHONPATH,
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        builder = sql.SparkSession.builder.master("local-cluster[2,1,1024]")
        for name, value in options.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


@pytest.fixture(scope="module")
def segments(spark: Any) -> Iterator[Any]:
    """Yield segments, most of which have the same order key."""
    frame = spark.createDataFrame(pytest.importorskip("pyarrow").table(COLUMNS)).persist()
    yield frame
    frame.unpersist()


def divided(segments: Any, parts: "int | str") -> Any:
    """Repartition the segments evenly, or nearly all into one of nine, most of them empty."""
    return segments.repartition(9, "place") if parts == "skewed" else segments.repartition(parts)


@pytest.mark.parametrize("parts", [1, 2, 7, "skewed"])
def test_partitions(segments: Any, parts: "int | str") -> None:
    """TER against three references, because its lengths are doubles whose sum depends on order."""
    st = stats(divided(segments, parts), TER(), refs=NAMES, id_column="seg", keep="lang")
    table = TER().stats_table(HYPS, STREAMS, ids=IDS, keep={"lang": LANGS})
    exact = TER().score(table.sum())
    assert score(st) == exact == TER().score(TER().corpus_stats(HYPS, STREAMS))
    found = poisson_bootstrap(st, 200, seed=3, level=0.5)
    expected = table.poisson_bootstrap(200, seed=3, level=0.5)
    assert found.samples.tolist() == expected.samples.tolist()  # type: ignore[union-attr]
    assert found.interval == expected.interval and found.score == exact.score


def test_groups(segments: Any) -> None:
    st = stats(segments.repartition(3), CHRF(), refs=NAMES, keep=["lang", "place"])
    table = CHRF().stats_table(HYPS, STREAMS, keep={"lang": LANGS, "place": COLUMNS["place"]})
    found = score(st, by="lang")
    assert list(found) == ["cs", "de", "zh", None]  # type: ignore[arg-type]
    assert found == table.score(by="lang")
    numbers = score(st, by="place")
    assert list(numbers) == [0, 1, 2, 3] and numbers == table.score(by="place")  # type: ignore[arg-type]


def test_every_metric(spark: Any, segments: Any) -> None:
    few = segments.limit(60).coalesce(1).persist()
    rows = few.select("hyp", *NAMES).collect()
    hyps, *streams = map(list, zip(*rows, strict=True))

    def score_of(name: str) -> Any:
        st = stats(few, METRICS[name], refs=NAMES)
        about = st.schema[-1].metadata["rapidbleu"]
        named = about["class"] in metrics.__all__ and not about["given"]
        return score(st, metric=None if named else METRICS[name])

    with ThreadPoolExecutor(3) as pool:
        found = dict(zip(METRICS, pool.map(score_of, METRICS), strict=True))
    few.unpersist()
    expected = {
        name: metric.score(metric.corpus_stats(hyps, streams)) for name, metric in METRICS.items()
    }
    assert found == expected


def test_columns_of_any_type(spark: Any) -> None:
    row = {
        "hyp": "the cat sat",
        "refs": ["a cat sat", "the cat"],
        "number": 7,
        "flag": True,
        "real": 0.5,
        "day": date(2026, 11, 23),
        "time": datetime(2026, 11, 23, 5, 6, 7, 8),
        "took": timedelta(hours=3),
        "price": Decimal("1.25"),
        "data": bytearray(b"\x00\xff"),
        "list": [1, None],
        "map": {"a": 1},
        "struct": (1, "b"),
        "nothing": None,
    }
    schema = (
        "hyp string, refs array<string>, number int, flag boolean, real float, day date, "
        "time timestamp, took interval day to second, price decimal(10,2), data binary, "
        "list array<smallint>, map map<string,bigint>, struct struct<a:int,b:string>, nothing void"
    )
    df = spark.createDataFrame([tuple(row.values()), ("a", ["b"], *[None] * 12)], schema)
    keep = [*row][2:]
    for large in "false", "true":
        spark.conf.set("spark.sql.execution.arrow.useLargeVarTypes", large)
        st = stats(df, refs="refs", id_column="number", keep=keep)
        assert st.schema[1 : 1 + len(keep)] == df.select(*keep).schema[:]
        assert st.select(*keep).collect() == df.select(*keep).collect()
        assert score(st) == BLEU().corpus_score(
            ["the cat sat", "a"], [row["refs"], ["b"]], layout="segment"
        )
    spark.conf.unset("spark.sql.execution.arrow.useLargeVarTypes")


def test_files_keep_the_metric(spark: Any, segments: Any, tmp_path: Path) -> None:
    metric = CHRF(word_order=2, lowercase=True)
    out = str(tmp_path / "stats.parquet")
    stats(segments.repartition(2), metric, refs="a", id_column="seg").write.parquet(out)
    st = spark.read.parquet(out)
    assert metric_of(st)._changed_options() == metric._changed_options()
    table = metric.stats_table(HYPS, STREAMS[:1], ids=IDS)
    assert score(st.filter("id < 'segment 3'")) == metric.score(
        table.rows[[name < "segment 3" for name in IDS]]
    )
    assert (
        poisson_bootstrap(st, 10).samples.tolist() == table.poisson_bootstrap(10).samples.tolist()
    )  # type: ignore
    with pytest.raises(ValueError, match=r"^metric: expected chrF2\+\+"):
        score(st, metric=CHRF())


def test_columns_name_the_metric(spark: Any, tmp_path: Path) -> None:
    metric = BLEU(tokenize="none", smooth_method="none", weights=[0.5, 0.5, 0, 0])
    plain = spark.createDataFrame([(9, 9, *range(8))], list(statistics_of(metric)))
    named = with_metric(plain, metric, 1)
    assert named.columns == plain.columns
    named.write.parquet(str(tmp_path / "st"))
    st = spark.read.parquet(str(tmp_path / "st"))
    assert [field.name for field in st.schema if field.metadata] == [*statistics_of(metric)]
    found = metric_of(st)
    assert repr(found) == repr(metric) and Kind(found).difference(Kind(metric)) == ""
    with pytest.raises(ValueError, match=r"^metric: expected BLEU\|.*, as st has; got BLEU\|"):
        metric_of(st, BLEU())
    with pytest.raises(
        ValueError, match=r"^metric: expected BLEU\|.*, as st has; got SegmentScores"
    ):
        metric_of(st, SegmentScores())
    mixed = with_metric(st, BLEU(max_ngram_order=1))
    with pytest.raises(ValueError, match=r"^st: expected statistics of one metric; got BLEU"):
        metric_of(mixed)
    with pytest.raises(ValueError, match=r"^st: expected one column 'total_4', there are"):
        metric_of(st.drop("total_4"))


def test_functions_must_be_given(spark: Any) -> None:
    metric = BLEU(tokenize=str.split, max_ngram_order=1)
    st = with_metric(spark.createDataFrame([(1, 1, 1, 1)], list(statistics_of(metric))), metric)
    with pytest.raises(ValueError, match=r"^st: expected metric=, a BLEU with the same tokenize"):
        metric_of(st)
    assert metric_of(st, metric) is metric


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_sums_that_are_too_large(spark: Any, ansi: str) -> None:
    """In 64 bits the last sum would wrap to 0, and so would a part of it."""
    spark.conf.set("spark.sql.ansi.enabled", ansi)
    names = TER()._stat_names()
    columns = ", ".join(f"{name} bigint" for name in names)
    for number, times, message in (
        (2**59, 3, r"1729382256910270464$"),
        (2**62, 4, r"more than 2\*\*63$"),
        (2**62, 16, r"more than 2\*\*63$"),
    ):
        st = spark.createDataFrame([(number, 0, 0, 0)] * times, columns).coalesce(2)
        with pytest.raises(ValueError, match=rf"^edits: expected a sum .*; got {message}"):
            score(st, metric=TER())
    spark.conf.unset("spark.sql.ansi.enabled")


def test_rows_that_are_wrong(spark: Any) -> None:
    columns = ", ".join(f"{name} bigint" for name in TER()._stat_names())
    st = spark.createDataFrame([(1, 2, 0, 0), (1, None, 0, 0), (-1, 2, 0, 0)], columns)
    with pytest.raises(ValueError, match=r"^st: expected counts; got nulls or less than 0 in 2 r"):
        score(st, metric=TER())
    with pytest.raises(ValueError, match=r"^st: expected counts; .* in 3 rows$"):
        score(st.selectExpr("cast(null as bigint) edits", *TER()._stat_names()[1:]), metric=TER())
    none = st.filter("false").selectExpr("'x' id", "*")
    for call in score, partial(score, by="id"), poisson_bootstrap:
        with pytest.raises(ValueError, match="expected at least one row; got none"):
            call(none, metric=TER())  # type: ignore[operator]


def groups() -> dict[int, list[str]]:
    rng = Random("groups")
    pool = [f"{a} {b} {c}" for a in "pq" for b in "rs" for c in "tu"]
    return {g: [rng.choice(pool) for _ in range(1 + g % 11)] for g in range(60)}


@pytest.mark.parametrize("ordered", [True, False])
def test_mbr(spark: Any, ordered: bool) -> None:
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "5")
    rows = [(g, t, rank) for g, texts in groups().items() for rank, t in enumerate(texts)]
    Random(2).shuffle(rows)
    df = spark.createDataFrame(rows, "segment int, hyp string, rank int").repartition(5)
    metric = BLEU(effective_order=True)
    about: dict[str, Any] = {"order": "rank", "keep": "rank"} if ordered else {}
    found = {row.segment: row for row in mbr(df, **about).collect()}
    assert found.keys() == groups().keys()
    for segment, texts in groups().items():
        own = texts if ordered else sorted(texts)
        best = metric.select(own)
        row = found[segment]
        assert (row.hyp, row.score) == (own[best], metric.mbr(own)[best])
        assert row.candidates == len(own) and (not ordered or row["rank"] == best)
    spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")


def test_the_recipe(spark: Any, segments: Any, tmp_path: Path) -> None:
    page = REPO / "docs" / "guides" / "scale.md"
    if not page.exists():
        pytest.skip("the pages are not here")
    section = page.read_text(encoding="utf-8").partition("### Spark\n")[2]
    recipe = section.partition("```\n")[2].partition("```")[0]
    assert len(recipe.splitlines()) == 3
    df = segments.selectExpr("hyp", f"{NAMES[0]} ref", "seg id")
    names = {
        "rapidbleu": rapidbleu,
        "df": df,
        "metric": TER(),
        "session": spark,
        "folder": str(tmp_path / "rows"),
    }
    exec(compile(recipe, "recipe", "exec"), names)
    assert names["score"] == TER().corpus_score(HYPS, STREAMS[:1])


FEW, [FEW_REFS] = random_corpus(Random("failures"), 240, kind="ascii", n_refs=1)
NUMBERS = list(range(1000, 1240))
TABLE = BLEU().stats_table(FEW, [FEW_REFS], ids=NUMBERS)
SUM = BLEU().score(TABLE.sum())


@pytest.fixture
def four(spark: Any) -> Any:
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "16")
    columns = {"hyp": FEW, "ref": FEW_REFS, "seg": NUMBERS}
    df = spark.createDataFrame(pytest.importorskip("pyarrow").table(columns))
    yield df.repartitionByRange(4, "seg")
    spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")


def failing(times: int, mark: str) -> Any:
    """Return a function that fails in the second partition, after two batches, some times."""

    def fail(batches: Any) -> Any:
        from pyspark import TaskContext

        context: Any = TaskContext.get()
        for i, batch in enumerate(batches):
            if i == 2 and context.partitionId() == 1 and context.attemptNumber() < times:
                with open(f"{mark}-{context.attemptNumber()}", "x", encoding="ascii"):
                    raise RuntimeError("out of luck")
            yield batch

    return fail


def test_a_retried_task(spark: Any, four: Any, tmp_path: Path) -> None:
    st = stats(four, id_column="seg")
    broken = st.mapInArrow(failing(1, str(tmp_path / "attempt")), st.schema)
    out = str(tmp_path / "stats.parquet")
    broken.write.parquet(out)
    assert [path.name for path in tmp_path.glob("attempt-*")] == ["attempt-0"]
    found = spark.read.parquet(out)
    assert sorted(found.select("id").toArrow()["id"].to_pylist()) == NUMBERS
    assert score(found) == SUM
    again = stats(four.mapInArrow(failing(1, str(tmp_path / "second")), four.schema))
    assert score(again) == SUM and len(list(tmp_path.glob("second-*"))) == 1


def test_a_job_that_is_run_again(spark: Any, four: Any, tmp_path: Path) -> None:
    """A job that fails while replacing another's output leaves nothing readable."""
    st, out = stats(four, id_column="seg"), tmp_path / "stats.parquet"
    for _ in range(2):
        st.write.mode("overwrite").parquet(str(out))
        assert (out / "_SUCCESS").exists()
        assert score(spark.read.parquet(str(out))) == SUM
    broken = st.mapInArrow(failing(9, str(tmp_path / "attempt")), st.schema)
    with pytest.raises(Exception, match="out of luck"):
        broken.write.mode("overwrite").parquet(str(out))
    assert len(list(tmp_path.glob("attempt-*"))) == 4
    assert not list(tmp_path.rglob("_SUCCESS")) and not list(tmp_path.rglob("*.parquet/part-*"))
    with pytest.raises(Exception, match=r"UNABLE_TO_INFER_SCHEMA|PATH_NOT_FOUND"):
        spark.read.parquet(str(out))


def test_errors_reach_the_driver(four: Any) -> None:
    one = four.coalesce(1)
    holes = one.selectExpr("nullif(hyp, hyp) hyp", "ref", "seg")
    with pytest.raises(Exception, match="table, row 0, column 'hyp': expected str; got null"):
        score(stats(holes))
    st = stats(one.selectExpr("hyp", "ref", "nullif(seg, 1017) seg"), id_column="seg")
    with pytest.raises(Exception, match="row 17, column 'id': expected a value; got null"):
        poisson_bootstrap(st, 5)
    candidates = one.selectExpr("hyp", "seg div 60 segment", "seg % 59 rank")
    with pytest.raises(Exception, match="column 'rank': expected a value of its own for each"):
        mbr(candidates, order="rank").collect()


@linux_only
def test_a_killed_executor(four: Any, tmp_path: Path) -> None:
    mark = str(tmp_path / "killed")

    def kill_once(batches: Any) -> Any:
        import signal

        for i, batch in enumerate(batches):
            if i == 2 and batch["seg"][0].as_py() > 1180 and not os.path.exists(mark):
                executor = os.getppid()  # the daemon that starts workers, or the executor itself
                while b"CoarseGrainedExecutorBackend" not in command_of(executor):
                    executor = parent_of(executor)
                with open(mark, "x", encoding="ascii") as file:
                    file.write(str(executor))
                os.kill(executor, signal.SIGKILL)
            yield batch

    def command_of(process: int) -> bytes:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            return file.read()

    def parent_of(process: int) -> int:
        with open(f"/proc/{process}/stat", encoding="ascii") as file:
            return int(file.read().rpartition(")")[2].split()[1])

    df = four.mapInArrow(kill_once, four.schema)
    found = poisson_bootstrap(stats(df, id_column="seg"), 50)
    assert not os.path.exists(f"/proc/{Path(mark).read_text()}/cmdline")
    expected = TABLE.poisson_bootstrap(50)
    assert found.score == SUM.score
    assert found.samples.tolist() == expected.samples.tolist()  # type: ignore[union-attr]
