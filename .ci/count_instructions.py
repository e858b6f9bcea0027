"""Count the instructions of a few jobs under callgrind, and compare them with another build's.

    python .ci/count_instructions.py PYTHON [PYTHON_OF_THE_BASELINE]

Each argument is an interpreter with rapidbleu installed.  Times of shared runners differ by half
from run to run; instruction counts repeat to a tenth of a per cent.  What starting up takes cancels
out: a job is run once and several times, and the difference is divided.  The exit code is 1 if a
job takes 3 % more than the baseline's.
"""

import os
import re
import subprocess
import sys

MORE = 5  # runs of a job, besides the first
LIMIT = 1.03

SETUP = """
import random, sys
import rapidbleu
from rapidbleu.significance import bootstrap
random.seed(7)
WORDS = ["the", "a", "of", "Haus", "größer", "internationalization", "3.14", "it's", ",", "."]
WORDS += [f"w{i * i}" for i in range(400)]
WEIGHTS = [1 / (i + 1) for i in range(len(WORDS))]
refs = [" ".join(random.choices(WORDS, WEIGHTS, k=random.randint(5, 40))) for _ in range(200)]
hyps = [" ".join(w for w in ref.split() if random.random() < 0.9) for ref in refs]
bleu, chrf, ter = rapidbleu.BLEU(), rapidbleu.CHRF(), rapidbleu.TER()
stats = bleu.segment_stats(hyps, [refs])
running = bleu.running(bleu.prepare([refs]), hyps)
"""
JOBS = {
    "corpus BLEU": "bleu.corpus_score(hyps, [refs])",
    "sentence BLEU": "[rapidbleu.sentence_bleu(h, [r]) for h, r in zip(hyps, refs)]",
    "corpus chrF": "chrf.corpus_score(hyps, [refs])",
    "corpus TER": "ter.corpus_score(hyps[:50], [refs[:50]])",
    "replaced rows": "[running.replace(i, stats[i]) for i in range(len(stats))]",
    "all pairs": "bleu.pairwise(hyps[:64], refs[:64])",
    "bootstrap": "bootstrap(bleu, stats, n=200)",
}


def instructions(python: str, job: str, runs: int) -> int:
    """Instructions of a process that does a job so often."""
    program = f"{SETUP}\nfor _ in range({runs}):\n    {job}\n"
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", python, "-c"]
    done = subprocess.run(
        [*command, program], capture_output=True, encoding="utf-8", check=False,
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )  # fmt: skip
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or found is None:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr[-2000:]}")
    return int(found[1])


def main(pythons: list[str]) -> int:
    """Print a line for each job; 1 if one is slower than the baseline's."""
    slower = []
    for name, job in JOBS.items():
        counts = [
            (instructions(python, job, 1 + MORE) - instructions(python, job, 1)) / MORE
            for python in pythons
        ]
        ratio = counts[0] / counts[-1]
        print(f"{name:<16}{counts[0]:>14,.0f}{counts[-1]:>14,.0f}{ratio:>8.3f}", flush=True)
        if ratio > LIMIT:
            slower.append(name)
    if slower:
        print(f"more than {LIMIT} times the baseline's instructions: {', '.join(slower)}")
    return bool(slower)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:3]))
