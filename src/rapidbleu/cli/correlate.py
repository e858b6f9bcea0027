"""``rapidbleu correlate``: agreement of metrics with human scores.

Reads outputs of systems, references and human scores; prints a table of metrics and statistics,
with intervals and ranks, and plots it on request.
"""

from __future__ import annotations

import json
import warnings
from argparse import ArgumentTypeError, Namespace
from contextlib import contextmanager
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, TextIO

from rapidbleu._lib.floats import finite
from rapidbleu.cli.files import check_files, name_of_system, output
from rapidbleu.cli.judged import (
    COLUMNS,
    HUMAN_FORMATS,
    NORMALIZED,
    StudyInput,
    read_evaluation_set,
    read_files,
)
from rapidbleu.cli.messages import CommandError, library_messages, progress_callback, say
from rapidbleu.cli.metrics import add_metrics, named_metric
from rapidbleu.cli.options import (
    EMPTY,
    MOST_REPEATS,
    N_RESAMPLES,
    Parser,
    add_groups,
    add_options,
    add_seed,
    add_threads,
    argument,
    at_least,
    check_effect,
    check_folder,
    encoding_of,
    number_between,
    number_from,
    seed_of,
)
from rapidbleu.meta import STATISTICS, MetaWarning, compare_metrics, fit_metric
from rapidbleu.meta.figures import AVERAGES, Question
from rapidbleu.meta.studies import COMPARED
from rapidbleu.parallel import part_of
from rapidbleu.table import Table, comments

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rapidbleu.meta import ComparedMetrics, MetricComparison, MetricFit

    _Record = dict[str, Any]
    _Results = dict[str, MetricComparison]  # by normalization

FORMATS = ("text", "json", "tsv", "markdown", "latex")
MOST_DIGITS = 17
WIDEST = 100  # characters in a line of text; further statistics start another table
# Options for texts and files of scores, which a folder replaces, and the reverse.
OF_FILES = (
    "human",
    "human_format",
    "input",
    "names",
    "ids",
    "judged_only",
    "normalize",
    "mqm_weights",
)
OF_FOLDERS = ("human_name", "folder_metrics")


def named_file(text: str) -> tuple[str, str]:
    """Return the name of a metric and the file of its scores."""
    name, _, path = text.partition("=")
    if not name or not path:
        raise ArgumentTypeError(f"expected NAME=FILE; got {text!r}")
    return name, path


def weight_rule(text: str) -> tuple[str, float]:
    """Return a severity, or severity and category, with the weight of such errors."""
    rule, _, weight = text.rpartition("=")
    if not rule:
        raise ArgumentTypeError(f"expected SEVERITY[/CATEGORY]=WEIGHT; got {text!r}")
    return rule, number_from(0)(weight)


def figure_by(text: str) -> tuple[str, str]:
    figure, colon, by = text.partition(":")
    if not colon:
        raise ArgumentTypeError(f"expected STATISTIC:BY, such as pearson:means; got {text!r}")
    try:
        Question(figure, by)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None
    return figure, by


