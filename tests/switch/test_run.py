"""`rapidbleu run`: the program and its child Pythons behave as without the command."""

import os
import re
import shutil
import signal
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest

from rapidbleu.switch import FOLDER, PEERS
from support.processes import linux_only

RUN = [sys.executable, "-m", "rapidbleu", "run"]
SERVED = "sentence_bleu: 1 served, 0 handed back"

WORK = """
import multiprocessing, os, subprocess, sys

def work(_):
    from nltk.translate import bleu_score
    score = bleu_score.sentence_bleu([["a", "b", "c", "d"]], ["a", "b", "c", "d"])
    return score, "served" in bleu_score.sentence_bleu.__code__.co_varnames

if __name__ == "__main__":
    how = sys.argv[1]
    if how == "itself":
        found = work(0)
    elif how == "subprocess":
        found = eval(subprocess.check_output([sys.executable, __file__, "itself"]))
    else:
        with multiprocessing.get_context(how).Pool(1) as pool:
            [found] = pool.map(work, [0])
    print(found)
"""


def run(*words: Any, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [*RUN, *map(str, words)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False, **options)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "work.py"
    path.write_text(WORK)
    return path


@pytest.mark.parametrize("how", ["itself", "subprocess", "fork", "spawn", "forkserver"])
def test_children_are_served(how: str, program: Path) -> None:
    if sys.platform == "win32" and how.startswith("fork"):
        pytest.skip("Windows cannot fork")
    done = run(sys.executable, program, how)
    assert (done.stdout, done.stderr, done.returncode) == ("(1.0, True)\n", "", 0)
    without = subprocess.run([sys.executable, program, how], capture_output=True, encoding="utf-8")
    assert without.stdout == "(1.0, False)\n"


def test_verbose_and_only(program: Path) -> None:
    done = run("-v", "--only", "nltk", sys.executable, program, "itself")
    assert done.stdout == "(1.0, True)\n"
    assert "nltk.translate.bleu_score: switched\n" in done.stderr
    assert f"nltk.translate.bleu_score.{SERVED}\n" in done.stderr
    done = run("-v", "--only", "jiwer,sacrebleu", sys.executable, program, "itself")
    assert (done.stdout, done.stderr) == ("(1.0, False)\n", "")
    done = run("--only", "nothing", "x")
    assert done.returncode == 2 and "expected some of sacrebleu, nltk," in done.stderr


def test_check() -> None:
    done = run("--check", "--only", "nltk")
    assert done.stdout.startswith("active in this process: no\nnltk.translate.bleu_score of nltk ")
    assert done.stdout.count(": would be accelerated\n") == 6
    assert run(*RUN, "--check").stdout.startswith("active in this process: yes\n")


def test_nothing_is_loaded_before_a_library_is() -> None:
    code = "import sys; print(sorted(sys.modules))"
    names = eval(run(sys.executable, "-c", code).stdout)
    usual = subprocess.check_output([sys.executable, "-c", code], encoding="utf-8")
    assert set(names) - set(eval(usual)) == {"sitecustomize"}
    code = "import sys; print(sys.path)"
    usual = subprocess.check_output([sys.executable, "-c", code], encoding="utf-8")
    assert run(sys.executable, "-c", code).stdout == usual


def test_the_path_has_the_folder_once() -> None:
    code = "import os; print(os.environ['PYTHONPATH'])"
    twice = run(*RUN, sys.executable, "-c", code, env={**os.environ, "PYTHONPATH": "a::b"})
    assert twice.stdout == os.pathsep.join([FOLDER, "a", "", "b"]) + "\n"
    none = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    assert run(sys.executable, "-c", code, env=none).stdout == f"{FOLDER}\n"


def test_status_streams_and_arguments() -> None:
    code = "import sys; sys.stderr.write(sys.stdin.read()); print(sys.argv[1:]); sys.exit(7)"
    done = run(sys.executable, "-c", code, "--only", "-v", "", "--check", input="text")
    assert (done.stdout, done.stderr) == ("['--only', '-v', '', '--check']\n", "text")
    assert done.returncode == 7


@linux_only
def test_signals() -> None:
    code = "import signal; print(*map(int, map(signal.getsignal, (15, 1, 20)))); {}"
    done = run(sys.executable, "-c", code.format("signal.raise_signal(15)"))
    assert done.returncode == -signal.SIGTERM
    usual = subprocess.check_output([sys.executable, "-c", code.format("")], encoding="utf-8")
    assert run(sys.executable, "-c", code.format("")).stdout == usual
    sleeper = [*RUN, sys.executable, "-c", "import os, time; print(os.getpid()); time.sleep(60)"]
    with subprocess.Popen(
        [*sleeper], stdout=subprocess.PIPE, env=os.environ | {"PYTHONUNBUFFERED": "1"}
    ) as process:
        assert process.stdout is not None
        assert int(process.stdout.readline()) == process.pid, "it takes the place of the command"
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == -signal.SIGINT
    ignored = run("/bin/sh", "-c", "grep SigIgn /proc/$$/status").stdout.split()[1]
    assert not int(ignored, 16) & (1 << (signal.SIGPIPE - 1)), "as a shell starts it"


@linux_only
def test_closed_output() -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", '"$@" >&-', "sh", *RUN, "/bin/sh", "-c", "exit 3"],
        capture_output=True,
        encoding="utf-8",
    )
    assert (done.returncode, done.stderr) == (3, "")


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ([], 2, "the following arguments are required: COMMAND"),
        (["no-such-program"], 127, "no-such-program: no such program"),
        ([sys.executable, "-I", "x.py"], 1, "-I: expected a Python that reads PYTHONPATH and"),
        ([sys.executable, "-bS", "x.py"], 1, "-bS: expected a Python .*; got -S"),
        ([sys.executable, "-X", "dev", "-E", "-c", "1"], 1, "got -E"),
    ],
)
def test_refused(words: list[str], status: int, message: str) -> None:
    done = run(*words)
    assert done.returncode == status
    assert re.search(message, done.stderr)


