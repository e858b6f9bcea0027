"""``rapidbleu run``: another program, with fast metrics in its libraries."""

from __future__ import annotations

import os
import sys

from rapidbleu import switch
from rapidbleu._lib.loader import load
from rapidbleu.cli.messages import NOT_EXECUTABLE, NOT_FOUND, CommandError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, TextIO

    from rapidbleu.cli.options import Parser

# Python options with a value, and options with which it does not search the folder.
VALUES = "WX"
DEAF = "SIE"
WAIT = 0.05  # seconds
FLAGS = {"-v": "verbose", "--verbose": "verbose", "--check": "check"}


def make_parser() -> Parser:
    """Return the parser for help, completion and errors; `Options` works without argparse."""
    from argparse import REMAINDER

    from rapidbleu.cli.options import Parser

    parser = Parser(
        prog="rapidbleu run",
        usage="%(prog)s [--only NAME,...] [-v] [--report[=FILE]] COMMAND ...\n"
        "       %(prog)s --check",
        examples=["lm_eval --model hf --tasks wmt16", "--report --only nltk,jiwer python score.py"],
        description="Run a program with fast metrics of sacrebleu, NLTK, rouge-score, jiwer, "
        "fastchrf and torchmetrics, also in all Pythons that it starts. Results are identical to "
        "the last bit, and nothing is printed. The libraries' own code answers calls that "
        "rapidbleu would refuse.",
    )
    add = parser.add_argument
    add("--only", metavar="NAME,...", help=f"libraries: {', '.join(switch.PEERS)} (default: all)")
    add(
        "-v",
        "--verbose",
        action="store_true",
        help="messages about switched modules and, at the end, served calls",
    )
    add(
        "--report",
        nargs="?",
        metavar="FILE",
        help="a table of served calls of all processes, on stderr, or as JSON in FILE; "
        "without =, FILE must end in .json",
    )
    add("--check", action="store_true", help="list of modules, and whether they are accelerated")
    add("command", nargs=REMAINDER, metavar="COMMAND", help="program and arguments")
    return parser


class Options:
    """The options of a command line, and the command after them."""

    def __init__(self, argv: Sequence[str]) -> None:
        self.only: list[str] = []
        self.verbose = self.check = False
        self.report: str | None = None  # "" for the table
        self.command = list(argv)
        while self.command and self.command[0].startswith("-"):
            word = self.command.pop(0)
            if word == "--":
                break
            self._take(word)
        if not self.command and not self.check:
            make_parser().error("the following arguments are required: COMMAND")
        if self.check and (self.command or self.report is not None):
            make_parser().error("argument --check: not allowed with a command or --report")

    def _take(self, word: str) -> None:
        name, equals, value = word.partition("=")
        following = self.command[0] if self.command else ""
        if name in FLAGS and not equals:
            setattr(self, FLAGS[name], True)
        elif name == "--only" and (equals or self.command):
            self.only = (value if equals else self.command.pop(0)).split(",")
            try:
                list(switch.modules_of(self.only))
            except ValueError as error:
                make_parser().error(f"argument --only: {str(error).removeprefix('names: ')}")
        elif name == "--report" and not equals:
            self.report = self.command.pop(0) if following.endswith(".json") else ""
        elif name == "--report" and value:
            self.report = value
        else:
            make_parser().parse_args([word])  # prints help, or refuses the word
            make_parser().error(f"argument {word}: expected one argument")


def run(argv: Sequence[str], out: TextIO) -> int:
    """Run the command, which replaces this process where possible."""
    options = Options(argv)
    if options.check:
        for line in _check(options.only):
            print(line, file=out)
        return 0
    words = options.command
    program = _which(words[0])
    if program is None:
        if not os.path.exists(words[0]):
            raise CommandError(f"{words[0]}: no such program", NOT_FOUND)
        hint = ""
        if words[0].endswith(".py"):
            hint = f"; run it with Python: rapidbleu run python {words[0]}"
        raise CommandError(f"{words[0]}: it is not executable{hint}", NOT_EXECUTABLE)
    _check_command(program, words)
    environment = _environment(options)
    if options.report is not None:
        make_folder = load("tempfile", "TemporaryDirectory")
        with make_folder(prefix="rapidbleu-", ignore_cleanup_errors=True) as folder:
            environment[switch.REPORT] = folder
            code = _run_child(program, words, environment)
            load("rapidbleu.switch.report").write(folder, options.report)
        return code if code >= 0 else _end_by(-code)
    return _replace_process(program, words, environment)


def _which(name: str) -> str | None:
    """Return the path of a program, or None."""
    if os.name == "nt":
        found: str | None = load("shutil").which(name)
        return found
    folders = [""] if os.path.dirname(name) else os.get_exec_path()
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def _is_python(path: str) -> bool:
    name = os.path.basename(path).removesuffix(".exe")
    return name.rstrip("0123456789.") in ("python", "pypy")


