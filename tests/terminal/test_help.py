"""Help texts, and completion in shells."""

import inspect
import json
import os
import re
import subprocess
import sys
from argparse import SUPPRESS
from pathlib import Path

import pytest

import rapidbleu
from rapidbleu.cli import COMMANDS, MOSES, module_of
from rapidbleu.cli.score.command import OWN
from support.command_line import Run, failure, run_module
from support.peers import need

MARK = "PYTHON_ARGCOMPLETE_OK"


def test_help_names_every_command(run: Run) -> None:
    shown = run("--help").out
    listed = [shown.index(f"\n  {name} ") for name in COMMANDS]
    assert listed == sorted(listed) and listed[-1] < shown.index("\noptions of score")
    for name, (_, summary) in COMMANDS.items():
        assert re.search(f"^  {name} +{re.escape(summary)}$", shown, re.M)
    # The first word of sacrebleu is always a file.
    assert "commands" not in run_module("rapidbleu.sacrebleu", "--help").out


@pytest.mark.parametrize("command", ["", *sorted({*COMMANDS} - {*MOSES})])
def test_help_fits_on_a_screen(command: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Except for Moses' programs, whose options are Moses'."""
    monkeypatch.setenv("COLUMNS", "80")
    lines = run(*[command] * bool(command), "--help").out.splitlines()
    assert len(lines) <= 80 and max(map(len, lines)) <= 80
    examples = lines[lines.index("examples:") + 1 :]
    assert len(examples) == 2
    assert all(line.startswith(f"  rapidbleu {command}".rstrip()) for line in examples)


def test_help_of_sacrebleu(run: Run) -> None:
    """Every option of sacrebleu is described, and no other option."""
    shown = run("help", "sacrebleu").out
    brief = run("score", "--help").out
    for action in module_of("score").make_parser()._actions:
        for flag in action.option_strings if action.help != SUPPRESS else ():
            described = re.search(rf"^  ([-\w]+, )*{flag}\b", shown, re.M) is not None
            assert described == (action.dest not in OWN)
            assert flag in brief or action.option_strings[0] in brief
    peer = need("sacrebleu.sacrebleu")
    theirs = {*re.findall(r"['\"](--[a-z][\w-]+)['\"]", inspect.getsource(peer))}
    assert len(theirs) > 30 and theirs <= {*re.findall(r"--[\w-]+", shown)}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_parser(command: str, run: Run) -> None:
    parser = module_of(command).make_parser()
    assert parser.prog == f"rapidbleu {command}"
    result = run(command, "--help")
    assert result.status == 0
    assert result.out == parser.format_help()


# Words that may be empty: texts, encodings, and values that Moses and sacrebleu may leave out.
MAY_BE_EMPTY = (
    "COMMAND",
    "TEXT",
    "REGEX",
    "LANG",
    "FIELD",
    "SET",
    "SET[,SET...]",
    "CODE",
    "MODULE",
    "NAME,...",
    "NAME:VALUE,...",
    None,
)


@pytest.mark.parametrize("command", COMMANDS)
def test_empty_names_are_refused(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty file, folder, column or name is an unset shell variable."""
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


def test_an_empty_name_among_others(run: Run) -> None:
    for option in ("-i", "--input"):
        message = failure(run("ref.txt", option, "a.txt", "", "b.txt"), 2)
        assert message.startswith("argument -i/--input: expected a name; got ''")


# Completion


# Answers the lines of its arguments, as argcomplete's script for bash asks.
PROGRAM = """
import functools, io, json, os, sys
import argcomplete
from rapidbleu.cli import main
answers = []
plain = argcomplete.autocomplete
for line in sys.argv[1:]:
    stream = io.StringIO()
    argcomplete.autocomplete = functools.partial(plain, exit_method=sys.exit, output_stream=stream)
    os.environ.update(_ARGCOMPLETE="1", COMP_LINE=line, COMP_POINT=str(len(line)))
    try:
        main()
    except SystemExit as end:
        assert not end.code
    words = stream.getvalue().split("\\n")
    answers.append(sorted(word.strip() for word in words))
print(json.dumps(answers))
"""


def ask(folder: Path, *lines: str) -> list[list[str]]:
    """Return completions of the last word of each line."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *lines],
        cwd=folder,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        check=True,
        env={**os.environ, "COMP_TYPE": "9", "_ARGCOMPLETE_IFS": "\n"},
    )
    assert done.stderr == ""
    found: list[list[str]] = json.loads(done.stdout)
    return found


LINES = [
    ("rapidbleu ", sorted([*COMMANDS, "text.txt"])),
    ("rapidbleu t", ["text.txt", "tune"]),
    ("rapidbleu mo", ["moses-bin"]),
    ("rapidbleu text.txt t", ["text.txt"]),
    ("rapidbleu -q t", ["text.txt"]),
    ("rapidbleu text.txt --sent", ["--sentence-level"]),
    ("rapidbleu text.txt -m bleu ch", ["character", "chrf"]),
    ("rapidbleu text.txt -i t", ["text.txt"]),
    ("rapidbleu -tok 13", ["13a"]),
    ("rapidbleu tune --meth", ["--method"]),
    ("rapidbleu tune --method t", ["tune"]),
    ("rapidbleu tune t", ["text.txt"]),
    ("rapidbleu correlate --human-f", ["--human-format"]),
    ("rapidbleu mbr --n-b", ["--n-best"]),
    ("rapidbleu text.txt -m bleu wordf:b", ["wordf:beta="]),
    ("rapidbleu mbr -f t", ["text", "tsv"]),
    ("rapidbleu oracle --res", ["--restarts"]),
    ("rapidbleu rer", ["rerank"]),
    ("rapidbleu rerank --we", ["--weights"]),
    ("rapidbleu rerank --weights t", ["text.txt"]),
    ("rapidbleu mert --opt", ["--optimize"]),
    ("rapidbleu kbmira --dec", ["--decay"]),
    ("rapidbleu pro --smo", ["--smooth-brevity-penalty"]),
    ("rapidbleu extractor --allow", ["--allow-duplicates"]),
    ("rapidbleu evaluator --boot", ["--bootstrap"]),
    ("rapidbleu moses-bin t", ["text.txt"]),
]


def test_completion(tmp_path: Path) -> None:
    pytest.importorskip("argcomplete")
    (tmp_path / "text.txt").touch()
    answers = ask(tmp_path, *(line for line, _ in LINES))
    assert list(zip([line for line, _ in LINES], answers, strict=True)) == LINES


def test_shells_find_the_mark() -> None:
    """The mark is in the first 1024 characters of programs and modules."""
    for name in ("cli/__init__.py", "__main__.py"):
        assert MARK in Path(rapidbleu.__path__[0], name).read_text(encoding="utf-8")[:1024]


def test_without_argcomplete(tmp_path: Path) -> None:
    """The program exits without reading input."""
    program = "import sys; sys.modules['argcomplete'] = None\n"
    program += "from rapidbleu.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        timeout=60,
        check=False,
        env={**os.environ, "_ARGCOMPLETE": "1", "COMP_LINE": "rapidbleu ", "COMP_POINT": "10"},
    )
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")


def test_nothing_is_loaded_unasked() -> None:
    """Short commands load neither argcomplete nor tqdm nor threading."""
    program = (
        "import sys; from rapidbleu.cli import main\n"
        "try:\n    main(['--version'])\nexcept SystemExit:\n    pass\n"
        "print(*{'argcomplete', 'tqdm', 'threading', 'argparse',"
        " 'numpy', 'contextlib'} & sys.modules.keys(), sep=',')"
    )
    out = subprocess.run(
        [sys.executable, "-S", "-c", program],
        capture_output=True,
        encoding="utf-8",
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(rapidbleu.__path__[0]).parent)},
    ).stdout
    assert out.splitlines()[1:] == [""]


def test_without_freezing() -> None:
    """PyPy's collector has no permanent generation."""
    program = "import gc, sys; del gc.freeze; sys.argv[1:] = ['extractor', '--help']\n"
    program += "from rapidbleu.cli import main; main()"
    out = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True
    ).stdout
    assert out.startswith("usage: rapidbleu extractor")
