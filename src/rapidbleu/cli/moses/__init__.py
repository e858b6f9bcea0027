"""Moses' programs under their own names and options, and their common parts.

Programs read files of features and statistics, or n-best lists and tokenized references. They write
results to files, and messages in Moses' words to stderr, where `mert-moses.pl` looks for them.
"""

from __future__ import annotations

import math
import re
from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from rapidbleu._core.input.lines import read_texts
from rapidbleu._core.moses.files import unique_rows
from rapidbleu._lib.loader import np
from rapidbleu.cli.messages import CommandError
from rapidbleu.cli.options import Parser, add_options, argument, at_least
from rapidbleu.streams.files import open_reader
from rapidbleu.tuning.moses.score_types import SCORE_TYPES, moses_metric
from rapidbleu.tuning.nbest import NBestList, merged, of_rows

if TYPE_CHECKING:
    from rapidbleu.metrics.interpolation import PreparedParts, WeightedSum
    from rapidbleu.metrics.metric import Metric
    from rapidbleu.references import References

# Moses' names with the values that matter here; further ones belong to other metrics.
_CONFIG = {
    "case": ("true", "false"),
    "reflen": ("closest", "shortest", "average"),
    "regtype": ("none", "average", "min", "minimum"),
    "regwin": None,
    "weights": None,
}
# Moses' options that preprocess files, which are refused
UNSUPPORTED = (
    argument("-f", "--factors", default="", help="not supported"),
    argument("-l", "--filter", default="", help="not supported"),
)
_WIDEST = (1 << 31) - 1  # window of regwin, in intervals


METRIC = (
    (
        "-s",
        "--sctype",
        "NAME",
        f"metric: {', '.join(SCORE_TYPES)}, or several, separated by commas (default: BLEU)",
        {"default": "BLEU"},
    ),
    (
        "--scconfig",
        "NAME:VALUE,...",
        "its options: case:true|false, reflen:closest|shortest|average, weights:W+W+...",
        {"default": ""},
    ),
)
STATISTICS = (
    (
        "--ffile",
        "-F",
        "FILE",
        "features, text or binary; repeatable",
        {"action": "append", "required": True},
    ),
    (
        "--scfile",
        "-S",
        "FILE",
        "statistics of the same hypotheses; repeatable",
        {"action": "append", "required": True},
    ),
)


class Program(NamedTuple):
    """A program of Moses: parser, work, and exit status."""

    make_parser: Callable[[], Parser]
    work: Callable[[Namespace, TextIO], int]

    def run(self, argv: Sequence[str], out: TextIO) -> int:
        """Run the program; like Moses, ignore arguments that are not options."""
        parser = self.make_parser()
        args, rest = parser.parse_known_args(list(argv))
        wrong = [word for word in rest if word.startswith("-") and word != "-"]
        if wrong:
            parser.error(f"unrecognized option: {wrong[0]}")
        for option in ("factors", "filter"):
            if getattr(args, option, ""):
                raise CommandError(f"--{option}: not supported; prepare the files beforehand")
        return self.work(args, out)


def moses_parser(command: str, description: str) -> Parser:
    """Return a parser of Moses' options, with ``--sctype`` and ``--scconfig``; `-h` is theirs."""
    parser = Parser(
        prog=f"rapidbleu {command}", description=description, allow_abbrev=False, add_help=False
    )
    parser.add_argument("-h", "--help", action="help", help="this help")
    add_options(parser, METRIC)
    return parser


def learner_parser(name: str, description: str, seeded: str) -> Parser:
    """Return a parser with the options for files, and for the seed of `seeded`."""
    parser = Parser(prog=f"rapidbleu {name}", description=description, allow_abbrev=False)
    text = f"seed for the {seeded} (default: 0)"
    seed = ("--random-seed", "-r", "N", text, {"type": integer_from(0), "default": 0})
    output = ("--output-file", "-o", "FILE", "output file (default: standard output)")
    add_options(parser, (*STATISTICS, seed, output))
    return parser


def integer(text: str) -> int:
    """Return the number at the start of a text, like `strtol`, and ignore the rest.

    `mert-moses.pl` writes ``-m 20--sctype BLEU``, without a space.

    >>> integer("20--sctype")
    20
    """
    match = re.match(r"\s*[+-]?[0-9]+", text)
    if match is None:
        raise ArgumentTypeError(f"expected a number; got {text!r}")
    return int(match.group())


def integer_from(minimum: int, maximum: float = math.inf) -> Callable[[str], int]:
    """Return the type of options that `integer` reads, from `minimum` to `maximum`."""
    check = at_least(minimum, maximum)
    return lambda text: check(str(integer(text)))


def comma_list(text: str) -> list[str]:
    """Return the parts of a list of files or names."""
    return [part for part in text.split(",") if part]


