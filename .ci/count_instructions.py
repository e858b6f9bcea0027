"""Count the instructions of jobs under callgrind; fail if one takes 1 % more than before.

    python .ci/count_instructions.py PYTHON                  compare with the stored counts
    python .ci/count_instructions.py PYTHON OTHER_PYTHON     compare with another build
    python .ci/count_instructions.py --store PYTHON          store the counts

Each argument is an interpreter with rapidbleu installed. Times on shared machines vary by half from
run to run; instruction counts of the same source vary by less than 0.3 %, of the same build not at
all. They depend on compiler, interpreter and libraries, so the stored counts
(`bench/results/instructions.json`) are compared only if these match. Store them again after a
change that is worth its cost, or that made a job faster.

Each job runs once to warm up, and again between two calls of `getppid`, at which callgrind dumps
its counts. AVX-512 code is not counted, because valgrind does not support it; nor are threads,
whose scheduling varies.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

LIMIT = 1.01
LEVELS = ("portable", "avx2")
STORED = Path(__file__).resolve().parents[1] / "bench" / "results" / "instructions.json"

SETUP = """
import gc, gzip, os, random, sys
gc.disable()
sys.modules["isal.isal_zlib"] = None  # zlib is everywhere
os.urandom = random.Random(7).randbytes  # the keys of hash tables
import numpy as np
import rapidbleu, rapidbleu.nltk
from rapidbleu.significance import bootstrap
from rapidbleu.tuning import NBestList, mert, mira, read_nbest
random.seed(7)
WORDS = ["the", "a", "of", "Haus", "größer", "internationalization", "3.14", "it's", ",", "."]
WORDS += [f"w{i * i}" for i in range(400)]
WEIGHTS = [1 / (i + 1) for i in range(len(WORDS))]
refs = [" ".join(random.choices(WORDS, WEIGHTS, k=random.randint(5, 40))) for _ in range(200)]
hyps = [" ".join(w for w in ref.split() if random.random() < 0.9) for ref in refs]
document, translation = " ".join(hyps), " ".join(refs)  # of some 4,000 tokens
wide = ["„" + text.replace("a", "ä") + "“" for text in hyps]
split = [[text.split()] for text in refs], [text.split() for text in hyps]
bleu, chrf, ter = rapidbleu.BLEU(), rapidbleu.CHRF(), rapidbleu.TER()
words = rapidbleu.CHRF(word_order=2)
prepared = bleu.prepare([refs])
stats = bleu.segment_stats(hyps, [refs])
running = bleu.running(prepared, hyps)
lists = [random.sample(hyps, 20) for _ in range(50)]
features = np.random.default_rng(7).normal(size=(1000, 8))
nbest = NBestList.from_lists(lists, features, [refs[:50]], metric=bleu)
lines = "".join(
    f"{i // 20} ||| {nbest.hypotheses[i]} ||| TM= {' '.join(f'{value:.6g}' for value in row)}\\n"
    for i, row in enumerate(features)
)
with open("list.gz", "wb") as file:
    file.write(gzip.compress(lines.encode(), mtime=0))
"""
JOBS = {
    "corpus BLEU": "bleu.corpus_score(hyps, [refs])",
    "corpus BLEU, references prepared": "bleu.corpus_score(hyps, prepared)",
    "sentence BLEU": "[rapidbleu.sentence_bleu(h, [r]) for h, r in zip(hyps, refs)]",
    "document BLEU": "bleu.corpus_score([document], [[translation]])",
    "intl, not ASCII": "rapidbleu.BLEU(tokenize='intl').corpus_score(wide, [wide])",
    "corpus chrF": "chrf.corpus_score(hyps, [refs])",
    "document chrF": "chrf.corpus_score([document], [[translation]])",
    "document chrF++": "words.corpus_score([document], [[translation]])",
    "corpus TER": "ter.corpus_score(hyps[:50], [refs[:50]])",
    "all pairs, BLEU": "bleu.pairwise(hyps[:64], refs[:64])",
    "all pairs, TER": "ter.pairwise(hyps[:20], refs[:20])",
    "replaced rows": "[running.replace(i, stats[i]) for i in range(len(stats))]",
    "bootstrap": "bootstrap(stats, None, bleu, n_resamples=200)",
    "NLTK sentence BLEU": "[rapidbleu.nltk.sentence_bleu(r, h) for r, h in zip(*split)]",
    "NLTK corpus NIST": "rapidbleu.nltk.corpus_nist(*split)",
    "NLTK corpus GLEU": "rapidbleu.nltk.corpus_gleu(*split)",
    "n-best rows": "bleu.nbest_stats(lists, [refs[:50]])",
    "n-best file, .gz": "read_nbest('list.gz', [refs[:50]], metric=bleu)",
    "MERT": "mert(nbest, restarts=1, seed=1)",
    "MIRA": "mira(nbest, epochs=2, seed=1)",
}
# A call of these functions counts as PRICE instructions, because its true cost depends on
# addresses, and so on everything allocated before: an allocation copies or clears more or less, or
# starts a pool, and CPython's method cache hits or misses.
PRICED = re.compile(
    "(malloc|calloc|realloc|free|_?Py(Object|Mem)_(Raw)?(Malloc|Calloc|Realloc|Free)"
    "|allocate_from_new_pool|new_arena|_PyType_Lookup)"
)
PRICE = 50
ENVIRONMENT = r"""
import json, platform, re, sys, zlib
import numpy
from rapidbleu._core.text import tokenize
with open(tokenize.__file__, "rb") as file:
    compilers = re.findall(rb"(?:GCC: |clang version )[^\0\n]*", file.read())
