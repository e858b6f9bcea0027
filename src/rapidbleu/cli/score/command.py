"""The scoring command: sacrebleu's options and meanings, and a few more.

It scores corpora or segments of systems with metrics, and tests systems. The way is always the
same: options, then texts or rows of statistics, then scores, which `output` writes.
"""

from __future__ import annotations

import os
import sys
from argparse import SUPPRESS, ArgumentTypeError, Namespace

from rapidbleu._version import __version__
from rapidbleu.cli import help_text
from rapidbleu.cli.files import (
    Corpus,
    add_table,
    check_files,
    distinct_names,
    name_of_system,
    part_of,
    read_corpus,
    shard_of,
    streamed_corpus,
    take_table,
)
from rapidbleu.cli.messages import CommandError, library_messages, progress_bar, say
from rapidbleu.cli.metrics import add_metrics, informed, make_metrics
from rapidbleu.cli.options import (
    MOST,
    MOST_DIGITS,
    MOST_REPEATS,
    N_RESAMPLES,
    N_TRIALS,
    SEED,
    WHOLE,
    Parser,
    add_groups,
    add_num_refs,
    add_options,
    add_threads,
    at_least,
    check_effect,
    encoding_of,
    number_from,
    seed,
    seed_of,
    shard,
)
from rapidbleu.cli.score import output
from rapidbleu.cli.score.output import Job
from rapidbleu.metrics import CHRF
from rapidbleu.metrics.bleu import DEFAULTS
from rapidbleu.metrics.mean import SegmentScores
from rapidbleu.table import json_list

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, TextIO

    from rapidbleu.score import RowScoring

PART = 2_000  # segments scored at once if results appear progressively

# Options of systems given as rows of statistics; all other ones need texts, or a metric.
OF_ROWS = {
    "all_pairs", "by", "confidence", "confidence_n", "format", "help", "n_resamples", "names",
    "no_color", "paired_ar", "paired_ar_n", "paired_bs", "paired_bs_n", "paired_jobs", "quiet",
    "score_only", "seed", "sentence_level", "short", "stats", "threads", "version", "width",
}  # fmt: skip


FORMATS = ("json", "text", "latex")  # sacrebleu's
TABLES = ("csv", "tsv", "markdown")

# Options that sacrebleu lacks, and options in the brief help.
OWN = {
    "all_pairs",
    "by",
    "help",
    "hyp",
    "n_resamples",
    "names",
    "ref",
    "refs",
    "scores",
    "seed",
    "shard",
    "stats",
    "table",
    "table_format",
    "threads",
}
BRIEF = OWN | {
    "confidence",
    "format",
    "input",
    "language_pair",
    "lowercase",
    "metrics",
    "paired_ar",
    "paired_bs",
    "quiet",
    "sentence_level",
    "tokenize",
    "version",
    "width",
}

OUTPUT = "results go to standard output: redirect them with > FILE, and choose their form with -f"
REPORT = "`rapidbleu compare` writes reports in HTML, with --html FILE"
GIVEN = "its scores are computed elsewhere, and read with --scores NAME=FILE"
HINTS = (
    dict.fromkeys(("-out", "--out", "--output", "--outfile", "--output-file", "--save"), OUTPUT)
    | dict.fromkeys(("html", "--html", "--report", ".html", ".htm"), REPORT)
    | {f"--{form}": f"forms are chosen with -f {form}" for form in FORMATS + TABLES}
    | {"md": "did you mean markdown?", "--md": "forms are chosen with -f markdown"}
    | dict.fromkeys(("comet", "bleurt", "bertscore", "metricx", "xcomet"), GIVEN)
    | {"chrf+": "that is -m chrf:word_order=1", "chrf++": "that is -m chrf:word_order=2"}
)


