"""``python -m bench.tuners FOLDER ...``: tuning methods on held-out halves of your own outputs.

A folder contains ``ref.txt`` and a file ``*.txt`` for each system, or all of them as ``.txt.gz``.
Lists take their size, features, metric and start from their seed, and their folder in turn. Each
list is halved at random several times; each method is tuned on one half and tested on the other
one. The table has differences from `mert` without restarts, above 0 if better. All scores are
compared with NumPy's before a line is printed.

``--part second --seeds 1000 1015`` makes the lists of ``bench/results/tuning_lists.json`` from
folders of newstest2017 en-de and WMT22 de-en, en-cs, ja-en and uk-en; the stored results have
``--splits 8``.
"""

import argparse
import gzip
import hashlib
import json
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench.harness import report
from bench.harness.measure import Difference
from bench.lists.held_out import numpy_score
from bench.lists.nbest_features import Features
from bench.lists.nbest_texts import Drawn, Words
from bench.lists.tuning_lists import TuningList, start_weights
from rapidbleu import BLEU, CHRF, TER
from rapidbleu.tuning import cross_validate, mert, mira, risk, split_halves, tune
from rapidbleu.tuning.nbest import NBestList

BASE = "mert"
METHODS: dict[str, Any] = {
    BASE: partial(mert, restarts=0),
    "5 restarts": partial(mert, restarts=5),
    "20 restarts": partial(mert, restarts=20),
    "risk": risk,
    "mira": mira,
    "bags of mert": partial(tune, method="mert"),
    "bags of risk": partial(tune, method="risk"),
    "bags of mira": partial(tune, method="mira"),
    "tune": tune,
}
METRICS: tuple[tuple[str, Any], ...] = (
    *[("BLEU", BLEU(tokenize="none", force=True))] * 4,
    ("chrF", CHRF()),
    ("TER", TER()),
)
PARTS = {"all": (0, 1), "first": (0, 0.5), "second": (0.5, 1)}
RESAMPLES = 10_000  # of lists
POOR = ", poor start"  # in names of lists


class Outcome(NamedTuple):
    """Differences from the base on a list, the mean over splits, and seconds, by method."""

    name: str
    gains: list[float]
    seconds: list[float]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.tuners", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--seeds", type=int, nargs=2, default=[0, 20], metavar=("FROM", "TO"))
    parser.add_argument("--part", choices=PARTS, default="all", help="segments to draw from")
    parser.add_argument("--splits", type=int, default=6)
    parser.add_argument(
        "--frozen",
        type=Path,
        help="a file with the hash of each list: refuse "
        "others, or write it and stop if there is none",
    )
    parser.add_argument("--output", type=Path, help="a file for the results, in JSON")
    options = parser.parse_args()
    frozen = options.frozen
    hashes = json.loads(frozen.read_text()) if frozen is not None and frozen.exists() else None
    found: dict[str, str] = {}
    outcomes: list[Outcome] = []
    words: dict[Path, Words] = {}
    for seed in range(*options.seeds):
        folder = options.folders[seed % len(options.folders)]
        if folder not in words:
            words[folder] = read_words(folder)
        one = make(words[folder], seed, PARTS[options.part])
        name = f"{folder.name} {one.name}"
        found[name] = hash_of(one)
        if hashes is not None and hashes.get(name) != found[name]:
            raise SystemExit(f"{name}: another list than in {frozen}")
        if frozen is None or hashes is not None:
            outcomes.append(measured(name, one, options.splits))
            print(line(outcomes[-1].name, outcomes[-1].gains), flush=True)
    if outcomes:
        records = [own._asdict() for own in outcomes]
        print(table({"records": records}))
        if options.output is not None:
            report.write(records, options.output)
    elif frozen is not None:
        frozen.write_text(json.dumps(found, indent=1) + "\n")


def read_words(folder: Path) -> Words:
    ending = ".txt.gz" if (folder / "ref.txt.gz").exists() else ".txt"
    paths = sorted(folder.glob(f"*{ending}"))
    texts = {path.name.partition(".txt")[0]: _lines(path) for path in paths}
    return Words(texts.pop("ref"), list(texts.values()))


def _lines(path: Path) -> list[str]:
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
        return str(file.read()).removesuffix("\n").split("\n")


