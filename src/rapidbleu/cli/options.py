"""The parser of all commands, and types of options: ranges of numbers, and shards.

Errors take one line and suggest the option that was probably meant.
"""

from __future__ import annotations

import math
import os
import re
from argparse import (
    SUPPRESS,
    Action,
    ArgumentError,
    ArgumentParser,
    ArgumentTypeError,
    HelpFormatter,
    Namespace,
    _AppendAction,
)

from rapidbleu._lib.frozen import NamedTuple
from rapidbleu.cli.messages import CommandError, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import _ActionsContainer
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, ClassVar, NoReturn, TextIO

MOST = 1_000_000  # of orders, references of a segment, and for beta
MOST_REPEATS = 10_000_000  # of resamples, trials, runs and similar
N_TRIALS = 10_000
N_RESAMPLES = 1_000
SEED = 12345
MOST_DIGITS = 1_074  # maximum decimal places of a 64-bit float

UNKNOWN = "unrecognized arguments: "  # argparse's message

# Metavars of files, folders, columns and names, where an empty word is an unset shell variable.
NAMES = {
    "A,B", "COLUMN", "DIR", "FILE", "FILE,...", "HYP", "NAME", "NAME=FILE", "NBEST", "ORDER", "OUT",
    "PART", "PATH", "REF", "SYS", "SYSTEM",
}  # fmt: skip


