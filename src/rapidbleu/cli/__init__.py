"""The command line: ``rapidbleu REF -i HYP`` scores, ``rapidbleu COMMAND`` does something else.

Exit statuses: 0; 1 for what the input does not allow; 2 for wrong options; 17 for lines with a
wrong number of references; 130 after Ctrl-C; 141 when the reader of the results closes its end; 143
after SIGTERM, which batch schedulers send.
"""
# PYTHON_ARGCOMPLETE_OK

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence

from rapidbleu._version import __version__
from rapidbleu.cli.commands import COMMANDS, complete, module_of
from rapidbleu.cli.messages import CommandError, Terminal, begin, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO

INTERRUPTED = 128 + 2  # what a shell reports for SIGINT, and below for SIGPIPE and SIGTERM
BROKEN_PIPE = 128 + 13
TERMINATED = 128 + 15


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; those of the process by default.
    """
    if argv is None and "_ARGCOMPLETE" in os.environ:
        complete()
    words = sys.argv[1:] if argv is None else list(argv)
    if words and words[0] in COMMANDS:
        return _finish(lambda out: _loaded(words[0], argv is None).run(words[1:], out))
    if words and (meant := _command_like(words[0])):
        say(f"{words[0]}: neither a file nor a command; did you mean rapidbleu {meant}?")
        return 1
    return score_command(words)


def _loaded(command: str, is_process: bool) -> Any:
    """Return the module of a command; in a process of its own it is there to stay."""
    module = module_of(command)
    # The objects of a caller may become garbage. PyPy's collector cannot be told.
    if is_process and hasattr(gc, "freeze"):
        gc.freeze()  # neither a collection nor the end of the process looks at what was loaded
    return module


def _command_like(word: str) -> str:
    """Return the command whose name was misspelled; "" for options, and files that there are."""
    if word.startswith("-") or not word.replace("-", "").isalpha() or os.path.exists(word):
        return ""
    from rapidbleu.cli.options import nearest

    return nearest(word, COMMANDS)


def score_command(
    argv: Sequence[str], program: str = "rapidbleu", version: str = __version__
) -> int:
    """Run the scoring command; return its exit status.

    Parameters
    ----------
    argv : sequence of str
        The arguments.
    program, version : str
        What it calls itself.
    """

    def work(out: TextIO) -> int:
        if list(argv) in (["--version"], ["-V"]):  # answered without the modules of the options
            print(program, version, file=out)
            sys.exit(0)  # as argparse does
        from rapidbleu.cli.score.command import run

        return run(argv, out, program, version)

    return _finish(work)


def _finish(work: Callable[[TextIO], int]) -> int:
    """Return the exit status of a command, whatever happens in it."""
    undo = _end_by_sigterm()
    begin()
    try:
        out = _utf8_stdout()
        if out is None:
            raise CommandError("standard output is closed")
        try:
            return work(out)
        finally:
            out.flush()
    except CommandError as error:
        return _fail(error, error.status)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _discard_stdout()
        return BROKEN_PIPE
    except OSError as error:
        _discard_stdout()
        where = "standard output" if error.filename is None else error.filename
        return _fail(f"{where}: {error.strerror or error}")
    except (ValueError, ImportError) as error:
        return _fail(error)
    except MemoryError as error:
        return _fail(f"not enough memory: {error}".removesuffix(": "))
    finally:
        undo()


def _fail(message: object, status: int = 1) -> int:
    say(message)
    return status


def _end_by_sigterm() -> Callable[[], object]:
    """Let SIGTERM end the program by SystemExit, so that no temporary file is left.

    Returns what undoes that. A program with a handler of its own keeps it, and so does a thread
    that may not set any.
    """
    import signal

    number = getattr(signal, "SIGTERM", None)
    if number is None or signal.getsignal(number) is not signal.SIG_DFL:
        return lambda: None

    def end(*_: object) -> None:
        signal.signal(number, signal.SIG_IGN)  # `timeout` sends it twice
        sys.exit(TERMINATED)

    try:
        signal.signal(number, end)
    except ValueError:  # another thread than the main one
        return lambda: None
    return lambda: signal.signal(number, signal.SIG_DFL)


def _utf8_stdout() -> Any:
    """Return stdout, writing UTF-8 in any locale, on terminals filtered; None if it is closed."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8")
    out: Any = sys.stdout
    return Terminal(out) if out is not None and out.isatty() else out


def _discard_stdout() -> None:
    """Send what is still unwritten nowhere, or the interpreter fails on it as it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