TEXTS = (
    ("--names", "NAME ...", "system names (default: file names)"),
    ("--leave-out", "SYSTEM ...", "excluded systems", EMPTY),
    (
        "--scores",
        "NAME=FILE ...",
        "segment scores by other metrics, such as COMET=comet.tsv: a table with a column of "
        "this name, or --score-column",
        {"type": named_file, "default": []},
    ),
    (
        "--negate",
        "NAME ...",
        "metrics of --scores, or human, for which lower is better",
        EMPTY,
    ),
    encoding_of("texts"),
    add_threads,
)
HUMAN = (
    ("--human", "FILE", "human scores of segments"),
    (
        "--human-format",
        "FORM",
        f"{', '.join(HUMAN_FORMATS)} (default: by the first line)",
        {"choices": HUMAN_FORMATS},
    ),
    *(
        (f"--{what}-column", "NAME", f"column in tables (default: {what})", {"default": what})
        for what in ("system", "segment", "score")
    ),
    ("--judge-column", "NAME", "column in tables (default: judge, if any)"),
    argument(
        "--first-segment",
        type=int,
        choices=(0, 1),
        default=1,
        help="number of the first line (default: 1)",
    ),
    ("--ids", "FILE", "segment ids, in the order of the lines"),
    ("--judged-only", "system scores from segments with human scores only"),
    (
        "--normalize",
        "NAME ...",
        f"normalizations per judge, each with its columns: {', '.join(NORMALIZED)} (default: raw)",
        {"choices": NORMALIZED},
    ),
    (
        "--mqm-weights",
        "RULE=W ...",
        "weights by severity or severity/category, such as critical=10",
        {"type": weight_rule, "default": []},
    ),
)
FOLDER = (
    ("--mt-metrics-eval", "DIR", "test set, such as mt-metrics-eval-v2/wmt22"),
    ("--human-name", "NAME", "human scores, such as mqm (default: the only ones)"),
    ("--folder-metrics", "NAME", "metrics from the folder (default: all)", {"nargs": "*"}),
)
STUDY = (
    (
        "--statistics",
        "NAME:BY ...",
        f"{', '.join(STATISTICS)} by {', '.join(AVERAGES)} (default: "
        f"{' '.join(map(':'.join, COMPARED))})",
        {"type": figure_by, "default": list(COMPARED)},
    ),
    (
        "-n",
        "--n-resamples",
        "N",
        f"resamples per interval, and trials per test (default: {N_RESAMPLES})",
        {"type": at_least(1, MOST_REPEATS), "default": N_RESAMPLES},
    ),
    add_seed,
    (
        "--fit",
        "settings such as wordf:beta=1/3 from half of the segments, and their agreement on "
        "the rest",
    ),
    (
        "--level",
        "X",
        "level of intervals (default: 0.95)",
        {"type": number_between(0, 1), "default": 0.95},
    ),
    (
        "--alpha",
        "X",
        "maximum significant p-value (default: 0.05)",
        {"type": number_between(0, 1), "default": 0.05},
    ),
)
RESULTS = (
    (
        "-f",
        "--format",
        "FORM",
        f"{', '.join(FORMATS)} (default: text)",
        {"choices": FORMATS, "default": "text"},
    ),
    ("-o", "--output", "FILE", "output file (default: standard output)"),
    (
        "-w",
        "--width",
        "N",
        "decimal places, except JSON and TSV (default: 3)",
        {"type": at_least(0, MOST_DIGITS), "default": 3},
    ),
    ("--plot", "FILE", "plot of scores and p-values, as .png, .pdf or .svg"),
    ("-q", "--quiet", "no warnings, no progress bar"),
)


def make_parser() -> Parser:
    parser = Parser(
        prog="rapidbleu correlate",
        usage="%(prog)s [-i] SYS ... -r REF ... --human FILE [options]\n"
        "       %(prog)s --mt-metrics-eval DIR -l PAIR [options]",
        description="Find the metrics that agree best with human judgments, from system outputs, "
        "references and human scores, with intervals and ranks.",
        examples=[
            "--human human.tsv -r ref.txt -i a.txt b.txt -m bleu ter",
            "--mt-metrics-eval wmt22 -l en-de --human-name mqm",
        ],
    )
    refs = ("-r", "--refs", "REF ...", "reference files, or names such as refA", EMPTY)
    add_options(parser, [refs])
    parser.add_files(
        "-i",
        "--input",
        needed=False,
        default=[],
        metavar="SYS",
        help="outputs, one file per system",
    )
    add_options(parser, TEXTS)
    groups = {"human scores": HUMAN, "a folder of mt-metrics-eval": FOLDER, "statistics": STUDY}
    add_groups(parser, {**groups, "results": RESULTS})
    add_metrics(parser, ())
    parser.set_defaults(sentence_level=False, num_refs=1, table=None)
    return parser


def run(argv: Sequence[str], out: TextIO) -> int:
    args = make_parser().parse_args(list(argv))
    check(args)
    with library_messages(args.quiet), warnings_once(args.quiet):
        study = read_evaluation_set(args) if args.mt_metrics_eval else read_files(args)
        study.negate(args.negate)
        lines = (_fit if args.fit else _compare)(study, args)
    with output(args.output, out) as file:
        file.writelines([f"{line}\n" for line in lines])
    return 0


def _fit(study: StudyInput, args: Namespace) -> list[str]:
    with progress_callback("settings", args.quiet) as bar:
        return report_fits(list(fitted(study, args, bar)), study, args)


def _compare(study: StudyInput, args: Namespace) -> list[str]:
    results = {}
    seed = seed_of(args.seed)
    with progress_callback("tests", args.quiet) as bar:
        for i, (name, human) in enumerate(study.judgments.items()):
            results[name] = compare_metrics(
                human,
                study.metrics,
                args.statistics,
                system_scores=study.system_scores,
                n_resamples=args.n_resamples,
                seed=seed,
                level=args.level,
                alpha=args.alpha,
                threads=args.threads,
                progress=bar and part_of(bar, i, len(study.judgments)),
            )
            seed = results[name].seed
    if args.plot:
        from rapidbleu.plots.drawing import save_picture
        from rapidbleu.plots.studies import drawn

        [comparison] = results.values()
        save_picture(drawn(comparison, study), args.plot)
    return report(results, study, args)