class BriefHelp(HelpFormatter):
    """Help that shows the value of an option once, and lists as ``X ...``."""

    def __init__(self, prog: str, **how: Any) -> None:
        super().__init__(prog, **{"max_help_position": 28, **how})

    def _format_action_invocation(self, action: Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        default = self._get_default_metavar_for_optional(action)
        return f"{', '.join(action.option_strings)} {self._format_args(action, default)}"

    def _format_args(self, action: Action, default_metavar: str) -> str:
        if action.nargs in ("+", "*"):
            return f"{self._metavar_formatter(action, default_metavar)(1)[0]} ..."
        return super()._format_args(action, default_metavar)


class Parser(ArgumentParser):
    """A parser with one-line errors."""

    # Advice by words that are neither options nor values; .html represents all such files.
    hints: ClassVar[dict[str, str]] = {}
    of_metrics: dict[str, Action]  # options of metrics by attribute
    shortens = False  # whether -t may mean -tok, which another command has as an option of its own

    def __init__(self, *args: Any, examples: Sequence[str] = (), **options: Any) -> None:
        self.of_metrics = {}
        self._words: list[tuple[Action, Action, bool, Sequence[Action], str]] = []
        self.examples = examples
        options.setdefault("formatter_class", BriefHelp)
        super().__init__(*args, **options)

    def format_help(self) -> str:
        if not self.examples:
            return super().format_help()
        lines = [f"  {self.prog} {example}" for example in self.examples]
        return "\n".join([super().format_help(), "examples:", *lines, ""])

    def add_files(
        self,
        *flags: str,
        needed: bool = True,
        unless: Sequence[Action] = (),
        otherwise: str = "",
        **how: Any,
    ) -> None:
        """Add an option for files that may also be words without an option.

        If `needed`, at least one is required without any of the options `unless`. If the option is
        given, words without one belong to the option with the attribute `otherwise`.
        """
        option = self.add_argument(*flags, nargs="+", **how)
        words = self.add_argument(
            f"_{option.dest}", nargs="*", metavar=option.metavar, help=SUPPRESS
        )
        self._words.append((option, words, needed, unless, otherwise))

    def add_argument(self, *names: str, **how: Any) -> Action:
        """Add an option to the group of its kind, which makes no formatter to check a metavar."""
        is_option = names[0].startswith("-")
        return (self._optionals if is_option else self._positionals).add_argument(*names, **how)

    def parse_args(self, args: Sequence[str] | None = None) -> Namespace:  # type: ignore[override]
        """Return the options, also ``typed``: attributes and names of those on the command line.

        ``given`` contains the options of metrics among them, ``loose`` the words without an option.
        """
        # Each option begins with a mark in place of its default, or with None if it extends a list.
        options = [action for action in self._actions if action.default is not SUPPRESS]
        marks = {own.dest: None if isinstance(own, _AppendAction) else self for own in options}
        parsed, rest = self.parse_known_args(args, Namespace(**marks))
        typed = [
            own
            for own in options
            if own.option_strings and getattr(parsed, own.dest) is not marks[own.dest]
        ]
        for own in options:
            if getattr(parsed, own.dest) is marks[own.dest]:
                setattr(parsed, own.dest, own.default)
        parsed.typed = {own.dest: "/".join(own.option_strings) for own in reversed(typed)}
        parsed.given = {key: flag for key, flag in parsed.typed.items() if key in self.of_metrics}
        for option, words, needed, unless, otherwise in self._words:
            loose = vars(parsed).pop(words.dest)
            if not loose and not any(word.startswith("-") and word != "-" for word in rest):
                loose = rest
                rest = []  # argparse takes words after an option for superfluous
            dest = option.dest
            if loose and otherwise and getattr(parsed, dest) and not getattr(parsed, otherwise):
                dest = otherwise
            elif loose and getattr(parsed, dest):
                flag = "/".join(option.option_strings)
                self.error(f"{flag}: expected all files there; got {loose[0]} elsewhere")
            if loose:
                setattr(parsed, dest, loose)
            parsed.loose = loose
            replaced = unless and all(each.dest in parsed.typed for each in unless)
            if needed and not getattr(parsed, option.dest) and not replaced and not rest:
                self.error(f"the following arguments are required: {option.metavar}")
        if rest:
            self.error(f"{UNKNOWN}{' '.join(rest)}")
        return parsed

    def _get_option_tuples(self, option_string: str) -> list[Any]:
        """Return possible meanings of a word; ``-n`` is not short for ``-nc``."""
        meanings: list[Any] = super()._get_option_tuples(option_string)
        if self.shortens or option_string.startswith("--"):
            return meanings
        return [meaning for meaning in meanings if option_string.startswith(meaning[1])]

    def error(self, message: str) -> NoReturn:
        if message.startswith(UNKNOWN):
            message += self._advice(message.removeprefix(UNKNOWN).split())
        say(f"{message} (see {self.prog} --help)")
        raise SystemExit(2)

    def _advice(self, unknown: list[str]) -> str:
        """Return alternatives to unknown options."""
        hints = self._hints(unknown)
        if not hints:
            options = [word.partition("=")[0] for word in unknown if word.startswith("--")]
            near = [nearest(option, self._option_string_actions) for option in options]
            hints = [f"did you mean {option}?" for option in near if option]
        return "".join([f"; {hint}" for hint in hints])

    def _hints(self, words: list[str]) -> list[str]:
        keys: list[str] = []
        for word in words:
            option, _, value = word.lower().partition("=")
            keys += [option, os.path.splitext(value or option)[1]]
        return list(dict.fromkeys(self.hints[key] for key in keys if key in self.hints))

    def _get_value(self, action: Action, arg_string: str) -> Any:
        """Refuse an empty name, which would act like a missing option."""
        if not arg_string and action.metavar in NAMES:
            raise ArgumentError(action, "expected a name; got ''")
        return super()._get_value(action, arg_string)

    def _check_value(self, action: Action, value: Any) -> None:
        """List the most similar choice first, because there may be dozens."""
        if action.choices is None or value in action.choices:
            return
        raise ArgumentError(action, self.wrong_choice(value, list(map(str, action.choices))))

    def wrong_choice(self, value: object, known: list[str]) -> str:
        near = nearest(str(value), known)
        hints = self._hints([str(value)]) or [f"did you mean {near}?"] * bool(near)
        parts = [f"invalid choice: {value!r}", *hints]
        return f"{'; '.join(parts)} (choose from {', '.join(known)})"


def check_effect(args: Namespace, condition: object, why: str, *options: str) -> None:
    """Refuse options that have no effect unless a condition is true; `why` names other options."""
    for option in options:
        if option in args.typed and not condition:
            raise CommandError(f"{args.typed[option]}: no effect {why}", 2)


class Command(NamedTuple):
    """A command that shares its module with further ones."""

    make_parser: Callable[[], Parser]
    run: Callable[[Sequence[str], TextIO], int]


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the known word most similar to a word, ignoring case; "" if none is."""
    from difflib import get_close_matches

    by_lower = {name.lower(): name for name in known}
    matches = get_close_matches(word.lower(), by_lower, n=1)
    return by_lower[matches[0]] if matches else ""


EMPTY: dict[str, Any] = {"default": []}  # of an option with several values


def add_groups(parser: Parser, groups: Mapping[str, Iterable[Any]]) -> None:
    """Add groups of options by their titles; see `add_options`."""
    for title, options in groups.items():
        add_options(parser.add_argument_group(title), options)


def add_options(group: _ActionsContainer, options: Iterable[Any]) -> None:
    """Add options that are declared in the words of a help page.

    An option is a tuple of its flags, the metavar of its value, the help, and a dict of further
    arguments if it has any. A metavar such as ``FILE ...`` takes several values. An option without
    one is a switch. A list has options that exclude each other. Functions add their own.
    """
    for option in options:
        if callable(option):
            option(group)
        elif isinstance(option, list):
            add_options(group.add_mutually_exclusive_group(), option)
        else:
            words = [word for word in option if isinstance(word, str)]
            how = dict(*option[len(words) :])
            *flags, how["help"] = words
            if flags[-1].startswith("-"):
                how["action"] = "store_true"
            else:
                metavar = flags.pop()
                how["metavar"] = metavar.removesuffix(" ...")
                if metavar.endswith(" ..."):
                    how["nargs"] = "+"
            group.add_argument(*flags, **how)


def argument(*flags: str, **how: Any) -> Callable[[_ActionsContainer], Action]:
    """Return a function that adds an option without a metavar to a group."""
    return lambda group: group.add_argument(*flags, **how)


def encoding_of(what: str) -> Callable[[_ActionsContainer], Action]:
    """Return a function that adds ``--encoding`` for files or texts."""
    text = f"encoding of {what} (default: utf-8)"
    return argument("-e", "--encoding", default="utf-8", help=text)


def add_num_refs(group: _ActionsContainer) -> None:
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


def add_threads(parser: _ActionsContainer) -> None:
    parser.add_argument(
        "--threads",
        type=at_least(0),
        default=1,
        metavar="N",
        help="number of threads; 0: one per core (default: 1)",
    )


def add_seed(group: _ActionsContainer) -> None:
    group.add_argument(
        "--seed",
        type=seed,
        default=SEED,
        metavar="N",
        help=f"random seed; none: a fresh one (default: {SEED})",
    )


def seed_of(given: int | str) -> int | None:
    """Return the seed of a value of ``--seed``."""
    return None if isinstance(given, str) else given


def at_least(minimum: int, maximum: float = math.inf) -> Callable[[str], int]:
    """Return the type of integer options from `minimum` to `maximum`."""
    expected = f">= {minimum}" if maximum == math.inf else f"from {minimum} to {maximum}"

    def convert(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = minimum - 1
        if not minimum <= number <= maximum:
            raise ArgumentTypeError(f"expected an integer {expected}; got {text!r}")
        return number

    return convert


def seed(text: str) -> int | str:
    """Return the seed in an option's value: an integer from 0, or "none"."""
    if text.lower() == "none":
        return "none"
    number: int = at_least(0)(text)
    return number


def number_from(low: float, high: float = math.inf) -> Callable[[str], float]:
    """Return the type of options for finite numbers from `low` to `high`."""
    expected = f"of at least {low:g}" if high == math.inf else f"from {low:g} to {high:g}"
    return _number(expected, lambda number: low <= number <= high)


def number_above(low: float) -> Callable[[str], float]:
    """Return the type of options for finite numbers greater than `low`."""
    return _number(f"above {low:g}", lambda number: number > low)


def number_between(low: float, high: float) -> Callable[[str], float]:
    """Return the type of options for numbers strictly between `low` and `high`."""
    return _number(f"between {low:g} and {high:g}", lambda number: low < number < high)


def _number(expected: str, fits: Callable[[float], bool]) -> Callable[[str], float]:
    def convert(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not (math.isfinite(number) and fits(number)):
            raise ArgumentTypeError(f"expected a number {expected}; got {text!r}")
        return number

    return convert


class Shard(NamedTuple):
    """One of equal parts of consecutive segments, counted from 1.

    >>> str(Shard(3, 8)), Shard(3, 8).range(100)
    ('3/8', (25, 37))
    """

    number: int
    of: int

    def range(self, n: int) -> tuple[int, int]:
        """Return the begin and end of its range of n segments, counted from 0."""
        return n * (self.number - 1) // self.of, n * self.number // self.of

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


WHOLE = Shard(1, 1)


def shard(text: str) -> Shard:
    """Return the shard in an option's value; 3/8 is the third of eight."""
    match = re.fullmatch("([0-9]{1,9})/([0-9]{1,9})", text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise ArgumentTypeError(f"expected I/N, from 1/N to N/N, such as 3/8; got {text!r}")
    return Shard(int(match[1]), int(match[2]))
