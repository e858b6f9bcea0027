"""``rapidbleu moses-bin DIR``: the five executables that ``mert-moses.pl --mertdir DIR`` starts.

They are small scripts that start this Python's rapidbleu. On Windows they are made twice: for the
shell of Cygwin, MSYS or WSL, in which Moses' driver runs, and as ``.cmd`` files for other programs.
"""

import os
import shlex
import sys
from collections.abc import Sequence
from typing import TextIO

from rapidbleu._lib.files import replacing
from rapidbleu.cli.messages import CommandError
from rapidbleu.cli.options import Parser

TOOLS = ("extractor", "mert", "pro", "kbmira", "evaluator")


def make_parser() -> Parser:
    """Return the parser of the command."""
    parser = Parser(
        prog="rapidbleu moses-bin",
        description=f"Write the executables {', '.join(TOOLS)} to a folder, for mert-moses.pl "
        "--mertdir. They start this Python.",
        examples=["moses-bin", "~/bin/rapidbleu-moses"],
    )
    parser.add_argument("folder", metavar="DIR", help="folder, created if missing")
    return parser


def run(argv: Sequence[str], out: TextIO) -> int:
    """Run the command."""
    folder = make_parser().parse_args(list(argv)).folder
    write_tools(folder, windows=sys.platform == "win32")
    return 0


def write_tools(folder: str, *, windows: bool = False) -> None:
    """Write the executables into a folder; with `windows`, ``.cmd`` files too."""
    if not sys.executable:
        raise CommandError("the path of this Python is not known")
    os.makedirs(folder, exist_ok=True)
    for name in TOOLS:
        # -P: a folder named rapidbleu where the tool is started is not imported instead.
        words = f"-P -m rapidbleu {name}"
        python = sys.executable.replace("\\", "/") if windows else sys.executable
        script = os.path.join(folder, name)
        _write(script, f'#!/bin/sh\nexec {shlex.quote(python)} {words} "$@"\n')
        mode = os.stat(script).st_mode
        os.chmod(script, mode | (mode & 0o444) >> 2)  # whoever may read it, may start it
        if windows:
            _write(f"{script}.cmd", f'@"{sys.executable}" {words} %*\r\n')


def _write(path: str, text: str) -> None:
    with replacing(path) as (file,):
        file.write(text.encode(errors="surrogateescape"))
