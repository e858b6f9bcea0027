"""Completion in shells, by argcomplete: commands, options, their values, files."""

import os
import sys
from argparse import ArgumentParser
from importlib import import_module
from typing import Any

from rapidbleu.cli.commands import COMMANDS, module_of


def complete() -> None:
    """Answer the shell, which asks by the variable _ARGCOMPLETE, and end the process."""
    try:
        argcomplete = import_module("argcomplete")
    except ImportError:
        sys.exit(1)
    # The variable says with which word of the line the program begins, from 1.
    begin = int(os.environ["_ARGCOMPLETE"])
    line, point = os.environ["COMP_LINE"], int(os.environ["COMP_POINT"])
    words = argcomplete.split_line(line, point)[3][begin:]
    if words and words[0] in COMMANDS:
        os.environ["_ARGCOMPLETE"] = str(begin + 1)
        parser = module_of(words[0]).make_parser()
    else:
        parser = _scoring_parser(argcomplete, not words)
    argcomplete.autocomplete(parser, always_complete_options=False)


def _scoring_parser(argcomplete: Any, is_first: bool) -> ArgumentParser:
    """Return the parser of the scoring command, whose first word may be another command."""
    from rapidbleu.cli.options import make_parser

    parser = make_parser()
    files = argcomplete.completers.FilesCompleter()

    def first_words(prefix: str, **others: object) -> list[str]:
        return [*(name for name in COMMANDS if name.startswith(prefix)), *files(prefix, **others)]

    if is_first:
        refs: Any = next(action for action in parser._actions if action.dest == "refs")
        refs.completer = first_words
    return parser
