"""How results are written, in sacrebleu's forms: JSON, lines, and a table of systems."""

import json
import os
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple, TextIO

if TYPE_CHECKING:
    from rapidbleu.score import Score
    from rapidbleu.signature import Signature


class Style(NamedTuple):
    """What the options say of the form of results."""

    format: str
    width: int
    short: bool
    score_only: bool
    color: bool

    def signature(self, signature: "Signature") -> str:
        """Write a signature; in JSON its keys are never abbreviated."""
        return signature.format(self.short and self.format != "json")

    def score(self, score: "Score", signature: str) -> str:
        """Write one score."""
        return score.format(self.width, self.score_only, signature, self.format == "json")


def json_list(entries: Iterable[str]) -> Iterator[str]:
    """Yield the pieces of a JSON list of `entries`, which are JSON already."""
    before = "[\n"
    for entry in entries:
        yield before + entry
        before = ",\n"
    yield "\n]\n"


def systems_json(names: list[str], scores: "list[Score]", signature: str, width: int) -> str:
    """Return a JSON list with an object for each system: its name, then what one system has."""
    objects = [
        {"system": name, **json.loads(score.format(width, signature=signature, is_json=True))}
        for name, score in zip(names, scores, strict=True)
    ]
    return json.dumps(objects, indent=4, ensure_ascii=False)


def systems_text(names: list[str], scores: "list[Score]", signature: str, style: Style) -> str:
    """Return a table with a row for each system, and the signature below it."""
    metric = scores[0].name
    numbers = [score.format(style.width, score_only=True) for score in scores]
    title = "Metric signatures"
    return "\n".join(
        [
            *_table(["System", metric], list(zip(names, numbers, strict=True)), style.color),
            "",
            "-" * len(title),
            title,
            "-" * len(title),
            f" - {metric:<10} {signature}",
        ]
    )


def _table(header: list[str], rows: list[tuple[str, str]], color: bool) -> Iterator[str]:
    """Yield the lines of a grid: names to the right, numbers in the middle of their column."""
    left, right = (
        max(len(title) + 2, *(len(row[i]) for row in rows)) for i, title in enumerate(header)
    )

    def line(name: str, number: str, start: str = "", end: str = "") -> str:
        before, after = f"{number:^{right}}".split(number, 1)
        pad = " " * (left - len(name))
        return f"│ {pad}{start}{name}{end} │ {before}{start}{number}{end}{after} │"

    def rule(ends: str, fill: str) -> str:
        return f"{ends[0]}{fill * (left + 2)}{ends[1]}{fill * (right + 2)}{ends[2]}"

    yield rule("╒╤╕", "═")
    yield line(*header, *(("\x1b[36m", "\x1b[0m") if color else ()))
    for i, row in enumerate(rows):
        yield rule("├┼┤", "─") if i else rule("╞╪╡", "═")
        yield line(*row)
    yield rule("╘╧╛", "═")


def use_color(stream: TextIO, disabled: bool) -> bool:
    """Return whether to color the output: a terminal whose user does not object."""
    return not disabled and not os.environ.get("NO_COLOR") and stream.isatty()


def utf8_stdout() -> TextIO | None:
    """Return stdout, writing UTF-8 whatever the locale; None if it is closed."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8")
    return sys.stdout
