"""``rapidbleu correlate``: which metric agrees best with people, and how sure that is.

Outputs of systems, references and human scores in; a table of metrics and figures out, with
intervals and ranks, and on demand a picture.
"""

from __future__ import annotations

import json
import os
import warnings
from argparse import ArgumentTypeError, Namespace
from contextlib import contextmanager
from math import ceil
from typing import TYPE_CHECKING, Any, TextIO

from rapidbleu._lib.floats import finite
from rapidbleu._lib.lazy import np
from rapidbleu.cli.correlate.inputs import HUMAN_FORMATS, read_evaluation_set, read_files
from rapidbleu.cli.files import check_files, file_errors, name_of_system
from rapidbleu.cli.messages import CommandError, library_messages, progress_callback, say
from rapidbleu.cli.metrics import add_metrics, named_metric
from rapidbleu.cli.options import MOST_REPEATS, Parser, at_least, number_between, number_from
from rapidbleu.meta import AVERAGES, FIGURES, FIGURES_OF_A_STUDY, MetaWarning, study
from rapidbleu.meta.figures import Question, outlying
from rapidbleu.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rapidbleu.cli.correlate.inputs import StudyInput
    from rapidbleu.meta import Study, StudyColumn
    from rapidbleu.typing import FloatArray

FORMATS = ("text", "json", "tsv", "markdown", "latex")
MOST_DIGITS = 17
WIDEST = 100  # characters of a line of text; further figures are another table
PANELS = 3  # side by side
MOST = 30  # metrics with a panel of their own
SMALL = 7.5  # size of names, in points
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
    _add_human(parser)
    _add_folder(parser)
    _add_study(parser)
    _add_results(parser)
    add_metrics(parser, ())
    parser.set_defaults(sentence_level=False, num_refs=1)
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
    """Return a metric's name and the file of its scores."""
    name, _, path = text.partition("=")
    if not name or not path:
        raise ArgumentTypeError(f"expected NAME=FILE, got {text!r}")
    return name, path


def weight_rule(text: str) -> tuple[str, float]:
    """Return a severity, or severity and category, and the weight of such errors."""
    rule, _, weight = text.rpartition("=")
    if not rule:
        raise ArgumentTypeError(f"expected SEVERITY[/CATEGORY]=WEIGHT, got {text!r}")
    return rule, number_from(0)(weight)


def figure_by(text: str) -> tuple[str, str]:
    """Return a figure and what it is averaged by."""
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
    with library_messages(args.quiet), warnings_once(args.quiet):
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

            with file_errors():
                save_picture(drawn(found, given), args.plot)
    out.writelines(f"{line}\n" for line in report(found, given, args))
    return 0


@contextmanager
def warnings_once(quiet: bool) -> Iterator[None]:
    """Show each `MetaWarning` once as a message, or none of them."""
    seen: set[str] = set()
    show: Any = warnings.showwarning

    def say_once(message: Warning | str, category: type[Warning], *place: Any) -> None:
        if not issubclass(category, MetaWarning):
            show(message, category, *place)
        elif str(message) not in seen:
            seen.add(str(message))
            say(message)

    with warnings.catch_warnings():
        warnings.showwarning = say_once  # type: ignore[assignment]
        warnings.simplefilter("ignore" if quiet else "always", MetaWarning)
        yield


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
        args.metrics = args.metrics or [named_metric("bleu")]
        if not args.refs:
            raise CommandError("no references: name their files with -r/--refs")
        if args.names is None:
            files: dict[str, str] = {}
            for path in args.input:
                name = name_of_system(path)
                if name in files:
                    raise CommandError(
                        f"{path}: system {name!r}, as {files[name]}; tell them apart with --names"
                    )
                files[name] = path
            args.names = list(files)
        check_files(args)
        return
    _refuse(args, ("refs", "metrics", "names", "segments"), "expected outputs too, with -i/--input")
    if not args.scores:
        raise CommandError("no metrics: name outputs with -i/--input, or files with --scores")


