"""``python -m bench.restarts``: the best score that `mert` finds, by work, from many starts.

Lists are a Moses list with references and a start (``--moses NBEST REFS INIT``), samples of its
segments (``--samples``), and lists of `bench.tuners` (``--folders``, ``--seeds``). Work is counted
in line searches; seconds of one thread. Each row is the median over random seeds.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from bench import tuners
from bench.harness import report
from rapidbleu import BLEU
from rapidbleu.tuning import NBestList, mert, read_nbest
from rapidbleu.tuning.nbest import taken
from rapidbleu.tuning.search.line_search import best_point
from rapidbleu.tuning.search.mert import default_ranges

LINES = (
    200,
    500,
    1_000,
    2_000,
    5_000,
    10_000,
    20_000,
    50_000,
    100_000,
    200_000,
    500_000,
    1_000_000,
)
UNIFORM, DIRECTED, POOLED = "uniform", "uniform, 50 random directions", "near the best ends"
SETTINGS = (POOLED, UNIFORM, DIRECTED)


class Trace:
    """The best score so far, by line searches and seconds, until the budget is spent."""

    def __init__(self, nbest: NBestList, budget: int) -> None:
        self.sign = 1 if nbest.metric.higher_is_better else -1
        self.budget, self.lines, self.began = budget, 0, time.thread_time()
        self.points: list[tuple[int, float, float]] = []
        self.seconds = 0.0

    def best_point(self, *arguments: Any) -> Any:
        if self.lines >= self.budget:
            raise KeyboardInterrupt
        self.lines += 1
        return best_point(*arguments)

    def step(self, entry: dict[str, Any]) -> None:
        score = self.sign * entry["score"]
        if not self.points or score > self.points[-1][2]:
            self.points.append((self.lines, time.thread_time() - self.began, score))

    def at(self, lines: int) -> float:
        return max((score for n, _, score in self.points if n <= lines), default=np.nan)


def run(nbest: NBestList, start: Any, setting: str, seed: int, budget: int) -> Trace:
    trace = Trace(nbest, budget)
    options: dict[str, Any] = {"restarts": 100_000}  # more than the budget allows
    if setting == DIRECTED:
        low, high = default_ranges(nbest).T
        n_starts = budget // (nbest.n_features + 50)
        drawn = np.random.default_rng(seed).uniform(low, high, (n_starts, nbest.n_features))
        start, options = np.vstack([start, drawn]), {"restarts": 0, "random_directions": 50}
    elif setting == POOLED:
        options["random_directions"] = 10
    with patch("rapidbleu.tuning.search.mert.best_point", trace.best_point):
        mert(nbest, start, seed=seed, callback=trace.step, **options)
    trace.seconds = time.thread_time() - trace.began
    return trace


def lists(options: argparse.Namespace) -> Iterator[tuple[str, NBestList, Any]]:
    if options.moses:
        path, refs, init = options.moses
        lines = Path(refs).read_text(encoding="utf-8").removesuffix("\n").split("\n")
        metric = BLEU(tokenize="none", force=True)
        nbest = read_nbest(path, [lines], metric=metric, texts=False)
        start = np.array(Path(init).read_text().split("\n")[0].split(), float)
        if not options.samples:
            yield f"Moses list, BLEU {nbest.n_segments} segments", nbest, start
        for seed in options.samples:
            chosen = np.random.default_rng(seed).permutation(nbest.n_segments)[:100]
            yield f"Moses list, BLEU 100 segments, sample {seed}", taken(nbest, chosen), start
    for seed in options.seeds:
        folder = options.folders[seed % len(options.folders)]
        one = tuners.make(tuners.read_words(folder), seed, tuners.PARTS["second"])
        yield f"{folder.name} {one.name}", one.nbest, one.start


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.restarts", description=__doc__)
    parser.add_argument("--moses", nargs=3, metavar=("NBEST", "REFS", "INIT"))
    parser.add_argument("--samples", type=int, nargs="*", default=[])
    parser.add_argument("--folders", type=Path, nargs="*", default=[])
    parser.add_argument("--seeds", type=int, nargs="*", default=[])
    parser.add_argument("--settings", nargs="*", choices=SETTINGS, default=SETTINGS)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--lines", type=int, default=20_000)
    parser.add_argument("--output", type=Path, help="a file for the results, in JSON")
    options = parser.parse_args()
    records = []
    for name, nbest, start in lists(options):
        for setting in options.settings:
            traces = [run(nbest, start, setting, i, options.lines) for i in range(options.runs)]
            per_line = float(np.median([trace.seconds / trace.lines for trace in traces]))
            grid = [n for n in LINES if n <= options.lines]
            optima = [float(np.median([trace.at(n) for trace in traces])) for n in grid]
            records.append(
                {
                    "list": name,
                    "setting": setting,
                    "lines": grid,
                    "optima": optima,
                    "seconds": [n * per_line for n in grid],
                }
            )
            print(row(records[-1]), flush=True)
            if options.output is not None:
                report.write(records, options.output)
    print(table({"records": records}))


def row(record: dict[str, Any]) -> str:
    cells = [f"{optimum:.2f}" for optimum in record["optima"]]
    each = 1000 * record["seconds"][-1] / record["lines"][-1]
    return f"| {record['list']} | {record['setting']} | {each:.2f} | {' | '.join(cells)} |"


def table(document: dict[str, Any]) -> str:
    """Return a row for each list: the best scores by settings, after numbers of line searches."""
    records = document["records"]
    lines = max((record["lines"] for record in records), key=len)
    head = " | ".join(f"{n:,}" for n in lines)
    rows = [f"| List | Seconds per 1,000 | {head} |", "|---|" + "---:|" * (len(lines) + 1)]
    for name in dict.fromkeys(record["list"] for record in records):
        own = [record for record in records if record["list"] == name]
        each = [f"{1000 * one['seconds'][0] / one['lines'][0]:.2g}" for one in own]
        cells = [
            " / ".join(f"{one['optima'][i]:.2f}" for one in own if i < len(one["lines"]))
            for i in range(len(lines))
        ]
        rows.append(f"| {name} | {' / '.join(each)} | {' | '.join(cells)} |")
    return "\n".join(rows)


if __name__ == "__main__":
    main()
