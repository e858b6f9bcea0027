"""``rapidbleu correlate``: which metric agrees best with people, and how sure that is.

Outputs of systems, references and human scores in; a table of metrics and figures out, with
intervals and ranks, and if wanted a picture.
"""

import os
from argparse import ArgumentTypeError, Namespace
from collections.abc import Sequence
from typing import TextIO

from rapidbleu.cli.correlate.inputs import HUMAN_FORMATS, read_evaluation_set, read_files
from rapidbleu.cli.correlate.output import FORMATS, drawn, report
from rapidbleu.cli.files import file_errors
from rapidbleu.cli.library_messages import library_messages, library_warnings
from rapidbleu.cli.messages import CommandError
from rapidbleu.cli.metrics import add_language_pair, add_metrics
from rapidbleu.cli.options import MOST_REPEATS, Parser, at_least, number_between, number_from
from rapidbleu.cli.progress import progress_callback, waiting
from rapidbleu.meta import AVERAGES, FIGURES, FIGURES_OF_A_STUDY, MetaWarning, study
from rapidbleu.meta.figures import Question

MOST_DIGITS = 17
# Options about texts and about files of scores, which a folder has instead, and the other way.
OF_FILES = (
    "human", "human_format", "input", "names", "segments", "judged_only", "z_scores", "mqm_weights",
)  # fmt: skip
OF_FOLDERS = ("human_name", "folder_metrics")


def make_parser() -> Parser:
    """Return the parser of the command."""
    parser = Parser(
        prog="rapidbleu correlate",
        usage="%(prog)s --human FILE -r REF [REF ...] -i SYSTEM [SYSTEM ...] [options]\n"
        "       %(prog)s --mt-metrics-eval DIR -l PAIR [options]",
        description="Say which metrics agree best with people: outputs of systems, references and "
        "human scores in, a table of metrics and figures out, with intervals and ranks.",
    )
    add = parser.add_argument
    add("-r", "--refs", nargs="+", default=[], metavar="REF",
        help="references, one file for each set; of a folder, names such as refA")  # fmt: skip
    add("-i", "--input", nargs="+", default=[], metavar="SYSTEM",
        help="outputs, a file for each system")  # fmt: skip
    add("--names", nargs="+", metavar="NAME",
        help="of the systems (default: those of their files, without the ending)")  # fmt: skip
    add("--leave-out", nargs="+", default=[], metavar="SYSTEM", help="systems not to compare")
    add("--scores", nargs="+", type=named_file, default=[], metavar="NAME=FILE",
        help="scores of segments by other metrics, such as COMET=comet.tsv: a table with a column "
        "of this name, or of --score-column")  # fmt: skip
    add("--negate", nargs="+", default=[], metavar="NAME",
        help="other metrics of whose scores less is better, or human")  # fmt: skip
    add("-e", "--encoding", default="utf-8", help="of outputs and references (default: utf-8)")
    add_language_pair(parser)
    _add_human(parser)
    _add_folder(parser)
    _add_study(parser)
    _add_results(parser)
    add_metrics(parser)
    parser.set_defaults(sentence_level=False, metrics=None)
    return parser


def _add_human(parser: Parser) -> None:
    add = parser.add_argument_group("human scores").add_argument
    add("--human", metavar="FILE", help="scores that people gave, of segments")
    add("--human-format", choices=HUMAN_FORMATS,
        help="table: TSV, CSV or Parquet; mqm: annotations of errors; da: WMT's direct "
        "assessments; -scores: as published; seg-score: mt-metrics-eval's (default: what the "
        "first line looks like)")  # fmt: skip
    for what in ("system", "segment", "score", "judge"):
        default = None if what == "judge" else what
        add(
            f"--{what}-column",
            default=default,
            metavar="NAME",
            help=f"of tables (default: {what}{', if there is one' * (what == 'judge')})",
        )
    add("--first-segment", type=int, choices=(0, 1), default=1,
        help="number of the first line, where segments are numbers (default: 1)")  # fmt: skip
    add("--segments", metavar="FILE", help="names of the segments, in the order of the lines")
    add("--judged-only", action="store_true",
        help="systems' scores, too, are of segments that people judged of some system")  # fmt: skip
    add("-z", "--z-scores", action="store_true", help="take away each judge's mean and spread")
    add("--mqm-weights", nargs="+", type=weight_rule, default=[], metavar="RULE=W",
        help="of errors, by severity or severity/category, such as critical=10")  # fmt: skip


def _add_folder(parser: Parser) -> None:
    add = parser.add_argument_group("a folder of mt-metrics-eval, with outputs and all scores")
    add.add_argument("--mt-metrics-eval", metavar="DIR", help="such as mt-metrics-eval-v2/wmt22")
    add.add_argument("--human-name", metavar="NAME", help="such as mqm (default: the only one)")
    add.add_argument("--folder-metrics", nargs="*", metavar="NAME",
        help="metrics to take from the folder (default: all)")  # fmt: skip


