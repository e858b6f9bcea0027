"""``rapidbleu oracle``: the candidates that make the best corpus score together."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TextIO

from rapidbleu.cli.candidates import FILES, add_options, as_json, iter_groups, written
from rapidbleu.cli.files import check_lengths, name_of_input, output, read_references
from rapidbleu.cli.messages import library_messages, progress_bar, progress_callback, say
from rapidbleu.cli.metrics import add_metrics, informed, one_metric
from rapidbleu.cli.options import MOST_REPEATS, Parser, at_least
from rapidbleu.oracle import Oracle, oracle_bleu

if TYPE_CHECKING:
    from rapidbleu.metrics.metric import Metric

COLUMNS = ("segment", "candidate", "text")


def make_parser() -> Parser:
    """Return the parser of the command."""
    parser = Parser(
        prog="rapidbleu oracle",
        usage="%(prog)s FILE [FILE ...] -r REF [REF ...] [-n N] [-m METRIC] [options]",
        description="Choose for each segment a candidate, such that the score of the corpus is "
        "best, by hill climbing; the score goes to stderr, or into the JSON. "
        f"{FILES} An n-best list counts segments from 0.",
    )
    parser.add_argument(
        "-r", "--refs", nargs="+", required=True, metavar="REF",
        help="files of references, each with all segments",
    )  # fmt: skip
    add_options(
        parser,
        "work on the I-th of N equal parts of the segments only; each part is a search of its own, "
        "for the best score of the part, so all together may score less than one search",
    )
    parser.add_argument(
        "--restarts", type=at_least(0, MOST_REPEATS), default=8, metavar="N",
        help="climbs that begin at random, besides two that do not (default: 8)",
    )  # fmt: skip
    parser.add_argument("--seed", type=at_least(0), default=0, metavar="N", help="default: 0")
    add_metrics(parser)
    parser.set_defaults(sentence_level=False)
    return parser


def run(argv: Sequence[str], out: TextIO) -> int:
    """Run the command."""
    args = make_parser().parse_args(list(argv))
    with library_messages(args.quiet):
        metrics = one_metric(args)
        streams = read_references(args.refs, 1, args.encoding)
        check_lengths(zip(args.refs, map(len, streams), strict=True))
        begin, end = args.shard.range(len(streams[0]))
        groups = _read(args, len(streams[0]), begin, end)
        (metric,) = informed(metrics, streams).values()
        with output(args.output, out) as file:
            references = [stream[begin:end] for stream in streams]
            found = _search(metric, groups, references, args) if groups else None
            chosen = [] if found is None else found.choices.tolist()
            choices = [
                {"segment": begin + i, "candidate": k + 1, "text": group[k]}
                for i, (k, group) in enumerate(zip(chosen, groups, strict=True), 1)
            ]
            if args.format == "json":
                file.write(f"{as_json(_summary(metric, found) | {'segments': choices})}\n")
            else:
                columns = COLUMNS if args.shard.number == 1 else None
                file.writelines(written(choices, args.format, columns))
    if args.format != "json" and found is not None and not args.quiet:
        say(found.score.format(2, signature=str(metric.get_signature())))
    return 0


def _read(args: Namespace, n_references: int, begin: int, end: int) -> list[list[str]]:
    """Return the candidates of some segments, of which there must be as many as references."""
    groups = []
    n = 0
    with progress_bar("reading", n_references, args.quiet) as bar:
        for group in iter_groups(args.input, args.num_candidates, args.encoding, first=0):
            if begin <= n < end:
                groups.append(group)
            n += 1
            if bar is not None:
                bar.update(1)
    check_lengths([(name_of_input(args.input[0]), n), (args.refs[0], n_references)])
    return groups


def _search(
    metric: Metric, groups: list[list[str]], references: list[list[str]], args: Namespace
) -> Oracle:
    with progress_callback("candidates", args.quiet) as progress:
        return oracle_bleu(
            groups, references, metric=metric, restarts=args.restarts, seed=args.seed,
            threads=args.threads, progress=progress,
        )  # fmt: skip


def _summary(metric: Metric, found: Oracle | None) -> dict[str, Any]:
    """Return what JSON says of all choices together; of none there is no score."""
    if found is None:
        return {"name": None, "score": None, "signature": None}
    return {
        "name": found.score.name, "score": found.score.score,
        "signature": str(metric.get_signature()),
    }  # fmt: skip
