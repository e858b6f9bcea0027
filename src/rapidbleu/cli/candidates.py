"""``rapidbleu mbr`` and ``rapidbleu oracle``, which choose a candidate for each segment.

`mbr` chooses the candidate that agrees most with all candidates: minimum Bayes risk decoding (Kumar
& Byrne 2004). `oracle` chooses those with the best corpus score. Blocks of segments bound the
memory for files of any size, which are read twice: first to count the segments and to find errors
before anything is written.

N-best lists and tables name the segment of each line or row; in other files, consecutive lines of
one or more files belong to a segment.
"""

from __future__ import annotations

import os
import re
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TextIO

from rapidbleu._lib.loader import np
from rapidbleu.cli.external_scores import Given, add_scores, metrics_and_files, mixed
from rapidbleu.cli.files import check_lengths, iter_segments, name_of_input, output, read_references
from rapidbleu.cli.messages import (
    Bar,
    CommandError,
    as_json,
    library_messages,
    progress_bar,
    progress_callback,
    say,
)
from rapidbleu.cli.metrics import add_metrics, informed, one_metric
from rapidbleu.cli.options import (
    EMPTY,
    MOST,
    MOST_REPEATS,
    WHOLE,
    Command,
    Parser,
    add_options,
    add_seed,
    add_threads,
    at_least,
    encoding_of,
    seed_of,
    shard,
)
from rapidbleu.oracle import select_oracle
from rapidbleu.streams.tables import count_lines, count_rows, is_table, read_candidates
from rapidbleu.table import delimited, json_list

if TYPE_CHECKING:
    from rapidbleu.metrics.metric import Metric

FORMS = ("text", "tsv", "json")
OPTION = "--n-best"
# A line of an n-best list: the segment number, and the remaining text.
LINE = re.compile(r"\s*([0-9]{1,18})\s*\|\|\|(.*)", re.DOTALL)
FILES = (
    "Candidates are an n-best list with lines 'segment ||| text ||| ...', sorted by segment; a "
    "table (.jsonl, .parquet, .tsv, .csv) with columns hyp, a text or a list of them, and id; N "
    "consecutive lines of a file per segment (--n-best N); or several files, each with one "
    "candidate per segment and line. Files may be plain, .gz, .bz2, .xz or .zst; - is standard "
    "input."
)
# Metrics that cannot compare two candidates, with the reason.
UNFIT = {
    "NIST": "it weighs n-grams by all references, and there are none",
    "CIDErD": "it weighs n-grams by all references, and there are none",
    "GECGLEU": "it compares with the source, too",
}
# A block ends with the segment that reaches one of these.
CANDIDATES = 1 << 14
PAIRS = 1 << 20


CANDIDATE_OPTIONS = (
    (
        OPTION,
        "N",
        "consecutive lines per segment (default: 1 for several files)",
        {"type": at_least(1, MOST)},
    ),
    encoding_of("files and stdin"),
    (
        "-f",
        "--format",
        "FORM",
        "text: the choices, one per line; tsv, json: also their numbers, from 1 (default: text)",
        {"choices": FORMS, "default": "text"},
    ),
    ("-o", "--output", "FILE", "output file (default: standard output)"),
    add_threads,
    ("-q", "--quiet", "no messages, no progress bar"),
)
ORACLE_OPTIONS = (
    (
        "--restarts",
        "N",
        "climbs from random starts, in addition to two fixed ones (default: 8)",
        {"type": at_least(0, MOST_REPEATS), "default": 8},
    ),
    add_seed,
)


def add_candidates(parser: Parser, shard_help: str) -> None:
    """Add the options for candidates."""
    parser.add_files("-i", "--input", metavar="FILE", help="candidates")
    n_best, *others = CANDIDATE_OPTIONS
    shards = ("--shard", "I/N", shard_help, {"type": shard, "default": WHOLE})
    add_options(parser, (n_best, shards, *others))


