"""The parser of options: its complaints are one line, and say what may have been meant."""

import os
from argparse import Action, ArgumentError, ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rapidbleu.cli.messages import say

if TYPE_CHECKING:
    from typing import Any, NoReturn

UNKNOWN = "unrecognized arguments: "  # what argparse says of them

# The metavars of files, folders, columns and names: an empty word is an unset shell variable.
NAMES = {
    "COLUMN", "DIR", "FILE", "FILE,...", "HYP", "NAME", "NAME=FILE", "NBEST", "OUT", "PART", "PATH",
    "REF", "SYS", "SYSTEM",
}  # fmt: skip


class Parser(ArgumentParser):
    """A parser whose complaints are one line.

    Attributes
    ----------
    hints : dict of str to str
        What to say of words that are neither options nor values of them, by the word; an ending
        such as ``.html`` stands for all files that have it.
    of_metrics : dict of str to Action
        The options that act on metrics, by the attribute that stores the value.
    """

    hints: ClassVar[dict[str, str]] = {}
    of_metrics: dict[str, Action]

    def __init__(self, *args: "Any", **options: "Any") -> None:
        self.of_metrics = {}
        super().__init__(*args, **options)

    def parse_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Namespace | None = None
    ) -> Namespace:
        """Return the options; ``given`` has the options of metrics on the command line."""
        marked = Namespace(**dict.fromkeys(self.of_metrics, self))
        parsed = super().parse_args(args, marked if namespace is None else namespace)
        parsed.given = {}
        for dest, action in self.of_metrics.items():
            if getattr(parsed, dest) is self:
                setattr(parsed, dest, action.default)
            else:
                parsed.given[dest] = "/".join(action.option_strings)
        return parsed

    def error(self, message: str) -> "NoReturn":
        if message.startswith(UNKNOWN):
            message += self._advice(message.removeprefix(UNKNOWN).split())
        say(f"{message} (see {self.prog} --help)")
        raise SystemExit(2)

    def _advice(self, unknown: list[str]) -> str:
        """Return what there is instead of options that are not known."""
        hints = self._hints(unknown)
        if not hints:
            options = [word.partition("=")[0] for word in unknown if word.startswith("--")]
            near = [nearest(option, self._option_string_actions) for option in options]
            hints = [f"did you mean {option}?" for option in near if option]
        return "".join([f"; {hint}" for hint in hints])

    def _hints(self, words: list[str]) -> list[str]:
        """Return what there is to say of words."""
        keys: list[str] = []
        for word in words:
            option, _, value = word.lower().partition("=")
            keys += [option, os.path.splitext(value or option)[1]]
        return list(dict.fromkeys(self.hints[key] for key in keys if key in self.hints))

    def _get_value(self, action: Action, arg_string: str) -> "Any":
        """Refuse an empty name, which would act like an option that is not given."""
        if not arg_string and action.metavar in NAMES:
            raise ArgumentError(action, "expected a name, got ''")
        return super()._get_value(action, arg_string)

    def _check_value(self, action: Action, value: "Any") -> None:
        """Name the nearest of the choices first: there may be dozens."""
        if action.choices is None or value in action.choices:
            return
        known = [str(choice) for choice in action.choices]
        near = nearest(str(value), known)
        hints = self._hints([str(value)]) or [f"did you mean {near}?"] * bool(near)
        parts = [f"invalid choice: {value!r}", *hints]
        raise ArgumentError(action, f"{'; '.join(parts)} (choose from {', '.join(known)})")


def nearest(word: str, known: Iterable[str]) -> str:
    """Return what a word most resembles, whatever its case; "" if nothing does.

    Examples
    --------
    >>> nearest("BLUE", ["bleu", "ter"])
    'bleu'
    """
    from difflib import get_close_matches

    by_lower = {name.lower(): name for name in known}
    found = get_close_matches(word.lower(), by_lower, n=1)
    return by_lower[found[0]] if found else ""