class ScoreParser(Parser):
    """The parser of the scoring command, with hints on missing features."""

    hints = HINTS
    shortens = True  # as in sacrebleu

    def format_help(self) -> str:
        """Return the help: of the program, of sacrebleu, or the brief one of the command."""
        if self.prog == "rapidbleu":
            return help_text()
        if self.prog != "rapidbleu score":
            return super().format_help()
        from textwrap import fill

        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        others = []
        for group in self._action_groups:
            shown = [action for action in group._group_actions if action.help != SUPPRESS]
            formatter.start_section(group.title)
            formatter.add_arguments([action for action in shown if action.dest in BRIEF])
            formatter.end_section()
            flags = [action.option_strings[0] for action in shown if action.dest not in BRIEF]
            if flags:
                line = f"  {group.title}: {', '.join(flags)}"
                others.append(fill(line, 79, subsequent_indent=" " * 4, break_on_hyphens=False))
        title = "options of sacrebleu, which `rapidbleu help sacrebleu` describes:"
        lines = [f"  {self.prog} {example}" for example in self.examples]
        return "\n".join([formatter.format_help(), title, *others, "\nexamples:", *lines, ""])

    def format_sacrebleus(self) -> str:
        """Return sacrebleu's options with their help."""
        formatter = self._get_formatter()
        formatter.add_text(
            "Options of sacrebleu, which `rapidbleu score` has, too; files of references are "
            "the first words."
        )
        for group in self._action_groups:
            formatter.start_section(group.title)
            formatter.add_arguments(
                [action for action in group._group_actions if action.dest not in OWN]
            )
            formatter.end_section()
        return formatter.format_help()


def original_language(text: str) -> str:
    """Return a language; refuse a file, because -o is short for --origlang."""
    if "." in text or os.sep in text:
        report = f"; {REPORT}" if text.endswith((".html", ".htm")) else ""
        raise ArgumentTypeError(f"expected a language; got {text!r}; {OUTPUT}{report}")
    return text


