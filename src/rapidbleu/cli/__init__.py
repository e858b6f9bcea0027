"""The command line: ``rapidbleu REF -i HYP`` scores, ``rapidbleu COMMAND`` does anything else.

Exit statuses: 0; 1 for wrong input; 2 for wrong options; 3 for wrong scores; 17 for lines with a
wrong number of references; 130 after Ctrl-C; 141 if the reader of the results closes its end; 143
after SIGTERM, which batch schedulers send.
"""
# PYTHON_ARGCOMPLETE_OK

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module

from rapidbleu._version import __version__
from rapidbleu.cli.messages import CommandError, Terminal, begin, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TextIO

# Alternatives to a file of references as the first argument: modules of commands with `make_parser`
# and `run`, or with `PROGRAMS` that have them, and summaries for --help. A file of such a name is
# ./NAME.
COMMANDS = {
    "score": ("score.command", "score systems, as does `rapidbleu REF -i HYP`"),
    "compare": ("compare", "show where and why systems differ, also as an HTML report"),
    "correlate": ("correlate", "find the metrics that agree best with human judgments"),
    "explain": ("explain", "explain the score of a segment"),
    "mbr": ("candidates", "choose candidates by minimum Bayes risk"),
    "oracle": ("candidates", "choose candidates with the best corpus score"),
    "tune": ("tune.command", "find weights with the best score on n-best lists"),
    "rerank": ("tune.command", "choose hypotheses of n-best lists by tuned weights"),
    "stats": ("stats", "write rows of statistics for `score --stats`"),
    "merge": ("stats", "join rows of statistics of shards"),
    "run": ("run", "run another program with fast metrics"),
    "vectors": ("vectors", "compare the scores of any program with test vectors"),
    "help": ("help", "list the metrics, or describe one with its options"),
    "moses-bin": ("moses.executables", "write executables for mert-moses.pl"),
    "evaluator": ("moses.scoring", "score texts or n-best lists as Moses' evaluator does"),
    "extractor": ("moses.scoring", "extract features and statistics of n-best lists"),
    "kbmira": ("moses.learners", "tune weights by batch MIRA"),
    "mert": ("moses.learners", "tune weights by line searches"),
    "pro": ("moses.learners", "draw pairs of hypotheses for a classifier"),
}
MOSES = ("evaluator", "extractor", "kbmira", "mert", "pro")  # with the options of Moses' programs

HELP = """\
usage: rapidbleu COMMAND ...
       rapidbleu [-r] REF ... [-i HYP ...] [options of score]

Score machine translations, and search, tune and test with the scores.

commands, each of which has a --help of its own:
{}

programs of Moses, with its options:
{}

options of score, which `rapidbleu score --help` lists:
  -r REF ..., -i HYP ...  references and systems, one file each
  -m METRIC ...           such as bleu chrf:word_order=2 ter (default: bleu)
  -sl, -ci, -pbs, -par    segments; intervals; tests of systems
  -f FORM, -w N           json, text, latex, csv, tsv or markdown; digits
  -V, --version           print the version

`rapidbleu help` lists the metrics, `rapidbleu help METRIC` the options of one,
and `rapidbleu help sacrebleu` the options that sacrebleu has.

examples:
  rapidbleu ref.txt -i hyp.txt -m bleu chrf -f text
  rapidbleu compare -r ref.txt -i old.txt new.txt --html report.html
"""

INTERRUPTED = 128 + 2  # exit status in shells for SIGINT; below for SIGPIPE and SIGTERM
BROKEN_PIPE = 128 + 13
TERMINATED = 128 + 15


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line, by default on the process's arguments; return the exit status."""
    if argv is None and "_ARGCOMPLETE" in os.environ:
        complete()
    words = sys.argv[1:] if argv is None else list(argv)
    if words and words[0] in COMMANDS:
        work = lambda out: _loaded(words[0], argv is None).run(words[1:], out)  # noqa: E731
        return _finish(work, needs_output=words[0] != "run")
    if words and (meant := _command_like(words[0])):
        say(f"{words[0]}: neither a file nor a command; did you mean rapidbleu {meant}?")
        return 1
    return score_command(words, is_process=argv is None)


def _loaded(command: str, is_process: bool) -> Any:
    """Return the module of a command, never unloaded in a process of its own."""
    # Objects of a caller may become garbage. PyPy's collector has no `freeze`.
    if not (is_process and gc.isenabled() and hasattr(gc, "freeze")):
        return module_of(command)
    gc.disable()
    module = module_of(command)
    gc.freeze()  # neither collections nor the exit of the process traverse loaded modules
    gc.enable()
    return module


