"""Options with numbers: any value yields a result or an error that names the option."""

import io
import json
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from rapidbleu.cli import main
from support.command_line import ENVIRONMENT
from support.selection import few

NONSENSE = ("nan", "inf", "x", "")
VALUES = ("-1", "0", "1000000000000", "1" + 30 * "0", "1" + 400 * "0", "1e400", *NONSENSE)

SCORE = "ref -i hyp"
FILES = "--ffile f --scfile s"
# A command, and its options.
COMMANDS = [
    (SCORE, "-nr", "--num-refs", "--threads", "-w", "--width"),
    (f"{SCORE} -s floor", "-sv", "--smooth-value"),
    (f"{SCORE} -s add-k", "-sv"),
    (f"{SCORE} -m chrf", "-cc", "-cw", "--chrf-char-order", "--chrf-word-order", "--chrf-beta"),
    (f"{SCORE} -ci", "-cin", "--confidence-n"),
    (f"{SCORE} hyp2 -par", "-parn", "--paired-ar-n", "-j", "-w"),
    (f"{SCORE} hyp2 -pbs -f text", "-pbsn", "--paired-bs-n", "--paired-jobs", "--threads", "-w"),
    (
        "tune nbest -r ref -o w -q -tok none --method mert",
        "--n-runs",
        "--restarts",
        "--seed",
        "--threads",
    ),
    (
        "compare hyp hyp2 -r ref -q",
        "-nr",
        "-n",
        "--n-resamples",
        "--ngrams",
        "--examples",
        "-w",
        "--threads",
    ),
    ("explain hyp ref -q", "--segment"),
    ("mbr hyp hyp2 -q", "--n-best", "--threads", "--shard", "--shard 1/"),
    ("mbr nbest -q", "--shard", "--threads"),
    ("oracle nbest -r ref -q", "--restarts", "--seed", "--shard", "--shard 1/"),
    ("extractor -r ref -n nbest -S s2 -F f2", "-v", "--scconfig regwin:"),
    (
        f"mert {FILES} --ifile init.opt",
        "-d",
        "--pdim",
        "-n",
        "--ntry",
        "-m",
        "--nrandom",
        "-r",
        "--rseed",
        "--threads",
        "--shard-count",
        "--shard-size",
        "-v",
        "--scconfig regtype:average,regwin:",
        "--scconfig regtype:min,regwin:",
    ),
    (
        f"kbmira {FILES} -o k",
        "-r",
        "--random-seed",
        "-C",
        "--cparam",
        "-D",
        "--decay",
        "-J",
        "--iters",
        "--hg-prune",
    ),
    (f"pro {FILES} -o p", "-r", "--random-seed"),
    ("evaluator -R ref -C hyp -r 1", "-b", "--bootstrap"),
    ("evaluator -R ref -C hyp -b 5", "-r", "--rseed"),
]

CONTENTS = {
    "ref": "a b c d e\nf g h i j\n",
    "hyp": "a b c x e\nf g h i j\n",
    "hyp2": "a b c d e\nf g x i j\n",
    "init.opt": "0.5 0.5\n-1 -1\n1 1\n",
    "nbest": "".join(
        f"{i} ||| {text} ||| LM= {k}.5 W= {k * k}\n"
        for i in range(2)
        for k, text in enumerate(["a b c x e", "f g h i j", "a b c d e"])
    ),
}

MEGABYTES = 1000  # that commands may take
SECONDS = 120  # for all values of the options of a command


def cases(command: str, options: list[str]) -> list[tuple[str, str, list[str]]]:
    found = []
    for option in options:
        name, _, prefix = option.partition(" ")
        for value in VALUES:
            found.append((name, value, [*command.split(), name, prefix + value]))
    return found


def limit_memory() -> None:
    """Limit the memory of commands where the system supports it."""
    if sys.platform == "linux":
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        size = pages * resource.getpagesize() + (MEGABYTES << 20)
        resource.setrlimit(resource.RLIMIT_AS, (size, size))


@pytest.mark.parametrize("words", few(COMMANDS, COMMANDS[:4]), ids=" ".join)
def test_any_value(words: tuple[str, ...], tmp_path: Path) -> None:
    command, *options = words
    for name, text in CONTENTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    wanted = cases(command, options)
    process = subprocess.run(
        [sys.executable, __file__],
        input=json.dumps([line for _, _, line in wanted]),
        capture_output=True,
        # Each arena of glibc's would take a 16th of the memory, in case it is wanted.
        env={**ENVIRONMENT, "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"},
        cwd=tmp_path,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert process.returncode == 0, process.stderr
    for (name, value, line), (status, err) in zip(wanted, json.loads(process.stdout), strict=True):
        if status == 0:
            assert value not in NONSENSE or name in IGNORED, line
        else:
            last = err.splitlines()[-1]
            assert status in (1, 2) and last.startswith("rapidbleu: "), (line, err)
            assert name in last and len(last) < 1000, (line, last)


# Options of Moses that are read and have no effect.
IGNORED = ("--shard-size",)


def run(words: list[str]) -> tuple[object, str]:
    """Run a command in this process; return its status and messages."""
    err = io.StringIO()
    with redirect_stderr(err), redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")):
        try:
            status: object = main(words)
        except SystemExit as end:
            status = end.code
        except Exception as error:
            status = f"{type(error).__name__}: {error}"
    return status, err.getvalue()


if __name__ == "__main__":
    commands = json.load(sys.stdin)
    write_features = ["extractor", "-r", "ref", "-n", "nbest", "-S", "s", "-F", "f"]
    if main(write_features):
        raise SystemExit(1)
    limit_memory()
    json.dump([run(words) for words in commands], sys.stdout)