ORDER = at_least(0, MOST)
REPEATS = at_least(0, MOST_REPEATS)
FILES = (
    ("-i", "--input", "HYP ...", "system outputs (default: stdin)"),
    ("--stats", "FILE ...", "rows of statistics, one file of `rapidbleu stats` per system"),
    add_table,
    (
        "--by",
        "COLUMN ...",
        "columns of --table or --stats, whose values are scored separately, with their mean "
        "(macro) and the overall score (micro)",
    ),
    ("--names", "NAME ...", "system names (default: file names)"),
    (
        "--scores",
        "NAME=FILE ...",
        "segment scores by another metric: one file per system with a number on each line, a "
        "table, or COMET's JSON",
        {"action": "append", "default": []},
    ),
    add_num_refs,
    encoding_of("files and stdin"),
    ("-sl", "--sentence-level", "scores of segments"),
    (
        "--shard",
        "I/N",
        "the I-th of N equal parts of the segments",
        {"type": shard, "default": WHOLE},
    ),
    add_threads,
)
OF_METRICS = {
    "BLEU": (
        (
            "-s",
            "--smooth-method",
            "NAME",
            f"smoothing of orders without a match: {', '.join(DEFAULTS)} (default: exp); nltk1 to "
            "nltk7 as in NLTK's SmoothingFunction, for segments",
            {"choices": list(DEFAULTS), "default": "exp"},
        ),
        (
            "-sv",
            "--smooth-value",
            "X",
            f"value of floor (default: {DEFAULTS['floor']}) and add-k (default: "
            f"{DEFAULTS['add-k']}), or NLTK's epsilon, k or alpha",
            {"type": number_from(0)},
        ),
        ("--force", "no warning about input that looks tokenized"),
    ),
    "chrF": (
        (
            "-cc",
            "--chrf-char-order",
            "N",
            f"highest order of character n-grams (default: {CHRF.CHAR_ORDER})",
            {"type": ORDER, "default": CHRF.CHAR_ORDER},
        ),
        (
            "-cw",
            "--chrf-word-order",
            "N",
            f"highest order of word n-grams; 1: chrF+, 2: chrF++ (default: {CHRF.WORD_ORDER})",
            {"type": ORDER, "default": CHRF.WORD_ORDER},
        ),
        (
            "--chrf-beta",
            "N",
            f"weight of recall relative to precision (default: {CHRF.BETA})",
            {"type": ORDER, "default": CHRF.BETA},
        ),
        ("--chrf-whitespace", "white space as characters"),
        ("--chrf-lowercase", "lowercased text"),
        (
            "--chrf-eps-smoothing",
            "mean of the scores of all orders, as in chrF++.py, NLTK and Moses",
        ),
    ),
    "TER": (
        ("--ter-case-sensitive", "case-sensitive comparison"),
        ("--ter-asian-support", "punctuation and ideographs of Asian languages"),
        ("--ter-no-punct", "no punctuation"),
        ("--ter-normalized", "decoded entities, separate punctuation"),
    ),
}
SIGNIFICANCE = (
    (
        "-n",
        "--n-resamples",
        "N",
        "resamples of -ci and -pbs, and trials of -par",
        {"type": at_least(2, MOST_REPEATS)},
    ),
    (
        "--seed",
        "N",
        f"random seed; none: a fresh one (default: {SEED}, or SACREBLEU_SEED)",
        {"type": seed},
    ),
    # Short for --sentence-level in sacrebleu, but ambiguous with --seed here.
    ("--se", SUPPRESS, {"dest": "sentence_level"}),
    ("-ci", "--confidence", "95%% intervals of scores, from bootstrap resamples"),
    (
        "-cin",
        "--confidence-n",
        "N",
        f"resamples for -ci (default: {N_RESAMPLES})",
        {"type": at_least(2, MOST_REPEATS)},
    ),
    [
        (
            "-par",
            "--paired-ar",
            "tests of systems against the first one by approximate randomization",
        ),
        ("-pbs", "--paired-bs", "tests of systems against the first one by the bootstrap"),
    ],
    (
        "--all-pairs",
        "tests of all pairs in -par or -pbs, with p-values corrected for the number of pairs "
        "(Holm)",
    ),
    (
        "-parn",
        "--paired-ar-n",
        "N",
        f"trials for -par (default: {N_TRIALS}; 200 per pair if more)",
        {"type": REPEATS},
    ),
    (
        "-pbsn",
        "--paired-bs-n",
        "N",
        f"resamples for -pbs (default: {N_RESAMPLES}; 200 per pair if more)",
        {"type": REPEATS},
    ),
    (
        "-j",
        "--paired-jobs",
        "N",
        "threads for -par and -pbs; 0: one per core (default: --threads)",
        {"type": at_least(0)},
    ),
)
RESULTS = (
    (
        "-f",
        "--format",
        "FORM",
        f"{', '.join(FORMATS + TABLES)} (default: SACREBLEU_FORMAT or json; text for -sl, -d "
        "and --by)",
        {"choices": FORMATS + TABLES},
    ),
    (
        "-w",
        "--width",
        "N",
        "decimal places (default: 1; 4 for --scores within [-1, 1])",
        {"type": at_least(0, MOST_DIGITS)},
    ),
    ("-b", "--score-only", "only scores, without signatures below tables except in text"),
    # Short for --score-only in sacrebleu, but ambiguous with --scores here.
    ("--score", "--scor", "--sco", "--sc", SUPPRESS, {"dest": "score_only"}),
    ("-sh", "--short", "short signatures"),
    # Short for --short in sacrebleu, but ambiguous with --shard here.
    ("--sh", SUPPRESS, {"dest": "short"}),
    ("-d", "--detail", "additional scores by original language and domain of a test set"),
    ("-nc", "--no-color", "no colors"),
    ("-q", "--quiet", "no warnings, no progress bar"),
)
TEST_SETS = (
    ("-t", "--test-set", "SET[,SET...]", "test sets with the references, concatenated"),
    (
        "-ol",
        "--origlang",
        "LANG",
        "original language of the segments to score; non-LANG: any other one",
        {"type": original_language},
    ),
    ("--subset", "REGEX", "pattern of the annotations of documents to score"),
    ("--download", "SET", "test set to download"),
    (
        "--echo",
        "FIELD ...",
        "fields to print, separated by tabs: src, ref, any field of --list -t, or all",
    ),
    ("--list", "test sets; with -t language pairs and fields"),
    ("--citation", "--cite", "BibTeX entry of -t"),
)


