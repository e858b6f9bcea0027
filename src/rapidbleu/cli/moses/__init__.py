"""Moses' programs under their own names and options, and what they share.

A program reads files of features and statistics, or n-best lists and tokenized references; results
go to files, and messages in Moses' words to stderr, where `mert-moses.pl` looks for them.
"""

from __future__ import annotations

import math
import re
from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from rapidbleu._core.input.lines import read_texts
from rapidbleu._lib.lazy import np
from rapidbleu.cli.files import file_errors
from rapidbleu.cli.messages import CommandError
from rapidbleu.cli.options import Parser, at_least
from rapidbleu.streams.files import open_reader
from rapidbleu.tuning.moses.score_types import SCORE_TYPES, moses_metric

if TYPE_CHECKING:
    from rapidbleu.metrics.interpolation import Interpolation, PreparedParts
    from rapidbleu.metrics.metric import Metric
    from rapidbleu.references import References
    from rapidbleu.tuning import NBestList
    from rapidbleu.typing import IntArray

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
DENSE = re.compile(r"[^_]*(_[0-9]+)?")  # LM0_0, _1, F2; labels of sparse features have a `_`


class Program:
    """A program of Moses.

    Parameters
    ----------
    make_parser : callable
        Returns the parser of the options.
    work : callable
        Takes the options and standard output; returns the exit status.
    """

    def __init__(
        self, make_parser: Callable[[], Parser], work: Callable[[Namespace, TextIO], int]
    ) -> None:
        self.make_parser, self.work = make_parser, work

    def run(self, argv: Sequence[str], out: TextIO) -> int:
        """Run the program; other arguments than options are ignored, as by Moses."""
        parser = self.make_parser()
        args, rest = parser.parse_known_args(list(argv))
        wrong = [word for word in rest if word.startswith("-") and word != "-"]
        if wrong:
            parser.error(f"unrecognized option: {wrong[0]}")
        for option in _UNSUPPORTED:
            if getattr(args, option, ""):
                raise CommandError(f"--{option}: not supported; prepare the files beforehand")
        with file_errors():
            return self.work(args, out)


# Options


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


def learner_parser(name: str, description: str) -> Parser:
    """Return a parser with the options of the files that are learned from."""
    parser = Parser(prog=f"rapidbleu {name}", description=description, allow_abbrev=False)
    add = parser.add_argument
    add("--ffile", "-F", action="append", required=True, metavar="FILE",
        help="features, text or binary; again for more")  # fmt: skip
    add("--scfile", "-S", action="append", required=True, metavar="FILE",
        help="statistics of the same hypotheses; again for more")  # fmt: skip
    return parser


def add_unsupported(parser: Parser) -> None:
    """Add the options of Moses that prepare the files it reads, which are refused."""
    for flag, name in zip(("-f", "-l"), _UNSUPPORTED, strict=True):
        parser.add_argument(flag, f"--{name}", default="", help="not supported")


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


def make_metric(sctype: str, scconfig: str = "") -> Metric | Interpolation:
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


# Files


def read_references(
    metric: Metric | Interpolation, paths: Sequence[str]
) -> References | PreparedParts:
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


def joined(lists: list[tuple[NBestList, int]]) -> tuple[NBestList, int]:
    """Return all hypotheses of several lists, those of each segment in the order of the lists."""
    from rapidbleu.tuning import NBestList
    from rapidbleu.tuning.moses.nbest_files import gather
    from rapidbleu.tuning.nbest import spread

    first, n_dense = lists[0]
    if len(lists) == 1:
        return first, n_dense
    for i, (other, n) in enumerate(lists[1:], 1):
        if other.names[:n] != first.names[:n_dense]:
            raise CommandError(
                f"list {i + 1}: expected the features of the first list, "
                f"{' '.join(first.names[:n_dense])}, got {' '.join(other.names[:n])}"
            )
    segments = np.concatenate([spread(one.ids, one.offsets) for one, _ in lists])
    stats = np.concatenate([one.stats for one, _ in lists])
    ids, offsets, order = gather(segments)
    names = first.names[:n_dense]
    if any(one.is_sparse for one, _ in lists):
        sparse = dict.fromkeys(name for one, n in lists for name in one.names[n:])
        names += tuple(sparse)
        features: Any = _stacked(lists, {name: n_dense + i for i, name in enumerate(sparse)})
    else:
        features = np.concatenate([one.features for one, _ in lists])
    if order is not None:
        features, stats = features[order], stats[order]
    nbest = NBestList(features, stats, offsets, metric=first.metric, names=names, ids=ids)
    return nbest, n_dense


def _stacked(lists: list[tuple[NBestList, int]], places: dict[str, int]) -> Any:
    """Return the features of lists of which some are sparse, with sparse ones at their places."""
    from scipy.sparse import csr_matrix, vstack

    parts = []
    for one, n in lists:
        own = csr_matrix(one.features)
        columns = np.array([*range(n), *(places[name] for name in one.names[n:])], np.int64)
        shape = (own.shape[0], n + len(places))
        parts.append(csr_matrix((own.data, columns[own.indices], own.indptr), shape=shape))
    return vstack(parts, format="csr")


def unique_rows(nbest: NBestList, n_dense: int) -> list[IntArray]:
    """Return which rows of each segment are left, and in which order, as Moses removes duplicates.

    A duplicate is replaced by the last hypothesis of its segment: A A B C becomes A C B.
    """
    from rapidbleu._core.moses.score_files import unique_rows as find_unique

    dense, tags = nbest.features, None
    if nbest.is_sparse:
        matrix = nbest.features.sorted_indices()
        dense = matrix[:, :n_dense].toarray()
        known: dict[bytes, int] = {}
        spans = [slice(*pair) for pair in zip(matrix.indptr, matrix.indptr[1:], strict=False)]
        keys = (matrix.indices[own].tobytes() + matrix.data[own].tobytes() for own in spans)
        tags = np.array([known.setdefault(key, len(known)) for key in keys], np.int64)
    order = np.empty(len(nbest), np.int64)
    counts = np.empty(nbest.n_segments, np.int64)
    offsets = np.ascontiguousarray(nbest.offsets, np.int64)
    find_unique(np.ascontiguousarray(dense), nbest.stats, offsets, order, counts, tags)
    starts = offsets[:-1].tolist()
    return [order[begin : begin + n] for begin, n in zip(starts, counts.tolist(), strict=True)]


def count_dense(nbest: NBestList) -> int:
    """Return how many of the features are dense; these come first.

    Examples
    --------
    >>> import numpy as np
    >>> from rapidbleu import MeanScore
    >>> from rapidbleu.tuning import NBestList
    >>> count_dense(NBestList(np.eye(2), MeanScore().rows([0, 1]), [0, 2], metric=MeanScore()))
    2
    """
    n_features = len(nbest.names)
    if not nbest.is_sparse:
        return n_features
    sparse = (i for i, name in enumerate(nbest.names) if not DENSE.fullmatch(name))
    return next(sparse, n_features)


def feature_labels(nbest: NBestList, n_dense: int | None = None) -> list[str]:
    """Return what the features are called in the files of learners: F0, F1, ..., sparse by name.

    Parameters
    ----------
    nbest : NBestList
    n_dense : int, optional
        How many are dense, if known.
    """
    if n_dense is None:
        n_dense = count_dense(nbest)
    return [*(f"F{i}" for i in range(n_dense)), *nbest.names[n_dense:]]