@linux_only
def test_scripts_of_an_isolated_python(tmp_path: Path) -> None:
    path = tmp_path / "tool"
    path.write_text("x")
    assert run(path).returncode == 126
    path.write_text(f"#!{sys.executable} -Es\nprint(5)\n")
    path.chmod(0o755)
    assert "got -E" in run(path).stderr
    path.write_text(f"#!{sys.executable} -Xdev\nprint(5)\n")
    assert run(path).stdout == "5\n"


@pytest.mark.parametrize("option", ["-Xdev", "-WI", "-mI", "-c", "x.py"])
def test_options_of_python_that_do_not_matter(option: str, tmp_path: Path) -> None:
    done = run(sys.executable, option, "x.py", "-I", cwd=tmp_path)
    assert "PYTHONPATH" not in done.stderr and done.returncode != 127


POOLS = """
import logging, multiprocessing, sys, warnings
from concurrent.futures import ThreadPoolExecutor

import jiwer, sacrebleu
from nltk.translate import bleu_score, chrf_score
from rouge_score.rouge_scorer import RougeScorer

logging.basicConfig(level=logging.INFO)

def work(i):
    hyp, ref = f"the cat sat on mat {i} .", f"the cat sat on the mat {i} ."
    warnings.simplefilter("always")
    scores = [bleu_score.sentence_bleu([ref.split()], hyp.split()), jiwer.wer(ref, hyp),
              chrf_score.sentence_chrf(ref, hyp), RougeScorer(["rougeL"]).score(ref, hyp)]
    for metric in (sacrebleu.BLEU(), sacrebleu.CHRF(), sacrebleu.TER()):
        scores.append(str(metric.corpus_score([hyp] * 120, [[ref] * 120])))
    try:
        jiwer.wer(["a", "b"], ["a"])
    except ValueError as error:
        scores.append(repr(error))
    return scores

if __name__ == "__main__":
    for how in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(how).Pool(1) as pool:
            print(how, pool.map(work, range(3)), flush=True)
    with ThreadPoolExecutor(1) as pool:
        print("threads", list(pool.map(work, range(3))), flush=True)
    bleu_score.sentence_bleu(None, None)
"""


@linux_only
def test_streams_of_pools_are_equal_to_the_byte(tmp_path: Path) -> None:
    path = tmp_path / "pools.py"
    path.write_text(POOLS)
    plain, served = (
        subprocess.run([*words, sys.executable, path], capture_output=True, check=False)
        for words in ([], RUN)
    )
    assert (served.stdout, served.returncode) == (plain.stdout, plain.returncode)
    assert served.stderr == plain.stderr
    assert plain.returncode == 1 and b"tokenized period" in plain.stderr


def next_sitecustomize(folder: Path, text: str) -> dict[str, str]:
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(text)
    return os.environ | {"PYTHONPATH": str(folder)}


def test_the_next_sitecustomize_runs(tmp_path: Path, program: Path) -> None:
    text = "import sys; print('next', __name__, __file__, sys.modules[__name__].__file__)"
    env = next_sitecustomize(tmp_path / "next", text)
    done = run(sys.executable, program, "itself", env=env)
    file = tmp_path / "next" / "sitecustomize.py"
    assert done.stdout.splitlines()[-2:] == [f"next sitecustomize {file} {file}", "(1.0, True)"]
    code = "import sitecustomize; print(sitecustomize.__file__)"
    assert run(sys.executable, "-c", code, env=env).stdout.splitlines()[-1] == str(file)
    assert not run(sys.executable, "-c", code, env=env).stderr