@contextmanager
def warnings_once(quiet: bool) -> Iterator[None]:
    """Show each `MetaWarning` as a message once, or never if quiet."""
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
    """Refuse conflicting options before anything is read."""
    check_effect(args, not args.fit, "with --fit", "n_resamples", "level", "alpha")
    check_effect(args, args.format not in ("json", "tsv"), f"on -f {args.format}", "width")
    check_effect(args, args.input, "without -i/--input", "encoding")
    reads_tables = not args.mt_metrics_eval or args.scores
    check_effect(args, reads_tables, "with --mt-metrics-eval", *COLUMNS)
    check_effect(args, not args.mt_metrics_eval, "with --mt-metrics-eval", "judge_column")
    names = [name for name, _ in args.scores]
    for i, name in enumerate(names):
        if name in names[:i]:
            raise CommandError(f"--scores: expected each name once; got {name!r} again")
    args.scores = dict(args.scores)
    if args.mt_metrics_eval:
        _refuse(args, OF_FILES, "not with --mt-metrics-eval")
        if args.language_pair is None:
            raise CommandError("--mt-metrics-eval: expected a language pair too, with -l")
        if args.refs and not args.metrics:
            raise CommandError("-r/--refs: expected metrics to compute, with -m")
    else:
        _check_files(args)
    check_effect(args, args.metrics, "without -m/--metrics", "tokenize", "lowercase")
    needed = args.input or (args.mt_metrics_eval and args.scores)
    check_effect(args, needed, "without lines, of -i/--input", "first_segment")
    check_effect(args, not args.ids, "with --ids", "first_segment")
    args.mqm_weights = dict(args.mqm_weights)
    args.normalize = list(dict.fromkeys(args.normalize or ["raw"]))
    if args.plot and args.fit:
        raise CommandError("--plot: not with --fit")
    if args.plot and len(args.normalize) > 1:
        raise CommandError(f"--plot: expected one of --normalize; got {len(args.normalize)}")
    if args.plot:
        check_folder(args.plot)
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
    _refuse(args, ("refs", "metrics", "names", "ids"), "expected outputs too, with -i/--input")
    if not args.scores:
        raise CommandError("no metrics: name outputs with -i/--input, or files with --scores")


def _refuse(args: Namespace, names: Sequence[str], why: str) -> None:
    for name in names:
        if getattr(args, name) not in (None, [], False):
            raise CommandError(f"--{name.replace('_', '-')}: {why}")


def report(results: _Results, study: StudyInput, args: Namespace) -> list[str]:
    """Return the lines to print for a comparison per normalization of the judgments."""
    if args.format == "json":
        return [as_json(content(results, study, args))]
    if args.format == "tsv":
        return [_as_table(_records(results)).format("tsv").removesuffix("\n")]
    # A column of cells for each statistic and normalization.
    columns = {}
    names: list[str] = []
    for judgments, comparison in results.items():
        for column in comparison.columns:
            title = f"{column.title}, {judgments}" if len(results) > 1 else column.title
            names = names or list(column.ranking.metrics)
            columns[title] = cells_of(names, column, args.width)
    if args.format != "text":
        notes = [comments(_notes(study, args))] if args.format == "latex" else []
        return [Table({"metric": names, **columns}).format(args.format), *notes]
    # Further columns start another table.
    blocks: list[dict[str, list[str]]] = []
    room = 0
    for title, cells in columns.items():
        width = 2 + max(len(title), len(cells[0]))
        if not blocks or width > room:
            blocks.append({"metric": names})
            room = WIDEST - max(map(len, ["metric", *names]))
        blocks[-1][title] = cells
        room -= width
    lines = []
    for block in blocks:
        lines += [Table(block).format("text"), ""]
    return lines + _notes(study, args)


def _records(results: _Results) -> list[_Record]:
    """Return a record for each normalization, statistic and metric."""
    records = []
    for judgments, comparison in results.items():
        for column in comparison.columns:
            for name, figures in figures_of(column).items():
                what: _Record = {"metric": name, "statistic": column.statistic, "by": column.by}
                what |= {"judgments": judgments, "without": ",".join(column.left_out)}
                records.append(what | figures)
    return records


def _as_table(records: list[_Record]) -> Table:
    return Table({name: [record[name] for record in records] for name in records[0]})


def figures_of(column: ComparedMetrics) -> dict[str, _Record]:
    """Return the rank, the value and the interval of each metric, the best one first."""
    figures = {}
    for name, rank in zip(column.ranking.metrics, column.ranking.ranks, strict=True):
        agreement = column.intervals[name]
        low, high = agreement.interval
        figures[name] = {"rank": rank, "value": agreement.value, "low": low, "high": high}
    return figures