def iter_groups(
    paths: Sequence[str], n_each: int | None, encoding: str, first: int | None = None
) -> Iterator[list[str]]:
    """Yield the candidates of each segment.

    The input is an n-best list, whose first segment must have the number `first` if given, or files
    with `n_each` consecutive lines per segment.
    """
    names = list(map(name_of_input, paths))
    streams: list[Iterator[str]] = []
    lists = []
    for path, name in zip(paths, names, strict=True):
        if is_table(path):
            lists.append(name)
            continue
        stream = iter_segments(path, encoding)
        head = list(islice(stream, 1))
        streams.append(chain(head, stream))
        if head and LINE.match(head[0]):
            lists.append(name)
    if len(paths) > 1 and lists:
        raise CommandError(f"{lists[0]}: an n-best list is read alone; got {len(paths)} files")
    if n_each is not None and lists:
        raise CommandError(f"{OPTION}: not with an n-best list such as {lists[0]}")
    if not streams:
        groups = _groups_of_list(read_candidates(paths[0], False), first)
    elif len(paths) == 1 and n_each is None:
        groups = _groups_of_list(_lines_of_list(names[0], streams[0]), first)
    else:
        groups = _groups_of_lines(names, streams, n_each or 1)
    first_group = next(groups, None)
    if first_group is None:
        raise CommandError(f"{names[0]}: no candidates")
    yield first_group
    yield from groups


def _lines_of_list(name: str, lines: Iterator[str]) -> Iterator[tuple[str, int, str, Any]]:
    """Yield the same as `read_candidates` for an n-best list."""
    for number, line in enumerate(lines, 1):
        if not line:
            continue
        where = f"{name}, line {number}"
        match = LINE.match(line)
        if match is None:
            advice = "" if number > 1 else f" (or {OPTION}, or several files)"
            expected = f"expected 'segment ||| text ||| ...'{advice}"
            raise CommandError(f"{where}: {expected}; got {line!r}")
        yield where, int(match[1]), match[2].partition("|||")[0].lstrip(" ").rstrip(), None


def _groups_of_list(
    candidates: Iterator[tuple[str, int, str, Any]], first: int | None
) -> Iterator[list[str]]:
    """Yield the texts of runs of rows with equal segments, which must rise by one."""
    group: list[str] = []
    current = None if first is None else first - 1
    for where, segment, text, _ in candidates:
        if current is not None and segment not in (current, current + 1):
            wanted = f"{current} or {current + 1}" if group else str(current + 1)
            raise CommandError(
                f"{where}: expected segment {wanted}, as candidates are sorted by segment and "
                f"none lacks them; got {segment}"
            )
        if segment != current and group:
            yield group
            group = []
        current = segment
        group.append(text)
    if group:
        yield group


