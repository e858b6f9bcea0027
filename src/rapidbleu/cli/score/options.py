"""The options of the scoring command: sacrebleu's names and meanings, and a few more."""

import os
import sys
from argparse import SUPPRESS, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence

from rapidbleu._version import __version__
from rapidbleu.cli import summaries
from rapidbleu.cli.files import check_files
from rapidbleu.cli.messages import CommandError, say
from rapidbleu.cli.metrics import add_metrics, option_of
from rapidbleu.cli.options import (
    MOST,
    MOST_DIGITS,
    MOST_REPEATS,
    N_RESAMPLES,
    N_TRIALS,
    WHOLE,
    Parser,
    add_threads,
    at_least,
    number_from,
    shard,
)
from rapidbleu.cli.score import testsets
from rapidbleu.metrics import CHRF
from rapidbleu.metrics.bleu import DEFAULTS

FORMATS = ("json", "text", "latex")  # sacrebleu's
TABLES = ("csv", "tsv", "markdown")

# Options of systems whose rows of statistics are read: the rest is of texts, or of a metric.
OF_ROWS = {
    "all_pairs", "by", "confidence", "confidence_n", "format", "help", "names", "no_color",
    "paired_ar", "paired_ar_n", "paired_bs", "paired_bs_n", "paired_jobs", "quiet", "score_only",
    "sentence_level", "short", "stats", "threads", "version", "width",
}  # fmt: skip

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
    """The parser of the scoring command, which knows what it lacks."""

    hints = HINTS

    def format_help(self) -> str:
        """Return the help text; only the command without a name lists all others."""
        if self.prog == "rapidbleu":
            self.epilog = summaries()
        return super().format_help()


def original_language(text: str) -> str:
    """Return a language, or refuse a file: -o is short for --origlang."""
    if "." in text or os.sep in text:
        report = f"; {REPORT}" if text.endswith((".html", ".htm")) else ""
        raise ArgumentTypeError(f"expected a language, got {text!r}; {OUTPUT}{report}")
    return text


def make_parser(program: str = "rapidbleu", version: str = __version__) -> Parser:
    """Return the parser of the scoring command."""
    parser = ScoreParser(
        prog=program,
        usage="%(prog)s {REF [REF ...] | -t SET -l PAIR} [-i HYP [HYP ...]] [options]\n"
        "       %(prog)s --stats FILE [FILE ...] [options]",
        description="Score translations with BLEU, chrF and TER, with sacrebleu's options and\n"
        "numbers, and with other metrics. Files may be plain, .gz, .bz2, .xz or .zst, with\n"
        "one segment on each line.",
        formatter_class=RawDescriptionHelpFormatter,
    )
    _add_files(parser)
    add_metrics(parser)
    _add_sacrebleus(parser)
    _add_statistics(parser)
    _add_report(parser)
    _add_test_sets(parser)
    parser.add_argument("-V", "--version", action="version", version=f"%(prog)s {version}")
    return parser


def _add_files(parser: Parser) -> None:
    add = parser.add_argument
    add("refs", nargs="*", metavar="REF", help="files of references, each with all segments")
    add("-i", "--input", nargs="+", metavar="HYP", help="systems to score instead of stdin")
    add("--stats", nargs="+", metavar="FILE",
        help="systems to score from rows of statistics instead, a file of `rapidbleu stats` for "
        "each, which says of which metric they are")  # fmt: skip
    add("--by", metavar="COLUMN", help="of --stats: score each value of a column that was kept")
    add("--names", nargs="+", metavar="NAME", help="of the systems, if not those of their files")
    add("--scores", nargs="+", action="append", default=[], metavar="NAME=FILE",
        help="scores of segments by another metric: NAME=FILE FILE ... with a file for each system "
        "and a number on each line, or one table with a column for each system, or COMET's "
        "JSON")  # fmt: skip
    add("-nr", "--num-refs", type=at_least(1, MOST), default=1, metavar="N",
        help="references in each line of REF, separated by tabs (default: 1)")  # fmt: skip
    add("-e", "--encoding", default="utf-8", help="of all files and stdin (default: utf-8)")
    add("-sl", "--sentence-level", action="store_true", help="score each segment")
    add("--shard", type=shard, default=WHOLE, metavar="I/N",
        help="score the I-th of N equal parts of the segments only; signatures say so")  # fmt: skip
    add_threads(parser)


