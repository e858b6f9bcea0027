"""What ``rapidbleu mbr`` and ``rapidbleu oracle`` have in common: their options, and the metric."""

from rapidbleu.cli.candidates.choices import FORMS
from rapidbleu.cli.candidates.groups import OPTION
from rapidbleu.cli.metrics import add_language_pair
from rapidbleu.cli.options import MOST, WHOLE, Parser, add_threads, at_least, shard

FILES = (
    "Candidates are an n-best list, whose lines are 'segment ||| text ||| ...', sorted by segment; "
    "or N consecutive lines of a file for each segment (-n N); or several files, in each of which "
    "a line is a candidate of the segment of that number. Files may be plain, .gz, .bz2, .xz or "
    ".zst; - is standard input."
)


def add_options(parser: Parser, shard_help: str) -> None:
    """Add the options but those of metrics."""
    add = parser.add_argument
    add("input", nargs="+", metavar="FILE", help="the candidates")
    add(*OPTION.split("/"), type=at_least(1, MOST), metavar="N",
        help="consecutive lines of each file that belong to a segment (default: 1 of several "
        "files)")  # fmt: skip
    add("--shard", type=shard, default=WHOLE, metavar="I/N", help=shard_help)
    add("-e", "--encoding", default="utf-8", help="of all files and stdin (default: utf-8)")
    add("-f", "--format", choices=FORMS, default="text",
        help="text: the chosen ones, a line each; tsv and json: also which they are, counted from "
        "1 (default: text)")  # fmt: skip
    add("-o", "--output", metavar="FILE", help="write to FILE instead of standard output")
    add_threads(parser)
    add("-q", "--quiet", action="store_true", help="no messages, no progress bar")
    add_language_pair(parser)