def _command_like(word: str) -> str:
    """Return the command with a misspelled name; "" for options and existing files."""
    if word.startswith("-") or not word.replace("-", "").isalpha() or os.path.exists(word):
        return ""
    from rapidbleu.cli.options import nearest

    return nearest(word, COMMANDS)


def module_of(command: str) -> Any:
    """Return the module of a command, or its program of this name."""
    module = import_module(f"rapidbleu.cli.{COMMANDS[command][0]}")
    return getattr(module, "PROGRAMS", {}).get(command, module)


def help_text() -> str:
    """Return the help of the program: commands and frequent options."""
    width = max(map(len, COMMANDS))
    lines = {name: f"  {name:<{width}}  {summary}" for name, (_, summary) in COMMANDS.items()}
    moses = [lines.pop(name) for name in MOSES]
    return HELP.format("\n".join(lines.values()), "\n".join(moses))


def complete() -> None:
    """Answer a request of the shell in the variable _ARGCOMPLETE, and exit.

    argcomplete completes commands, options, values and files.
    """
    try:
        argcomplete = import_module("argcomplete")
    except ImportError:
        sys.exit(1)
    # The variable contains the 1-based index of the word at which the program begins.
    begin = int(os.environ["_ARGCOMPLETE"])
    line = os.environ["COMP_LINE"]
    point = int(os.environ["COMP_POINT"])
    words = argcomplete.split_line(line, point)[3][begin:]
    if words and words[0] in COMMANDS:
        os.environ["_ARGCOMPLETE"] = str(begin + 1)
        parser = module_of(words[0]).make_parser()
    else:
        parser = module_of("score").make_parser()
    if not words:  # the first word may be a command
        files = argcomplete.completers.FilesCompleter()

        def first_words(prefix: str, **others: object) -> list[str]:
            named = [name for name in COMMANDS if name.startswith(prefix)]
            return [*named, *files(prefix, **others)]

        refs = next(action for action in parser._actions if action.dest == "_refs")
        refs.completer = first_words
    argcomplete.autocomplete(parser, always_complete_options=False)


def score_command(
    argv: Sequence[str],
    program: str = "rapidbleu",
    version: str = __version__,
    is_process: bool = False,
) -> int:
    """Score under a program's name and version; return the exit status."""

    def work(out: TextIO) -> int:
        if list(argv) in (["--version"], ["-V"]):  # without loading the options
            print(program, version, file=out)
            sys.exit(0)  # as argparse does
        status: int = _loaded("score", is_process).run(argv, out, program, version)
        return status

    return _finish(work)


def _finish(work: Callable[[Any], int], needs_output: bool = True) -> int:
    """Run a command and return its exit status, with errors as messages."""
    undo = _end_by_sigterm()
    begin()
    try:
        out = _utf8_stdout()
        if out is None and needs_output:
            raise CommandError("standard output is closed")
        try:
            return work(out)
        finally:
            if out is not None:
                out.flush()
    except CommandError as error:
        return _fail(error, error.status)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _discard_stdout()
        return BROKEN_PIPE
    except OSError as error:
        if error.filename is None:
            _discard_stdout()
        where = "standard output" if error.filename is None else error.filename
        return _fail(f"{where}: {error.strerror or error}")
    except (TypeError, ValueError, ImportError) as error:
        if isinstance(error, TypeError) and ", column " not in str(error):  # not of a table
            raise
        return _fail(error)
    except MemoryError as error:
        return _fail(f"not enough memory: {error}".removesuffix(": "))
    finally:
        undo()


def _fail(message: object, status: int = 1) -> int:
    say(message)
    return status


def _end_by_sigterm() -> Callable[[], object]:
    """Make SIGTERM raise SystemExit, which removes temporary files; return an undo function.

    Handlers of the embedding program are kept; only the main thread can set one.
    """
    import _signal as signal  # type: ignore[import-not-found]  # without enumerations

    number = getattr(signal, "SIGTERM", None)
    if number is None or signal.getsignal(number) is not signal.SIG_DFL:
        return lambda: None

    def end(*_: object) -> None:
        signal.signal(number, signal.SIG_IGN)  # `timeout` sends it twice
        sys.exit(TERMINATED)

    try:
        signal.signal(number, end)
    except ValueError:  # not in the main thread
        return lambda: None
    return lambda: signal.signal(number, signal.SIG_DFL)


def _utf8_stdout() -> Any:
    """Return stdout with UTF-8 in any locale, filtered on terminals; None if it is closed."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8")
    out: Any = sys.stdout
    return Terminal(out) if out is not None and out.isatty() else out


def _discard_stdout() -> None:
    """Discard buffered output, because the interpreter would fail on it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
