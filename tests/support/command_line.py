"""Shared by tests of the command line: ours and sacrebleu's, run in this or another process.

As a program it runs commands by both, from JSON of a folder and argument lists on standard input.
"""

import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

from rapidbleu.cli import main
from rapidbleu.score import VERSION
from support.peers import need
from support.places import DATA, PYTHONPATH

HYP, REF_A, REF_B = (str(DATA / f"{name}.txt") for name in ("hyp.en", "ref.en.a", "ref.en.b"))
N = 12

# Variables that may change the output are removed; the tested package comes first.
UNWANTED = (
    "SACREBLEU",
    "SACREBLEU_FORMAT",
    "SACREBLEU_SEED",
    "NO_COLOR",
    "FORCE_COLOR",
    "PYTHONUNBUFFERED",
)
ENVIRONMENT = {key: value for key, value in os.environ.items() if key not in UNWANTED}
ENVIRONMENT["PYTHONPATH"] = PYTHONPATH


CRASH = "crash"


class Result(NamedTuple):
    status: Any  # a number, or CRASH
    out: str
    err: str


Run = Callable[..., Result]
Write = Callable[[str, bytes], str]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def run_module(
    module: str, *args: str, stdin: bytes = b"", stdout: Any = subprocess.PIPE, **variables: str
) -> Result:
    process = subprocess.run(
        [sys.executable, "-m", module, *args],
        input=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env={**ENVIRONMENT, **variables},
        check=False,
    )
    out = (process.stdout or b"").decode("utf-8")
    return Result(process.returncode, out, process.stderr.decode("utf-8"))


class Descriptor:
    """A file that exists only to be reopened, as sacrebleu does with the standard streams."""

    def __init__(self, file: Any) -> None:
        self._number = os.dup(file.fileno())

    def fileno(self) -> int:
        return self._number

    def close(self) -> None:
        os.close(self._number)


@contextmanager
def surroundings(variables: dict[str, str]) -> Iterator[None]:
    """Set certain environment variables, and restore everything afterwards."""
    kept = dict(os.environ), sys.argv, sys.stdin, sys.stdout, sys.stderr
    for name in UNWANTED[1:]:
        os.environ.pop(name, None)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(kept[0])
        sys.argv, sys.stdin, sys.stdout, sys.stderr = kept[1:]


def call(
    command: Callable[[], Any], stdin: bytes, opened: Callable[[Any, str], Any], **variables: str
) -> Result:
    """Run a command in this process."""
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as target:
        source.write(stdin)
        source.seek(0)
        with surroundings(variables):
            sys.stdin, sys.stdout = opened(source, "r"), opened(target, "w")
            sys.stderr = err = io.StringIO()
            try:
                status = command() or 0
            except SystemExit as end:
                status = end.code
            except Exception as error:
                status = CRASH
                print(type(error).__name__, error, file=err)
            finally:
                sys.stdout.close()
                sys.stdin.close()
        target.seek(0)
        return Result(status, target.read().decode("utf-8"), err.getvalue())


def call_ours(*args: str, stdin: bytes = b"") -> Result:
    def opened(file: Any, mode: str) -> Any:
        return open(os.dup(file.fileno()), mode, encoding="utf-8", newline="\n")

    return call(lambda: main(args), stdin, opened)


def call_peer(*args: str, stdin: bytes = b"", **variables: str) -> Result:
    """Run sacrebleu, without colors and log messages."""
    need("sacrebleu")
    sigpipe = getattr(signal, "SIGPIPE", None)
    handler = sigpipe and signal.getsignal(sigpipe)
    module: Any = import_module("sacrebleu.sacrebleu")  # this changes the handler
    if sigpipe:
        signal.signal(sigpipe, handler)

    def command() -> None:
        sys.argv = ["sacrebleu", *args, "-q"]
        module.main()

    enabled = module.Color.ENABLE_COLORS
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)  # it leaves files open
            return call(command, stdin, lambda file, _: Descriptor(file), NO_COLOR="1", **variables)
    finally:
        module.Color.ENABLE_COLORS = enabled


def peer(*args: str, stdin: bytes = b"", **variables: str) -> str:
    result = call_peer(*args, stdin=stdin, **variables)
    assert result.status == 0, result.err
    return result.out


def as_peer(text: str) -> str:
    """Replace our version with sacrebleu's in our output."""
    return text.replace(VERSION, VERSION.split("+")[0])


def candidate_files(write: Write, groups: list[list[str]]) -> dict[str, list[str]]:
    """Return arguments for groups of equal size: as an n-best list, as one file, as several."""
    n = len(groups[0])
    lists = [f"{i} ||| {text} ||| F= {i}" for i, group in enumerate(groups) for text in group]
    lines = [text for group in groups for text in group]
    columns = [[group[k] for group in groups] for k in range(n)]

    def encoded(lines: list[str]) -> bytes:
        return "".join(f"{line}\n" for line in lines).encode()

    return {
        "list": [write("nbest", encoded(lists))],
        "lines": [write("lines", encoded(lines)), "--n-best", str(n)],
        "files": [write(f"column{k}", encoded(column)) for k, column in enumerate(columns)],
    }


def is_quiet(result: Result) -> bool:
    """Return whether a command succeeded and warned at most of options without an effect."""
    return result.status == 0 and all(": no effect " in line for line in result.err.splitlines())


def failure(result: Result, status: int = 1) -> str:
    """Return the message of a command that failed in the standard way."""
    assert result.status == status
    assert result.out == ""
    assert result.err.startswith("rapidbleu: ")
    assert result.err.endswith("\n") and result.err.count("\n") == 1
    return result.err.removeprefix("rapidbleu: ").rstrip("\n")


if __name__ == "__main__":
    folder, commands = json.load(sys.stdin)
    os.chdir(folder)
    json.dump([(call_ours(*args), call_peer(*args)) for args in commands], sys.stdout)