def _groups_of_lines(
    names: list[str], streams: list[Iterator[str]], n_each: int
) -> Iterator[list[str]]:
    """Yield the next lines of all files; refuse files of different lengths."""
    n_before = 0
    while True:
        parts = [list(islice(stream, n_each)) for stream in streams]
        if not all(len(part) == n_each for part in parts):
            break
        yield list(chain.from_iterable(parts))
        n_before += n_each
    n_lines = [
        n_before + len(part) + sum(1 for _ in stream)
        for part, stream in zip(parts, streams, strict=True)
    ]
    for name, n in zip(names, n_lines, strict=True):
        if n % n_each:
            raise CommandError(
                f"{OPTION}: expected {n_each} lines for each segment, but {name} has {n} lines"
            )
    check_lengths(zip(names, [n // n_each for n in n_lines], strict=True))


def written(
    choices: Iterable[dict[str, Any]], form: str, columns: Sequence[str] | None
) -> Iterator[str]:
    r"""Yield the parts of the output as choices arrive; `columns` are the header of a table.

    >>> choices = [{"segment": 1, "text": "a cat"}, {"segment": 2, "text": "b"}]
    >>> "".join(written(choices, "tsv", ["segment", "text"]))
    'segment\ttext\n1\ta cat\n2\tb\n'
    """
    if form == "json":
        yield from json_list(map(as_json, choices))
    elif form == "tsv":
        rows = chain([columns] if columns else [], (choice.values() for choice in choices))
        for row in rows:
            yield delimited(list(map(str, row)), [], "\t", exact=True)
    else:
        for choice in choices:
            if "\n" in choice["text"]:
                raise CommandError(f"segment {choice['segment']}: several lines; use -f json")
            yield f"{choice['text']}\n"


def make_mbr_parser() -> Parser:
    parser = Parser(
        prog="rapidbleu mbr",
        usage="%(prog)s [-i] FILE ... [--n-best N] [-m METRIC] [options]",
        examples=[
            "-i nbest.gz -m chrf -o best.txt",
            "-i samples.txt --n-best 64 -m bleu --threads 0",
        ],
        description="Choose the candidate of each segment with the best expected score if any "
        "candidate might be the reference: minimum Bayes risk (Kumar & Byrne 2004). BLEU uses the "
        f"effective order, as with -sl. {FILES}",
    )
    add_candidates(
        parser,
        "the I-th of N equal parts of the segments; concatenated, the outputs of all parts are the "
        "output without --shard (in json each is a list)",
    )
    add_metrics(parser)
    parser.set_defaults(sentence_level=True)
    return parser


def run_mbr(argv: Sequence[str], out: TextIO) -> int:
    args = make_mbr_parser().parse_args(list(argv))
    with library_messages(args.quiet):
        ((name, metric),) = one_metric(args).items()
        if (kind := type(metric).__name__) in UNFIT:
            raise CommandError(f"-m {name}: {UNFIT[kind]}")
        begin, end = _segments(args)
        groups = islice(iter_groups(args.input, args.n_best, args.encoding), begin, end)
        columns = ("segment", "candidate", "score", "text") if args.shard.number == 1 else None
        n = 0 if end is None else end - begin
        with progress_bar(name, n, args.quiet) as bar, output(args.output, out) as file:
            chosen = choose(metric, groups, begin, n, args.threads, bar)
            file.writelines(written(chosen, args.format, columns))
    return 0


def _segments(args: Namespace) -> tuple[int, int | None]:
    """Return the range of segments; its end is None if they cannot be counted in advance."""
    for path in args.input:
        if not os.path.isfile(path) and (path == "-" or os.path.exists(path)):
            if args.shard != WHOLE:
                name = name_of_input(path)
                raise CommandError(f"--shard: expected files that can be read twice; got {name}")
            return 0, None
    with Bar(
        args.quiet,
        lambda: sum(count_rows(x) if is_table(x) else count_lines(x) for x in args.input),
        desc="reading",
        unit=" lines",
        unit_scale=True,
    ) as bar:
        n = 0
        for group in iter_groups(args.input, args.n_best, args.encoding):
            n += 1
            if bar is not None:
                bar.update(len(group))
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
    """Yield the choice of each group; the first one is segment `begin`, counted from 0."""
    best_of = np.argmax if metric.higher_is_better else np.argmin
    done = 0

    def update(n_pairs_done: int, n_pairs: int) -> None:
        if bar is not None:
            bar(done + len(block) * n_pairs_done // n_pairs, n)

    for block in blocks(groups):
        progress = None if bar is None else update
        expected = metric.mbr(block, groups=True, threads=threads, progress=progress)
        for group, scores in zip(block, expected, strict=True):
            done += 1
            best = int(best_of(scores))
            yield {
                "segment": begin + done,
                "candidate": best + 1,
                "score": float(scores[best]),
                "text": group[best],
            }


def blocks(groups: Iterable[list[str]]) -> Iterator[list[list[str]]]:
    """Yield groups to be scored together."""
    block: list[list[str]] = []
    n_texts = n_pairs = 0
    for group in groups:
        block.append(group)
        n_texts += len(group)
        n_pairs += len(group) ** 2
        if n_texts >= CANDIDATES or n_pairs >= PAIRS:
            yield block
            block = []
            n_texts = 0
            n_pairs = 0
    if block:
        yield block


def make_oracle_parser() -> Parser:
    parser = Parser(
        prog="rapidbleu oracle",
        usage="%(prog)s [-i] FILE ... [-r REF ...] [--n-best N] [options]",
        examples=[
            "-i nbest.gz -r ref.txt -o best.txt",
            "-i a.txt b.txt c.txt -r ref.txt -m ter -f json",
        ],
        description="Choose the candidates with the best corpus score by hill climbing; the score "
        f"goes to stderr, or into the JSON. {FILES} N-best lists number segments from 0.",
    )

    refs = ("-r", "--refs", "REF ...", "reference files, each with all segments", EMPTY)
    add_options(parser, [refs])
    add_scores(parser)
    add_candidates(
        parser,
        "the I-th of N equal parts of the segments; because each part is searched for its own best "
        "score, all parts together may score less than one search",
    )
    add_options(parser, ORACLE_OPTIONS)
    add_metrics(parser)
    parser.set_defaults(sentence_level=False)
    return parser


def run_oracle(argv: Sequence[str], out: TextIO) -> int:
    """Read references and candidates, select one of each segment, and write them."""
    parser = make_oracle_parser()
    args = parser.parse_args(list(argv))
    with library_messages(args.quiet):
        # Read
        metrics, files = metrics_and_files(parser, args, one_metric)
        if metrics and not args.refs:
            raise CommandError("-r/--refs: expected files", 2)
        if files and (args.shard != WHOLE or len(args.input) > 1):
            raise CommandError("--scores: expected one list, without --shard")
        streams = read_references(args.refs, 1, args.encoding)
        check_lengths(zip(args.refs, map(len, streams), strict=True))
        n = len(streams[0]) if streams else 0
        begin, end = args.shard.range(n or 1 << 60)
        groups = _read(args, n, begin, end)
        parts = [Given(name, paths, args.encoding) for name, paths in files.items()]
        metric: Any = mixed(informed(metrics, streams), parts, args.mixture)
        with output(args.output, out) as file:
            # Select
            about: dict[str, Any] = {"name": None, "score": None, "signature": None}
            choices: list[dict[str, Any]] = []
            if groups:
                with progress_callback("candidates", args.quiet) as progress:
                    result = select_oracle(
                        groups,
                        [stream[begin:end] for stream in streams],
                        metric=metric,
                        restarts=args.restarts,
                        seed=seed_of(args.seed),
                        threads=args.threads,
                        progress=progress,
                    )
                signature = "" if files or args.mixture else str(metric.get_signature())
                score = result.score
                about = {"name": score.name, "score": score.score, "signature": signature}
                chosen = zip(result.choices.tolist(), groups, strict=True)
                for i, (k, group) in enumerate(chosen, begin + 1):
                    choices.append({"segment": i, "candidate": k + 1, "text": group[k]})
            # Write
            if args.format == "json":
                file.write(f"{as_json({**about, 'segments': choices})}\n")
            else:
                columns = ("segment", "candidate", "text") if args.shard.number == 1 else None
                file.writelines(written(choices, args.format, columns))
    if groups and args.format != "json" and not args.quiet:
        say(score.format(signature=signature))
    return 0


def _read(args: Namespace, n_references: int, begin: int, end: int) -> list[list[str]]:
    """Return the candidates of a range of segments; their number must match the references."""
    groups = []
    n = 0
    with progress_bar("reading", n_references, args.quiet) as bar:
        for n, group in enumerate(iter_groups(args.input, args.n_best, args.encoding, first=0), 1):
            if begin < n <= end:
                groups.append(group)
            if bar is not None:
                bar.update(1)
    check_lengths([(name_of_input(args.input[0]), n), *((ref, n_references) for ref in args.refs)])
    return groups


PROGRAMS = {
    "mbr": Command(make_mbr_parser, run_mbr),
    "oracle": Command(make_oracle_parser, run_oracle),
}
