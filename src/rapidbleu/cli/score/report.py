"""How results are written: what the options say of their form, and where they go."""

import os
from argparse import Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TextIO

from rapidbleu.floats import digits_of
from rapidbleu.printing.colors import leave_plain, paint

if TYPE_CHECKING:
    from rapidbleu.score import Score
    from rapidbleu.signature import Signature


WIDTH = 1  # decimals, as sacrebleu has them


class Style(NamedTuple):
    """What the options say of the form of results.

    Attributes
    ----------
    also : dict of str to str
        Entries of all signatures, besides those of metrics.
    digits : dict of str to int
        Metrics whose scores have more digits than `width`.
    """

    format: str
    width: int
    short: bool
    score_only: bool
    color: bool
    also: dict[str, str]
    digits: dict[str, int]

    def width_of(self, metric: str) -> int:
        """Return the number of decimals of a metric's scores."""
        return self.digits.get(metric, self.width)

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
        width = self.width_of(score.name)
        return score.format(width, self.score_only, signature, self.format == "json")


def make_style(
    args: Namespace, out: TextIO, also: dict[str, str],
    given: "dict[str, list[float]] | None" = None,
) -> Style:  # fmt: skip
    """Return the form that the options ask for.

    Parameters
    ----------
    also : dict of str to str
        Entries of all signatures.
    given : dict of str to list of float, optional
        Scores of systems by metrics of ``--scores``, whose scale decides how many digits they have.
    """
    scales = given if given and args.width is None else {}
    return Style(
        format=args.format,
        width=WIDTH if args.width is None else args.width,
        short=args.short,
        score_only=args.score_only,
        color=use_color(out, args.no_color),
        also=also,
        digits={name: digits_of(scores, WIDTH) for name, scores in scales.items()},
    )


def use_color(stream: TextIO, disabled: bool) -> bool:
    """Return whether to color the output: a terminal whose user does not object."""
    return not disabled and not os.environ.get("NO_COLOR") and stream.isatty()
