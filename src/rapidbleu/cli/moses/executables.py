"""``rapidbleu moses-bin DIR``: the five executables started by ``mert-moses.pl --mertdir DIR``.

They are short scripts that start this Python's rapidbleu. Windows gets two versions: for the shell
of Cygwin, MSYS or WSL, where Moses' driver runs, and ``.cmd`` files for other programs.
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
    parser = Parser(
        prog="rapidbleu moses-bin",
        description=f"Write the executables {', '.join(TOOLS)} to a folder, for mert-moses.pl "
        "--mertdir. They start this Python.",
        examples=["moses-bin", "~/bin/rapidbleu-moses"],
    )
    parser.add_argument("folder", metavar="DIR", help="folder, created if missing")
    return parser


def run(argv: Sequence[str], out: TextIO) -> int:
    folder = make_parser().parse_args(list(argv)).folder
    write_tools(folder, windows=sys.platform == "win32")
    return 0


def write_tools(folder: str, *, windows: bool = False) -> None:
    """Write the executables into a folder; with `windows`, ``.cmd`` files as well."""
    if not sys.executable:
        raise CommandError("the path of this Python is not known")
    os.makedirs(folder, exist_ok=True)
    for name in TOOLS:
        # -P: ignore a folder named rapidbleu in the working directory.
        words = f"-P -m rapidbleu {name}"
        python = sys.executable.replace("\\", "/") if windows else sys.executable
        script = os.path.join(folder, name)
        _write(script, f'#!/bin/sh\nexec {shlex.quote(python)} {words} "$@"\n')
        mode = os.stat(script).st_mode
        os.chmod(script, mode | (mode & 0o444) >> 2)  # executable by everyone who may read it
        if windows:
            _write(f"{script}.cmd", f'@"{sys.executable}" {words} %*\r\n')


def _write(path: str, text: str) -> None:
    with replacing(path) as (file,):
        file.write(text.encode(errors="surrogateescape"))
