"""``rapidbleu help``: the metrics, and the options of each as ``-m`` takes them."""

from __future__ import annotations

from inspect import getdoc
from typing import TYPE_CHECKING, TextIO

import rapidbleu.metrics
from rapidbleu.cli.options import Parser
from rapidbleu.cli.specifications import KINDS
from rapidbleu.metrics.options import REQUIRED

if TYPE_CHECKING:
    from collections.abc import Sequence


def make_parser() -> Parser:
    """Return the parser of the command."""
    parser = Parser(
        prog="rapidbleu help",
        description="List the metrics of -m, or describe one and its options. Lists have + between "
        "their items, and a path is all that follows its =.",
    )
    parser.add_argument("metric", nargs="?", choices=KINDS, metavar="METRIC")
    return parser


def run(argv: Sequence[str], out: TextIO) -> int:
    """Run the command."""
    metric = make_parser().parse_args(list(argv)).metric
    if metric is not None:
        print(described(metric), file=out)
        return 0
    width = max(map(len, KINDS))
    for name, kind in KINDS.items():
        summary = (getdoc(getattr(rapidbleu.metrics, kind)) or "").splitlines()[0]
        print(f"{name:<{width}}  {summary}", file=out)
    print("\nrapidbleu help METRIC lists options, such as -m wordf:beta=3,lowercase=yes", file=out)
    return 0


def described(name: str) -> str:
    """Return the options of a metric, and the documentation of its class."""
    kind = getattr(rapidbleu.metrics, KINDS[name])
    lines = [f"-m {name}[:OPTION=VALUE,...]", ""]
    for option, own in kind.OPTIONS.items():
        if own.text:
            default = "needed" if own.default is REQUIRED else own.default
            if isinstance(default, bool):
                default = "yes" if default else "no"
            shown = "" if default in (None, "") else f" ({default})"
            lines.append(f"  {option}: {own.text[0]}{shown}")
    return "\n".join([*lines, "", getdoc(kind) or ""])
