"""How results are written: what the options say of their form, and where they go."""

import os
from argparse import Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TextIO

from rapidbleu.printing.colors import leave_plain, paint

if TYPE_CHECKING:
    from rapidbleu.score import Score
    from rapidbleu.signature import Signature


class Style(NamedTuple):
    """What the options say of the form of results.

    Attributes
    ----------
    also : dict of str to str
        Entries of all signatures, besides those of metrics.
    """

    format: str
    width: int
    short: bool
    score_only: bool
    color: bool
    also: dict[str, str]

    @property
    def paint(self) -> Callable[[str, str], str]:
        """What colors a text, or leaves it plain."""
        return paint if self.color else leave_plain

    def signature(self, signature: "Signature | None") -> str:
        """Write a signature; in JSON its keys are never abbreviated."""
        if signature is None:
            return ""
        for key, value in self.also.items():
            signature.update(key, value)
        return signature.format(self.short and self.format != "json")

    def score(self, score: "Score", signature: str) -> str:
        """Write one score."""
        return score.format(self.width, self.score_only, signature, self.format == "json")


def make_style(args: Namespace, out: TextIO, also: dict[str, str]) -> Style:
    """Return the form that the options ask for; `also` is for signatures."""
    return Style(
        format=args.format,
        width=args.width,
        short=args.short,
        score_only=args.score_only,
        color=use_color(out, args.no_color),
        also=also,
    )


def use_color(stream: TextIO, disabled: bool) -> bool:
    """Return whether to color the output: a terminal whose user does not object."""
    return not disabled and not os.environ.get("NO_COLOR") and stream.isatty()
