"""Options of the scoring command: sacrebleu's and a few more; brief help."""

from __future__ import annotations

import os
from argparse import SUPPRESS, ArgumentTypeError

from rapidbleu._version import __version__
from rapidbleu.cli import help_text
from rapidbleu.cli.files import add_table
from rapidbleu.cli.metrics import add_metrics
from rapidbleu.cli.options import (
    MOST,
    MOST_DIGITS,
    MOST_REPEATS,
    N_RESAMPLES,
    N_TRIALS,
    WHOLE,
    Parser,
    add_resamples,
    add_seed,
    add_threads,
    at_least,
    number_from,
    shard,
)
from rapidbleu.metrics import CHRF
from rapidbleu.metrics.bleu import DEFAULTS

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
    parser.add_files(
        "-r",
        "--refs",
        metavar="REF",
        needed=False,
        default=[],
        otherwise="input",
        help="reference files, each with all segments",
    )
    add("-i", "--input", nargs="+", metavar="HYP", help="system outputs (default: stdin)")
    add(
        "--stats",
        nargs="+",
        metavar="FILE",
        help="rows of statistics, one file of `rapidbleu stats` per system",
    )
    add_table(parser)
    add(
        "--by",
        nargs="+",
        metavar="COLUMN",
        help="columns of --table or --stats, whose values are "
        "scored separately, with their mean (macro) and the overall score (micro)",
    )
    add("--names", nargs="+", metavar="NAME", help="system names (default: file names)")
    add(
        "--scores",
        nargs="+",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="segment scores by another metric: one file per system with a number on each line, a "
        "table, or COMET's JSON",
    )
    add(
        "-nr",
        "--num-refs",
        type=at_least(1, MOST),
        default=1,
        metavar="N",
        help="references in each line of REF, separated by tabs (default: 1)",
    )
    add("-e", "--encoding", default="utf-8", help="encoding of files and stdin (default: utf-8)")
    add("-sl", "--sentence-level", action="store_true", help="scores of segments")
    add(
        "--shard",
        type=shard,
        default=WHOLE,
        metavar="I/N",
        help="the I-th of N equal parts of the segments",
    )
    add_threads(parser)


def _add_sacrebleus(parser: Parser) -> None:
    """Add sacrebleu's options for metrics."""
    n_before = len(parser._actions)
    add = parser.add_argument_group("BLEU").add_argument
    add(
        "-s",
        "--smooth-method",
        choices=list(DEFAULTS),
        default="exp",
        metavar="NAME",
        help=f"smoothing of orders without a match: {', '.join(DEFAULTS)} (default: exp); nltk1 to "
        "nltk7 as in NLTK's SmoothingFunction, for segments",
    )
    add(
        "-sv",
        "--smooth-value",
        type=number_from(0),
        metavar="X",
        help=f"value of floor (default: {DEFAULTS['floor']}) and add-k (default: "
        f"{DEFAULTS['add-k']}), or NLTK's epsilon, k or alpha",
    )
    add("--force", action="store_true", help="no warning about input that looks tokenized")
    add = parser.add_argument_group("chrF").add_argument
    add(
        "-cc",
        "--chrf-char-order",
        type=at_least(0, MOST),
        default=CHRF.CHAR_ORDER,
        metavar="N",
        help=f"highest order of character n-grams (default: {CHRF.CHAR_ORDER})",
    )
    add(
        "-cw",
        "--chrf-word-order",
        type=at_least(0, MOST),
        default=CHRF.WORD_ORDER,
        metavar="N",
        help=f"highest order of word n-grams; 1: chrF+, 2: chrF++ (default: {CHRF.WORD_ORDER})",
    )
    add(
        "--chrf-beta",
        type=at_least(0, MOST),
        default=CHRF.BETA,
        metavar="N",
        help=f"weight of recall relative to precision (default: {CHRF.BETA})",
    )
    add("--chrf-whitespace", action="store_true", help="white space as characters")
    add("--chrf-lowercase", action="store_true", help="lowercased text")
    add(
        "--chrf-eps-smoothing",
        action="store_true",
        help="mean of the scores of all orders, as in chrF++.py, NLTK and Moses",
    )
    add = parser.add_argument_group("TER").add_argument
    add("--ter-case-sensitive", action="store_true", help="case-sensitive comparison")
    add(
        "--ter-asian-support",
        action="store_true",
        help="punctuation and ideographs of Asian languages",
    )
    add("--ter-no-punct", action="store_true", help="no punctuation")
    add("--ter-normalized", action="store_true", help="decoded entities, separate punctuation")
    parser.of_metrics |= {action.dest: action for action in parser._actions[n_before:]}