print(json.dumps({
    "compiler": ", ".join(sorted({name.decode() for name in compilers})),
    "python": sys.version,
    "numpy": numpy.__version__,
    "libc": " ".join(platform.libc_ver()),
    "zlib": zlib.ZLIB_RUNTIME_VERSION,
    "machine": platform.machine(),
    "level": tokenize.simd_level(),
}))
"""


def environment_of(python: str) -> dict[str, str]:
    """Return everything except rapidbleu that the counts depend on."""
    found = {"valgrind": run("valgrind", "--version").strip()}
    return found | json.loads(run(python, "-c", ENVIRONMENT))


def instructions(python: str, level: str) -> dict[str, int]:
    program = SETUP + "".join(
        f"{job}\nos.getppid()\n{job}\nos.getppid()\n" for job in JOBS.values()
    )
    with tempfile.TemporaryDirectory() as folder:
        return dict(zip(JOBS, dumps([python, "-c", program], folder, level), strict=True))


def dumps(command: list[str], folder: str, level: str) -> list[int]:
    """Run a command under callgrind; return the counts between pairs of calls of `getppid`."""
    tool = [
        "valgrind", "--tool=callgrind", "--callgrind-out-file=out", "--dump-before=getppid",
        "--compress-strings=no", "--compress-pos=no",
    ]  # fmt: skip
    run(*tool, *command, folder=folder, level=level)
    n = len(list(Path(folder).glob("out.*")))
    return [counted(Path(folder, f"out.{i}")) for i in range(2, n + 1, 2)]


def counted(path: Path) -> int:
    """Sum the counts in callgrind's output, with fixed prices for `PRICED` functions."""
    total, caller, callee = 0, "", ""
    with open(path, encoding="utf-8") as file:
        for line in file:
            key, _, value = line.partition("=")
            if line.startswith("totals: "):
                total += int(line.split()[1])
            elif key == "fn":
                caller = value.strip()
            elif key == "cfn":
                callee = value.strip()
            elif key == "calls":
                cost = int(next(file).split()[1])
                if PRICED.fullmatch(callee) and not PRICED.fullmatch(caller):
                    total += PRICE * int(value.split()[0]) - cost
    return total


def run(*command: str, folder: str | None = None, level: str = LEVELS[-1]) -> str:
    # No other environment variables: their total size shifts memory, which changes counts.
    needed = {name: os.environ[name] for name in ("LD_LIBRARY_PATH", "PATH") if name in os.environ}
    one_thread = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
    done = subprocess.run(
        command, capture_output=True, encoding="utf-8", check=False, cwd=folder,
        env={**needed, **one_thread, "PYTHONHASHSEED": "0", "RAPIDBLEU_SIMD": level},
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{command[:3]}: exit code {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout


def slower(counts: Mapping[str, int], before: Mapping[str, int]) -> list[str]:
    """Print a line for each job; return the jobs that take too many instructions."""
    for name, count in counts.items():
        print(f"{name:<34}{count:>14,}{before[name]:>14,}{count / before[name]:>8.3f}")
    return [name for name, count in counts.items() if count > LIMIT * before[name]]


def main(store: bool, python: str, *others: str) -> int:
    """Store or compare counts; return 1 if one is too high."""
    environment = environment_of(python)
    if store:
        counts = {level: instructions(python, level) for level in LEVELS}
        STORED.write_text(json.dumps({"environment": environment, **counts}, indent=1) + "\n")
        return 0
    stored = json.loads(STORED.read_text())
    if not others and environment != stored["environment"]:
        for name, here in environment.items():
            if here != (there := stored["environment"].get(name)):
                print(f"instructions not compared: {name} is {here}, of the stored ones {there}")
        return 0
    failed = []
    for level in LEVELS:
        print(level)
        before = instructions(others[0], level) if others else stored[level]
        failed += [f"{name} ({level})" for name in slower(instructions(python, level), before)]
    if failed:
        print(f"more than {LIMIT} times the instructions of before: {', '.join(failed)}")
    return bool(failed)


if __name__ == "__main__":
    arguments = [name for name in sys.argv[1:] if name != "--store"]
    pythons = [str(Path(name).absolute()) for name in arguments]  # symbolic links stay
    sys.exit(main("--store" in sys.argv, *pythons) if pythons else __doc__)
