"""``rapidbleu evaluator``: the score of translations or of first hypotheses, as Moses prints it.

One file and one metric: the score as a fraction with four digits. Several files: the name of each
before its score. With ``--bootstrap`` the mean of the samples and an interval of 95 %.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TextIO

from rapidbleu._core.input.lines import read_texts
from rapidbleu.cli.files import file_errors
from rapidbleu.cli.messages import CommandError
from rapidbleu.cli.moses.options import (
    add_unsupported,
    comma_list,
    integer_from,
    make_metric,
    moses_parser,
    parse,
    read_references,
)
from rapidbleu.cli.options import MOST_REPEATS
from rapidbleu.cli.progress import progress_callback, reading_bar
from rapidbleu.streams.files import files_teller, open_reader
from rapidbleu.tuning.moses.gathering import missing_segments
from rapidbleu.tuning.moses.nbest_files import read_one
from rapidbleu.tuning.moses.score_types import fraction

if TYPE_CHECKING:
    from rapidbleu.cli.options import Parser
    from rapidbleu.cli.progress import Bar
    from rapidbleu.typing import Array

_ALPHA = 0.05
SAMPLES = 100  # that are scored at a time


def make_parser() -> "Parser":
    """Return the parser of the command."""
    parser = moses_parser("evaluator", "The score of translations.")
    add = parser.add_argument
    add("-R", "--reference", type=comma_list, default=[], metavar="FILE,...",
        help="tokenized references")  # fmt: skip
    add("-C", "--candidate", type=comma_list, default=[], metavar="FILE,...",
        help="translations, one a line")  # fmt: skip
    add("-n", "--nbest", type=comma_list, default=[], metavar="FILE,...",
        help="n-best lists, of which the first hypotheses are scored")  # fmt: skip
    add("-c", dest="scconfig", metavar="NAME:VALUE,...", default="", help="the same as --scconfig")
    add("-b", "--bootstrap", type=integer_from(0, MOST_REPEATS), default=0, metavar="N",
        help="print the mean score of N samples of segments and an interval")  # fmt: skip
    add("-r", "--rseed", type=integer_from(0), metavar="SEED",
        help="of the samples (default: random)")  # fmt: skip
    add_unsupported(parser)
    return parser


def run(argv: Sequence[str], out: TextIO) -> int:
    """Run the command."""
    args = parse(make_parser(), argv)
    metric = make_metric(args.sctype, args.scconfig)
    if bool(args.candidate) == bool(args.nbest):
        raise CommandError("expected files of either -C/--candidate or -n/--nbest")
    lines = []
    with file_errors():
        references = read_references(metric, args.reference)
        for path in args.candidate or args.nbest:
            read = _read_candidate if args.candidate else _read_first
            with reading_bar(False) as bar:
                rows = read(path, metric, references, bar)
            name = f"{path}\t" if len(args.candidate or args.nbest) > 1 else ""
            lines.append(name + _report(rows, metric, args.bootstrap, args.rseed))
    print(*lines, sep="\n", file=out)
    return 0


def _read_candidate(path: str, metric: Any, references: Any, bar: "Bar | None") -> "Array":
    with open_reader(path, files_teller(bar, [path])) as reader:
        texts = read_texts(reader, False)
    if len(texts) != len(references):
        raise CommandError(
            f"{path}: expected {len(references)} lines, as many as references, got {len(texts)}"
        )
    rows: Array = metric.segment_stats(texts, references)
    return rows


def _read_first(path: str, metric: Any, references: Any, bar: "Bar | None") -> "Array":
    tell = files_teller(bar, [path])
    nbest, _ = read_one(path, references, metric, checks_text=False, tell=tell)
    if missing := missing_segments(nbest.ids.tolist(), len(references)):
        raise CommandError(
            f"{path}: expected hypotheses for each of {len(references)} references, got none for "
            f"{missing}"
        )
    rows: Array = nbest.stats[nbest.offsets[:-1]].astype("int64")
    return rows


def _report(rows: "Array", metric: Any, n_samples: int, seed: int | None) -> str:
    import numpy as np

    if n_samples < 1:
        return f"{fraction(metric, metric.score(rows).score):.4f}"
    rng = np.random.default_rng(seed)
    scores = np.empty(n_samples)
    with progress_callback("samples", False) as bar:
        for begin in range(0, n_samples, SAMPLES):
            part = scores[begin : begin + SAMPLES]
            draws = (rng.integers(len(rows), size=len(rows)) for _ in range(len(part)))
            part[:] = metric.score_rows(np.array([rows[drawn].sum(0) for drawn in draws]))
            if bar is not None:
                bar(begin + len(part), n_samples)
    scores[:] = [fraction(metric, score) for score in scores.tolist()]
    scores.sort()
    low, high = (scores[int(n_samples * part)] for part in (_ALPHA / 2, 1 - _ALPHA / 2))
    return f"{scores.mean():.4f}\t[{low:.4f},{high:.4f}]"
