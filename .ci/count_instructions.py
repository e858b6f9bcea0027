"""Count the instructions of a few jobs under callgrind, and compare them with another build's.

    python .ci/count_instructions.py PYTHON [PYTHON_OF_THE_BASELINE]

Each argument is an interpreter with rapidbleu installed.  Times of shared runners differ by half
from run to run; instruction counts repeat to a tenth of a per cent.  A job is done once, and again
between two calls of `getppid`, at which callgrind writes down what it has counted.  The exit code
is 1 if a job takes 3 % more than the baseline's.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

LIMIT = 1.03

SETUP = """
import gc, os, random, sys
gc.disable()
os.urandom = random.Random(7).randbytes  # the keys of hash tables
import numpy as np
import rapidbleu, rapidbleu.nltk
from rapidbleu.significance import bootstrap
from rapidbleu.tuning import NBestList, mert, mira
random.seed(7)
WORDS = ["the", "a", "of", "Haus", "größer", "internationalization", "3.14", "it's", ",", "."]
WORDS += [f"w{i * i}" for i in range(400)]
WEIGHTS = [1 / (i + 1) for i in range(len(WORDS))]
refs = [" ".join(random.choices(WORDS, WEIGHTS, k=random.randint(5, 40))) for _ in range(200)]
hyps = [" ".join(w for w in ref.split() if random.random() < 0.9) for ref in refs]
bleu, chrf, ter = rapidbleu.BLEU(), rapidbleu.CHRF(), rapidbleu.TER()
stats = bleu.segment_stats(hyps, [refs])
running = bleu.running(bleu.prepare([refs]), hyps)
lists = [random.sample(hyps, 20) for _ in range(50)]
features = np.random.default_rng(7).normal(size=(1000, 8))
nbest = NBestList.from_lists(lists, features, [refs[:50]], metric=bleu)
split = [text.split() for text in hyps], [[text.split()] for text in refs]
wide = ["„" + text.replace("a", "ä") + "“" for text in hyps]
"""
JOBS = {
    "corpus BLEU": "bleu.corpus_score(hyps, [refs])",
    "sentence BLEU": "[rapidbleu.sentence_bleu(h, [r]) for h, r in zip(hyps, refs)]",
    "corpus chrF": "chrf.corpus_score(hyps, [refs])",
    "corpus TER": "ter.corpus_score(hyps[:50], [refs[:50]])",
    "replaced rows": "[running.replace(i, stats[i]) for i in range(len(stats))]",
    "all pairs": "bleu.pairwise(hyps[:64], refs[:64])",
    "bootstrap": "bootstrap(bleu, stats, n=200)",
    "intl, not ASCII": "rapidbleu.BLEU(tokenize='intl').corpus_score(wide, [wide])",
    "n-best rows": "bleu.nbest_stats(lists, [refs[:50]])",
    "NLTK sentences": "[rapidbleu.nltk.sentence_bleu(r, h) for h, r in zip(*split)]",
    "MERT": "mert(nbest, restarts=1, seed=1)",
    "MIRA": "mira(nbest, epochs=2, seed=1)",
}


def instructions(python: str) -> dict[str, int]:
    """Instructions that each job takes."""
    program = SETUP + "".join(
        f"{job}\nos.getppid()\n{job}\nos.getppid()\n" for job in JOBS.values()
    )
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out")
        tool = [f"--callgrind-out-file={out}", "--dump-before=getppid"]
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", *tool, python, "-c", program],
            capture_output=True, encoding="utf-8", check=False,
            env={**os.environ, "PYTHONHASHSEED": "0"},
        )  # fmt: skip
        if done.returncode:
            sys.exit(f"{python}: exit code {done.returncode}\n{done.stderr[-2000:]}")
        totals = [
            int(re.search(r"^totals: (\d+)", Path(f"{out}.{i + 1}").read_text(), re.M)[1])
            for i in range(2 * len(JOBS))
        ]
    return dict(zip(JOBS, totals[1::2], strict=True))


def main(pythons: list[str]) -> int:
    """Print a line for each job; 1 if one is slower than the baseline's."""
    slower = []
    counts = [instructions(python) for python in pythons]
    for name, count in counts[0].items():
        baseline = counts[-1][name]
        ratio = count / baseline
        print(f"{name:<16}{count:>14,}{baseline:>14,}{ratio:>8.3f}")
        if ratio > LIMIT:
            slower.append(name)
    if slower:
        print(f"more than {LIMIT} times the baseline's instructions: {', '.join(slower)}")
    return bool(slower)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:3]))