def make_parser(program: str = "rapidbleu score", version: str = __version__) -> Parser:
    parser = ScoreParser(
        prog=program,
        usage="%(prog)s {[-r] REF ... | -t SET -l PAIR} [-i HYP ...] [options]\n"
        "       %(prog)s HYP ... -r REF ... [options]\n"
        "       %(prog)s --table FILE --hyp COLUMN --ref COLUMN [options]\n"
        "       %(prog)s --stats FILE ... [options]",
        description="Score translations with BLEU, chrF and TER, with sacrebleu's options and "
        "numbers, and with other metrics. Files may be plain, .gz, .bz2, .xz or .zst, with one "
        "segment per line.",
        examples=[
            "-r ref.txt -i hyp.txt -m bleu chrf wordf:beta=0/inf",
            "-r ref.txt -i old.txt new.txt -pbs -n 2000 -f csv",
        ],
    )
    parser.add_files(
        "-r",
        "--refs",
        metavar="REF",
        needed=False,
        default=[],
        otherwise="input",
        help="reference files, each with all segments",
    )
    add_options(parser._optionals, FILES)
    add_metrics(parser)
    n_before = len(parser._actions)
    add_groups(parser, OF_METRICS)
    parser.of_metrics |= {action.dest: action for action in parser._actions[n_before:]}
    add_groups(parser, {"significance": SIGNIFICANCE, "results": RESULTS, "test sets": TEST_SETS})
    parser._action_groups[-1].description = "sacrebleu must be installed for these options."
    version = f"%(prog)s {version}"
    parser._optionals.add_argument("-V", "--version", action="version", version=version)
    parser.set_defaults(as_sacrebleu=True)
    return parser


def parse(argv: Sequence[str], program: str, version: str) -> Namespace:
    """Return the options, including the final format."""
    parser = make_parser(program, version)
    args = parser.parse_args(argv)
    args.paired = args.paired_ar or args.paired_bs
    args.option_names = {
        dest.removeprefix("chrf_").removeprefix("ter_"): action.option_strings[-1]
        for dest, action in parser.of_metrics.items()
    }
    if args.stats is not None:
        _check_stats(parser, args)
    elif args.by is not None and args.table is None:
        parser.error("--by: expected --table or --stats, whose files have columns")
    take_table(parser, args)
    args.confidence_n = args.confidence_n or args.n_resamples or N_RESAMPLES
    if args.paired_bs_n is None:
        args.paired_bs_n = args.n_resamples
    if args.paired_ar_n is None:
        args.paired_ar_n = args.n_resamples
    # Segments are lines unless the command line requests JSON, as sacrebleu's always are.
    has_lines = bool(args.sentence_level or args.by)
    if args.format not in TABLES and not (has_lines and args.format is None):
        wanted = os.environ.get("SACREBLEU_FORMAT", "").lower()
        args.format = wanted if wanted in FORMATS else args.format
    args.format = args.format or ("text" if has_lines else "json")
    if args.detail and args.format == "json" and not args.sentence_level:
        args.format = "text"  # details are lines
    return args


def _check_stats(parser: Parser, args: Namespace) -> None:
    """Refuse references and options fixed by files of rows; use these as systems."""
    if args.refs:
        parser.error(f"--stats: expected no references, whose rows are there; got {args.refs[0]}")
    for dest, option in args.typed.items():
        if dest not in OF_ROWS:
            parser.error(f"{option}: not with --stats, whose files say what was scored, and how")
    args.input = args.stats


def check(args: Namespace) -> None:
    """Refuse files and options that conflict, or do not fit the number of systems."""
    _check_references(args)
    check_files(args, with_baseline=args.paired and not args.all_pairs)
    n_systems = len(args.input or [""])
    # In sacrebleu's formats and options, systems have sacrebleu's names: paths.
    is_ours = n_systems > 1 and (args.all_pairs or args.sentence_level or args.confidence)
    if args.names is None and args.input and (is_ours or args.format in TABLES):
        args.names = distinct_names(list(map(name_of_system, args.input)))
    for wrong, message in (
        (
            args.sentence_level and (args.confidence or args.paired),
            "-sl/--sentence-level: intervals and tests are of corpora, not segments",
        ),
        (
            args.paired and n_systems == 1,
            "paired tests compare systems: name their files with -i/--input",
        ),
        (
            args.confidence and args.paired,
            "-ci/--confidence and a paired test: choose one; -pbs has intervals",
        ),
        (
            args.all_pairs and not args.paired,
            "--all-pairs: compare systems by which test? (-pbs or -par)",
        ),
        (
            args.detail and args.format in (*TABLES, "latex"),
            f"-d/--detail prints lines of text, not -f {args.format}",
        ),
        (
            args.detail and args.shard != WHOLE,
            "-d/--detail scores parts of a whole test set, not of a --shard",
        ),
        (
            args.by and (args.sentence_level or args.confidence or args.paired or args.scores),
            "--by: scores only, without -sl, -ci, -par, -pbs and --scores",
        ),
    ):
        if wrong:
            raise CommandError(message)
    why = "without -ci/--confidence, -par or -pbs"
    check_effect(args, args.confidence or args.paired, why, "n_resamples", "seed")
    _warn_of_ignored(args, n_systems)
    if args.confidence or args.paired:
        # Refuse a wrong seed early
        if args.seed is None:
            from rapidbleu.significance.resamples import seed_of_environment

            args.signed_seed, args.seed = seed_of_environment()
        else:
            args.signed_seed = str(args.seed)
            args.seed = seed_of(args.seed)
    if args.input is None and not args.quiet and sys.stdin is not None and sys.stdin.isatty():
        say("reading a system from standard input; to read it from a file, name that behind -i")


