"""``python -m bench.shuffles FOLDER``: what jobs of `rapidbleu.spark` send, by Spark's own metrics.

Bytes of the shuffle and of the results for the driver, for each task that sends them, on a cluster
of two executors, processes of their own. They do not depend on the number of segments, so that they
say what a larger cluster would send. Scores are compared with those of one machine before a line is
printed.
"""

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree
from typing import Any

import rapidbleu
from bench import growth
from bench.harness import report
from bench.harness.measure import Difference
from bench.harness.places import REPOSITORY
from rapidbleu import BLEU, StatsTable, scan

METRIC = BLEU()
N_FILES = 8
VALUES = 8  # of the column that scores are grouped by
RESAMPLES = 1000
GROUP = "spark.jobGroup.id"
# What a task says of itself in the event log.
SENT = {
    "shuffle": lambda task: task["Shuffle Write Metrics"]["Shuffle Bytes Written"],
    "results": lambda task: task["Result Size"],
}  # fmt: skip


def main() -> None:
    """Measure all jobs."""
    parser = argparse.ArgumentParser(prog="python -m bench.shuffles", description=__doc__)
    parser.add_argument("folder", type=Path, help="for the files")
    parser.add_argument("--size", type=int, default=200_000, help="pairs of segments in all")
    parser.add_argument("--output", type=Path, help="a file for the results, in JSON")
    options = parser.parse_args()
    folder: Path = options.folder.resolve()
    (folder / "in").mkdir(parents=True, exist_ok=True)
    for k in range(N_FILES):
        growth.make_file(folder / "in" / f"{k}.parquet", k, options.size // N_FILES)
    rows = measured(folder)
    print(HEADER, *map(line, rows), sep="\n")
    if options.output is not None:
        report.write(rows, options.output)


def measured(folder: Path) -> list[dict[str, Any]]:
    """Return what each job sent; its result is that of one machine."""
    for name in ("log", "rows", "work"):
        rmtree(folder / name, ignore_errors=True)
    (folder / "log").mkdir()
    spark = _session(folder)
    from pyspark.sql import functions

    from rapidbleu.spark import poisson_bootstrap, score, stats

    files = sorted(map(str, (folder / "in").iterdir()))
    texts = spark.read.parquet(*files).withColumn("value", functions.col("id") % VALUES)
    out = str(folder / "rows")

    def rows() -> Any:
        return spark.read.parquet(out)

    jobs: dict[str, Callable[[], Any]] = {
        "stats, written": lambda: (
            stats(texts, METRIC, id_column="id", keep="value").write.mode("overwrite").parquet(out)
        ),
        "score": lambda: score(rows()),
        f"score, by {VALUES} values": lambda: score(rows(), by="value"),
        f"bootstrap, {RESAMPLES:,} resamples": lambda: poisson_bootstrap(rows(), RESAMPLES),
    }
    found = {}
    for name, job in jobs.items():
        spark.sparkContext.setJobGroup(name, name)
        found[name] = job()
    spark.stop()
    _compare(list(found.values())[1:], METRIC.stats_table(scan(files, id_column="id")))
    sent = _sent(folder / "log")
    return [{"job": name, **sent[name]} for name in jobs]


def _session(folder: Path) -> Any:
    from pyspark.sql import SparkSession

    os.environ |= {"SPARK_WORKER_DIR": str(folder / "work"), "SPARK_LOCAL_IP": "127.0.0.1",
                   "PYSPARK_PYTHON": sys.executable}  # fmt: skip
    packages = str(Path(rapidbleu.__file__).parents[1])
    options = {
        "spark.executorEnv.PYTHONPATH": os.pathsep.join([packages, str(REPOSITORY)]),
        "spark.eventLog.enabled": "true", "spark.eventLog.dir": (folder / "log").as_uri(),
        "spark.eventLog.rolling.enabled": "false", "spark.eventLog.compress": "false",
        "spark.sql.files.maxPartitionBytes": 1 << 30, "spark.sql.files.openCostInBytes": 1 << 29,
        "spark.ui.enabled": "false", "spark.log.level": "ERROR",
    }  # fmt: skip
    build: Any = SparkSession.builder
    build = build.master("local-cluster[2,1,1024]")
    for name, value in options.items():
        build = build.config(name, value)
    return build.getOrCreate()


def _compare(found: list[Any], table: StatsTable) -> None:
    """Raise `Difference` unless results are those of one machine."""
    values = {k: METRIC.score(table.rows[table["id"] % VALUES == k]) for k in range(VALUES)}
    expected = [table.score(), values, table.poisson_bootstrap(RESAMPLES)]
    for own, other in zip(found, expected, strict=True):
        if repr(own) != repr(other) or getattr(own, "score", 0) != getattr(other, "score", 0):
            raise Difference(f"Spark: expected {other!r}; got {own!r}")


def _sent(log: Path) -> dict[str, dict[str, float]]:
    """Return what was sent in each group of jobs."""
    groups: dict[int, str] = {}
    sent: dict[str, Counter[str]] = {}
    [path] = (path for path in log.rglob("*") if path.is_file() and path.suffix != ".crc")
    for text in path.read_text(encoding="utf-8").splitlines():
        event = json.loads(text)
        if event["Event"] == "SparkListenerStageSubmitted":
            groups[event["Stage Info"]["Stage ID"]] = event["Properties"].get(GROUP, "")
        elif event["Event"] == "SparkListenerTaskEnd":
            own = sent.setdefault(groups[event["Stage ID"]], Counter())
            task = event["Task Metrics"]
            own["tasks"] += 1
            own["senders"] += task["Shuffle Write Metrics"]["Shuffle Bytes Written"] > 0
            own.update({name: read(task) for name, read in SENT.items()})
    return {name: dict(own) for name, own in sent.items()}


HEADER = """\
| Job | Tasks | Shuffle, bytes | for each task that writes to it | Results, bytes |
| --- | ---: | ---: | ---: | ---: |"""


def line(row: dict[str, Any]) -> str:
    """Return a row of the table."""
    each = f"{row['shuffle'] / row['senders']:,.0f}" if row["senders"] else ""
    cells = [row["job"], str(row["tasks"]), f"{row['shuffle']:,}", each, f"{row['results']:,}"]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
