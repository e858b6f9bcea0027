"""What --help says, and completion in shells."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rapidbleu.cli.commands import COMMANDS, module_of
from support.command_line import run_module
from support.places import REPO

MARK = "PYTHON_ARGCOMPLETE_OK"


def test_help_names_every_command() -> None:
    shown = run_module("rapidbleu", "--help").out
    listed = shown.partition("commands, each of which has a --help of its own:\n")[2].splitlines()
    assert [line.split()[0] for line in listed] == list(COMMANDS)
    for line, (_, summary) in zip(listed, COMMANDS.values(), strict=True):
        assert line.endswith(f"  {summary}") and len(line) <= 80


def test_help_of_sacrebleu_names_none() -> None:
    """Its first word is always a file."""
    assert "commands" not in run_module("rapidbleu.sacrebleu", "--help").out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_parser(command: str) -> None:
    parser = module_of(command).make_parser()
    assert parser.prog == f"rapidbleu {command}"
    result = run_module("rapidbleu", command, "--help")
    assert result.status == 0
    assert result.out.split() == parser.format_help().split()


# Words that may be empty: texts, encodings, and values that Moses and sacrebleu may leave out.
MAY_BE_EMPTY = (
    "TEXT", "REGEX", "LANG", "FIELD", "SET", "SET[,SET...]", "CODE", "MODULE", "NAME,...",
    "NAME:VALUE,...", None,
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_empty_names_are_refused(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An unset variable of the shell where a file, a folder, a column or a name is expected."""
    for action in module_of(command).make_parser()._actions:
        if action.nargs == 0 or action.metavar in MAY_BE_EMPTY:
            continue
        parser = module_of(command).make_parser()
        for flag in action.option_strings or [""]:
            with pytest.raises(SystemExit) as caught:
                parser.parse_args([*[flag] * bool(flag), ""])
            assert caught.value.code == 2, action
            message = capsys.readouterr().err
            assert message.startswith("rapidbleu: argument "), (action, message)
            assert re.search(f"[ /]{flag or action.metavar}[/:]", message), (action, message)


def test_an_empty_name_among_others() -> None:
    for option in ("-i", "--input"):
        result = run_module("rapidbleu", "ref.txt", option, "a.txt", "", "b.txt")
        assert (result.status, result.out) == (2, "")
        expected = "rapidbleu: argument -i/--input: expected a name, got ''"
        assert result.err.startswith(expected)


# Completion


def ask(line: str, folder: Path) -> list[str]:
    """What completes the last word of a line, as argcomplete's script for bash asks."""
    reply = folder.with_suffix(".reply")
    done = subprocess.run(
        [sys.executable, "-m", "rapidbleu"], cwd=folder, capture_output=True,
        stdin=subprocess.DEVNULL, encoding="utf-8", check=False,
        env={**os.environ, "_ARGCOMPLETE": "1", "COMP_LINE": line,
             "COMP_POINT": str(len(line)),
             "COMP_TYPE": "9", "_ARGCOMPLETE_IFS": "\n",
             "_ARGCOMPLETE_STDOUT_FILENAME": str(reply)},
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return sorted(word.strip() for word in reply.read_text().split("\n"))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("rapidbleu t", ["text.txt", "tune"]),
        ("rapidbleu mo", ["moses-bin"]),
        ("rapidbleu text.txt t", ["text.txt"]),
        ("rapidbleu -q t", ["text.txt"]),
        ("rapidbleu text.txt --sent", ["--sentence-level"]),
        ("rapidbleu text.txt -m bleu ch", ["character", "chrf"]),
        ("rapidbleu text.txt -i t", ["text.txt"]),
        ("rapidbleu -tok 13", ["13a"]),
        ("rapidbleu tune --meth", ["--method"]),
        ("rapidbleu tune --method b", ["bagged"]),
        ("rapidbleu tune t", ["text.txt"]),
        ("rapidbleu correlate --human-f", ["--human-format"]),
        ("rapidbleu mbr --num", ["--num-candidates"]),
        ("rapidbleu mbr -f t", ["text", "tsv"]),
        ("rapidbleu oracle --res", ["--restarts"]),
        ("rapidbleu mert --opt", ["--optimize"]),
        ("rapidbleu kbmira --dec", ["--decay"]),
        ("rapidbleu pro --smo", ["--smooth-brevity-penalty"]),
        ("rapidbleu extractor --allow", ["--allow-duplicates"]),
        ("rapidbleu evaluator --boot", ["--bootstrap"]),
        ("rapidbleu moses-bin t", ["text.txt"]),
    ],
)  # fmt: skip
def test_completion(line: str, expected: list[str], tmp_path: Path) -> None:
    pytest.importorskip("argcomplete")
    (tmp_path / "text.txt").touch()
    assert ask(line, tmp_path) == expected


def test_all_commands_are_offered(tmp_path: Path) -> None:
    pytest.importorskip("argcomplete")
    (tmp_path / "text.txt").touch()
    assert ask("rapidbleu ", tmp_path) == sorted([*COMMANDS, "text.txt"])


def test_shells_find_the_mark() -> None:
    """In the first 1024 characters of what a program or a module starts."""
    for name in ("cli/__init__.py", "__main__.py"):
        assert MARK in (REPO / "src" / "rapidbleu" / name).read_text(encoding="utf-8")[:1024]


def test_without_argcomplete(tmp_path: Path) -> None:
    """The program ends, and does not read what is typed."""
    program = "import sys; sys.modules['argcomplete'] = None\n"
    program += "from rapidbleu.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, timeout=60, check=False,
        env={**os.environ, "_ARGCOMPLETE": "1", "COMP_LINE": "rapidbleu ", "COMP_POINT": "10"},
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")


def test_nothing_is_loaded_unasked() -> None:
    """Neither argcomplete, nor tqdm, nor a thread's machinery for a command that is over soon."""
    program = (
        "import sys; from rapidbleu.cli import main\n"
        "try:\n    main(['--version'])\nexcept SystemExit:\n    pass\n"
        "print(*{'argcomplete', 'tqdm', 'threading', 'argparse',"
        " 'numpy', 'contextlib'} & sys.modules.keys(), sep=',')"
    )
    out = subprocess.run(
        [sys.executable, "-S", "-c", program], capture_output=True, encoding="utf-8", check=True,
        env={**os.environ, "PYTHONPATH": str(REPO / "src")},
    ).stdout  # fmt: skip
    assert out.splitlines()[1:] == [""]


def test_without_freezing() -> None:
    """PyPy's collector has no permanent generation."""
    program = "import gc, sys; del gc.freeze; sys.argv[1:] = ['extractor', '--help']\n"
    program += "from rapidbleu.cli import main; main()"
    out = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True
    ).stdout
    assert out.startswith("usage: rapidbleu extractor")