def _warn_of_ignored(args: Namespace, n_systems: int) -> None:
    """Warn of options of sacrebleu that it ignores, and of names that are not shown."""
    is_json = args.format == "json"
    is_list = is_json and not args.sentence_level and n_systems > 1
    has_columns = n_systems > 1 or args.format in (*TABLES, "latex")
    is_by_segment = args.sentence_level and has_columns and not is_json
    ignored = {
        "names": not (has_columns or args.scores) and f"for one system on -f {args.format}",
        "confidence_n": not args.confidence and "without -ci/--confidence",
        "paired_ar_n": not args.paired_ar and "without -par/--paired-ar",
        "paired_bs_n": not args.paired_bs and "without -pbs/--paired-bs",
        "paired_jobs": not args.paired and "without -par or -pbs",
        "short": (is_json and "on -f json")
        or (is_by_segment and "on tables of segments")
        or (args.by and "with --by"),
        "score_only": (is_list and "on -f json of several systems")
        or (is_by_segment and args.format != "text" and "on tables of segments")
        or (args.by and "with --by"),
        "width": args.paired and is_json and "on -f json of -par and -pbs",
        "detail": args.sentence_level and "with -sl/--sentence-level",
    }
    for option, why in ignored.items():
        if option in args.typed and why and not args.quiet:
            say(f"{args.typed[option]}: no effect {why}")


def _check_references(args: Namespace) -> None:
    """Refuse conflicting files of references and test sets."""
    if not (args.refs or args.test_set or args.stats):
        raise CommandError(
            "no references: name their files, before -i/--input, or a test set with -t"
        )
    if args.refs and args.test_set:
        raise CommandError(
            f"two kinds of references: -t {args.test_set} and {args.refs[0]}; files of systems "
            "belong behind -i/--input"
        )
    if args.num_refs != 1 and args.test_set:
        raise CommandError("-nr/--num-refs splits a file of references, not a test set")
    if (args.origlang or args.subset) and not (args.test_set and args.language_pair):
        raise CommandError("-ol/--origlang and --subset choose from a test set: give -t and -l")
    if args.test_set:
        from rapidbleu.cli.score import testsets

        testsets.check(args)


def run(
    argv: Sequence[str], out: TextIO, program: str = "rapidbleu score", version: str = __version__
) -> int:
    args = parse(argv, program, version)
    with library_messages(args.quiet, options=args.option_names):
        if args.download or args.list or args.citation or args.echo:
            from rapidbleu.cli.score import testsets

            testsets.answer(args, out)
            return 0
        check(args)
        # Read texts, or rows of statistics
        if args.stats:
            from rapidbleu.cli.score import rows

            metrics, corpus, also = rows.read_rows(args)
            whole = corpus
        else:
            metrics, whole, corpus, also = read_texts(args)
        # Score and print
        report(Job(metrics, corpus, also, args, out), out)
        if args.detail and len(corpus.systems) == 1 and not args.sentence_level:
            from rapidbleu.cli.score import testsets

            testsets.print_details(metrics, whole, args, out)
    return 0


def read_texts(
    args: Namespace,
) -> tuple[dict[str, RowScoring], Corpus, Corpus, dict[str, str]]:
    """Return metrics, all segments, the chosen ones, and further entries of signatures.

    Files of lines and tables are streamed if possible.
    """
    metrics = make_metrics(args)
    for name, metric in metrics.items() if args.by else ():
        metric._check_that_rows_add_up(f"--by: {name}")
    needs_all = bool(args.test_set or args.scores or args.sentence_level or args.paired)
    # Only warn of tables, because sacrebleu reads any file.
    streamed = streamed_corpus(args, needs_all, refuse=False)
    corpus = whole = streamed or read(args, metrics)
    if streamed is None:
        if args.origlang or args.subset:
            from rapidbleu.cli.score import testsets

            corpus = part_of(whole, testsets.choose(len(whole.references[0]), args))
        metrics = informed(metrics, corpus.references)
        if args.shard != WHOLE:
            corpus = shard_of(corpus, args)
    also = {}
    if args.shard != WHOLE:
        also["shard"] = str(args.shard)
        if corpus.references and not corpus.n_segments:
            raise CommandError(f"--shard {args.shard}: expected at least one segment; got none")
    external = {name: SegmentScores(name) for name in corpus.given}
    return {**metrics, **external}, whole, corpus, also


