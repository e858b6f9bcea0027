"""The commands by their names, and the completion of command lines in shells."""

from __future__ import annotations

import os
import sys
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What the first argument may be instead of a file of references: the module of each command, with
# `make_parser` and `run`, or with `PROGRAMS` that have them, and the summary that --help shows. A
# file of such a name is ./NAME.
COMMANDS = {
    "compare": ("compare", "where and why systems differ, also as an HTML report"),
    "correlate": ("correlate", "which metrics agree best with people"),
    "evaluator": ("moses.scoring", "score translations or n-best lists as Moses' evaluator does"),
    "explain": ("explain", "why a segment scores what it does"),
    "extractor": ("moses.scoring", "features and statistics of n-best lists, as Moses' files"),
    "help": ("help", "list the metrics, or describe one and its options"),
    "kbmira": ("moses.learners", "tune weights by batch MIRA, with the options of Moses' kbmira"),
    "mbr": ("candidates.mbr", "choose candidates by minimum Bayes risk"),
    "merge": ("rows.merge", "join rows of statistics that shards of stats wrote"),
    "mert": ("moses.mert", "tune weights by line searches, with the options of Moses' mert"),
    "moses-bin": ("moses.executables", "make the executables that mert-moses.pl starts"),
    "oracle": ("candidates.oracle", "choose the candidates that score best together"),
    "pro": ("moses.learners", "pairs of hypotheses to learn from, as Moses' pro draws them"),
    "score": ("score.command", "what rapidbleu does without the name of a command"),
    "stats": ("rows.stats", "write the rows of statistics of segments, from which score goes on"),
    "tune": ("tune.command", "find the weights with which n-best lists score best"),
}


def module_of(command: str) -> Any:
    """Return the module of a command, or the program in it that has this name."""
    module = import_module(f"rapidbleu.cli.{COMMANDS[command][0]}")
    return getattr(module, "PROGRAMS", {}).get(command, module)


def summaries() -> str:
    """Return a line for each command, as --help shows them."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {summary}" for name, (_, summary) in COMMANDS.items()]
    return "\n".join(["commands, each of which has a --help of its own:", *lines])


def complete() -> None:
    """Answer the shell, which asks by the variable _ARGCOMPLETE, and end the process.

    Commands, options, their values and files are completed, by argcomplete.
    """
    try:
        argcomplete = import_module("argcomplete")
    except ImportError:
        sys.exit(1)
    # The variable has the index of the word at which the program begins, from 1.
    begin = int(os.environ["_ARGCOMPLETE"])
    line, point = os.environ["COMP_LINE"], int(os.environ["COMP_POINT"])
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

        refs = next(action for action in parser._actions if action.dest == "refs")
        refs.completer = first_words
    argcomplete.autocomplete(parser, always_complete_options=False)
