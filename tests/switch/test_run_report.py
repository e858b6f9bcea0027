"""`rapidbleu run --report`, its parent process, and messages about what is not accelerated."""

import json
import os
import signal
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest

from rapidbleu.switch.report import N_SLOTS, SLOT, Recorder, summary_of
from support.processes import linux_only, posix_only

RUN = [sys.executable, "-m", "rapidbleu", "run"]

SCORES = """
import sys
from nltk.translate.bleu_score import sentence_bleu
for _ in range(int(sys.argv[1])):
    sentence_bleu([["a", "b", "c", "d"]], ["a", "b", "c", "d"])
"""


def run(*words: Any, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [*RUN, *map(str, words)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False, **options)


def report(tmp_path: Path, *words: Any, **options: Any) -> tuple[Any, dict[str, Any]]:
    file = tmp_path / "report.json"
    done = run(f"--report={file}", *words, **options)
    return done, json.loads(file.read_text())


def served(summary: dict[str, Any], name: str = "sentence_bleu") -> int:
    return sum(row["served"] for row in summary["functions"] if row["function"].endswith(name))


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    path = tmp_path / "scores.py"
    path.write_text(SCORES)
    return path


def test_table_on_stderr(scores: Path) -> None:
    done = run("--report", sys.executable, scores, 7)
    lines = done.stderr.splitlines()
    assert lines[0] == "rapidbleu: processes that called accelerated functions: 1"
    assert lines[1].split() == ["library", "function", "served", "handed", "back", "seconds"]
    assert lines[2].split()[:4] == ["nltk", "translate.bleu_score.sentence_bleu", "7", "0"]
    assert done.stdout == "" and done.returncode == 0
    nothing = run("--report", sys.executable, "-c", "print(5)")
    assert nothing.stdout == "5\n"
    assert nothing.stderr == "rapidbleu: processes that called accelerated functions: 0\n"


def test_json_in_a_file(tmp_path: Path, scores: Path) -> None:
    for option in ([f"--report={tmp_path / 'a.json'}"], ["--report", tmp_path / "b.json"]):
        done = run(*option, sys.executable, scores, 3)
        assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
    one, two = (json.loads((tmp_path / name).read_text()) for name in ("a.json", "b.json"))
    assert served(one) == served(two) == 3
    assert one["processes"] == 1 and one["without_rapidbleu"] == {}
    [row] = one["functions"]
    assert row["library"] == "nltk" and row["handed_back"] == {} and 0 < row["seconds"] < 10


WHY = """
import jiwer
from nltk.translate import bleu_score
from rouge_score.rouge_scorer import RougeScorer
for refs in ([["a", "b", "c", "d"]], [iter("abcd")]):
    try:
        bleu_score.sentence_bleu(refs, ["a", "b", "c", "d"])
    except TypeError:
        pass
jiwer.wer("a", "a", jiwer.wer_standardize, jiwer.wer_standardize)
RougeScorer(["rouge1"], split_summaries=True).score("a", "a")
bleu_score.ngrams = list
try:
    bleu_score.sentence_bleu([["a"]], ["a"])
except TypeError:
    pass
"""


def test_reasons(tmp_path: Path) -> None:
    _, summary = report(tmp_path, sys.executable, "-c", WHY)
    reasons = {
        row["function"].rpartition(".")[2]: row["handed_back"] for row in summary["functions"]
    }
    assert reasons["sentence_bleu"] == {
        "arguments are not lists of str": 1,
        "the library was changed": 1,
    }
    assert reasons["wer"] == {"other transformations": 1}
    assert reasons["score"] == {"sentences by NLTK's models": 1}


POOLS = """
import multiprocessing, os, signal, sys
from nltk.translate.bleu_score import sentence_bleu

def work(_):
    sentence_bleu([["a", "b", "c", "d"]], ["a", "b", "c", "d"])

def die(_):
    work(0)
    os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    work(0)
    context = multiprocessing.get_context(sys.argv[1])
    n = int(sys.argv[2])
    processes = [context.Process(target=die if i % 2 else work, args=(i,)) for i in range(n)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
"""


@posix_only
@pytest.mark.parametrize(("how", "n"), [("fork", 200), ("spawn", 6), ("forkserver", 6)])
def test_children_and_those_that_are_killed(how: str, n: int, tmp_path: Path) -> None:
    path = tmp_path / "pools.py"
    path.write_text(POOLS)
    done, summary = report(tmp_path, sys.executable, path, how, n)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
    assert served(summary) == n + 1 and summary["processes"] == n + 1


@posix_only
def test_programs_that_end_at_once() -> None:
    """A thread that is about to end may take the signal of the child."""
    for _ in range(20):
        assert run("--report", "/bin/true", timeout=60).returncode == 0


def test_shells_and_other_programs_between(tmp_path: Path, scores: Path) -> None:
    command = f"{sys.executable} {scores} 2; {sys.executable} {scores} 3; exit 9"
    done, summary = report(tmp_path, "/bin/sh", "-c", command)
    assert done.returncode == 9 and served(summary) == 5


def test_pythons_without_rapidbleu(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=False, symlinks=os.name != "nt")
    python = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    code = "import subprocess, sys; subprocess.run([sys.argv[1], '-c', 'print(5)'])"
    done, summary = report(tmp_path, sys.executable, "-c", code, python)
    assert (done.stdout, done.stderr) == ("5\n", "")
    assert list(map(os.path.realpath, summary["without_rapidbleu"])) == [os.path.realpath(python)]
    done = run("--report", python, "-c", "print(5)")
    assert f"without rapidbleu, processes: 1: {python}\n" in done.stderr
    done = run("-v", python, "-c", "print(5)")
    assert f"{python} has no rapidbleu, so nothing is accelerated" in done.stderr
    assert done.stdout == "5\n"


@posix_only
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV, signal.SIGINT])
def test_the_same_end(number: int, tmp_path: Path) -> None:
    code = (
        f"import os, signal; signal.signal({number}, 0) if {number} != 9 else 0; "
        f"os.kill(os.getpid(), {number})"
    )
    done, _ = report(tmp_path, sys.executable, "-c", code)
    assert done.returncode == -number
    for status in (0, 1, 200):
        done, _ = report(tmp_path, sys.executable, "-c", f"raise SystemExit({status})")
        assert done.returncode == status