def _add_sacrebleus(parser: Parser) -> None:
    """Add the options of metrics that sacrebleu has."""
    n_before = len(parser._actions)
    add = parser.add_argument_group("BLEU").add_argument
    add("-s", "--smooth-method", choices=list(DEFAULTS), default="exp",
        help="for orders without a match (default: exp); nltk1 to nltk7 are those of NLTK's "
        "SmoothingFunction, for segments")  # fmt: skip
    add("-sv", "--smooth-value", type=number_from(0), metavar="X",
        help=f"of floor (default: {DEFAULTS['floor']}) and add-k (default: {DEFAULTS['add-k']}), "
        "NLTK's epsilon, k or alpha")  # fmt: skip
    add("--force", action="store_true", help="do not warn of input that looks tokenized")
    add = parser.add_argument_group("chrF").add_argument
    add("-cc", "--chrf-char-order", type=at_least(0, MOST), default=CHRF.CHAR_ORDER, metavar="N",
        help=f"highest order of character n-grams (default: {CHRF.CHAR_ORDER})")  # fmt: skip
    add("-cw", "--chrf-word-order", type=at_least(0, MOST), default=CHRF.WORD_ORDER, metavar="N",
        help="highest order of word n-grams; 1: chrF+, 2: chrF++ "
        f"(default: {CHRF.WORD_ORDER})")  # fmt: skip
    add("--chrf-beta", type=at_least(0, MOST), default=CHRF.BETA, metavar="N",
        help="how many times more recall counts than precision "
        f"(default: {CHRF.BETA})")  # fmt: skip
    add("--chrf-whitespace", action="store_true", help="white space is among the characters")
    add("--chrf-lowercase", action="store_true", help="ignore case")
    add("--chrf-eps-smoothing", action="store_true",
        help="mean of the scores of all orders, as chrF++.py, NLTK and Moses have it")  # fmt: skip
    add = parser.add_argument_group("TER").add_argument
    add("--ter-case-sensitive", action="store_true", help="do not ignore case")
    add("--ter-asian-support", action="store_true",
        help="punctuation and ideographs of Asian languages are known")  # fmt: skip
    add("--ter-no-punct", action="store_true", help="remove punctuation")
    add("--ter-normalized", action="store_true", help="undo entities and split off punctuation")
    parser.of_metrics |= {action.dest: action for action in parser._actions[n_before:]}


def _add_statistics(parser: Parser) -> None:
    group = parser.add_argument_group(
        "significance", "The seed is 12345, or that of SACREBLEU_SEED; none: another one each time."
    )
    add = group.add_argument
    add("-ci", "--confidence", action="store_true",
        help="95%% intervals of scores, from bootstrap resamples")  # fmt: skip
    add("-cin", "--confidence-n", type=at_least(2, MOST_REPEATS), default=N_RESAMPLES, metavar="N",
        help=f"resamples for -ci (default: {N_RESAMPLES})")  # fmt: skip
    test = group.add_mutually_exclusive_group().add_argument
    test("-par", "--paired-ar", action="store_true",
        help="compare systems with the first one by approximate randomization")  # fmt: skip
    test("-pbs", "--paired-bs", action="store_true",
        help="compare systems with the first one by the bootstrap")  # fmt: skip
    add("--all-pairs", action="store_true",
        help="with -par or -pbs: compare all systems with all, and correct p-values for the number "
        "of pairs (Holm); ties count, unlike in sacrebleu's tests")  # fmt: skip
    add("-parn", "--paired-ar-n", type=at_least(0, MOST_REPEATS), metavar="N",
        help=f"trials for -par (default: {N_TRIALS}; 40 a pair if more)")  # fmt: skip
    add("-pbsn", "--paired-bs-n", type=at_least(0, MOST_REPEATS), metavar="N",
        help=f"resamples for -pbs (default: {N_RESAMPLES}; 40 a pair if more)")  # fmt: skip
    add("-j", "--paired-jobs", type=at_least(0), metavar="N",
        help="threads for -par and -pbs; 0: one for each core (default: --threads)")  # fmt: skip


def _add_report(parser: Parser) -> None:
    add = parser.add_argument_group("results").add_argument
    add("-f", "--format", choices=FORMATS + TABLES,
        help="latex is a table of several systems, and text for one; csv, tsv and markdown are "
        "tables of any number (default: json; text for -sl and -d). SACREBLEU_FORMAT chooses among "
        "sacrebleu's forms: json, text and latex")  # fmt: skip
    add("-w", "--width", type=at_least(0, MOST_DIGITS), metavar="N",
        help="digits after the point (default: 1; 4 for --scores within [-1, 1])")  # fmt: skip
    add("-b", "--score-only", action="store_true",
        help="print the score alone; in a table no signatures")  # fmt: skip
    # Short for --score-only in sacrebleu, and would be for --scores as well.
    add("--score", "--scor", "--sco", "--sc", dest="score_only", action="store_true", help=SUPPRESS)
    add("-sh", "--short", action="store_true", help="print a shorter signature")
    # Short for --short in sacrebleu, and would be for --shard as well.
    add("--sh", dest="short", action="store_true", help=SUPPRESS)
    add("-d", "--detail", action="store_true",
        help="also score the parts of a test set by original language and domain")  # fmt: skip
    add("-nc", "--no-color", action="store_true", help="use no colors")
    add("-q", "--quiet", action="store_true", help="no warnings, no progress bar")


