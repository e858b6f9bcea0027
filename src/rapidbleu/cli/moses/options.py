"""What the commands that stand in for Moses' tools have in common: options, metrics, errors."""

import math
import re
from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rapidbleu._core.input.lines import read_texts
from rapidbleu.cli.messages import CommandError
from rapidbleu.cli.options import Parser, at_least
from rapidbleu.streams.files import open_reader
from rapidbleu.tuning.moses.score_types import SCORE_TYPES, moses_metric

if TYPE_CHECKING:
    from typing import Any

    from rapidbleu.metrics.contract.base import Metric
    from rapidbleu.metrics.interpolation import Interpolation, PreparedParts
    from rapidbleu.references import References

# Names that Moses knows, with the values of those that matter here; others are for other metrics.
_CONFIG = {
    "case": ("true", "false"),
    "reflen": ("closest", "shortest", "average"),
    "regtype": ("none", "average", "min", "minimum"),
    "regwin": None,
    "weights": None,
}
_UNSUPPORTED = ("factors", "filter")
_WIDEST = (1 << 31) - 1  # window of regwin, in intervals


def add_unsupported(parser: Parser) -> None:
    """Add the options of Moses that prepare the files it reads, which `parse` refuses."""
    for flag, name in zip(("-f", "-l"), _UNSUPPORTED, strict=True):
        parser.add_argument(flag, f"--{name}", default="", help="not supported")


def parse_scconfig(text: str) -> dict[str, str]:
    """Return the settings of ``--scconfig``, names and values separated by colons and commas.

    Examples
    --------
    >>> parse_scconfig("case:true,reflen:closest")
    {'case': 'true', 'reflen': 'closest'}
    """
    settings: dict[str, str] = {}
    for part in filter(None, text.split(",")):
        name, colon, value = part.partition(":")
        if not colon or name not in _CONFIG:
            raise CommandError(
                f"--scconfig: expected name:value with one of {', '.join(_CONFIG)}; got {part!r}"
            )
        values = _CONFIG[name]
        if values is not None and value not in values:
            raise CommandError(
                f"--scconfig: expected {name}:{'|'.join(values)}, got {name}:{value}"
            )
        if name == "regwin" and not (re.fullmatch("[0-9]{1,10}", value) and int(value) <= _WIDEST):
            raise CommandError(
                f"--scconfig: expected regwin:N with an integer from 0 to {_WIDEST}, got {part!r}"
            )
        settings[name] = value
    return settings


def make_metric(sctype: str, scconfig: str = "") -> "Metric | Interpolation":
    """Return the metric that ``--sctype`` and ``--scconfig`` stand for.

    Parameters
    ----------
    sctype : str
        Of `SCORE_TYPES`, in capitals or not; several with commas between them are a mixture.
    scconfig : str
        See `parse_scconfig`. ``case:false`` lowercases ASCII letters, ``weights:0.6+0.4`` weighs
        the metrics of a mixture.

    Examples
    --------
    >>> make_metric("BLEU", "reflen:shortest").ref_len
    'shortest'
    """
    settings = parse_scconfig(scconfig)
    names = sctype.upper().split(",")
    for name in names:
        if name not in SCORE_TYPES:
            raise CommandError(
                f"--sctype: expected {', '.join(SCORE_TYPES)} or several of them, got {sctype}; "
                "other metrics are not supported"
            )
    ref_len: Any = settings.get("reflen", "closest")  # one of those in _CONFIG
    weights = settings.get("weights")
    try:
        given = None if weights is None else [float(weight) for weight in weights.split("+")]
        return moses_metric(names, given, settings.get("case") == "false", ref_len)
    except ValueError as error:
        raise CommandError(f"--scconfig: {error}") from None


def integer(text: str) -> int:
    """Return the number that a text begins with, as `strtol` does.

    `mert-moses.pl` writes ``-m 20--sctype BLEU`` where a space is missing; what follows the number
    is ignored.

    Examples
    --------
    >>> integer("20--sctype")
    20
    """
    match = re.match(r"\s*[+-]?[0-9]+", text)
    if match is None:
        raise ArgumentTypeError(f"expected a number, got {text!r}")
    return int(match.group())


def integer_from(minimum: int, maximum: float = math.inf) -> Callable[[str], int]:
    """Return the type of an option that `integer` reads, from `minimum` to `maximum`.

    Examples
    --------
    >>> integer_from(0)("20--sctype")
    20
    """
    check = at_least(minimum, maximum)
    return lambda text: check(str(integer(text)))


def comma_list(text: str) -> list[str]:
    """Return the parts of a list of files.

    Examples
    --------
    >>> comma_list("ref0,ref1")
    ['ref0', 'ref1']
    """
    return [part for part in text.split(",") if part]


def moses_parser(command: str, description: str) -> Parser:
    """Return a parser of Moses' options, with ``--sctype`` and ``--scconfig``; `-h` is theirs."""
    parser = Parser(
        prog=f"rapidbleu {command}", description=description, allow_abbrev=False, add_help=False
    )
    parser.add_argument("-h", "--help", action="help", help="show this text")
    parser.add_argument("-s", "--sctype", default="BLEU", metavar="NAME",
                        help=f"metric: {', '.join(SCORE_TYPES)}, or several with commas between "
                        "them (default: BLEU)")  # fmt: skip
    parser.add_argument("--scconfig", default="", metavar="NAME:VALUE,...",
                        help="case:true|false, reflen:closest|shortest|average, "
                        "weights:W+W+...")  # fmt: skip
    return parser


def parse(parser: Parser, argv: Sequence[str]) -> Namespace:
    """Return the options; Moses' tools take no other arguments, and ignore those they get."""
    args, others = parser.parse_known_args(list(argv))
    wrong = [word for word in others if word.startswith("-") and word != "-"]
    if wrong:
        parser.error(f"unrecognized option: {wrong[0]}")
    for option in _UNSUPPORTED:
        if getattr(args, option, ""):
            raise CommandError(f"--{option}: not supported; prepare the files beforehand")
    return args


def read_references(
    metric: "Metric | Interpolation", paths: Sequence[str]
) -> "References | PreparedParts":
    """Read tokenized references, one file for each stream, and prepare them for the metric."""
    if not paths:
        raise CommandError("no references: name their files with -r/--reference")
    streams = []
    for path in paths:
        with open_reader(path) as reader:
            streams.append(read_texts(reader, False))
        if len(streams[-1]) != len(streams[0]):
            raise CommandError(
                f"{path}: expected {len(streams[0])} lines as in {paths[0]}, got {len(streams[-1])}"
            )
    if not len(streams[0]):
        raise CommandError(f"{paths[0]}: expected references, got an empty file")
    return metric.prepare(streams)
