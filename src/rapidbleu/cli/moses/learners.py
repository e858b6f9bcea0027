"""``rapidbleu kbmira`` and ``rapidbleu pro``: Moses' learners on features and statistics.

`kbmira` is batch MIRA. Without shuffling, updates, losses and scores equal Moses' except that Moses
loses most hypotheses in its test for duplicates; see docs/guides/moses.md. With metrics other than
BLEU, for which Moses lacks reference lengths, it learns like `rapidbleu.tuning.mira`. It writes the
weights of the best epoch as ``F<number> <weight>`` lines, ``<name> <weight>`` for sparse features;
the last line on stderr is ``Best BLEU = 0.29``.

`pro` writes pairs of hypotheses for MegaM, each as two lines, ``1 F0 0.5 F3 -1.2`` and its mirror
image ``0 F0 -0.5 F3 1.2``; differences below 0.00001 are omitted. Sparse features have their names.
"""

import sys
from argparse import Namespace
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, TextIO

import numpy as np

from rapidbleu.cli import INTERRUPTED
from rapidbleu.cli.arguments import adders
from rapidbleu.cli.files import output
from rapidbleu.cli.messages import CommandError, progress_bar, progress_callback, reading_bar, say
from rapidbleu.cli.moses import (
    Program,
    feature_labels,
    integer,
    integer_from,
    joined,
    learner_parser,
    make_metric,
    with_features,
)
from rapidbleu.cli.options import MOST_REPEATS, Parser, number_above, number_from
from rapidbleu.metrics import BLEU
from rapidbleu.score import RowScoring
from rapidbleu.tuning.moses.nbest_files import count_dense
from rapidbleu.tuning.moses.score_files import read_pairs, read_stats
from rapidbleu.tuning.moses.score_types import fraction
from rapidbleu.tuning.moses.weights import read_dense_weights, read_sparse_weights
from rapidbleu.tuning.nbest import NBestList, widened
from rapidbleu.tuning.search.mira import mira
from rapidbleu.tuning.search.pro import pair_differences, sample_pairs, sentence_scores

SMALLEST_WEIGHT = 1e-8  # of sparse features in the output
SMALLEST_DIFFERENCE = 1e-5  # in the output
PAIRS = 4096  # formatted at once


def make_kbmira_parser() -> Parser:
    parser = learner_parser(
        "kbmira", "Tune weights on n-best lists by batch MIRA.", "order of segments"
    )
    add = parser.add_argument
    value, _, switch = adders(parser)
    add("--sctype", default="BLEU", help="metric of the statistics (default: BLEU)")
    add("--scconfig", default="", help="its options, name:value,name:value")
    add("--type", default="nbest", help="nbest; hypergraphs are not supported")
    value("--hgdir", "-H", "DIR", "hypergraphs, not supported")
    value("--reference", "-R", "FILE", "not supported", action="append")
    value("--hg-prune", "N", "not supported", type=integer)
    add("--cparam", "-C", type=number_above(0), default=0.01, help="maximum step (default: 0.01)")
    add(
        "--decay",
        "-D",
        type=number_from(0, 1),
        default=0.999,
        help="decay of the pseudo-corpus (default: 0.999)",
    )
    add(
        "--iters", "-J", type=integer_from(1, MOST_REPEATS), default=60, help="epochs (default: 60)"
    )
    value("--dense-init", "-d", "FILE", "initial weights, one value per line")
    value("--sparse-init", "-s", "FILE", "initial weights of sparse features by name")
    switch("--streaming", "same as --no-shuffle")
    switch("--streaming-out", "same as --no-shuffle")
    switch("--no-shuffle", "segments in the same order in each epoch")
    switch("--model-bg", "pseudo-corpus of best hypotheses by model score instead of hopes")
    switch("--verbose", "no effect")
    switch("--safe-hope", "smaller model scores where they hide the costs of hopes")
    return parser


def run_kbmira(options: Namespace, out: TextIO) -> int:
    """Learn weights and write them."""
    if options.type != "nbest":
        raise CommandError(f"--type: expected nbest; got {options.type}")
    for name in ("hgdir", "reference", "hg-prune"):
        if getattr(options, name.replace("-", "_")) is not None:
            raise CommandError(f"--{name}: not supported, like hypergraphs")
    print(f"Initialising random seed to {options.random_seed}", file=sys.stderr)
    metric = make_metric(options.sctype, options.scconfig)
    with reading_bar(False) as bar:
        pairs = read_pairs(options.ffile, options.scfile, metric, bar)
        nbest, n_dense = joined(pairs)
    nbest, weights = _start(nbest, n_dense, options)
    print(f"Initial BLEU = {fraction(metric, nbest.evaluate(weights)):g}", file=sys.stderr)
    result = mira(
        nbest,
        weights,
        max_step=options.cparam,
        decay=options.decay,
        epochs=options.iters,
        shuffle=not (options.no_shuffle or options.streaming or options.streaming_out),
        safe_hope=options.safe_hope,
        model_background=options.model_bg,
        seed=options.random_seed,
        callback=lambda entry: _tell(entry, nbest.n_segments, metric),
        moses_compat=isinstance(metric, BLEU),
    )
    labels = feature_labels(nbest, n_dense)
    lines = [
        f"{label} {weight:.9g}\n"
        for i, (label, weight) in enumerate(zip(labels, result.weights.tolist(), strict=True))
        if i < n_dense or abs(weight) > SMALLEST_WEIGHT
    ]
    with output(options.output_file, out) as file:
        file.writelines(lines)
    scores = [entry["score"] for entry in result.history] or [result.score]
    best = max(fraction(metric, score) for score in scores)
    print(f"Best BLEU = {best:g}", file=sys.stderr)
    return INTERRUPTED if result.interrupted else 0