def read(args: Namespace, metrics: dict[str, Any]) -> Corpus:
    """Read all files, also those with scores by external metrics."""
    files: dict[str, list[str]] = {}
    streams = None
    if args.scores:
        from rapidbleu.cli.external_scores import check_metrics, named_files, read_external

        files = named_files(args)
        check_metrics(files, metrics)
    if args.test_set:
        from rapidbleu.cli.score import testsets

        streams = testsets.read_streams(args)
    corpus = read_corpus(args, refuse=False, streams=streams)
    if files:
        for name, scores in read_external(files, corpus.systems, args).items():
            corpus.given[name] = list(map(SegmentScores(name).stats, scores))
    return corpus


def report(job: Job, out: TextIO) -> None:
    """Score systems and print the results."""
    args = job.args
    if args.by or args.paired or args.confidence:
        from rapidbleu.cli.score import rows
    if args.by:
        text = output.grouped(*rows.scores_of_groups(job), job)
    elif args.paired:
        text = output.written(rows.compared(job), job)
    elif args.confidence:
        text = output.written(rows.resampled_scores(job), job)
    elif not args.sentence_level:
        text = output.written(output.corpus_scores(job), job)
    elif args.format != "json" and (len(job.names) > 1 or args.format != "text"):
        text = output.segment_table(segment_columns(job), job)
    else:
        entries = segment_entries(job, args.quiet or out.isatty())
        is_json = args.format == "json"
        out.writelines(json_list(entries) if is_json else (f"{entry}\n" for entry in entries))
        return
    print(text, file=out)


def segment_columns(job: Job) -> list[output._Column]:
    """Return a column of segment scores for each metric and system."""
    columns = []
    for name, metric in job.metrics.items():
        rows_of = job.rows(name)
        printed = job.named(metric.score(rows_of[0][0]), name).name
        for system, rows in zip(job.corpus.systems, rows_of, strict=True):
            numbers = metric.score_rows(rows).tolist()
            columns.append(job.column(system.name, printed, numbers))
    return columns


def segment_entries(job: Job, quiet: bool) -> Iterator[str]:
    """Yield an entry for each metric of the first segment, then of the second, and so on."""
    n_systems = len(job.names)
    columns = [entries_of(name, i, job) for i in range(n_systems) for name in job.metrics]
    with progress_bar("segments", job.corpus.n_segments * n_systems, quiet) as bar:
        for entries in zip(*columns, strict=True):
            yield from entries
            if bar is not None:
                bar.update(n_systems)


def entries_of(name: str, i: int, job: Job) -> Iterator[str]:
    """Yield the score of each segment of system `i`, as text or JSON.

    If there are several systems, entries are JSON and begin with segment number and system.
    """
    metric = job.metrics[name]
    corpus = job.corpus
    several = len(job.names) > 1
    system = corpus.systems[i]
    if name in corpus.given:
        scores = map(metric.score, corpus.given[name][i])
    elif job.score_only and not several:
        for begin in range(0, len(system.segments), PART):
            part = slice(begin, begin + PART)
            streams = [stream[part] for stream in corpus.references]
            numbers = metric.segment_scores(
                system.segments[part], streams, threads=job.args.threads
            )
            for number in numbers.tolist():
                yield f"{number:.{job.width}f}"
        return
    else:
        # One score object at a time is faster here than rows of statistics.
        references = zip(*corpus.references, strict=True)
        scores = map(metric.sentence_score, system.segments, references)
    signature = None  # known after the first score, and equal for all
    for number, score in enumerate(scores, corpus.first + 1):
        if signature is None:
            signature = job.signature(name)
        place = {"segment": number, "system": system.name} if several else {}
        yield output.segment_entry(place, job.named(score, name), signature, job)