def _add_study(parser: Parser) -> None:
    add = parser.add_argument_group("figures").add_argument
    shown = " ".join(f"{figure}:{by}" for figure, by in FIGURES_OF_A_STUDY)
    add("--figures", nargs="+", type=figure_by, default=list(FIGURES_OF_A_STUDY),
        metavar="FIGURE:BY",
        help=f"{', '.join(FIGURES)} by {', '.join(AVERAGES)} (default: {shown})")  # fmt: skip
    add("-n", type=at_least(1, MOST_REPEATS), default=1000, metavar="N",
        help="trials of each test, and resamples of each interval (default: 1000)")  # fmt: skip
    add("--seed", type=at_least(0), default=12345, metavar="N", help="default: 12345")
    add("--level", type=number_between(0, 1), default=0.95, metavar="X",
        help="of intervals (default: 0.95)")  # fmt: skip
    add("--alpha", type=number_between(0, 1), default=0.05, metavar="X",
        help="p-values up to it are significant (default: 0.05)")  # fmt: skip
    add("--threads", type=at_least(0), default=1, metavar="N",
        help="threads to use; 0: one for each core (default: 1)")  # fmt: skip


def _add_results(parser: Parser) -> None:
    add = parser.add_argument_group("results").add_argument
    add("-f", "--format", choices=FORMATS, default="text", help="default: text")
    add("-w", "--width", type=at_least(0, MOST_DIGITS), default=3, metavar="N",
        help="digits behind the decimal point, but of JSON and TSV (default: 3)")  # fmt: skip
    add(
        "--plot",
        metavar="FILE",
        help="draw systems by both scores, and p-values, to a .png, .pdf or .svg file",
    )
    add("-q", "--quiet", action="store_true", help="no warnings, no progress bar")


def named_file(text: str) -> tuple[str, str]:
    """Return a metric's name and the file of its scores.

    Examples
    --------
    >>> named_file("COMET=scores/comet.tsv")
    ('COMET', 'scores/comet.tsv')
    """
    name, _, path = text.partition("=")
    if not name or not path:
        raise ArgumentTypeError(f"expected NAME=FILE, got {text!r}")
    return name, path


def weight_rule(text: str) -> tuple[str, float]:
    """Return a severity, or severity and category, and the weight of such errors.

    Examples
    --------
    >>> weight_rule("minor/Fluency/Punctuation=0.1")
    ('minor/Fluency/Punctuation', 0.1)
    """
    rule, _, weight = text.rpartition("=")
    if not rule:
        raise ArgumentTypeError(f"expected SEVERITY[/CATEGORY]=WEIGHT, got {text!r}")
    return rule, number_from(0)(weight)


def figure_by(text: str) -> tuple[str, str]:
    """Return a figure and what it is averaged by.

    Examples
    --------
    >>> figure_by("kendall:segment")
    ('kendall', 'segment')
    """
    figure, colon, by = text.partition(":")
    if not colon:
        raise ArgumentTypeError(f"expected FIGURE:BY, such as pearson:means, got {text!r}")
    try:
        Question(figure, by)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None
    return figure, by


def run(argv: Sequence[str], out: TextIO) -> int:
    """Run the command."""
    args = make_parser().parse_args(list(argv))
    check(args)
    with library_messages(args.quiet), library_warnings(MetaWarning, args.quiet):
        with file_errors():
            given = read_evaluation_set(args) if args.mt_metrics_eval else read_files(args)
        given.negate(args.negate)
        with progress_callback("tests", args.quiet) as progress:
            found = study(
                given.human, given.metrics, args.figures, system_scores=given.system_scores,
                n=args.n, seed=args.seed, level=args.level, alpha=args.alpha, threads=args.threads,
                progress=progress,
            )  # fmt: skip
        if args.plot:
            from rapidbleu.plots.drawing import save_picture

            with file_errors(), waiting("drawing", args.quiet):
                save_picture(drawn(found, given), args.plot)
    out.writelines(f"{line}\n" for line in report(found, given, args))
    return 0


def check(args: Namespace) -> None:
    """Refuse options that do not fit together, before anything is read."""
    names = [name for name, _ in args.scores]
    for i, name in enumerate(names):
        if name in names[:i]:
            raise CommandError(f"--scores: expected each name once, got {name!r} again")
    args.scores = dict(args.scores)
    if args.mt_metrics_eval:
        _refuse(args, OF_FILES, "not with --mt-metrics-eval")
        if args.language_pair is None:
            raise CommandError("--mt-metrics-eval: expected a language pair too, with -l")
        if args.refs and not args.metrics:
            raise CommandError("-r/--refs: expected metrics to compute, with -m")
    else:
        _check_files(args)
    args.mqm_weights = dict(args.mqm_weights)
    if args.plot:
        folder = os.path.dirname(args.plot) or "."
        if not os.path.isdir(folder):
            raise CommandError(f"{args.plot}: there is no folder {folder}")
        from rapidbleu.plots.drawing import picture_format

        picture_format(args.plot, "--plot")


def _check_files(args: Namespace) -> None:
    _refuse(args, OF_FOLDERS, "only with --mt-metrics-eval")
    if not args.human:
        raise CommandError("no human scores: name their file with --human")
    if args.input:
        args.metrics = args.metrics or ["bleu"]
        if not args.refs:
            raise CommandError("no references: name their files with -r/--refs")
        if args.names and len(args.names) != len(args.input):
            raise CommandError(
                f"--names: expected {len(args.input)}, one for each file of -i/--input, "
                f"got {len(args.names)}"
            )
        return
    _refuse(args, ("refs", "metrics", "names", "segments"), "expected outputs too, with -i/--input")
    if not args.scores:
        raise CommandError("no metrics: name outputs with -i/--input, or files with --scores")


def _refuse(args: Namespace, names: Sequence[str], why: str) -> None:
    for name in names:
        if getattr(args, name) not in (None, [], False):
            raise CommandError(f"--{name.replace('_', '-')}: {why}")