WAITING = """
import os, signal, sys, time
got = []
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGINT):
    signal.signal(number, lambda number, frame: (print(number, flush=True), got.append(number)))
print("ready", flush=True)
while len(got) < 4:
    time.sleep(0.01)
sys.exit(5)
"""


@linux_only
def test_signals_are_forwarded_once(tmp_path: Path) -> None:
    command = [*RUN, "--report", sys.executable, "-c", WAITING]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGINT):
            process.send_signal(number)
            assert process.stdout.readline() == b"%d\n" % number
        assert process.stdout.read() == b""
        assert process.wait(20) == 5


@linux_only
def test_signals_of_a_terminal_come_once() -> None:
    """The kernel sends them to the whole group; the parent must not add one."""
    import pty

    code = (
        "import signal, time\n"
        "got = []\n"
        "signal.signal(signal.SIGINT, lambda *_: got.append(1))\n"
        "print('ready', flush=True)\n"
        "while not got: time.sleep(0.01)\n"
        "time.sleep(0.3); print(len(got), 'times', flush=True)"
    )
    pid, fd = pty.fork()
    if not pid:
        os.execv(sys.executable, [*RUN, "--report", sys.executable, "-c", code])
    seen = b""
    while b"ready" not in seen:
        seen += os.read(fd, 100)
    os.write(fd, b"\x03")
    while b"times" not in seen:
        seen += os.read(fd, 100)
    assert b"1 times" in seen
    try:
        while os.read(fd, 1000):
            pass
    except OSError:
        pass
    assert os.waitpid(pid, 0)[1] == 0
    os.close(fd)


@linux_only
def test_stops_and_continues() -> None:
    code = "import os, signal; os.kill(os.getpid(), signal.SIGSTOP); print('on')"
    command = [*RUN, "--report", sys.executable, "-c", code]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        os.killpg(process.pid, signal.SIGCONT)
        assert process.communicate(timeout=20)[0] == b"on\n" and process.returncode == 0


