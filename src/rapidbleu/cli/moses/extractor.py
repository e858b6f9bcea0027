"""``rapidbleu extractor``: features and statistics of n-best lists, with Moses' options and files.

Text files are those of Moses byte for byte, the order of hypotheses after duplicates were removed
included. Four differences are meant: hypotheses with other sparse features are no duplicates,
values that are missing, surplus or not finite are errors, labels of old lists, ``lm: -38.9``, are
labels like ``lm= -38.9``, while Moses takes ``lm:`` for a feature with the value 0, and counts that
Moses rounds to six digits, from a million on, have all of theirs.

Moses' decoder writes no line for a segment that it cannot translate. Such segments are not in the
files, as with Moses; a message names them.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from rapidbleu.cli.files import file_errors
from rapidbleu.cli.messages import CommandError, say
from rapidbleu.cli.moses.options import (
    add_unsupported,
    comma_list,
    integer,
    make_metric,
    moses_parser,
    parse,
    read_references,
)
from rapidbleu.cli.moses.runs import joined, unique_rows
from rapidbleu.cli.progress import reading_bar, waiting
from rapidbleu.streams.files import files_teller
from rapidbleu.tuning.moses.gathering import missing_segments
from rapidbleu.tuning.moses.nbest_files import read_one
from rapidbleu.tuning.moses.plain_text import PlainText, read_text
from rapidbleu.tuning.moses.score_files import read_pair, write_pair

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable
    from typing import Any

    from rapidbleu.cli.options import Parser
    from rapidbleu.metrics.contract.base import Metric
    from rapidbleu.metrics.interpolation import Interpolation
    from rapidbleu.tuning import NBestList
    from rapidbleu.typing import Progress


def make_parser() -> "Parser":
    """Return the parser of the command."""
    parser = moses_parser("extractor", "Features and statistics of n-best lists, as files.")
    add = parser.add_argument
    add("-r", "--reference", type=comma_list, default=[], metavar="FILE,...",
        help="tokenized references")  # fmt: skip
    add("-n", "--nbest", type=comma_list, default=[], metavar="FILE,...", help="n-best lists")
    add("-S", "--scfile", default="statscore.data", metavar="FILE", help="statistics to write")
    add("-F", "--ffile", default="features.data", metavar="FILE", help="features to write")
    add("-R", "--prev-scfile", type=comma_list, default=[], metavar="FILE,...",
        help="statistics to begin with")  # fmt: skip
    add("-E", "--prev-ffile", type=comma_list, default=[], metavar="FILE,...",
        help="features to begin with")  # fmt: skip
    add("-b", "--binary", action="store_true", help="write 32-bit floats instead of text")
    add("-d", "--allow-duplicates", action="store_true", help="keep duplicates")
    add("-v", "--verbose", type=integer, default=0, metavar="N", help="has no effect")
    add_unsupported(parser)
    return parser


def run(argv: Sequence[str], out: TextIO) -> int:
    """Run the command."""
    args = parse(make_parser(), argv)
    metric = make_metric(args.sctype, args.scconfig)
    if len(args.prev_scfile) != len(args.prev_ffile):
        raise CommandError(
            f"--prev-scfile: expected as many files as --prev-ffile, {len(args.prev_ffile)}, got "
            f"{len(args.prev_scfile)}"
        )
    if not args.nbest and not args.prev_ffile:
        raise CommandError("no n-best lists: name their files with -n/--nbest")
    with file_errors():
        with reading_bar(False) as bar:
            found, n_segments = _read(args, metric, bar)
        if isinstance(found, PlainText):
            _tell_missing(args.nbest, found.ids, n_segments)
            with waiting("writing", False):
                found.write(args.ffile, args.scfile)
            return 0
        nbest, n_dense = joined(found)
        _tell_missing(args.nbest, nbest.ids.tolist(), n_segments)
        with waiting("writing", False):
            rows = None if args.allow_duplicates else unique_rows(nbest, n_dense)
            write_pair(nbest, args.ffile, args.scfile, args.binary, rows, n_dense=n_dense)
    return 0


def _read(
    args: "Namespace", metric: "Metric[Any] | Interpolation", bar: "Progress | None"
) -> "tuple[PlainText | list[tuple[NBestList, int]], int]":
    """Return what the files have, and how many segments have references, if they are needed."""
    tell = files_teller(bar, [*args.prev_ffile, *args.prev_scfile, *args.nbest])
    pairs = zip(args.prev_ffile, args.prev_scfile, strict=True)
    lists = [read_pair(*pair, metric, tell) for pair in pairs]
    if not args.nbest:
        return lists, 0
    references = read_references(metric, args.reference)
    if not lists and len(args.nbest) == 1 and not args.binary:
        text = read_text(args.nbest[0], references, metric, not args.allow_duplicates, tell)
        if text is not None:
            return text, len(references)
    for path in args.nbest:
        lists.append(read_one(path, references, metric, checks_text=False, tell=tell))
    return lists, len(references)


def _tell_missing(paths: "list[str]", ids: "Iterable[int]", n_segments: int) -> None:
    if missing := missing_segments(ids, n_segments):
        say(
            f"{', '.join(paths)}: no hypotheses for {missing} of {n_segments}; "
            "the files go without them"
        )