def _refuse(args: Namespace, names: Sequence[str], why: str) -> None:
    for name in names:
        if getattr(args, name) not in (None, [], False):
            raise CommandError(f"--{name.replace('_', '-')}: {why}")


# Results


def report(found: Study, given: StudyInput, args: Namespace) -> list[str]:
    """Return the lines to print."""
    if args.format == "json":
        return [json.dumps(content(found, given, args), indent=4, ensure_ascii=False)]
    if args.format == "tsv":
        headers = ("metric", "figure", "by", "without", "rank", "value", "low", "high")
        rows = [
            (name, column.figure, column.by, ",".join(column.left_out), *numbers)
            for column in found.columns
            for name, *numbers in rows_of(column)
        ]
        table = Table(dict(zip(headers, zip(*rows, strict=True), strict=True)))
        return [table.format("tsv").removesuffix("\n")]
    names = metrics_of(found)
    columns = {column.title: cells_of(names, column, args.width) for column in found.columns}
    if args.format != "text":
        return [Table({"metric": names, **columns}).format(args.format)]
    blocks: list[dict[str, list[str]]] = []
    room = 0
    for title, cells in columns.items():
        width = 2 + max(len(title), len(cells[0]))
        if not blocks or width > room:
            blocks.append({"metric": names})
            room = WIDEST - max(map(len, ["metric", *names]))
        blocks[-1][title] = cells
        room -= width
    tables = [line for block in blocks for line in (Table(block).format("text"), "")]
    return tables + _notes(given, args)


def metrics_of(found: Study) -> list[str]:
    """Return the metrics, the best of the first figure first."""
    return list(found.columns[0].ranking.metrics)


def rows_of(column: StudyColumn) -> list[tuple[str, int, float, float, float]]:
    """Return each metric with its rank, its figure and the interval, the best one first."""
    ranked = zip(column.ranking.metrics, column.ranking.ranks, strict=True)
    with_figures = [(name, rank, column.intervals[name]) for name, rank in ranked]
    return [(name, rank, own.value, own.low, own.high) for name, rank, own in with_figures]


def cells_of(names: list[str], column: StudyColumn, width: int) -> list[str]:
    """Return the figure of each metric with its interval and its rank."""
    cells = {
        name: f"{value:.{width}f} [{low:.{width}f}, {high:.{width}f}] {rank}"
        for name, rank, value, low, high in rows_of(column)
    }
    most = max(map(len, cells.values()))
    return [f"{cells[name]:>{most}}" for name in names]


def _notes(given: StudyInput, args: Namespace) -> list[str]:
    """Return the lines that say what was compared, and how the table is read."""
    n_systems, n_segments = given.human.values.shape
    lines = [
        f"{n_systems} systems, {n_segments} segments, {_n_scores(given)} human scores.",
        f"[{args.level * 100:g}% interval] rank: a new rank begins where a metric is significantly "
        "worse",
        f"than one of the rank before (permutation tests, n = {args.n}, p <= {args.alpha:g}).",
    ]
    if given.negated:
        lines.append(f"Less is better, so negated: {', '.join(given.negated)}")
    width = max(map(len, given.signatures), default=0)
    return lines + [f"{name:{width}}  {own}" for name, own in given.signatures.items()]


def _n_scores(given: StudyInput) -> int:
    return int((given.human.values == given.human.values).sum())


def content(found: Study, given: StudyInput, args: Namespace) -> dict[str, Any]:
    """Return all results; null stands for nan."""
    means = {name: finite(given.means(name).tolist()) for name in ("human", *found.metrics)}
    return {
        "systems": {
            system: {name: own[i] for name, own in means.items()}
            for i, system in enumerate(given.systems)
        },
        "n_segments": given.human.values.shape[1],
        "n_human_scores": _n_scores(given),
        "negated": given.negated,
        "signatures": given.signatures,
        "n": args.n,
        "seed": args.seed,
        "level": args.level,
        "alpha": args.alpha,
        "figures": [_figure(column) for column in found.columns],
    }


