"""``rapidbleu kbmira``: batch MIRA on files of features and statistics, with Moses' flags.

The weights of the best epoch are written as ``F<number> <weight>`` lines, ``<name> <weight>`` for
sparse features; the last line on stderr is ``Best BLEU = 0.29``.
"""

import argparse
import sys
from typing import Any, TextIO

import numpy as np

from rapidbleu.cli.learning import count_dense, feature_labels, output
from rapidbleu.cli.messages import CommandError
from rapidbleu.cli.moses_options import file_errors, integer, integer_from, make_metric, parse
from rapidbleu.cli.options import MOST_REPEATS, Parser, number_above, number_from
from rapidbleu.tuning import NBestList
from rapidbleu.tuning.mira import mira
from rapidbleu.tuning.moses_stats import read_stats
from rapidbleu.tuning.moses_weights import read_dense_weights, read_sparse_weights

INTERRUPTED = 128 + 2
SMALLEST = 1e-8  # weight of a sparse feature that is written


def run(argv: list[str], out: TextIO) -> int:
    """Run the command; return its exit status."""
    options = parse(_parser(), argv)
    if options.type != "nbest":
        raise CommandError(f"--type: expected nbest, got {options.type}")
    print(f"Initialising random seed to {options.random_seed}", file=sys.stderr)
    metric = make_metric(options.sctype, options.scconfig)
    with file_errors():
        nbest = read_stats(options.ffile, options.scfile, metric)
        weights, n_dense = _start(nbest, options)
    print(f"Initial BLEU = {nbest.evaluate(weights) / 100:g}", file=sys.stderr)
    result = mira(
        nbest, weights, C=options.cparam, decay=options.decay, epochs=options.iters,
        shuffle=not (options.no_shuffle or options.streaming or options.streaming_out),
        safe_hope=options.safe_hope, model_background=options.model_bg, seed=options.random_seed,
        callback=lambda entry: _tell(entry, nbest.n_segments),
    )  # fmt: skip
    labels = feature_labels(nbest, n_dense)
    lines = [
        f"{label} {weight:.9g}\n"
        for i, (label, weight) in enumerate(zip(labels, result.weights.tolist(), strict=True))
        if i < n_dense or abs(weight) > SMALLEST
    ]
    with file_errors(), output(options.output_file, out) as file:
        file.writelines(lines)
    print(f"Best BLEU = {result.score / 100:g}", file=sys.stderr)
    return INTERRUPTED if result.interrupted else 0


def _tell(entry: dict[str, Any], n_segments: int) -> None:
    print(
        f"{entry['updates']}/{n_segments} updates, avg loss = {entry['loss']:g}, "
        f"BLEU = {entry['score'] / 100:g}",
        file=sys.stderr,
    )


def _start(nbest: NBestList, options: argparse.Namespace) -> tuple[Any, int]:
    """Return the weights of the first epoch, and how many features are dense."""
    weights = np.zeros(nbest.n_features)
    if options.dense_init is None:
        if options.sparse_init is not None:
            raise CommandError("--sparse-init: expected --dense-init too")
        return weights, count_dense(nbest)
    dense = read_dense_weights(options.dense_init)
    place = {name: i for i, name in enumerate(nbest.names)}
    n_dense = count_dense(nbest) if dense.keys() - place.keys() else len(dense)
    if len(dense) != n_dense or not (nbest.is_sparse or n_dense == nbest.n_features):
        raise CommandError(
            f"{options.dense_init}: expected {count_dense(nbest)} weights, one for each dense "
            f"feature, got {len(dense)}"
        )
    for i, (name, weight) in enumerate(dense.items()):
        weights[place.get(name, i)] = weight  # without names in the other file, by their order
    if options.sparse_init is not None:
        for name, weight in read_sparse_weights(options.sparse_init).items():
            if place.get(name, -1) >= n_dense:  # a feature that no hypothesis has cannot change
                weights[place[name]] = weight
    return weights, n_dense


def _parser() -> Parser:
    parser = Parser(
        prog="rapidbleu kbmira", description="Batch MIRA on n-best lists.", allow_abbrev=False
    )
    add = parser.add_argument
    add("--ffile", "-F", action="append", required=True, metavar="FILE",
        help="features, text or binary; again for more")  # fmt: skip
    add("--scfile", "-S", action="append", required=True, metavar="FILE",
        help="statistics of the same hypotheses; again for more")  # fmt: skip
    add("--sctype", default="BLEU", help="metric of the statistics; BLEU by default")
    add("--scconfig", default="", help="its options, name:value,name:value")
    add("--type", default="nbest", help="nbest; hypergraphs are not read")
    add("--hgdir", "-H", metavar="DIR", help="of hypergraphs, which are not read")
    add("--reference", "-R", action="append", metavar="FILE", help="for hypergraphs")
    add("--hg-prune", type=integer, metavar="N", help="for hypergraphs")
    add("--random-seed", "-r", type=integer_from(0), default=0, metavar="N",
        help="of the order of segments; 0 by default")  # fmt: skip
    add("--output-file", "-o", metavar="FILE", help="standard output by default")
    add("--cparam", "-C", type=number_above(0), default=0.01,
        help="longest step; 0.01 by default")  # fmt: skip
    add("--decay", "-D", type=number_from(0, 1), default=0.999,
        help="of the pseudo-corpus; 0.999 by default")  # fmt: skip
    add("--iters", "-J", type=integer_from(1, MOST_REPEATS), default=60,
        help="epochs; 60 by default")  # fmt: skip
    add("--dense-init", "-d", metavar="FILE", help="first weights, a line for each value")
    add("--sparse-init", "-s", metavar="FILE", help="first weights of sparse features by name")
    add("--streaming", action="store_true", help="as --no-shuffle")
    add("--streaming-out", action="store_true", help="as --no-shuffle")
    add("--no-shuffle", action="store_true", help="take segments in their order in each epoch")
    add("--model-bg", action="store_true",
        help="best hypotheses by model score make the pseudo-corpus, not hopes")  # fmt: skip
    add("--verbose", action="store_true", help="taken and ignored")
    add("--safe-hope", action="store_true",
        help="scale model scores down where they drown the costs of hopes")  # fmt: skip
    return parser
