"""``rapidbleu help``: the metrics, and the options of each in the syntax of ``-m``."""

from __future__ import annotations

import re
from inspect import getdoc
from textwrap import fill
from typing import TYPE_CHECKING, Any, TextIO

import rapidbleu.metrics
from rapidbleu.cli import module_of
from rapidbleu.cli.metrics import KINDS, ROUGES
from rapidbleu.cli.options import Parser
from rapidbleu.metrics.metric import Metric
from rapidbleu.metrics.options import REQUIRED

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH = 79
SACREBLEU = "sacrebleu"


def make_parser() -> Parser:
    parser = Parser(
        prog="rapidbleu help",
        description="List the metrics of -m, describe one and its options, or describe the options "
        "of sacrebleu.",
        examples=["wordf", SACREBLEU],
    )
    parser.add_argument(
        "topic",
        nargs="?",
        choices=[*KINDS, *ROUGES, SACREBLEU],
        metavar="TOPIC",
        help="a metric, or sacrebleu",
    )
    return parser


def run(argv: Sequence[str], out: TextIO) -> int:
    topic = make_parser().parse_args(list(argv)).topic
    if topic == SACREBLEU:
        print(module_of("score").make_parser().format_sacrebleus(), end="", file=out)
    elif topic is not None:
        print(described(topic), file=out)
    else:
        width = max(map(len, KINDS))
        for name, kind in KINDS.items():
            summary = (getdoc(getattr(rapidbleu.metrics, kind)) or "").splitlines()[0]
            print(_wrapped(f"{name:<{width}}  ", summary), file=out)
        print(
            "\nrapidbleu help METRIC lists options, as in -m wordf:beta=3,lowercase=yes", file=out
        )
    return 0


def described(name: str) -> str:
    """Return the summary of a metric, its options with defaults and choices, and its source."""
    kind = getattr(rapidbleu.metrics, "ROUGE" if name in ROUGES else KINDS[name])
    sections = _sections(getdoc(kind) or "")
    shared = _parameters(_sections(getdoc(Metric) or "")["Parameters"])
    texts = shared | _parameters(sections.get("Parameters", ""))
    lines = [f"-m {name}[:OPTION=VALUE,...]", "", _wrapped("", sections[""])]
    for option, declared in kind.OPTIONS.items():
        if declared.text is None:
            expected = f"only in Python: {kind.__name__}({option}=...)"
        else:
            expected = f"{declared.text[0]}{_default(declared.default)}"
        lines += ["", _wrapped("  ", f"{option}: {expected}")]
        if option in texts:
            text = texts[option]
            if "As in `Metric`" in text:  # lowercase and tokenize, followed by their default
                rest = text.partition("; the ")[2]
                text = f"The {rest}" if option == "tokenize" else shared[option]
            lines.append(_wrapped("      ", text))
    if "References" in sections:
        lines += ["", _wrapped("", f"Source: {sections['References']}")]
    return "\n".join(lines)


def _default(value: Any) -> str:
    """Return a default value in parentheses; "" if it has no text."""
    if value is REQUIRED:
        return " (needed)"
    if isinstance(value, bool):
        value = "yes" if value else "no"
    return "" if value in (None, "") else f" (default: {value})"


def _wrapped(head: str, text: str) -> str:
    """Return an indented text below its head."""
    plain = " ".join(text.replace("`", "").split())
    indent = " " * len(head)
    return fill(plain, WIDTH, initial_indent=head, subsequent_indent=indent, break_on_hyphens=False)


def _sections(text: str) -> dict[str, str]:
    """Return the sections of a docstring by title; the text before the first one has title ""."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", text, flags=re.M)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def _parameters(section: str) -> dict[str, str]:
    """Return the descriptions of parameters by name; types if there are none."""
    parts = re.split(r"^(\w[\w, ]*)(?: : (.*))?\n", f"{section}\n", flags=re.M)
    return {
        name: text if text.strip() else kind or ""
        for names, kind, text in zip(parts[1::3], parts[2::3], parts[3::3], strict=True)
        for name in names.split(", ")
    }