def test_a_sitecustomize_before_ours_that_runs_the_next(tmp_path: Path, program: Path) -> None:
    """As ddtrace's does."""
    text = """
import os, sys
here = os.path.dirname(os.path.abspath(__file__))
sys.path.remove(here)
del sys.modules["sitecustomize"]
import sitecustomize
sys.modules["sitecustomize"] = sys.modules.get("sitecustomize")
print("first")
"""
    env = next_sitecustomize(tmp_path / "first", text)
    inner = (
        f"import os, subprocess, sys; p = os.environ['PYTHONPATH'].split(os.pathsep); "
        f"os.environ['PYTHONPATH'] = os.pathsep.join(p[::-1]); "
        f"sys.exit(subprocess.call([sys.executable, {str(program)!r}, 'itself']))"
    )
    done = run(sys.executable, "-c", inner, env=env)
    assert done.stdout.splitlines()[-2:] == ["first", "(1.0, True)"] and not done.stderr


@pytest.mark.parametrize("text", ["1 / 0", "import no_such_module"])
def test_errors_of_the_next_sitecustomize_are_its_own(tmp_path: Path, text: str) -> None:
    env = next_sitecustomize(tmp_path / "next", text)
    command = [sys.executable, "-c", "print(5)"]
    plain = subprocess.run(command, capture_output=True, encoding="utf-8", env=env)
    done = run(*command, env=env)
    assert (done.stdout, done.returncode) == (plain.stdout, plain.returncode)
    assert done.stderr == 2 * plain.stderr, "that of the command, and that of the program"


def test_an_environment_without_this_package(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=False, symlinks=os.name != "nt")
    python = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    fake = tmp_path / "fake"
    fake.mkdir()
    (fake / "jiwer.py").write_text("def wer(a, b): return 5\n")
    code = "import jiwer, sys; print(jiwer.wer(1, 2), sys.meta_path[0].__name__, len(sys.path))"
    env = os.environ | {"PYTHONPATH": str(fake)}
    plain = subprocess.check_output([python, "-c", code], encoding="utf-8", env=env)
    done = run(python, "-W", "error", "-c", code, env=env)
    assert (done.stdout, done.stderr) == (plain, "")


@pytest.mark.parametrize("python", ["/usr/bin/python3", "/usr/bin/python2", "pypy3"])
def test_another_python(python: str) -> None:
    if shutil.which(python) is None or os.path.realpath(python) == os.path.realpath(sys.executable):
        pytest.skip(f"no {python}")
    code = "import sys; print(sorted(sys.modules)); print(sys.path)"
    plain = subprocess.check_output([python, "-c", code], encoding="utf-8")
    done = run(python, "-c", code)
    assert done.stdout.replace("'sitecustomize', ", "") == plain.replace("'sitecustomize', ", "")
    assert not done.stderr


def test_the_file_parses_on_old_pythons() -> None:
    assert [name for name in os.listdir(FOLDER) if name != "__pycache__"] == ["sitecustomize.py"]
    text = Path(FOLDER, "sitecustomize.py").read_text(encoding="ascii")
    for later in ("f'", 'f"', "->", ":=", "nonlocal", "yield from", "async ", "print("):
        assert later not in text


def test_absent_libraries_stay_absent(tmp_path: Path) -> None:
    code = (
        "import importlib.util, sys\n"
        f"sys.path = [p for p in sys.path if 'site-packages' not in p] + [{str(tmp_path)!r}]\n"
        f"print([importlib.util.find_spec(n) for n in {PEERS}])\n"
        "print([n for n in sys.modules if n.startswith('rapidbleu')])\n"
    )
    done = run(sys.executable, "-c", code)
    assert (done.stdout, done.stderr) == (f"{[None] * len(PEERS)}\n[]\n", "")


@pytest.mark.parametrize("options", [["-W", "error"], ["-X", "dev"], ["-OO"], ["-B"]])
def test_strict_interpreters(options: list[str], program: Path) -> None:
    done = run(sys.executable, *options, program, "itself")
    assert done.stdout.startswith("(1.0, ") and "rapidbleu" not in done.stderr


def test_pytest_and_its_rewriting(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import jiwer\n"
        "from nltk.translate.bleu_score import sentence_bleu\n"
        "def test_it():\n"
        "    assert sentence_bleu([list('abcd')], list('abcd')) == 1.0\n"
        "    assert 'served' in sentence_bleu.__code__.co_varnames\n"
        "    assert jiwer.wer('a', 'a') == 0 and 'served' in jiwer.wer.__code__.co_varnames\n"
    )
    done = run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", tmp_path)
    assert "1 passed" in done.stdout, done.stdout


def test_a_reward_pool_of_sacrebleu(tmp_path: Path) -> None:
    path = tmp_path / "scores.py"
    path.write_text(
        "import sacrebleu\n"
        "from sacrebleu.metrics import BLEU, CHRF, TER\n"
        "hyps, refs = ['a b c d', 'e f'], ['a b c e', 'e f']\n"
        "print([str(m().corpus_score(hyps, [refs])) for m in (BLEU, CHRF, TER)])\n"
        "print(sacrebleu.corpus_bleu(hyps, [[ref] for ref in refs]))\n"
    )
    plain = subprocess.check_output([sys.executable, path], encoding="utf-8")
    done = run("-v", sys.executable, path)
    assert done.stdout == plain
    assert "Metric._extract_corpus_statistics: 3 served, 1 handed back" in done.stderr