def cells_of(names: list[str], column: ComparedMetrics, width: int) -> list[str]:
    """Return the value of each metric with its interval and rank."""
    form = f"{{value:.{width}f}} [{{low:.{width}f}}, {{high:.{width}f}}] {{rank}}"
    cells = {name: form.format(**figures) for name, figures in figures_of(column).items()}
    most = max(map(len, cells.values()))
    return [cells[name].rjust(most) for name in names]


def _notes(study: StudyInput, args: Namespace) -> list[str]:
    """Return notes on what was compared and how to read the table."""
    n_systems, n_segments = study.human.values.shape
    lines = [
        f"{n_systems} systems, {n_segments} segments, {study.n_human_scores} human scores.",
        f"[{args.level * 100:g}% interval] rank: a new rank begins where a metric is significantly "
        "worse",
        f"than one of the rank before (permutation tests, n = {args.n_resamples}, "
        f"p <= {args.alpha:g}).",
    ]
    if study.negated:
        lines.append(f"Less is better, so negated: {', '.join(study.negated)}")
    width = max(map(len, study.signatures), default=0)
    return lines + [f"{name:{width}}  {text}" for name, text in study.signatures.items()]


def content(results: _Results, study: StudyInput, args: Namespace) -> _Record:
    """Return all results."""
    means = {name: study.means(name) for name in ("human", *study.metrics)}
    systems = {}
    for i, system in enumerate(study.systems):
        systems[system] = {name: float(values[i]) for name, values in means.items()}
    statistics = []
    for judgments, comparison in results.items():
        for column in comparison.columns:
            statistics.append(
                {
                    "statistic": column.statistic,
                    "by": column.by,
                    "judgments": judgments,
                    "without": list(column.left_out),
                    "metrics": figures_of(column),
                    "p_values": column.ranking.p_values,
                }
            )
    return {
        "systems": systems,
        "n_segments": study.human.values.shape[1],
        "n_human_scores": study.n_human_scores,
        "negated": study.negated,
        "signatures": study.signatures,
        "n_resamples": args.n_resamples,
        "seed": next(iter(results.values())).seed,
        "level": args.level,
        "alpha": args.alpha,
        "statistics": statistics,
    }


def as_json(content: _Record) -> str:
    """Return JSON, with null for nan."""
    return json.dumps(finite(content), indent=4, ensure_ascii=False)


def fitted(study: StudyInput, args: Namespace, bar: Any) -> Iterator[tuple[str, str, MetricFit]]:
    """Yield normalization, specification and fit, for each of these and of the statistics.

    One seed draws all halves of the segments, or of the documents of a folder.
    """
    seed = seed_of(args.seed)
    groups: dict[tuple[str, str], list[str]] = {}
    for name, scores in study.metrics.items():
        if scores.ndim == 2 and (name in study.rows or name not in study.system_scores):
            groups.setdefault(study.settings.get(name, (name, name)), []).append(name)
        elif not args.quiet:
            say(f"{name}: left out, as its scores of systems have no parts")
    studies = list(product(args.statistics, study.judgments, groups.items()))
    for i, ((statistic, by), judgments, ((_, specification), names)) in enumerate(studies):
        variants: dict[str, Any] = {name: study.metrics[name] for name in names}
        if by == "means":
            for name in study.system_scores.keys() & variants.keys():
                variants[name] = partial(study.part_scores, name)
        fit = fit_metric(
            study.judgments[judgments],
            variants,
            statistic,
            by,
            documents=study.documents,
            seed=seed,
            progress=bar and part_of(bar, i, len(studies)),
        )
        seed = fit.seed
        yield judgments, specification, fit


def report_fits(
    fits: list[tuple[str, str, MetricFit]], study: StudyInput, args: Namespace
) -> list[str]:
    """Return the lines to print for choices."""
    records: list[_Record] = [
        {
            "specification": specification,
            "metric": fit.name,
            "statistic": fit.statistic,
            "by": fit.by,
            "judgments": judgments,
            "n_settings": len(fit.values),
            "train": fit.train.value,
            "test": fit.test.value,
        }
        for judgments, specification, fit in fits
    ]
    first = fits[0][2]
    n_train = len(first.train_segments)
    n_test = len(first.test_segments)
    if args.format == "json":
        for record, (_, _, fit) in zip(records, fits, strict=True):
            record["values"] = fit.values
        result = {
            "seed": first.seed,
            "n_train": n_train,
            "n_test": n_test,
            "negated": study.negated,
            "signatures": study.signatures,
            "fits": records,
        }
        return [as_json(result)]
    digits = None if args.format == "tsv" else args.width
    lines = [_as_table(records).format(args.format, digits).removesuffix("\n")]
    if args.format == "text":
        lines += [
            "",
            f"Chosen on {n_train} segments (train), shown for the other {n_test} (test); "
            f"seed {first.seed}.",
        ]
    return lines
