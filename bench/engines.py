"""``python -m bench.engines FOLDER``: one job on several distributed engines, on this machine.

Parquet files of segments are scored to Parquet files of statistics, which are then summed. Each
engine runs in a process of its own with two single-threaded workers, and reports the time of each
step and the memory of all its processes. The sums are compared before a line is printed. Engines
that are not installed are skipped.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree
from threading import Event, Thread
from typing import Any

import rapidbleu
from bench import growth
from bench.harness import report
from bench.harness.measure import Difference
from bench.harness.places import REPOSITORY
from rapidbleu import BLEU

N_FILES = 4
WORKERS = 2
PACKAGES = str(Path(rapidbleu.__file__).parents[1])
METRIC = BLEU()
NAMES = METRIC._stat_names()
STEPS = "start", "rows", "sum"
PAUSE = 0.05  # seconds between two samples of memory


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.engines", description=__doc__)
    parser.add_argument("folder", type=Path, help="for the files")
    parser.add_argument("--size", type=int, default=growth.FILE, help="pairs of segments in all")
    parser.add_argument("--output", type=Path, help="a file for the results, in JSON")
    parser.add_argument("--engines", choices=ENGINES, nargs="+", default=list(ENGINES))
    parser.add_argument("--here", action="store_true", help="run one in this process: JSON")
    options = parser.parse_args()
    if options.here:
        print(json.dumps(measured(options.engines[0], options.folder)))
    else:
        (options.folder / "in").mkdir(parents=True, exist_ok=True)
        for k in range(N_FILES):
            growth.make_file(options.folder / "in" / f"{k}.parquet", k, options.size // N_FILES)
        print(HEADER, flush=True)
        rows = list(compared(options.engines, options.folder, options.size))
        if options.output is not None:
            report.write(rows, options.output)


def _rows(table: Any) -> Any:
    import pyarrow

    return pyarrow.Table.from_batches(METRIC.map_stats(table, id_column="id"))


def _write(path: str, out: str) -> str:
    METRIC.save_stats(out, growth.scan_of([path]))
    return out


# Each engine yields after its start, after writing the rows, and then the sums.
def _processes(files: list[str], out: Path) -> Iterator[Any]:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    from rapidbleu import StatsTable

    with ProcessPoolExecutor(WORKERS, get_context("spawn")) as pool:
        yield list(pool.map(abs, range(WORKERS)))
        paths = list(pool.map(_write, files, [f"{out / Path(path).name}" for path in files]))
        yield paths
        yield sum(StatsTable.load(path).sum() for path in paths)


def _dask(files: list[str], out: Path) -> Iterator[Any]:
    import dask.dataframe as dd
    from dask.distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client.ncores()
        frame = dd.read_parquet(files, split_row_groups=1)
        meta = {"id": "int64", **dict.fromkeys(NAMES, "int64")}
        frame.map_partitions(_frame, meta=meta).to_parquet(str(out), write_index=False)
        yield None
        yield dd.read_parquet(str(out), columns=NAMES).sum().compute()[NAMES]


def _frame(part: Any) -> Any:
    return _rows(part).to_pandas()


def _ray(files: list[str], out: Path) -> Iterator[Any]:
    import logging

    import ray

    ray.init(num_cpus=WORKERS, include_dashboard=False, logging_level=logging.ERROR)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield ray.cluster_resources()
    table = ray.data.read_parquet(str(Path(files[0]).parent))
    rows = table.map_batches(_rows, batch_format="pyarrow", batch_size=None)
    rows.write_parquet(str(out), mode=ray.data.SaveMode.OVERWRITE)
    yield None
    sums = ray.data.read_parquet(str(out)).select_columns(list(NAMES)).sum(list(NAMES))
    yield [sums[f"sum({name})"] for name in NAMES]


def _datasets(files: list[str], out: Path) -> Iterator[Any]:
    import datasets
    import pyarrow.compute as pc

    datasets.disable_progress_bars()
    cache = str(out.with_name("cache"))
    yield None
    table = datasets.load_dataset("parquet", data_files=files, split="train", cache_dir=cache)
    rows = table.with_format("arrow").map(
        _rows,
        batched=True,
        batch_size=growth.GROUP,
        num_proc=WORKERS,
        remove_columns=table.column_names,
    )
    out.mkdir()
    rows.to_parquet(str(out / "rows.parquet"))
    yield None
    yield [pc.sum(rows.data.column(name)).as_py() for name in NAMES]


def _spark(files: list[str], out: Path) -> Iterator[Any]:
    from pyspark.sql import SparkSession, functions

    from rapidbleu.spark import stats

    build: Any = SparkSession.builder
    spark = (
        build.master(f"local-cluster[{WORKERS},1,1024]")
        .config("spark.ui.enabled", False)
        .config("spark.sql.shuffle.partitions", WORKERS)
        .config("spark.log.level", "ERROR")
        .config("spark.executorEnv.PYTHONPATH", os.pathsep.join([PACKAGES, str(REPOSITORY)]))
        .getOrCreate()
    )
    yield spark.range(WORKERS).count()
    stats(spark.read.parquet(*files), METRIC, id="id").write.mode("overwrite").parquet(str(out))
    yield None
    rows = spark.read.parquet(str(out))
    yield list(rows.agg(*(functions.sum(name) for name in NAMES)).first())
    spark.stop()


ENGINES: dict[str, tuple[str, Callable[[list[str], Path], Iterator[Any]]]] = {
    "processes": ("rapidbleu", _processes),
    "Dask": ("distributed", _dask),
    "Ray": ("ray", _ray),
    "datasets": ("datasets", _datasets),
    "Spark": ("pyspark", _spark),
}


def measured(engine: str, folder: Path) -> dict[str, Any]:
    files = [str(folder / "in" / f"{k}.parquet") for k in range(N_FILES)]
    out = folder / "out"
    for place in out, out.with_name("cache"):
        rmtree(place, ignore_errors=True)
    if engine == "processes":
        out.mkdir()
    done, peaks = Event(), [0]
    watcher = Thread(target=_watch, args=(done, peaks))
    watcher.start()
    steps, last = [], time.perf_counter_ns()
    try:
        for found in ENGINES[engine][1](files, out):
            steps.append(time.perf_counter_ns() - last)
            last, sums = time.perf_counter_ns(), found
    finally:
        done.set()
        watcher.join()
    written = sum(p.stat().st_size for p in out.rglob("*.parquet"))
    return {
        "engine": engine,
        "sums": [int(count) for count in sums],
        "peak": peaks[0],
        "written": written,
        **dict(zip(STEPS, steps, strict=True)),
    }


def _watch(done: Event, peaks: list[int]) -> None:
    """Record the memory of this process and its descendants, shared pages counted once each."""
    import psutil

    this = psutil.Process()
    while not done.wait(PAUSE):
        total = 0
        for process in [this, *this.children(recursive=True)]:
            try:
                total += process.memory_info().rss
            except psutil.NoSuchProcess:
                continue
        peaks[0] = max(peaks[0], total)


def compared(engines: list[str], folder: Path, size: int) -> Iterator[dict[str, Any]]:
    """Print and yield the results of each engine; all must get the sums of a single call."""
    files = [folder / "in" / f"{k}.parquet" for k in range(N_FILES)]
    expected = METRIC.corpus_stats(growth.scan_of(files)).tolist()
    for engine in engines:
        if find_spec(module := ENGINES[engine][0]) is None:
            print(f"{engine}: {module} is not installed", flush=True)
            continue
        program = [sys.executable, "-m", "bench.engines", str(folder), "--here"]
        program += ["--engines", engine]
        done = subprocess.run(program, stdout=subprocess.PIPE, cwd=REPOSITORY, check=True)
        row = {"segments": size, **json.loads(done.stdout.splitlines()[-1])}
        if row["sums"] != expected:
            raise Difference(f"{engine}: expected {expected}; got {row['sums']}")
        print(line(row), flush=True)
        yield row


HEADER = """\
| Engine | Start | Rows | Sum | Memory of all processes | Written |
| --- | ---: | ---: | ---: | ---: | ---: |"""


def line(row: dict[str, Any]) -> str:
    cells = [
        row["engine"],
        *(report.quantity(row[step], "ns") for step in STEPS),
        *(report.quantity(row[name], "bytes") for name in ("peak", "written")),
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
