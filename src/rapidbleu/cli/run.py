"""``rapidbleu run``: another program, with fast metrics in its libraries."""

from __future__ import annotations

import os
import re
import shutil
from argparse import REMAINDER, ArgumentTypeError
from collections.abc import Sequence
from importlib import metadata, util
from typing import TYPE_CHECKING, TextIO

from rapidbleu import switch
from rapidbleu.cli.messages import CommandError
from rapidbleu.cli.options import Parser

if TYPE_CHECKING:
    from collections.abc import Iterator

NOT_EXECUTABLE, NOT_FOUND = 126, 127  # exit statuses in shells
PYTHON = re.compile(r"(python|pypy)[0-9.]*(\.exe)?")
# Python options with a value, and options with which it does not search the folder.
VALUES, DEAF = "WX", "SIE"


def make_parser() -> Parser:
    parser = Parser(
        prog="rapidbleu run",
        usage="%(prog)s [--only NAME,...] [-v] COMMAND ...\n       %(prog)s --check",
        examples=["lm_eval --model hf --tasks wmt16", "-v --only nltk,jiwer python score.py"],
        description="Run a program with fast metrics of sacrebleu, NLTK, rouge-score, jiwer, "
        "fastchrf and torchmetrics, also in all Pythons that it starts. Results are identical to "
        "the last bit, and nothing is printed. The libraries' own code answers calls that "
        "rapidbleu would refuse.",
    )
    add = parser.add_argument
    add("--only", type=_names, default=[], metavar="NAME,...",
        help=f"libraries: {', '.join(switch.PEERS)} (default: all)")  # fmt: skip
    add("-v", "--verbose", action="store_true",
        help="messages about switched modules and, at the end, served calls")  # fmt: skip
    add("--check", action="store_true", help="list of modules, and whether they are switched")
    add("command", nargs=REMAINDER, metavar="COMMAND", help="program and arguments")
    return parser


def _names(text: str) -> list[str]:
    names = text.split(",")
    try:
        list(switch.modules_of(names))
    except ValueError as error:
        raise ArgumentTypeError(str(error).removeprefix("names: ")) from None
    return names


def run(argv: Sequence[str], out: TextIO) -> int:
    """Run the command, which replaces this process where possible."""
    parser = make_parser()
    args = parser.parse_args(list(argv))
    if args.check:
        for line in _check(args.only):
            print(line, file=out)
        return 0
    if not args.command:
        parser.error("the following arguments are required: COMMAND")
    program = shutil.which(args.command[0])
    if program is None:
        there = os.path.exists(args.command[0])
        what = "it is not executable" if there else "no such program"
        raise CommandError(f"{args.command[0]}: {what}", NOT_EXECUTABLE if there else NOT_FOUND)
    _check_command(program, args.command)
    return _replace_process(program, args.command, _environment(args.only, args.verbose))


def _check(names: list[str]) -> Iterator[str]:
    """Yield a line for each switchable module."""
    yield f"active in this process: {'yes' if switch.finders() else 'no'}"
    for name in switch.modules_of(names):
        package = name.partition(".")[0]
        if util.find_spec(package) is None:
            yield f"{name}: not installed"
            continue
        known = switch.MODULES[name].is_known(package)
        state = "switched" if known else "left alone, its code is not known"
        yield f"{name} of {package} {metadata.version(package)}: {state}"


def _check_command(program: str, words: list[str]) -> None:
    """Refuse a Python that would not search the folder, by its options or a script's."""
    if not PYTHON.fullmatch(os.path.basename(program)):
        with open(program, "rb") as file:
            start = file.readline(1024)
        words = start[2:].decode("utf-8", "replace").split() if start.startswith(b"#!") else []
        if words and os.path.basename(words[0]) == "env":
            words = words[1:]
        if not words or not PYTHON.fullmatch(os.path.basename(words[0])):
            return
    rest = iter(words[1:])
    for word in rest:
        if word == "-" or not word.startswith("-") or word.startswith("--"):
            return
        for i, letter in enumerate(word[1:], 2):
            if letter in DEAF:
                raise CommandError(
                    f"{words[0]} {word}: expected a Python that reads PYTHONPATH and "
                    f"sitecustomize; got -{letter}"
                )
            if letter in "cm":
                return
            if letter in VALUES:
                if i == len(word):
                    next(rest, None)
                break


def _environment(names: list[str], verbose: bool) -> dict[str, str]:
    """Return the environment of the program, with the folder once in Python's path."""
    old = os.environ.get("PYTHONPATH", "")
    others = [path for path in old.split(os.pathsep) if path != switch.FOLDER] if old else []
    return os.environ | {
        "PYTHONPATH": os.pathsep.join([switch.FOLDER, *others]),
        switch.NAMES: " ".join(switch.modules_of(names)),
        switch.VERBOSE: "1" if verbose else "",
    }


def _replace_process(program: str, words: list[str], environment: dict[str, str]) -> int:
    """Replace this process by a program; on Windows wait for it, and return its status."""
    if os.name == "nt":
        import subprocess

        return subprocess.run([program, *words[1:]], env=environment, check=False).returncode
    import signal

    for name in ("SIGPIPE", "SIGXFSZ"):  # which Python ignores
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.execve(program, words, environment)
