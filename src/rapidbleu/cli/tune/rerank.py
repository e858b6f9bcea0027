"""``rapidbleu rerank``: the best hypotheses of an n-best list, by tuned weights."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import mul
from typing import TYPE_CHECKING, Any, TextIO

from rapidbleu._lib.lazy import np
from rapidbleu.cli.arguments import add_encoding, adders
from rapidbleu.cli.external_scores import add_scores, metrics_and_files
from rapidbleu.cli.messages import CommandError, library_messages, say
from rapidbleu.cli.metrics import add_metrics, make_metrics
from rapidbleu.cli.options import MOST, Parser, add_threads, at_least, check_effect
from rapidbleu.cli.tune.command import read, read_weights
from rapidbleu.metrics.nbest import offsets_of
from rapidbleu.streams.files import open_outputs
from rapidbleu.streams.tables import is_table, open_file
from rapidbleu.tuning.moses.nbest_files import nbest_lines
from rapidbleu.tuning.nbest import NBestList, of_rows, spread

if TYPE_CHECKING:
    from rapidbleu._types import FloatArray, IntArray


def make_parser() -> Parser:
    """Return the parser of the command."""
    parser = Parser(
        prog="rapidbleu rerank",
        usage="%(prog)s [-i] NBEST --weights FILE ... [-r REF ...] [options]",
        examples=[
            "-i nbest.gz --weights weights.json -o best.txt",
            "-i samples.jsonl --weights weights.json --top 5 -o best.jsonl",
        ],
        description="Write the hypothesis of each segment with the highest weighted sum of "
        "features, the first one of ties. `tune` reads the same forms of n-best lists.",
    )
    value, values, switch = adders(parser)
    parser.add_files("-i", "--input", dest="nbest", metavar="NBEST", help="the n-best list")
    values(
        "--weights",
        "FILE",
        "numbers by name: JSON such as `tune -o` writes, or Moses' files",
        required=True,
    )
    value(
        "--top",
        "K",
        "write lists of the K best: as Moses does or, for a table, JSON lines",
        type=at_least(1, MOST),
    )
    values("-r", "--refs", "REF", "score the first and the best hypotheses, on stderr", default=[])
    add_scores(parser, are_mixed=False)
    value("-o", "--output", "FILE", "write to FILE instead of standard output")
    add_encoding(parser, "the references")
    switch("-q", "--quiet", "no warnings, no progress bar")
    add_threads(parser)
    add_metrics(parser)
    parser.set_defaults(sentence_level=False, mixture=None)
    return parser


def run(argv: Sequence[str], out: TextIO) -> int:
    """Run the command."""
    parser = make_parser()
    args = parser.parse_args(list(argv))
    path = args.nbest[0]
    is_saved = path.endswith(".npz")
    if len(args.nbest) > 1 or (is_saved and args.refs):
        raise CommandError("-i/--input: expected one n-best list, a saved one without --refs")
    check_effect(args, args.refs or is_saved, "without -r/--refs", *args.given)
    check_effect(args, args.refs or args.scores, "without -r/--refs and --scores", "encoding")
    with library_messages(args.quiet):
        metrics, files = metrics_and_files(parser, args, make_metrics)
        if not args.refs and not is_saved and args.metrics is parser.get_default("metrics"):
            metrics = {}
        nbest = read([path], args.refs, "--refs", metrics, args, files, texts=True)
        if nbest.hypotheses is None:
            raise CommandError(f"{path}: expected a list with texts; got one without")
        weights = read_weights(args.weights, nbest)
        best = nbest.best(weights)
        lines = _top(nbest, weights, args.top, path) if args.top else _texts(nbest, best, path)
        if args.output:
            with open_outputs(args.output) as (file,):
                file.writelines(line.encode() for line in lines)
        else:
            out.writelines(lines)
        if metrics or files:
            _say_scores(nbest, best)
    return 0


def _texts(nbest: Any, best: IntArray, path: str) -> Iterator[str]:
    """Return the line of each segment, in the order of their numbers."""
    order = np.argsort(nbest.ids)
    ids, rows = nbest.ids[order].tolist(), best[order].tolist()
    for n, (number, row) in enumerate(zip(ids, rows, strict=True), ids[0]):
        if number != n or "\n" in nbest.hypotheses[row]:
            what = "no hypothesis" if number != n else "several lines"
            raise CommandError(f"{path}: expected a line for segment {n}; got {what}; see --top")
    return (f"{nbest.hypotheses[row]}\n" for row in rows)


def _top(nbest: NBestList, weights: FloatArray, most: int, path: str) -> Iterator[str]:
    """Return the lines of the best hypotheses of each segment, the best one first."""
    features = nbest.features.astype(np.float64, copy=False)
    # A column after the other, as `NBestList.best` adds them.
    sums = features @ weights if nbest.is_sparse else sum(map(mul, features.T, weights))
    chosen = [
        begin + np.argsort(-sums[begin:end], kind="stable")[:most]
        for begin, end in pairwise(nbest.offsets.tolist())
    ]
    rows, offsets = np.concatenate(chosen), np.array(offsets_of(chosen))
    part = of_rows(nbest, rows, offsets, nbest.ids, texts=True)
    if not is_table(path):
        return map(bytes.decode, nbest_lines(part, weights))
    ids: Any = spread(nbest.ids, offsets).tolist()
    given = [own for table in open_file(path, ("id",)) for own in table.objects("id")]
    if isinstance(given[0], str) and not given[0].isdecimal():
        ids = map([*dict.fromkeys(given)].__getitem__, ids)
    named = (dict(zip(nbest.names, own, strict=True)) for own in part.features.tolist())
    each = zip(ids, part.hypotheses or (), named, sums[rows].tolist(), strict=True)
    keys = "id", "hyp", "features", "score"
    return (
        f"{json.dumps(dict(zip(keys, own, strict=True)), ensure_ascii=False)}\n" for own in each
    )


def _say_scores(nbest: NBestList, best: IntArray) -> None:
    """Write the scores of the first hypotheses and of the best to stderr."""
    firsts, bests = (nbest.stats[rows].sum(0, np.int64) for rows in (nbest.offsets[:-1], best))
    begin = 0
    for metric in getattr(nbest.metric, "metrics", [nbest.metric]):
        own = slice(begin, begin := begin + metric._kernel.n_stats)
        before, after = (metric.score(row[own]) for row in (firsts, bests))
        say(f"{after.name}: {before.score:.4f} before, {after.score:.4f} after")
