"""``python -m bench.growth FOLDER``: time, memory and bytes of 1, 10 and 100 million segments.

The segments are synthetic, in Parquet files of a million pairs each, which stay in the folder (100
million take 12 GB). Each job runs in a process of its own, which reports its peak memory above that
of a first small job. The sums of all jobs are compared before a line is printed.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.harness import peak, report
from bench.harness.measure import Difference
from bench.harness.places import REPOSITORY

FILE = 1_000_000  # pairs of segments
GROUP = 100_000  # rows of a row group
WORDS = 60_000
LENGTHS = 4, 36  # tokens of a segment
KEPT = 0.7  # fraction of a reference's tokens kept in the hypothesis
SMALL = 1000


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.growth", description=__doc__)
    parser.add_argument("folder", type=Path, help="for the files")
    parser.add_argument("--millions", type=int, nargs="+", default=[1, 10, 100], metavar="N")
    parser.add_argument("--size", type=int, default=FILE, help="pairs of segments of a file")
    parser.add_argument("--output", type=Path, help="a file for the results, in JSON")
    parser.add_argument("--job", choices=JOBS, help="do one job, and print what it took as JSON")
    options = parser.parse_args()
    if options.job:
        print(json.dumps(measured(options.job, options.folder, options.millions[0])))
    else:
        options.folder.mkdir(parents=True, exist_ok=True)
        rows = []
        print(HEADER, flush=True)
        for millions in options.millions:
            for k in range(millions):
                make_file(file_name(options.folder, k), k, options.size)
            for row in compared(options.folder, millions):
                print(line(row), flush=True)
                rows.append(row)
        if options.output is not None:
            report.write(rows, options.output)


def file_name(folder: Path, k: int) -> Path:
    return folder / f"part-{k:03}.parquet"


def make_file(path: Path, k: int, size: int) -> None:
    """Write pairs of segments unless the file exists: Zipf-distributed words, some changed."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    if path.exists():
        return
    rng = np.random.default_rng([2026, k])
    words = pa.array([_word(i) for i in range(WORDS)])
    frequencies = np.cumsum(1 / np.arange(1, WORDS + 1))
    schema = pa.schema({"id": pa.int64(), "hyp": pa.string(), "ref": pa.string()})
    part = path.with_suffix(".part")
    with pq.ParquetWriter(part, schema, compression="zstd") as writer:
        for first in range(0, size, GROUP):
            n = min(GROUP, size - first)
            ends = np.cumsum(rng.integers(*LENGTHS, n, endpoint=True))
            drawn = _drawn(rng, frequencies, ends[-1])
            other = np.where(rng.random(ends[-1]) < KEPT, drawn, _drawn(rng, frequencies, ends[-1]))
            offsets = pa.array(np.append(0, ends), pa.int32())
            columns = [
                pc.binary_join(pa.ListArray.from_arrays(offsets, words.take(pa.array(own))), " ")
                for own in (other, drawn)
            ]
            ids = pa.array(np.arange(k * size + first, k * size + first + n))
            writer.write_table(pa.table([ids, *columns], schema=schema))
    part.rename(path)


def scan_of(files: list[Any]) -> Any:
    from rapidbleu import scan

    return scan(files, id_column="id")


def _drawn(rng: Any, frequencies: Any, n: int) -> Any:
    """Draw n word indices, low indices most often."""
    return frequencies.searchsorted(rng.random(n) * frequencies[-1])


def _word(i: int) -> str:
    """Return a unique word: longer for rarer words; some contain a comma or an umlaut."""
    letters = "etaoinshrdlu"
    text = ""
    n = i
    while n or not text:
        text += letters[n % 12]
        n //= 12
    return f"{text}," if i % 17 == 3 else f"ü{text}" if i % 13 == 5 else text


def _score(files: list[str], out: str) -> list[int]:
    from rapidbleu import BLEU

    sums: list[int] = BLEU().corpus_stats(scan_of(files), threads=2).tolist()
    return sums


def _write(files: list[str], out: str) -> list[int]:
    from rapidbleu import BLEU

    BLEU().save_stats(out, scan_of(files), threads=2)
    sums = json.loads(Path(f"{out}.json").read_text(encoding="utf-8"))["sums"]
    return list(sums.values())


def _add(files: list[str], out: str) -> list[int]:
    """Sum the rows of the file that the last job wrote."""
    from functools import reduce

    import numpy as np
    import pyarrow.parquet as pq

    from rapidbleu import BLEU

    names = BLEU()._stat_names()
    with pq.ParquetFile(out, pre_buffer=False, buffer_size=1 << 18) as file:
        sums = (
            np.array([column.to_numpy().sum() for column in batch.columns])
            for batch in file.iter_batches(1 << 14, columns=names, use_threads=False)
        )
        total: list[int] = reduce(np.add, sums).tolist()
    return total


JOBS: dict[str, Callable[[list[str], str], list[int]]] = {
    "score": _score,
    "write rows": _write,
    "add up rows": _add,
}


def measured(job: str, folder: Path, n_files: int) -> dict[str, Any]:
    small, out = folder / "small.parquet", folder / f"rows-{n_files}.parquet"
    make_file(small, 0, SMALL)
    own = str(folder / "small-rows.parquet")
    _write([str(small)], own)
    JOBS[job]([str(small)], own)  # loads all code
    files = [str(file_name(folder, k)) for k in range(n_files)]
    peak.reset()
    before = peak.resident("VmRSS")
    begin, cpu = time.perf_counter_ns(), time.process_time_ns()
    sums = JOBS[job](files, str(out))
    return {
        "job": job,
        "sums": sums,
        "wall": time.perf_counter_ns() - begin,
        "cpu": time.process_time_ns() - cpu,
        "peak": max(0, peak.resident("VmHWM") - before),
        "written": out.stat().st_size if job == "write rows" else 0,
    }


def compared(folder: Path, n_files: int) -> Iterator[dict[str, Any]]:
    """Yield the results of each job, whose sums must agree."""
    import pyarrow.parquet as pq

    paths = [file_name(folder, k) for k in range(n_files)]
    n = sum(pq.ParquetFile(path).metadata.num_rows for path in paths)
    common = {"segments": n, "read": sum(path.stat().st_size for path in paths)}
    rows = []
    for job in JOBS:
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "bench.growth",
                str(folder),
                "--job",
                job,
                "--millions",
                str(n_files),
            ],
            stdout=subprocess.PIPE,
            cwd=REPOSITORY,
            check=True,
        )
        rows.append(common | json.loads(done.stdout))
        if rows[-1]["sums"] != rows[0]["sums"]:
            raise Difference(f"{job}: expected {rows[0]['sums']}; got {rows[-1]['sums']}")
    yield from rows


HEADER = """\
| Segments | Job | Time | each | CPU time | Memory | Read | Written |
| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |"""


def line(row: dict[str, Any]) -> str:
    cells = [
        f"{row['segments']:,}",
        row["job"],
        report.quantity(row["wall"], "ns"),
        report.quantity(row["wall"] / row["segments"], "ns"),
        report.quantity(row["cpu"], "ns"),
        report.quantity(row["peak"], "bytes"),
        "" if row["job"] == "add up rows" else report.quantity(row["read"], "bytes"),
        report.quantity(row["written"], "bytes") if row["written"] else "",
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
