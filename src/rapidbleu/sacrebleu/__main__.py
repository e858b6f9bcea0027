"""``python -m rapidbleu.sacrebleu``: sacrebleu's command line, or a program that imports it.

::

    python -m rapidbleu.sacrebleu REF -i HYP -m bleu chrf     like python -m sacrebleu
    python -m rapidbleu.sacrebleu SCRIPT.py ARG ...           a script, after install()
    python -m rapidbleu.sacrebleu -m MODULE ARG ...           a module, after install()
"""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence

from rapidbleu.sacrebleu import install
from rapidbleu.sacrebleu.sacrebleu import main as score

METRICS = ("bleu", "chrf", "ter")


def main(argv: Sequence[str]) -> None:
    """Run the command line.

    If `argv` starts with ``-m`` and anything but a metric, or with the name of a Python file, run
    that program with ``sacrebleu`` aliased.
    """
    words = list(argv)
    if len(words) > 1 and words[0] == "-m" and words[1] not in METRICS:
        install()
        sys.argv = words[1:]
        sys.path[0] = os.getcwd()
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    elif words and words[0].endswith(".py"):
        install()
        sys.argv = words
        sys.path[0] = os.path.dirname(os.path.abspath(words[0]))
        runpy.run_path(words[0], run_name="__main__")
    else:
        score(words)


if __name__ == "__main__":
    main(sys.argv[1:])