def _figure(column: StudyColumn) -> dict[str, Any]:
    keys = ("rank", "value", "low", "high")
    return {
        "figure": column.figure,
        "by": column.by,
        "without": list(column.left_out),
        "metrics": {
            name: dict(zip(keys, finite(numbers), strict=True))
            for name, *numbers in rows_of(column)
        },
        "p": finite(column.ranking.p.tolist()),
    }


def drawn(found: Study, given: StudyInput) -> Any:
    """Return a picture with a panel for each metric, and p-values of metrics for each figure."""
    from rapidbleu.plots.drawing import draw_p_values, dress, load

    names = metrics_of(found)[:MOST]
    matrices = found.columns if len(found.metrics) > 1 else []
    n_columns = min(PANELS, max(len(names), len(matrices)))
    n_rows = ceil(len(names) / n_columns)
    n_all = n_rows + ceil(len(matrices) / n_columns)
    size = 4.6 * n_columns, 3.6 * n_all
    figure = load("figure").Figure(figsize=size, layout="constrained")
    panels = figure.subplots(n_all, n_columns, squeeze=False).ravel().tolist()
    for panel in panels:
        panel.set_axis_off()
    for panel, name in zip(panels, names, strict=False):
        _scatter(panel, given, name)
    for panel, column in zip(panels[n_rows * n_columns :], matrices, strict=False):
        panel.set_axis_on()
        ranking = column.ranking
        pairs = zip(ranking.metrics, ranking.ranks, strict=True)
        rows = [f"{name}  {rank}" for name, rank in pairs]
        p = np.ma.masked_invalid(ranking.p[:-1, 1:])
        dress(panel, f"p: {column.title}", "worse metric", "better metric, rank", grid=None)
        draw_p_values(panel, p, rows[:-1], ranking.metrics[1:])
    return figure


def _scatter(panel: Any, given: StudyInput, name: str) -> None:
    """Draw a point for each system; above is better."""
    from rapidbleu.plots.drawing import COLORS, INK, SOFT, dress

    people, scores = given.means("human"), given.means(name)
    there = np.flatnonzero(~np.isnan(people + scores))
    kept = np.setdiff1d(there, out := outlying(people))
    shown = -scores if name in given.negated else scores
    panel.set_axis_on()
    text = f"{name}, r = {_pearson(people[there], scores[there]):.3f}"
    if len(kept) < len(there):
        text += f", {_pearson(people[kept], scores[kept]):.3f} without outliers"
    x = "human score" + ", negated" * ("human" in given.negated)
    dress(panel, text, x, "less is better" * (name in given.negated), grid="both")
    colors = [COLORS[1] if i in out else COLORS[0] for i in there]
    panel.scatter(people[there], shown[there], s=26, c=colors, linewidths=0, zorder=3)
    for i in there.tolist():
        panel.annotate(
            given.systems[i], (people[i], shown[i]), (4, 3), textcoords="offset points",
            fontsize=SMALL, color=COLORS[1] if i in out else INK, parse_math=False,
        )  # fmt: skip
    if len(np.unique(people[kept])) > 1:
        ends = np.array([people[kept].min(), people[kept].max()])
        line = np.poly1d(np.polyfit(people[kept], shown[kept], 1))
        panel.plot(ends, line(ends), color=SOFT, linewidth=1, zorder=1)
    panel.margins(0.14)
    if name in given.negated:
        panel.invert_yaxis()


def _pearson(people: FloatArray, scores: FloatArray) -> float:
    if len(people) < 2 or not (np.ptp(people) and np.ptp(scores)):
        return float("nan")
    return float(np.corrcoef(people, scores)[0, 1])