LIST: dict[str, Any] = {"type": comma_list, "default": []}  # of an option


def parse_scconfig(text: str) -> dict[str, str]:
    """Return the settings of ``--scconfig``, names and values separated by colons and commas.

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
                f"--scconfig: expected {name}:{'|'.join(values)}; got {name}:{value}"
            )
        if name == "regwin" and not (re.fullmatch("[0-9]{1,10}", value) and int(value) <= _WIDEST):
            raise CommandError(
                f"--scconfig: expected regwin:N with an integer from 0 to {_WIDEST}; got {part!r}"
            )
        settings[name] = value
    return settings


def make_metric(sctype: str, scconfig: str = "") -> Metric | WeightedSum:
    """Return the metric of ``--sctype`` and ``--scconfig``.

    Several `SCORE_TYPES`, separated by commas, are a mixture. ``case:false`` lowercases ASCII
    letters, ``weights:0.6+0.4`` sets the weights of a mixture.

    >>> make_metric("BLEU", "reflen:shortest").ref_len
    'shortest'
    """
    settings = parse_scconfig(scconfig)
    names = sctype.upper().split(",")
    for name in names:
        if name not in SCORE_TYPES:
            raise CommandError(
                f"--sctype: expected {', '.join(SCORE_TYPES)} or several of them; got {sctype}; "
                "other metrics are not supported"
            )
    ref_len: Any = settings.get("reflen", "closest")  # a value in _CONFIG
    weights = settings.get("weights")
    try:
        given = None if weights is None else [float(weight) for weight in weights.split("+")]
        return moses_metric(names, given, settings.get("case") == "false", ref_len)
    except ValueError as error:
        raise CommandError(f"--scconfig: {error}") from None


def read_references(
    metric: Metric | WeightedSum, paths: Sequence[str]
) -> References | PreparedParts:
    """Read tokenized references, one file per stream, and prepare them for the metric."""
    if not paths:
        raise CommandError("no references: name their files with -r/--reference")
    streams = []
    for path in paths:
        with open_reader(path) as reader:
            streams.append(read_texts(reader, False))
        if len(streams[-1]) != len(streams[0]):
            raise CommandError(
                f"{path}: expected {len(streams[0])} lines as in {paths[0]}; got {len(streams[-1])}"
            )
    if not len(streams[0]):
        raise CommandError(f"{paths[0]}: expected references; got an empty file")
    return metric.prepare(streams)


def joined(lists: list[tuple[NBestList, int]]) -> tuple[NBestList, int]:
    """Merge lists, each with its number of dense features, segment by segment in their order."""
    first, n_dense = lists[0]
    if len(lists) == 1:
        return first, n_dense
    for i, (other, n) in enumerate(lists[1:], 1):
        pairs = zip_longest(first.names[:n_dense], other.names[:n], fillvalue="none")
        for k, (expected, got) in enumerate(pairs, 1):
            if got != expected:
                raise CommandError(
                    f"list {i + 1}, feature {k}: expected {expected}, as in the first list; "
                    f"got {got}"
                )
    return merged([nbest for nbest, _ in lists], duplicates=True), n_dense


def without_duplicates(nbest: NBestList, n_dense: int) -> NBestList:
    """Return the list after Moses' removal of duplicates by features and statistics.

    A duplicate is replaced by the last hypothesis of its segment: A A B C becomes A C B.
    """

    dense = nbest.features
    tags = None
    if nbest.is_sparse:
        matrix = nbest.features.sorted_indices()
        dense = matrix[:, :n_dense].toarray()
        known: dict[bytes, int] = {}
        spans = [slice(*pair) for pair in pairwise(matrix.indptr)]
        keys = (matrix.indices[row].tobytes() + matrix.data[row].tobytes() for row in spans)
        tags = np.array([known.setdefault(key, len(known)) for key in keys], np.int64)
    order = np.empty(len(nbest), np.int64)
    counts = np.empty(nbest.n_segments, np.int64)
    unique_rows(np.ascontiguousarray(dense), nbest.stats, nbest.offsets, order, counts, tags)
    if counts.sum() == len(nbest):
        return nbest
    begins = zip(nbest.offsets.tolist(), counts.tolist(), strict=False)
    kept = np.concatenate([order[begin : begin + n] for begin, n in begins])
    return of_rows(nbest, kept, np.append(0, np.cumsum(counts)), nbest.ids)


def with_features(nbest: NBestList, features: Any, names: Sequence[str]) -> NBestList:
    return NBestList(
        features, nbest.stats, nbest.offsets, metric=nbest.metric, names=names, ids=nbest.ids
    )


def feature_labels(nbest: NBestList, n_dense: int) -> list[str]:
    """Return the feature names in files of learners: F0, F1, ..., sparse ones by name."""
    return [*(f"F{i}" for i in range(n_dense)), *nbest.names[n_dense:]]
