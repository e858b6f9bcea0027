"""Declarations of options, and options that several commands have."""

from __future__ import annotations

import os
from argparse import Action
from typing import TYPE_CHECKING, Any

from rapidbleu.cli.messages import CommandError
from rapidbleu.cli.options import MOST, at_least

if TYPE_CHECKING:
    from collections.abc import Callable

    _Add = Callable[..., Action]


def adders(group: Any) -> tuple[_Add, _Add, _Add]:
    """Return functions that add options to a parser or to a group of it.

    They add an option with a value, one with several values, and one without any. Their arguments
    are the flags, the metavar of values, and the help, as a help page shows them.
    """

    def value(*words: str, **how: Any) -> Action:
        *flags, metavar, text = words
        action: Action = group.add_argument(*flags, metavar=metavar, help=text, **how)
        return action

    def values(*words: str, **how: Any) -> Action:
        return value(*words, nargs="+", **how)

    def switch(*words: str) -> Action:
        *flags, text = words
        action: Action = group.add_argument(*flags, action="store_true", help=text)
        return action

    return value, values, switch


def add_encoding(group: Any, of: str) -> None:
    text = f"encoding of {of} (default: utf-8)"
    group.add_argument("-e", "--encoding", default="utf-8", help=text)


def add_num_refs(group: Any) -> None:
    group.add_argument(
        "-nr",
        "--num-refs",
        type=at_least(1, MOST),
        default=1,
        metavar="N",
        help="references in each line of REF, separated by tabs (default: 1)",
    )


def check_folder(path: str) -> None:
    """Refuse a file that cannot be written at the end, because there is no folder for it."""
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise CommandError(f"{path}: there is no folder {folder}")
