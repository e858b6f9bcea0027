"""``python -m bench.cluster``: a model of the cost of a segment on a large cluster.

Time and bytes per segment come from the largest size of `bench.growth`, and bytes sent per task
from `bench.shuffles`; only resampling is timed here. Each task sends a result of constant size,
except the last task, which sends all sums.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

from bench.harness import report
from bench.harness.places import RESULTS
from bench.shuffles import METRIC, RESAMPLES, VALUES
from rapidbleu.significance import sum_resamples

SEGMENTS = 10**9
TASKS = 1000
DRAWN = 100_000  # rows whose resampling is timed
TURNS = 5


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.cluster", description=__doc__)
    parser.add_argument("--output", type=Path, help="a file for the results, in JSON")
    options = parser.parse_args()
    rows = model(records("growth"), records("shuffles"), resampling())
    print(HEADER, *map(line, rows), sep="\n")
    if options.output is not None:
        report.write(rows, options.output)


def records(name: str) -> list[dict[str, Any]]:
    """Return the latest results of another program."""
    text = (RESULTS / f"{name}.json").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = json.loads(text)["records"]
    return found


def resampling() -> float:
    """Return the nanoseconds of core time to resample one segment, the minimum of several runs."""
    import numpy as np

    rows = np.ones((DRAWN, len(METRIC._stat_names())), np.int64)
    turns = []
    for _ in range(TURNS):
        begin = time.process_time_ns()
        sum_resamples(rows, np.arange(DRAWN), RESAMPLES)
        turns.append(time.process_time_ns() - begin)
    return min(turns) / DRAWN


def model(
    growth: list[dict[str, Any]], shuffles: list[dict[str, Any]], resampled: float
) -> list[dict[str, Any]]:
    """Return the core time and bytes that a segment costs in each job."""
    largest = {row["job"]: row for row in growth}
    sent = {row["job"]: row for row in shuffles}
    n = largest["score"]["segments"]
    texts, rows = largest["write rows"]["read"] / n, largest["write rows"]["written"] / n
    added = largest["add up rows"]["cpu"] / n
    jobs = {
        "stats, written": (largest["write rows"]["cpu"] / n, texts, rows),
        "score": (added, rows, 0),
        f"score, by {VALUES} values": (added, rows, 0),
        f"bootstrap, {RESAMPLES:,} resamples": (added + resampled, rows, 0),
    }
    found = []
    for job, (cpu, read, written) in jobs.items():
        own, plain = sent[job], sent["score" if sent[job]["senders"] else job]
        results = TASKS * plain["results"] / plain["tasks"] + own["results"] - plain["results"]
        shuffle = TASKS * own["shuffle"] / max(1, own["senders"])
        found.append(
            {
                "job": job,
                "cpu": cpu,
                "read": read,
                "written": written,
                "shuffle": shuffle / SEGMENTS,
                "results": results / SEGMENTS,
            }
        )
    return found


HEADER = """\
| Job | Core time | Read, bytes | Written, bytes | Shuffle, bytes | Results, bytes | In all: time \
| shuffle | results |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""


def line(row: dict[str, Any]) -> str:
    digits = {"read": 1, "written": 1, "shuffle": 5, "results": 5}
    cells = [
        row["job"],
        report.quantity(row["cpu"], "ns"),
        *(f"{row[name]:.{n}f}" if row[name] else "" for name, n in digits.items()),
        report.quantity(row["cpu"] * SEGMENTS, "ns"),
        *(report.quantity(row[name] * SEGMENTS, "bytes") for name in ("shuffle", "results")),
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