def make(words: Words, seed: int, part: tuple[float, float]) -> TuningList:
    """Return the list of a seed from a part of the segments."""
    rng, n = np.random.default_rng(seed), len(words.references)
    pool = np.arange(*(int(n * end) for end in part))
    n_segments = min(len(pool), int(rng.choice([100, 150, 250, 400, 700, 1000, 1500])))
    n_best, edits = int(rng.choice([20, 50, 100])), float(rng.choice([0.0, 0.3, 0.5, 0.9]))
    families = {"words": 1, "lm": int(rng.integers(1, 4))}
    if rng.random() < 0.8:
        families["votes"] = int(rng.integers(1, 4))
    families["lexical"] = int(rng.choice([1, 2, 4, 8, 16]))
    families |= {
        name: 1 for name in ("length", "parts", "moves", "characters") if rng.random() < 0.6
    }
    if rng.random() < 0.3:
        families["style"] = int(rng.integers(1, 4))
    if n_noise := int(rng.choice([0, 0, 2, 4, 8])):
        families["noise"] = n_noise
    if rng.random() < 0.2:
        families["owners"] = 1
    metric_name, metric = METRICS[int(rng.integers(len(METRICS)))]
    is_poor = rng.random() < 0.4
    segments = np.sort(rng.permutation(pool)[:n_segments]).tolist()
    systems = list(range(len(words.outputs)))
    if rng.random() < 0.3:
        systems = sorted(rng.permutation(systems)[:5].tolist())
    drawn = Drawn(words, segments, systems, n_best, edits, seed)
    matrix, names = Features(words, drawn, segments, systems, seed).dense(families)
    start = rng.uniform(-1, 1, len(names)) if is_poor else start_weights(names, families)
    references = [words.joined(words.references[segment]) for segment in segments]
    stats = metric.nbest_stats(drawn.hypotheses, [references], offsets=drawn.offsets)
    nbest = NBestList(matrix, stats, drawn.offsets, metric=metric, names=names)
    name = f"{metric_name} {n_segments} x {n_best}, {len(names)} features" + POOR * is_poor
    return TuningList(name, nbest, start, len(names))


def hash_of(one: TuningList) -> str:
    """Return the SHA-256 of the statistics and of the features to four digits.

    Logarithms of other platforms differ in their last bits.
    """
    nbest = one.nbest
    digest = hashlib.sha256(np.asarray(nbest.stats, "<i8").tobytes())
    digest.update(np.asarray(nbest.offsets, "<i8").tobytes())
    digest.update(np.round(nbest.features.astype(np.float64), 3).astype("<f4").tobytes())
    return digest.hexdigest()


def measured(name: str, one: TuningList, n_splits: int) -> Outcome:
    halves = split_halves(one.nbest.n_segments, n_splits)
    found = cross_validate(one.nbest, METHODS, splits=halves, start=one.start)
    for vectors, scores in zip(found.weights, found.test.tolist(), strict=True):
        parts = [test for _, test in halves]
        if scores != [numpy_score(one.nbest, *own) for own in zip(parts, vectors, strict=True)]:
            raise Difference(f"{name}: scores differ from NumPy's")
    sign = 1 if found.higher_is_better else -1
    gains = sign * (found.test - found.test[found.methods.index(BASE)]).mean(axis=1)
    return Outcome(name, gains.tolist(), found.seconds.mean(axis=1).tolist())


def line(name: str, gains: list[float]) -> str:
    return f"| {name} | " + " | ".join(f"{gain:+.2f}" for gain in gains[1:]) + " |"


def table(document: dict[str, Any]) -> str:
    """Return a row for each list; then means with 95% intervals, worst lists, regrets and times.

    Lists with a poor start and lists with a good one also have means.
    """
    records = document["records"]
    gains = np.array([record["gains"] for record in records])
    draws = np.random.default_rng(12345).integers(len(gains), size=(RESAMPLES, len(gains)))
    low, high = np.quantile(gains[draws].mean(axis=1), [0.025, 0.975], axis=0)
    regret = (gains.max(axis=1, keepdims=True) - gains).mean(axis=0)
    seconds = np.array([record["seconds"] for record in records]).mean(axis=0)
    is_poor = np.array([record["name"].endswith(POOR) for record in records])
    rows = {
        f"mean of {own.sum()}, {name} start": [f"{mean:+.2f}" for mean in gains[own].mean(axis=0)]
        for name, own in (("poor", is_poor), ("good", ~is_poor))
        if own.any()
    }
    rows |= {
        "**mean**": [f"**{mean:+.2f}**" for mean in gains.mean(axis=0)],
        "its 95% interval": [f"{a:+.2f} to {b:+.2f}" for a, b in zip(low, high, strict=True)],
        "worst list": [f"{worst:+.2f}" for worst in gains.min(axis=0)],
        "below the best, mean": [f"{mean:.2f}" for mean in regret],
        "seconds, mean": [f"{mean:.2f}" for mean in seconds],
    }
    lines = [f"| List | {' | '.join(list(METHODS)[1:])} |", "|---|" + "---:|" * (len(METHODS) - 1)]
    lines += [line(record["name"], record["gains"]) for record in records]
    lines += [f"| {name} | {' | '.join(cells[1:])} |" for name, cells in rows.items()]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
