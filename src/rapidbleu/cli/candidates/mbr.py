"""``rapidbleu mbr``: for each segment the candidate that agrees most with all others.

Minimum Bayes risk decoding (Kumar & Byrne 2004). The input is worked through in blocks of segments,
so that a file of any size takes a bounded amount of memory. Files are read twice: first to count
the segments, and to find out what is wrong with them before anything is written.
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TextIO

from rapidbleu._lib.lazy import np
from rapidbleu.cli.candidates import FILES, add_options, iter_groups, written
from rapidbleu.cli.files import name_of_input, output
from rapidbleu.cli.messages import Bar, CommandError, library_messages, progress_bar
from rapidbleu.cli.metrics import add_metrics, one_metric
from rapidbleu.cli.options import WHOLE, Parser

if TYPE_CHECKING:
    from rapidbleu.metrics.metric import Metric
    from rapidbleu.typing import Progress

COLUMNS = ("segment", "candidate", "score", "text")
# Metrics that cannot compare two candidates, and why.
UNFIT = {
    "NIST": "it weighs n-grams by all references, and there are none",
    "CIDErD": "it weighs n-grams by all references, and there are none",
    "GECGLEU": "it compares with the source, too",
}
# A block ends with the segment that brings it to one of these.
CANDIDATES = 1 << 14
PAIRS = 1 << 20


def make_parser() -> Parser:
    """Return the parser of the command."""
    parser = Parser(
        prog="rapidbleu mbr",
        usage="%(prog)s FILE [FILE ...] [-n N] [-m METRIC] [options]",
        description="Choose for each segment the candidate that has the best expected score, if "
        "any candidate might be the reference: minimum Bayes risk (Kumar & Byrne 2004). BLEU has "
        f"the effective order, as with -sl. {FILES}",
    )
    add_options(
        parser,
        "work on the I-th of N equal parts of the segments only; the outputs of all parts, one "
        "after the other, are the output without --shard (in json each is a list)",
    )
    add_metrics(parser)
    parser.set_defaults(sentence_level=True)
    return parser


def run(argv: Sequence[str], out: TextIO) -> int:
    """Run the command."""
    args = make_parser().parse_args(list(argv))
    with library_messages(args.quiet):
        ((name, metric),) = one_metric(args).items()
        if (kind := type(metric).__name__) in UNFIT:
            raise CommandError(f"-m {name}: {UNFIT[kind]}")
        begin, end = _segments(args)
        groups = islice(iter_groups(args.input, args.num_candidates, args.encoding), begin, end)
        columns = COLUMNS if args.shard.number == 1 else None
        n = 0 if end is None else end - begin
        with progress_bar(name, n, args.quiet) as bar, output(args.output, out) as file:
            chosen = choose(metric, groups, begin, n, args.threads, bar)
            file.writelines(written(chosen, args.format, columns))
    return 0


def _segments(args: Namespace) -> tuple[int, int | None]:
    """Return which segments to work on; the last is None if they cannot be counted before."""
    once = [
        name_of_input(path) for path in args.input
        if not os.path.isfile(path) and (path == "-" or os.path.exists(path))
    ]  # fmt: skip
    if once:
        if args.shard != WHOLE:
            raise CommandError(f"--shard: expected files that can be read twice, got {once[0]}")
        return 0, None
    with progress_bar("reading", 0, args.quiet) as bar:
        n = 0
        for _ in iter_groups(args.input, args.num_candidates, args.encoding):
            n += 1
            if bar is not None:
                bar.update(1)
    begin, end = args.shard.range(n)
    return begin, end


def choose(
    metric: Metric,
    groups: Iterable[list[str]],
    begin: int,
    n: int,
    threads: int,
    bar: Bar | None,
) -> Iterator[dict[str, Any]]:
    """Yield the choice of each group; the first is segment number `begin`, counted from 0."""
    best_of = np.argmax if metric.higher_is_better else np.argmin
    done = 0
    for block in blocks(groups):
        progress = None if bar is None else part_of_segments(bar, done, len(block), n)
        expected = metric.mbr(block, groups=True, threads=threads, progress=progress)
        for group, scores in zip(block, expected, strict=True):
            done += 1
            best = int(best_of(scores))
            yield {
                "segment": begin + done, "candidate": best + 1, "score": float(scores[best]),
                "text": group[best],
            }  # fmt: skip


def part_of_segments(bar: Bar, done: int, size: int, n: int) -> Progress:
    """Return the progress of a block of segments, some of n segments being done before."""
    return lambda pairs, n_pairs: bar(done + size * pairs // n_pairs, n)


def blocks(groups: Iterable[list[str]]) -> Iterator[list[list[str]]]:
    """Yield groups that are scored together.

    Examples
    --------
    >>> [len(block) for block in blocks([["a"] * 1000] * 3)]
    [2, 1]
    """
    block: list[list[str]] = []
    n_texts = n_pairs = 0
    for group in groups:
        block.append(group)
        n_texts += len(group)
        n_pairs += len(group) ** 2
        if n_texts >= CANDIDATES or n_pairs >= PAIRS:
            yield block
            block, n_texts, n_pairs = [], 0, 0
    if block:
        yield block