@linux_only
def test_signals_of_the_program_are_as_a_shell_starts_it() -> None:
    words = ["grep", "-E", "Sig(Ign|Blk)", "/proc/self/status"]

    def masks(text: str) -> list[int]:
        own = 1 << 31 | 1 << 32  # signals of the C library
        return [int(line.split()[1], 16) & ~own for line in text.splitlines()]

    plain = subprocess.check_output(words, encoding="utf-8")
    assert masks(run("--report", *words).stdout) == masks(plain)


def test_a_program_that_cannot_start(tmp_path: Path) -> None:
    assert run("--report", "no-such-program").returncode == 127
    script = tmp_path / "score.py"
    script.write_text("print(5)")
    done = run("--report", script)
    assert done.returncode == 126 and f"rapidbleu run python {script}" in done.stderr
    assert f"rapidbleu run python {script}" in run(script).stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--report"], "the following arguments are required: COMMAND"),
        (["--report=", "x"], "argument --report: expected a name; got ''"),
        (["--only"], "argument --only: expected one argument"),
        (["--reprot", "x"], "did you mean --report?"),
        (["--check", "x"], "argument --check: not allowed with a command or --report"),
    ],
)
def test_wrong_options(words: list[str], message: str) -> None:
    done = run(*words)
    assert done.returncode == 2 and message in done.stderr


def test_nothing_stays_behind(tmp_path: Path, scores: Path) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    run("--report", sys.executable, scores, 1, env=os.environ | {"TMPDIR": str(folder)})
    assert not list(folder.iterdir())


class Function:
    name = "f"
    clock: Any = None
    recorder: Any = None


def test_many_reasons_share_the_last_slot(tmp_path: Path) -> None:
    recorder, function = Recorder(str(tmp_path)), Function()
    recorder.watch("nltk.x", [function])
    for k in range(N_SLOTS + 50):
        function.recorder(function, f"reason {k} " + "ü" * SLOT, 5)
    summary = summary_of(str(tmp_path))
    rows = {row["library"]: row for row in summary["functions"]}
    assert rows["other"]["handed_back"] == {"other": 51}
    assert sum(rows["nltk"]["handed_back"].values()) == N_SLOTS - 1


def test_a_disk_that_is_full_is_not_noticed() -> None:
    recorder, function = Recorder("/no/such/folder"), Function()
    recorder.watch("nltk.x", [function])
    for _ in range(3):
        function.recorder(function, None, 5)


def test_no_clock_without_a_report() -> None:
    """Two calls of a clock cost half of a short served call."""
    code = (
        "from nltk.translate.bleu_score import sentence_bleu as f\n"
        "f([['a'] * 4], ['a'] * 4)\n"
        "own = [c for c in f.__code__.co_consts if type(c) is tuple][0][0]\n"
        "print(own.clock, own.recorder)"
    )
    assert run(sys.executable, "-c", code).stdout == "None None\n"


def test_an_import_loads_little() -> None:
    """A process that scores nothing exchanges codes; it loads neither NumPy nor our metrics."""
    code = (
        "import sys, sacrebleu, nltk.translate.bleu_score; "
        "print([n for n in sys.modules if n.startswith('rapidbleu')])"
    )
    names = eval(run(sys.executable, "-c", code).stdout)
    assert set(names) <= {
        "rapidbleu",
        "rapidbleu._version",
        "rapidbleu._core",
        "rapidbleu._core.switching",
        "rapidbleu._core.switching.served",
        "rapidbleu._lib",
        "rapidbleu._lib.handing",
        "rapidbleu._lib.loader",
        "rapidbleu.switch",
        "rapidbleu.metrics",
    }, names


def test_the_launcher_loads_little() -> None:
    code = (
        "import sys; from rapidbleu.cli import main; import os; "
        "os.execve = lambda *_: print(sorted(sys.modules)); main(['run', 'true'])"
    )
    names = eval(subprocess.check_output([sys.executable, "-c", code], encoding="utf-8"))
    assert not set(names) & {"argparse", "shutil", "re", "importlib.metadata", "hashlib", "inspect"}