def _add_test_sets(parser: Parser) -> None:
    add = parser.add_argument_group(
        "test sets", "They are those of sacrebleu, which has to be installed for these options."
    ).add_argument
    add("-t", "--test-set", metavar="SET[,SET...]",
        help="take the references of test sets, one after the other")  # fmt: skip
    add("-ol", "--origlang", type=original_language, metavar="LANG",
        help="only segments with this original language; non-LANG: without it")  # fmt: skip
    add("--subset", metavar="REGEX", help="only segments of documents whose annotation matches")
    add("--download", metavar="SET", help="download a test set")
    add("--echo", nargs="+", metavar="FIELD", help="print src, ref, or others of the fields that "
        "--list -t shows, with tabs between them, or all")  # fmt: skip
    add("--list", action="store_true", help="list test sets; with -t its language pairs and fields")
    add("--citation", "--cite", action="store_true", help="print the BibTeX entry of -t")


def parse(argv: Sequence[str], program: str, version: str) -> Namespace:
    """Return the options, with the format decided."""
    parser = make_parser(program, version)
    args = parser.parse_args(argv)
    args.as_sacrebleu = True
    args.option_names = {
        option_of(dest)[1]: action.option_strings[-1] for dest, action in parser.of_metrics.items()
    }
    if args.stats is not None:
        _check_stats(parser, argv, args)
    elif args.by is not None:
        parser.error("--by: expected --stats, whose files have columns")
    # Segments are lines unless the command line asks for JSON, as sacrebleu's always are.
    if args.format not in TABLES and not (args.sentence_level and args.format is None):
        args.format = format_of_environment() or args.format
    args.format = args.format or ("text" if args.sentence_level else "json")
    if args.detail and args.format == "json" and not args.sentence_level:
        args.format = "text"  # details are lines
    return args


def _check_stats(parser: Parser, argv: Sequence[str], args: Namespace) -> None:
    """Refuse references, and options that say what the files of rows do; take these as systems."""
    if args.refs:
        parser.error(f"--stats: expected no references, whose rows are there, got {args.refs[0]}")
    others = {
        action.dest: "/".join(action.option_strings)
        for action in parser._actions
        if action.option_strings and action.dest not in OF_ROWS
    }
    given = vars(parser.parse_args(argv, Namespace(**dict.fromkeys(others))))
    for dest, option in others.items():
        if given[dest] is not None:
            parser.error(f"{option}: not with --stats, whose files say what was scored, and how")
    args.input = args.stats


def format_of_environment() -> str:
    """Return the format that the variable SACREBLEU_FORMAT asks for; "" if it names none."""
    wanted = os.environ.get("SACREBLEU_FORMAT", "").lower()
    return wanted if wanted in FORMATS else ""


def check(args: Namespace) -> None:
    """Refuse files and options that do not go together, or not with so many systems."""
    paired = args.paired_ar or args.paired_bs
    _check_references(args)
    check_files(args, with_baseline=paired and not args.all_pairs)
    n_systems = len(args.input or [""])
    for wrong, message in (
        (args.sentence_level and (args.confidence or paired),
         "-sl/--sentence-level: intervals and tests are of corpora, not segments"),
        (paired and n_systems == 1,
         "paired tests compare systems: name their files with -i/--input"),
        (args.confidence and paired,
         "-ci/--confidence and a paired test: choose one; -pbs has intervals"),
        (args.all_pairs and not paired,
         "--all-pairs: compare systems by which test? (-pbs or -par)"),
        (args.detail and args.format in TABLES,
         f"-d/--detail prints lines of text, not -f {args.format}"),
        (args.detail and args.shard != WHOLE,
         "-d/--detail scores parts of a whole test set, not of a --shard"),
        (args.by and (args.sentence_level or args.confidence or paired),
         "--by: scores only, without -sl, -ci, -par and -pbs"),
    ):  # fmt: skip
        if wrong:
            raise CommandError(message)
    if args.confidence or paired:
        from rapidbleu.significance.resamples import seed_of_environment

        seed_of_environment()  # complain of it now rather than later
    if args.input is None and not args.quiet and sys.stdin is not None and sys.stdin.isatty():
        say("reading a system from standard input; to read it from a file, name that behind -i")


def _check_references(args: Namespace) -> None:
    """Refuse files of references and test sets that do not go together."""
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
        testsets.check(args)
