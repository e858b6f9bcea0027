"""``rapidbleu merge``: files of rows of statistics joined to one."""

from collections.abc import Sequence
from typing import TextIO

from rapidbleu.cli.files import file_errors
from rapidbleu.cli.messages import progress_bar
from rapidbleu.cli.options import Parser
from rapidbleu.rows.joining import join_files


def make_parser() -> Parser:
    """Return the parser of the command."""
    parser = Parser(
        prog="rapidbleu merge",
        usage="%(prog)s PART [PART ...] -o OUT [-q]",
        description="Join rows of statistics that shards of `rapidbleu stats` wrote. What their "
        "manifests say is verified first; other metrics, missing shards and repeated ones are "
        "refused. The memory is that of the largest part, and of ids if there are any.",
    )
    add = parser.add_argument
    add("parts", nargs="+", metavar="PART",
        help="the parts: shards in any order, other files in that of the corpus")  # fmt: skip
    add("-o", "--output", required=True, metavar="OUT",
        help=".npz, .parquet, .arrow, .ipc or .feather; OUT.json is its manifest")  # fmt: skip
    add("-q", "--quiet", action="store_true", help="no progress bar")
    return parser


def run(argv: Sequence[str], out: TextIO) -> int:
    """Run the command; it prints nothing."""
    args = make_parser().parse_args(list(argv))
    with progress_bar("merging", 0, args.quiet) as bar, file_errors():
        join_files(args.parts, args.output, bar)
    return 0