def _add_statistics(parser: Parser) -> None:
    group = parser.add_argument_group("significance")
    add = group.add_argument
    add_resamples(add, 2, None, "resamples of -ci and -pbs, and trials of -par")
    add_seed(add, None, ", or SACREBLEU_SEED")
    # Short for --sentence-level in sacrebleu, but ambiguous with --seed here.
    add("--se", dest="sentence_level", action="store_true", help=SUPPRESS)
    add(
        "-ci",
        "--confidence",
        action="store_true",
        help="95%% intervals of scores, from bootstrap resamples",
    )
    add(
        "-cin",
        "--confidence-n",
        type=at_least(2, MOST_REPEATS),
        metavar="N",
        help=f"resamples for -ci (default: {N_RESAMPLES})",
    )
    test = group.add_mutually_exclusive_group().add_argument
    test(
        "-par",
        "--paired-ar",
        action="store_true",
        help="tests of systems against the first one by approximate randomization",
    )
    test(
        "-pbs",
        "--paired-bs",
        action="store_true",
        help="tests of systems against the first one by the bootstrap",
    )
    add(
        "--all-pairs",
        action="store_true",
        help="tests of all pairs in -par or -pbs, with p-values corrected for the number of pairs "
        "(Holm)",
    )
    add(
        "-parn",
        "--paired-ar-n",
        type=at_least(0, MOST_REPEATS),
        metavar="N",
        help=f"trials for -par (default: {N_TRIALS}; 200 per pair if more)",
    )
    add(
        "-pbsn",
        "--paired-bs-n",
        type=at_least(0, MOST_REPEATS),
        metavar="N",
        help=f"resamples for -pbs (default: {N_RESAMPLES}; 200 per pair if more)",
    )
    add(
        "-j",
        "--paired-jobs",
        type=at_least(0),
        metavar="N",
        help="threads for -par and -pbs; 0: one per core (default: --threads)",
    )


def _add_report(parser: Parser) -> None:
    add = parser.add_argument_group("results").add_argument
    add(
        "-f",
        "--format",
        choices=FORMATS + TABLES,
        metavar="FORM",
        help=f"{', '.join(FORMATS + TABLES)} (default: SACREBLEU_FORMAT or json; text for -sl, -d "
        "and --by)",
    )
    add(
        "-w",
        "--width",
        type=at_least(0, MOST_DIGITS),
        metavar="N",
        help="decimal places (default: 1; 4 for --scores within [-1, 1])",
    )
    add(
        "-b",
        "--score-only",
        action="store_true",
        help="only scores, without signatures below tables except in text",
    )
    # Short for --score-only in sacrebleu, but ambiguous with --scores here.
    add("--score", "--scor", "--sco", "--sc", dest="score_only", action="store_true", help=SUPPRESS)
    add("-sh", "--short", action="store_true", help="short signatures")
    # Short for --short in sacrebleu, but ambiguous with --shard here.
    add("--sh", dest="short", action="store_true", help=SUPPRESS)
    add(
        "-d",
        "--detail",
        action="store_true",
        help="additional scores by original language and domain of a test set",
    )
    add("-nc", "--no-color", action="store_true", help="no colors")
    add("-q", "--quiet", action="store_true", help="no warnings, no progress bar")


def _add_test_sets(parser: Parser) -> None:
    add = parser.add_argument_group(
        "test sets", "sacrebleu must be installed for these options."
    ).add_argument
    add(
        "-t",
        "--test-set",
        metavar="SET[,SET...]",
        help="test sets with the references, concatenated",
    )
    add(
        "-ol",
        "--origlang",
        type=original_language,
        metavar="LANG",
        help="original language of the segments to score; non-LANG: any other one",
    )
    add("--subset", metavar="REGEX", help="pattern of the annotations of documents to score")
    add("--download", metavar="SET", help="test set to download")
    add(
        "--echo",
        nargs="+",
        metavar="FIELD",
        help="fields to print, separated by tabs: src, ref, any field of --list -t, or all",
    )
    add("--list", action="store_true", help="test sets; with -t language pairs and fields")
    add("--citation", "--cite", action="store_true", help="BibTeX entry of -t")
