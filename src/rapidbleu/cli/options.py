"""The options of the scoring command: sacrebleu's names and meanings, and a few more."""

import os
from argparse import Action, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from rapidbleu._version import __version__
from rapidbleu.cli.messages import CommandError, say
from rapidbleu.metrics import BLEU
from rapidbleu.metrics.bleu import MAX_NGRAM_ORDER

FORMATS = ("json", "text")


class Parser(ArgumentParser):
    """A parser whose complaints are one line."""

    def error(self, message: str) -> NoReturn:
        say(f"{message} (see rapidbleu --help)")
        raise SystemExit(2)


class SacrebleuOption(Action):
    """An option of sacrebleu's that is about its test sets."""

    def __call__(
        self, parser: ArgumentParser, args: Namespace, values: Any, option: str | None = None
    ) -> NoReturn:
        raise CommandError(
            f"{option}: test sets are sacrebleu's business; get one with sacrebleu -t SET -l PAIR "
            "--echo ref, and score against that file"
        )


def at_least(minimum: int) -> Callable[[str], int]:
    """Return the type of an option whose value is an integer from `minimum` on."""

    def convert(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = minimum - 1
        if number < minimum:
            raise ArgumentTypeError(f"expected an integer >= {minimum}, got {text!r}")
        return number

    return convert


def target_language(pair: str) -> str:
    """Return the target language of a language pair."""
    parts = pair.split("-")
    if len(parts) < 2:
        raise ArgumentTypeError(f"expected SOURCE-TARGET, got {pair!r}")
    return parts[1]


def make_parser() -> ArgumentParser:
    """Return the parser of the scoring command."""
    parser = Parser(
        prog="rapidbleu",
        usage="%(prog)s REF [REF ...] [-i HYP [HYP ...]] [options]",
        description="BLEU with sacrebleu's options and numbers. Files may be plain, .gz, .bz2, .xz "
        "or .zst, with one segment on each line.",
    )
    _add_files(parser)
    add_bleu(parser)
    _add_report(parser)
    _add_test_sets(parser)
    parser.add_argument("-V", "--version", action="version", version=f"%(prog)s {__version__}")
    return parser


def _add_files(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("refs", nargs="*", metavar="REF", help="files of references, each with all segments")
    add("-i", "--input", nargs="+", metavar="HYP", help="systems to score instead of stdin")
    add("-nr", "--num-refs", type=at_least(1), default=1, metavar="N",
        help="references in each line of REF, separated by tabs (default: 1)")  # fmt: skip
    add("-e", "--encoding", default="utf-8", help="of all files and stdin (default: utf-8)")
    add("-m", "--metrics", nargs="+", choices=["bleu"], default=["bleu"],
        help="what to compute (default: bleu)")  # fmt: skip
    add("-sl", "--sentence-level", action="store_true", help="score each segment")
    add("-l", "--language-pair", type=target_language, dest="trg_lang",
        metavar="PAIR", help="such as en-zh: the target chooses the tokenizer")  # fmt: skip
    add("--threads", type=at_least(0), default=1, metavar="N",
        help="threads to use; 0: one for each core (default: 1)")  # fmt: skip


def add_bleu(parser: ArgumentParser) -> None:
    add = parser.add_argument_group("BLEU").add_argument
    floor, k = BLEU.SMOOTH_DEFAULTS["floor"], BLEU.SMOOTH_DEFAULTS["add-k"]
    add("-s", "--smooth-method", choices=list(BLEU.SMOOTH_DEFAULTS), default="exp",
        help="for orders without a match (default: exp)")  # fmt: skip
    add("-sv", "--smooth-value", type=float, metavar="X",
        help=f"of floor (default: {floor}) and add-k (default: {k})")  # fmt: skip
    add("-tok", "--tokenize", choices=list(BLEU.TOKENIZERS),
        help=f"default: {BLEU.TOKENIZER_DEFAULT}, or what -l calls for")  # fmt: skip
    add("-lc", "--lowercase", action="store_true", help="ignore case")
    add("--max-ngram-order", type=at_least(1), default=MAX_NGRAM_ORDER, metavar="N",
        help=f"default: {MAX_NGRAM_ORDER}")  # fmt: skip
    add("--force", action="store_true", help="do not warn of input that looks tokenized")


def _add_report(parser: ArgumentParser) -> None:
    add = parser.add_argument_group("results").add_argument
    add("-f", "--format", choices=FORMATS,
        help="default: json; text for -sl. SACREBLEU_FORMAT overrides this option")  # fmt: skip
    add("-w", "--width", type=at_least(0), default=1, metavar="N",
        help="digits behind the decimal point (default: 1)")  # fmt: skip
    add("-b", "--score-only", action="store_true", help="print the score alone")
    add("-sh", "--short", action="store_true", help="print a shorter signature")
    add("-nc", "--no-color", action="store_true", help="use no colors")
    add("-q", "--quiet", action="store_true", help="no warnings, no progress bar")


def _add_test_sets(parser: ArgumentParser) -> None:
    add = parser.add_argument_group("test sets", "These are left to sacrebleu.").add_argument
    add("-t", "--test-set", action=SacrebleuOption, metavar="SET")
    add("--download", action=SacrebleuOption, metavar="SET")
    add("--echo", action=SacrebleuOption, nargs="+", metavar="FIELD")
    add("--list", action=SacrebleuOption, nargs=0)
    add("--citation", "--cite", action=SacrebleuOption, nargs=0)


def parse(argv: Sequence[str] | None) -> Namespace:
    """Return the options, with the format decided."""
    args = make_parser().parse_args(argv)
    by_default = "text" if args.sentence_level else "json"
    wanted = os.environ.get("SACREBLEU_FORMAT", "").lower()
    # Segments are lines unless somebody asked on the command line, as sacrebleu's always are.
    if wanted in FORMATS and not (args.sentence_level and args.format is None):
        args.format = wanted
    args.format = args.format or by_default
    return args