def _check(names: list[str]) -> Iterator[str]:
    """Yield a line for each module that can be switched."""
    active = any(map(switch.is_active, switch.modules_of(names)))
    yield f"active in this process: {'yes' if active else 'no'}"
    for name in switch.modules_of(names):
        package = name.partition(".")[0]
        if load("importlib.util").find_spec(package) is None:
            yield f"{name}: not installed"
            continue
        state = "left alone, its code is not known"
        if switch.MODULES[name].is_known(package):
            state = "accelerated" if switch.is_active(name) else "would be accelerated"
        yield f"{name} of {package} {switch.version(package)}: {state}"


def _check_command(program: str, words: list[str]) -> None:
    """Refuse a Python that would not search the folder, by its options or a script's."""
    if not _is_python(program):
        with open(program, "rb") as file:
            start = file.readline(1024)
        words = start[2:].decode("utf-8", "replace").split() if start.startswith(b"#!") else []
        if words and os.path.basename(words[0]) == "env":
            words = words[1:]
        if not words or not _is_python(words[0]):
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


def _environment(options: Options) -> dict[str, str]:
    """Return the environment of the program, with the folder once in Python's path."""
    old = os.environ.get("PYTHONPATH", "")
    others = [path for path in old.split(os.pathsep) if path != switch.FOLDER] if old else []
    return os.environ | {
        "PYTHONPATH": os.pathsep.join([switch.FOLDER, *others]),
        switch.NAMES: " ".join(switch.modules_of(options.only)),
        switch.VERBOSE: "1" if options.verbose else "",
        switch.REPORT: "",
    }


def _replace_process(program: str, words: list[str], environment: dict[str, str]) -> int:
    """Replace this process by a program; on Windows wait for it, and return its status."""
    if os.name == "nt":
        return _wait_for(program, words, environment)
    signal: Any = load("signal")
    for name in ("SIGPIPE", "SIGXFSZ"):  # which Python ignores
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.execve(program, words, environment)


def _wait_for(program: str, words: list[str], environment: dict[str, str]) -> int:
    """Run a program on Windows, and return its status."""
    status: int = load("subprocess").run([program, *words[1:]], env=environment).returncode
    return status


# A child process in the place of this one: same signals, stops and end. This process blocks all
# signals and waits for them. It forwards what another process sent; the kernel sends signals of a
# terminal to the whole group, so the child has them already. Where the sender is not known (macOS),
# signals that terminals send are not forwarded.


def _run_child(program: str, words: list[str], environment: dict[str, str]) -> int:
    """Run a program to its end; return its status, or minus the signal that ended it."""
    if os.name == "nt":
        return _wait_for(program, words, environment)
    signal: Any = load("signal")
    reset = [signal.SIGTERM]
    reset += [getattr(signal, name) for name in ("SIGPIPE", "SIGXFSZ") if hasattr(signal, name)]
    everything = signal.valid_signals()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, everything)
    pid = os.posix_spawn(program, words, environment, setsigmask=before, setsigdef=reset)
    code = None
    while code is None:
        number = _next_signal(signal, everything)
        code = _follow(signal, pid)
        if number is not None and code is None:
            os.kill(pid, number)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return code


def _next_signal(signal: Any, everything: Any) -> int | None:
    """Wait for a signal, and return it if it is to be forwarded.

    The wait is short, because a thread that is about to end may receive the signal of a child.
    """
    if hasattr(signal, "sigtimedwait"):
        info = signal.sigtimedwait(everything, WAIT)
        is_sent = info is not None and info.si_code <= 0  # SI_USER, SI_QUEUE or SI_TKILL
        return info.si_signo if is_sent and info.si_signo != signal.SIGCHLD else None
    load("time").sleep(WAIT)
    terminals = (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGWINCH)
    for number in signal.sigpending():
        signal.sigwait([number])
        if number not in (signal.SIGCHLD, *terminals):
            return int(number)
    return None


def _follow(signal: Any, pid: int) -> int | None:
    """Stop if the child has stopped; return its status, or minus its signal, if it has ended."""
    found, status = os.waitpid(pid, os.WNOHANG | os.WUNTRACED)
    if not found:
        return None
    if os.WIFSTOPPED(status):
        os.kill(os.getpid(), signal.SIGSTOP)
        return None
    return os.waitstatus_to_exitcode(status)


def _end_by(number: int) -> int:
    """Flush, and end by a signal, without a second core file."""
    signal: Any = load("signal")
    resource: Any = load("resource")
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, most))
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    return 128 + number  # if this process cannot end by it