def _tell(entry: dict[str, Any], n_segments: int, metric: RowScoring) -> None:
    print(
        f"{entry['updates']}/{n_segments} updates, avg loss = {entry['loss']:g}, "
        f"BLEU = {fraction(metric, entry['score']):g}",
        file=sys.stderr,
    )


def _start(nbest: NBestList, n_dense: int, options: Namespace) -> tuple[NBestList, Any]:
    """Return the list and the initial weights.

    Sparse features with a weight come first, even those that no hypothesis has, so that they keep
    their weights and sums are added in Moses' order.
    """
    if options.dense_init is None:
        if options.sparse_init is not None:
            raise CommandError("--sparse-init: expected --dense-init too")
        return nbest, np.zeros(nbest.n_features)
    dense = read_dense_weights(options.dense_init)
    if len(dense) != n_dense:
        raise CommandError(
            f"{options.dense_init}: expected {n_dense} weights, one for each dense feature; "
            f"got {len(dense)}"
        )
    if "_0" in dense:
        say(f"{options.dense_init}: weights without names; taken in the order of the features")
    names = nbest.names[:n_dense]
    in_order = names if dense.keys() == set(names) else list(dense)
    sparse = {} if options.sparse_init is None else read_sparse_weights(options.sparse_init)
    if sparse:
        all_names = [*names, *dict.fromkeys([*sparse, *nbest.names[n_dense:]])]
        nbest = with_features(nbest, widened(nbest.features, nbest.names, all_names), all_names)
    weights = np.zeros(nbest.n_features)
    weights[:n_dense] = [dense[name] for name in in_order]
    weights[n_dense : n_dense + len(sparse)] = list(sparse.values())
    return nbest, weights


def make_pro_parser() -> Parser:
    parser = learner_parser("pro", "Write pairs of hypotheses for MegaM.", "draws")
    _, _, switch = adders(parser)
    switch(
        "--smooth-brevity-penalty",
        "-b",
        "reference lengths plus 1, like n-gram counts (Nakov et al. 2012)",
    )
    return parser


def run_pro(options: Namespace, out: TextIO) -> int:
    print(f"Initialising random seed to {options.random_seed}", file=sys.stderr)
    with reading_bar(False) as bar:
        nbest = read_stats(options.ffile, options.scfile, progress=bar)
    with progress_bar("pairs of", nbest.n_segments, False) as bar:
        scores = sentence_scores(nbest, smooth_length=options.smooth_brevity_penalty)
        pairs = sample_pairs(nbest, scores, seed=options.random_seed, progress=bar)
    labels = feature_labels(nbest, count_dense(nbest))
    with (
        output(options.output_file, out) as file,
        progress_callback("pairs written", file.isatty()) as bar,
    ):
        for begin in range(0, len(pairs), PAIRS):
            values, columns, starts = pair_differences(nbest, pairs[begin : begin + PAIRS])
            file.writelines(lines(labels, values.tolist(), columns.tolist(), starts.tolist()))
            if bar is not None:
                bar(min(begin + PAIRS, len(pairs)), len(pairs))
    return 0


def lines(
    labels: list[str], values: list[float], columns: list[int], starts: list[int]
) -> Iterator[str]:
    """Format the two lines of each pair.

    >>> list(lines(["F0", "F1"], [0.5, -1.25, 1e-6], [0, 1, 0], [0, 2, 3]))
    ['1 F0 0.5 F1 -1.25\\n', '0 F0 -0.5 F1 1.25\\n', '1\\n', '0\\n']
    """
    for begin, end in pairwise(starts):
        kept = [
            (labels[column], value)
            for column, value in zip(columns[begin:end], values[begin:end], strict=True)
            if abs(value) >= SMALLEST_DIFFERENCE
        ]
        yield " ".join(["1", *[f"{label} {value:g}" for label, value in kept]]) + "\n"
        yield " ".join(["0", *[f"{label} {-value:g}" for label, value in kept]]) + "\n"


PROGRAMS = {
    "kbmira": Program(make_kbmira_parser, run_kbmira),
    "pro": Program(make_pro_parser, run_pro),
}
