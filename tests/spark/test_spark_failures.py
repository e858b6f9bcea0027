"""Executors that are killed, tasks that fail, jobs that die: no row is lost, none comes twice."""

import os
from pathlib import Path
from random import Random
from typing import Any

import pytest

from rapidbleu import BLEU
from rapidbleu.spark import bootstrap, mbr, score, stats
from support.corpora import random_corpus
from support.processes import linux_only

pytestmark = pytest.mark.slow

N = 240
HYPS, [REFS] = random_corpus(Random("failures"), N, kind="ascii", n_refs=1)
IDS = list(range(1000, 1000 + N))
TABLE = BLEU().stats_table(HYPS, [REFS], id=IDS)
SUM = BLEU().score(TABLE.sum())


@pytest.fixture
def segments(spark: Any) -> Any:
    """Four partitions, each in several batches."""
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "16")
    columns = {"hyp": HYPS, "ref": REFS, "seg": IDS}
    df = spark.createDataFrame(pytest.importorskip("pyarrow").table(columns))
    yield df.repartitionByRange(4, "seg")
    spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")


def failing(times: int, mark: str) -> Any:
    """What fails in the second partition, after two batches, in so many attempts."""

    def fail(batches: Any) -> Any:
        from pyspark import TaskContext

        context: Any = TaskContext.get()
        for i, batch in enumerate(batches):
            if i == 2 and context.partitionId() == 1 and context.attemptNumber() < times:
                with open(f"{mark}-{context.attemptNumber()}", "x", encoding="ascii"):
                    raise RuntimeError("out of luck")
            yield batch

    return fail


def test_a_retried_task(spark: Any, segments: Any, tmp_path: Path) -> None:
    """The first attempt has given rows to the writer when it fails."""
    st = stats(segments, id="seg")
    broken = st.mapInArrow(failing(1, str(tmp_path / "attempt")), st.schema)
    out = str(tmp_path / "stats.parquet")
    broken.write.parquet(out)
    assert [path.name for path in tmp_path.glob("attempt-*")] == ["attempt-0"]
    found = spark.read.parquet(out)
    assert sorted(found.select("id").toArrow()["id"].to_pylist()) == IDS
    assert score(found) == SUM
    again = stats(segments.mapInArrow(failing(1, str(tmp_path / "second")), segments.schema))
    assert score(again) == SUM and len(list(tmp_path.glob("second-*"))) == 1


def test_a_job_that_is_run_again(spark: Any, segments: Any, tmp_path: Path) -> None:
    """One that dies over the output of another leaves nothing that could be read for it."""
    st, out = stats(segments, id="seg"), tmp_path / "stats.parquet"
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


def test_errors_reach_the_driver(segments: Any) -> None:
    one = segments.coalesce(1)
    holes = one.selectExpr("nullif(hyp, hyp) hyp", "ref", "seg")
    with pytest.raises(Exception, match="table, row 0, column 'hyp': expected str, got null"):
        score(stats(holes))
    st = stats(one.selectExpr("hyp", "ref", "nullif(seg, 1017) seg"), id="seg")
    with pytest.raises(Exception, match="row 17, column 'id': expected a value, got null"):
        bootstrap(st, 5)
    candidates = one.selectExpr("hyp", "seg div 60 segment", "seg % 59 rank")
    with pytest.raises(Exception, match="column 'rank': expected a value of its own for each"):
        mbr(candidates, order="rank").collect()


@linux_only
def test_a_killed_executor(segments: Any, tmp_path: Path) -> None:
    """The task of the last partition kills the executor that it runs on, once."""
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

    df = segments.mapInArrow(kill_once, segments.schema)
    found = bootstrap(stats(df, id="seg"), 50)
    assert not os.path.exists(f"/proc/{Path(mark).read_text()}/cmdline")
    expected = TABLE.bootstrap(50)
    assert found.score == SUM.score
    assert found.samples.tolist() == expected.samples.tolist()  # type: ignore[union-attr]
