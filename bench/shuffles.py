"""``python -m bench.shuffles FOLDER``: data sent by jobs of `rapidbleu.spark`, in Spark's metrics.

Reports bytes of the shuffle and of results for the driver, per sending task, on a cluster of two
executor processes. They do not depend on the number of segments, so they hold for larger clusters.
Scores are compared with a run on one machine before a line is printed.
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
VALUES = 8  # of the column by which scores are grouped
RESAMPLES = 1000
GROUP = "spark.jobGroup.id"
# Values that a task reports in the event log.
SENT = {
    "shuffle": lambda task: task["Shuffle Write Metrics"]["Shuffle Bytes Written"],
    "results": lambda task: task["Result Size"],
}


def main() -> None:
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
    """Return the bytes sent by each job, whose result must equal a run on one machine."""
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

    os.environ |= {
        "SPARK_WORKER_DIR": str(folder / "work"),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
    }
    packages = str(Path(rapidbleu.__file__).parents[1])
    options = {
        "spark.executorEnv.PYTHONPATH": os.pathsep.join([packages, str(REPOSITORY)]),
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": (folder / "log").as_uri(),
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
        "spark.sql.files.maxPartitionBytes": 1 << 30,
        "spark.sql.files.openCostInBytes": 1 << 29,
        "spark.ui.enabled": "false",
        "spark.log.level": "ERROR",
    }
    build: Any = SparkSession.builder
    build = build.master("local-cluster[2,1,1024]")
    for name, value in options.items():
        build = build.config(name, value)
    return build.getOrCreate()


def _compare(found: list[Any], table: StatsTable) -> None:
    """Raise `Difference` unless the results equal a run on one machine."""
    values = {k: METRIC.score(table.rows[table["id"] % VALUES == k]) for k in range(VALUES)}
    expected = [table.score(), values, table.poisson_bootstrap(RESAMPLES)]
    for own, other in zip(found, expected, strict=True):
        if repr(own) != repr(other) or getattr(own, "score", 0) != getattr(other, "score", 0):
            raise Difference(f"Spark: expected {other!r}; got {own!r}")


def _sent(log: Path) -> dict[str, dict[str, float]]:
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
    each = f"{row['shuffle'] / row['senders']:,.0f}" if row["senders"] else ""
    cells = [row["job"], str(row["tasks"]), f"{row['shuffle']:,}", each, f"{row['results']:,}"]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
