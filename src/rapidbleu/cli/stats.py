"""``rapidbleu stats`` and ``rapidbleu merge``: rows of statistics of segments, written and joined.

Text files and tables are streamed in bounded memory.
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from rapidbleu._lib.loader import np
from rapidbleu.cli.files import (
    add_table,
    count_segments,
    read_corpus,
    readable,
    shard_of,
    streamed_corpus,
    tables_of_shard,
    take_table,
)
from rapidbleu.cli.messages import CommandError, as_named, library_messages, progress_bar
from rapidbleu.cli.metrics import add_metrics, one_metric
from rapidbleu.cli.options import (
    WHOLE,
    Command,
    Parser,
    add_num_refs,
    add_options,
    add_threads,
    encoding_of,
    shard,
)
from rapidbleu.rows.files import format_of, manifest_path
from rapidbleu.rows.kinds import signature_of
from rapidbleu.rows.labels import INTEGER, empty_column
from rapidbleu.rows.stats_table import StatsTable, join_files
from rapidbleu.streams.tables import scan

if TYPE_CHECKING:
    from rapidbleu.metrics.metric import Metric


class Segments(NamedTuple):
    """Segments to score, and their description for the manifest."""

    columns: tuple[Any, ...]  # hypotheses, and references unless they are in the same table
    num_refs: int  # references per segment; -1 if unknown
    n: int  # 0 if unknown
    first: int  # index of the first one
    inputs: list[str]  # names of files
    labels: dict[str, Any]  # `ids` and `keep` of a `StatsTable` without rows


OUTPUT = (
    "-o",
    "--output",
    "OUT",
    "output (.npz, .parquet, .arrow, .ipc, .feather); manifest: OUT.json",
    {"required": True},
)
SEGMENTS = (
    (
        "--id-column",
        "COLUMN",
        "column of --table with segment ids, text or integers (default: indices)",
    ),
    ("--keep", "COLUMN ...", "further columns of --table to keep"),
    (
        "--shard",
        "I/N",
        "the I-th of N equal parts of the segments, for `rapidbleu merge`; files are read twice",
        {"type": shard, "default": WHOLE},
    ),
    add_threads,
    ("-q", "--quiet", "no messages, no progress bar"),
)


def make_parser() -> Parser:
    parser = Parser(
        prog="rapidbleu stats",
        usage="%(prog)s {[-r] REF ... -i SYS | SYS -r REF ...} -o OUT [options]\n"
        "       %(prog)s --table FILE --hyp COLUMN --ref COLUMN -o OUT [options]",
        examples=[
            "-r ref.txt -i hyp.txt -m bleu -o hyp.npz",
            "--table all.parquet --ref ref --keep domain -o all.npz",
        ],
        description="Write the rows of statistics of all segments to a file, and a manifest next "
        "to it. `rapidbleu score --stats` scores such rows, with intervals and tests; `rapidbleu "
        "merge` joins shards. Input may be .gz, .bz2, .xz or .zst, except Parquet and Arrow.",
    )
    systems = ("-i", "--input", "FILE ...", "output of the system (default: stdin)")
    add_options(parser, (OUTPUT, systems, add_num_refs, encoding_of("text and stdin")))
    table = add_table(parser)
    parser.add_files(
        "-r",
        "--refs",
        metavar="FILE",
        unless=(table,),
        default=[],
        otherwise="input",
        help="reference files, each with all segments",
    )
    add_options(parser, SEGMENTS)
    add_metrics(parser)
    parser.set_defaults(sentence_level=False, test_set=None, names=None)
    return parser


def run(argv: Sequence[str], out: TextIO) -> int:
    """Run the command, which prints nothing."""
    parser = make_parser()
    args = parser.parse_args(list(argv))
    _check(args, parser)
    with library_messages(args.quiet):
        ((name, metric),) = one_metric(args).items()
        if args.shard != WHOLE and not metric._rows_add_up:
            raise CommandError(
                f"--shard: expected a metric whose rows add up; got {name}: all references "
                "together weigh its n-grams"
            )
        segments = _of_texts(args) if args.table is None else _of_tables(args)
        _write(name, metric, segments, args)
    return 0


def _check(args: Namespace, parser: Parser) -> None:
    """Refuse conflicting options, and an output that is also an input."""
    format_of(args.output)
    take_table(parser, args)
    if args.input is not None and len(args.input) > 1:
        parser.error(f"-i/--input: expected one system; got {len(args.input)}")
    written = [path for path in (args.output, manifest_path(args.output)) if os.path.exists(path)]
    for path in args.table or [*args.refs, *(args.input or [])]:
        if os.path.exists(path) and any(os.path.samefile(path, output) for output in written):
            raise CommandError(f"-o/--output: expected another file than {readable(path)}")


def _of_texts(args: Namespace) -> Segments:
    """Return the segments of a file of hypotheses and of files of references."""
    if args.num_refs != 1 and len(args.refs) > 1:
        raise CommandError(
            f"-nr/--num-refs splits a single file of references; got {len(args.refs)} files"
        )
    corpus = streamed_corpus(args)
    if corpus is None:
        corpus = read_corpus(args)
        if args.shard != WHOLE:
            corpus = shard_of(corpus, args)
    [system] = corpus.systems
    inputs = [system.name, *map(readable, args.refs)]
    columns = system.segments, corpus.references
    return Segments(columns, len(corpus.references), corpus.n_segments, corpus.first, inputs, {})


def _of_tables(args: Namespace) -> Segments:
    source, begin, n = tables_of_shard(args.table, args.shard)
    table = scan(source, args.input[0], args.refs, args.id_column, args.keep or ())
    num_refs = len(args.refs) if len(args.refs) > 1 else -1
    inputs = [as_named(readable(path)) for path in args.table]
    labels = {
        "ids": None if args.id_column is None else empty_column(INTEGER),
        "keep": {column: empty_column(INTEGER) for column in args.keep or ()},
    }
    return Segments((table,), num_refs, n, begin, inputs, labels)


def _write(name: str, metric: Metric, segments: Segments, args: Namespace) -> None:
    about: dict[str, Any] = {"inputs": segments.inputs}
    if args.shard != WHOLE:
        about |= {"shard": tuple(args.shard), "first": segments.first}
        if not segments.n:  # merging needs every shard
            rows = np.empty((0, len(metric._stat_names())), np.int64)
            signature = signature_of(metric, segments.num_refs)
            StatsTable(metric, rows, signature, **segments.labels, **about).save(args.output)
            return
    n = segments.n or partial(count_segments, args)
    with progress_bar(name, n, args.quiet) as bar:
        metric.save_stats(
            args.output, *segments.columns, **about, threads=args.threads, progress=bar
        )


def make_merge_parser() -> Parser:
    parser = Parser(
        prog="rapidbleu merge",
        usage="%(prog)s [-i] PART ... -o OUT [-q]",
        examples=["-i hyp-*.npz -o hyp.npz", "-i day1.parquet day2.parquet -o days.parquet"],
        description="Join the rows of statistics of shards of `rapidbleu stats`. Manifests are "
        "verified first; different metrics, and missing or repeated shards, are refused. Memory "
        "holds the largest part, and ids if there are any.",
    )

    parser.add_files(
        "-i",
        "--input",
        metavar="PART",
        help="parts: shards in any order, other files in corpus order",
    )
    add_options(parser, (OUTPUT, ("-q", "--quiet", "no progress bar")))
    return parser


def run_merge(argv: Sequence[str], out: TextIO) -> int:
    """Run the command, which prints nothing."""
    args = make_merge_parser().parse_args(list(argv))
    with progress_bar("merging", 0, args.quiet) as bar:
        join_files(args.input, args.output, bar)
    return 0


PROGRAMS = {"merge": Command(make_merge_parser, run_merge)}
