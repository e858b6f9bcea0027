"""``rapidbleu kbmira``, ``mert`` and ``pro``: Moses' learners on features and statistics.

`kbmira` is batch MIRA. Without shuffling, updates, losses and scores equal Moses' except that Moses
loses most hypotheses in its test for duplicates; see docs/guides/moses.md. With metrics other than
BLEU, for which Moses lacks reference lengths, it learns like `rapidbleu.tuning.mira`. It writes the
weights of the best epoch as ``F<number> <weight>`` lines, ``<name> <weight>`` for sparse features;
the last line on stderr is ``Best BLEU = 0.29``.

`mert` writes weights to ``weights.txt`` in the working directory, the best point and its score to
stderr, where `mert-moses.pl` looks for them. From the given starts, climbs follow Moses step by
step. Because its rules miss some improvements, climbs by the rules of `rapidbleu.tuning.mert` begin
at the same starts and at random ones, and the best of all ends is the result. Smoothed scores are
only tuned by Moses' rules, because smoothing also decides which end is best.

`pro` writes pairs of hypotheses for MegaM, each as two lines, ``1 F0 0.5 F3 -1.2`` and its mirror
image ``0 F0 -0.5 F3 1.2``; differences below 0.00001 are omitted. Sparse features have their names.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Literal, TextIO

import numpy as np

from rapidbleu._lib.colors import harmless
from rapidbleu._lib.files import replacing_text
from rapidbleu.cli import INTERRUPTED
from rapidbleu.cli.files import output
from rapidbleu.cli.messages import CommandError, progress_bar, progress_callback, reading_bar, say
from rapidbleu.cli.moses import (
    LIST,
    Program,
    comma_list,
    feature_labels,
    integer,
    integer_from,
    joined,
    learner_parser,
    make_metric,
    moses_parser,
    parse_scconfig,
    with_features,
    without_duplicates,
)
from rapidbleu.cli.options import (
    MOST_REPEATS,
    Parser,
    add_options,
    argument,
    number_above,
    number_from,
)
from rapidbleu.metrics import BLEU
from rapidbleu.score import RowScoring
from rapidbleu.tuning import MertResult, mert
from rapidbleu.tuning.moses.nbest_files import count_dense
from rapidbleu.tuning.moses.score_files import read_pairs, read_stats
from rapidbleu.tuning.moses.score_types import fraction
from rapidbleu.tuning.moses.weights import read_dense_weights, read_init_opt, read_sparse_weights
from rapidbleu.tuning.nbest import NBestList, widened
from rapidbleu.tuning.search.mira import mira
from rapidbleu.tuning.search.pro import pair_differences, sample_pairs, sentence_scores
from rapidbleu.tuning.search.shared import normalized

SMALLEST_WEIGHT = 1e-8  # of sparse features in the output
SMALLEST_DIFFERENCE = 1e-5  # in the output
PAIRS = 4096  # formatted at once


KBMIRA = (
    argument("--sctype", default="BLEU", help="metric of the statistics (default: BLEU)"),
    argument("--scconfig", default="", help="its options, name:value,name:value"),
    argument("--type", default="nbest", help="nbest; hypergraphs are not supported"),
    ("--hgdir", "-H", "DIR", "hypergraphs, not supported"),
    ("--reference", "-R", "FILE", "not supported", {"action": "append"}),
    ("--hg-prune", "N", "not supported", {"type": integer}),
    argument(
        "--cparam", "-C", type=number_above(0), default=0.01, help="maximum step (default: 0.01)"
    ),
    argument(
        "--decay",
        "-D",
        type=number_from(0, 1),
        default=0.999,
        help="decay of the pseudo-corpus (default: 0.999)",
    ),
    argument(
        "--iters", "-J", type=integer_from(1, MOST_REPEATS), default=60, help="epochs (default: 60)"
    ),
    ("--dense-init", "-d", "FILE", "initial weights, one value per line"),
    ("--sparse-init", "-s", "FILE", "initial weights of sparse features by name"),
    ("--streaming", "same as --no-shuffle"),
    ("--streaming-out", "same as --no-shuffle"),
    ("--no-shuffle", "segments in the same order in each epoch"),
    ("--model-bg", "pseudo-corpus of best hypotheses by model score instead of hopes"),
    ("--verbose", "no effect"),
    ("--safe-hope", "smaller model scores where they hide the costs of hopes"),
)
SMOOTHING = (
    "--smooth-brevity-penalty",
    "-b",
    "reference lengths plus 1, like n-gram counts (Nakov et al. 2012)",
)


def make_kbmira_parser() -> Parser:
    parser = learner_parser(
        "kbmira", "Tune weights on n-best lists by batch MIRA.", "order of segments"
    )
    add_options(parser, KBMIRA)
    return parser


def run_kbmira(options: Namespace, out: TextIO) -> int:
    """Learn weights and write them."""
    if options.type != "nbest":
        raise CommandError(f"--type: expected nbest; got {options.type}")
    for name in ("hgdir", "reference", "hg-prune"):
        if getattr(options, name.replace("-", "_")) is not None:
            raise CommandError(f"--{name}: not supported, like hypergraphs")
    _tell(f"Initialising random seed to {options.random_seed}")
    metric = make_metric(options.sctype, options.scconfig)
    with reading_bar(False) as bar:
        pairs = read_pairs(options.ffile, options.scfile, metric, bar)
        nbest, n_dense = joined(pairs)
    nbest, weights = _start(nbest, n_dense, options)
    _tell(f"Initial BLEU = {fraction(metric, nbest.evaluate(weights)):g}")

    def tell(entry: dict[str, Any]) -> None:
        _tell(
            f"{entry['updates']}/{nbest.n_segments} updates, avg loss = {entry['loss']:g}, "
            f"BLEU = {fraction(metric, entry['score']):g}"
        )

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
        callback=tell,
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
    _tell(f"Best BLEU = {best:g}")
    return INTERRUPTED if result.interrupted else 0


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
    add_options(parser, [SMOOTHING])
    return parser


def run_pro(options: Namespace, out: TextIO) -> int:
    _tell(f"Initialising random seed to {options.random_seed}")
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


WEIGHTS = "weights.txt"
SPARSE = "sparse"  # name of the merged sparse features with -p
SEED = 1000
DRAWN = 1024  # random weights scored at once
TYPES = ("powell", "random-direction", "random")
SMOOTHINGS: dict[str, Literal["mean", "min"]] = {"average": "mean", "min": "min", "minimum": "min"}


MERT = (
    ("-d", "--pdim", "N", "number of features, for verification", {"type": integer}),
    (
        "-n",
        "--ntry",
        "N",
        "random starts in addition to --ifile (default: 1)",
        {"type": integer_from(0, MOST_REPEATS), "default": 1},
    ),
    (
        "-m",
        "--nrandom",
        "N",
        "random directions in each step",
        {"type": integer_from(0, MOST_REPEATS), "default": 0},
    ),
    (
        "-o",
        "--optimize",
        "NAME,...",
        "features to tune, by name or number (default: all)",
        LIST,
    ),
    ("-P", "--positive", "NAME,...", "features whose weights may not be negative", LIST),
    argument(
        "-t",
        "--type",
        choices=TYPES,
        default=TYPES[0],
        help="search by features, by random directions only, or by random weights",
    ),
    (
        "-r",
        "--rseed",
        "SEED",
        f"seed of random numbers (default: {SEED})",
        {"type": integer_from(0), "default": SEED},
    ),
    (
        "-F",
        "--ffile",
        "FILE,...",
        "features, text or binary (default: features.dat)",
        {"type": comma_list, "default": ["features.dat"]},
    ),
    (
        "-S",
        "--scfile",
        "FILE,...",
        "statistics of the same hypotheses (default: statscore.dat)",
        {"type": comma_list, "default": ["statscore.dat"]},
    ),
    (
        "--ifile",
        "FILE,...",
        "starts; the first file has ranges of random ones (default: init.opt)",
        {"type": comma_list, "default": ["init.opt"]},
    ),
    ("-p", "--sparse-weights", "FILE", "weights that merge all sparse features into one"),
    (
        "--threads",
        "N",
        "number of threads; 0: one per core (default: 1)",
        {"type": integer_from(0), "default": 1},
    ),
    argument("--shard-count", type=integer, default=0, help="not supported"),
    argument("--shard-size", type=float, default=0, help="not supported"),
    (
        "-v",
        "--verbose",
        "LEVEL",
        "3: messages on starts and ends, 6: on steps (default: 1)",
        {"type": integer, "default": 1},
    ),
)


def make_mert_parser() -> Parser:
    parser = moses_parser("mert", "Tune weights by minimum error rate training.")
    add_options(parser, MERT)
    return parser


def run_mert(options: Namespace, out: TextIO) -> int:
    """Search for weights and write them."""
    if options.shard_count > 1:
        raise CommandError("--shard-count: not supported; weights of shards do not average")
    metric = make_metric(options.sctype, options.scconfig)
    _tell(f"shard_size = {options.shard_size:g} shard_count = {options.shard_count}")
    _tell(f"Seeding random numbers with {options.rseed}")
    _tell(f"Data::m_score_type {options.sctype}")
    for scores, features in zip(options.scfile, options.ffile, strict=False):
        _tell(f"Loading Data from: {scores} and {features}")
    sparse = None
    if options.sparse_weights is not None:
        sparse = read_sparse_weights(options.sparse_weights)
    with reading_bar(False) as bar:
        pairs = read_pairs(options.ffile, options.scfile, metric, bar)
        nbest = _only_dense(*joined(pairs), sparse)
        nbest = without_duplicates(nbest, nbest.n_features)
    given = [read_init_opt(path) for path in options.ifile]
    starts = _starts(nbest, options, [start for start, _, _ in given])
    ranges = np.stack(given[0][1:], axis=1)
    _tell(f"Creating a pool of {options.threads} threads")
    weights, score, interrupted = _tune(nbest, options, starts, ranges)
    if fraction(metric, score) == 0:
        say("no weights that were tried have a score other than 0")
    words = " ".join(_word(weight) for weight in weights)
    with replacing_text(WEIGHTS, "ascii") as file:
        print(words, end=" \n", file=file)
    _tell(f"Best point: {words}  => {fraction(metric, score):g}")
    return INTERRUPTED if interrupted else 0


def _tune(
    nbest: NBestList, options: Namespace, starts: Any, ranges: Any
) -> tuple[Any, float, bool]:
    """Return weights, their score in percent, and whether Ctrl-C stopped the search."""
    if options.type == "random":
        return *_best_of_random(nbest, starts, ranges, options.ntry, options.rseed), False
    bounds = None
    if options.positive:
        bounds = {name: (0.0, np.inf) for name in _names(nbest, options.positive, "-P")}
    tuned = set(_names(nbest, options.optimize, "-o") or nbest.names)
    fixed = [name for name in nbest.names if name not in tuned]
    for i, name in enumerate(nbest.names):
        if name not in tuned:
            starts[:, i] = starts[0, i]  # Moses uses it for all starts
    settings = parse_scconfig(options.scconfig)
    kind = SMOOTHINGS.get(settings.get("regtype", "none"))
    smooth = None if kind is None else (kind, int(settings.get("regwin", "0")))

    def climb(moses: bool, restarts: int) -> MertResult:
        with progress_callback("climbs", False) as bar:
            result = mert(
                nbest,
                starts,
                restarts=restarts,
                ranges=ranges,
                bounds=bounds,
                axes=options.type == "powell",
                random_directions=options.nrandom,
                fixed=fixed,
                normalize=None,
                smooth=smooth,
                seed=options.rseed,
                threads=options.threads,
                progress=bar,
                moses_compat=moses,
            )
        _report_climbs(result, options.verbose, nbest.metric)
        return result

    def final(result: MertResult) -> tuple[float, Any]:
        weights = result.weights if options.optimize else normalized(result.weights, "l1")
        return float(nbest.evaluate(weights)), weights

    result = climb(True, 0 if smooth is None else options.ntry)
    score, weights = final(result)
    if smooth is not None:
        score = nbest.metric._gain(max(start["objective"] for start in result.starts))
    elif not result.interrupted:
        result = climb(False, options.ntry)
        better = max if nbest.metric.higher_is_better else min
        score, weights = better((score, weights), final(result), key=lambda end: end[0])
    return weights, score, result.interrupted


def _best_of_random(
    nbest: NBestList, starts: Any, ranges: Any, n: int, seed: int
) -> tuple[Any, float]:
    """Return the best of the starts and of `n` points drawn from ranges, and its score."""
    generator = np.random.default_rng(seed)
    sign = 1 if nbest.metric.higher_is_better else -1
    scores = sign * nbest.evaluate(starts)
    best = starts[scores.argmax()]
    highest = float(scores.max())
    with progress_callback("random weights", False) as bar:
        for begin in range(0, n, DRAWN):
            size = min(DRAWN, n - begin), len(ranges)
            points = generator.uniform(ranges[:, 0], ranges[:, 1], size=size)
            scores = sign * nbest.evaluate(points)
            if scores.max() > highest:
                best = points[scores.argmax()]
                highest = float(scores.max())
            if bar is not None:
                bar(begin + size[0], n)
    return best, sign * highest


def _report_climbs(result: MertResult, verbose: int, metric: RowScoring) -> None:
    """Report each climb in Moses' format."""

    def told(objective: float) -> str:
        return f"{fraction(metric, metric._gain(objective)):g}"

    for number, climb in enumerate(result.starts):
        if verbose > 2:
            _tell(f"Starting point: {' '.join(_word(weight) for weight in climb['start'])}")
        if verbose > 5:
            for step in result.history:
                if step["start"] == number:
                    _tell(f"{step['direction']}: {step['x']:g} => {told(step['objective'])}")
        if verbose > 2:
            words = " ".join(_word(weight) for weight in climb["weights"])
            _tell(f"Ending point: {words} => {told(climb['objective'])}")


def _starts(nbest: NBestList, options: Namespace, given: list[Any]) -> Any:
    """Return the starts in all files, one per row."""
    for path, start in zip(options.ifile, given, strict=True):
        if len(start) != nbest.n_features:
            raise CommandError(
                f"{path}: expected {nbest.n_features} weights, as many as features; "
                f"got {len(start)}"
            )
    if options.pdim is not None and options.pdim != nbest.n_features:
        raise CommandError(
            f"-d/--pdim: expected {nbest.n_features}, the number of features; got {options.pdim}"
        )
    return np.stack(given)


def _names(nbest: NBestList, words: list[str], option: str) -> list[str]:
    """Return the names of features given by name or number."""
    known = set(nbest.names)
    names = []
    for word in words:
        if word not in known:
            if not word.isdecimal() or int(word) >= nbest.n_features:
                raise CommandError(f"{option}: expected names of features; got {word}")
            word = nbest.names[int(word)]
        names.append(word)
    return names


def _only_dense(nbest: NBestList, n_dense: int, weights: dict[str, float] | None) -> NBestList:
    """Return the list with dense features only; `weights` merge sparse ones into one more."""
    names = list(nbest.names[:n_dense])
    columns = nbest.features
    if nbest.is_sparse:
        columns = nbest.features[:, :n_dense].toarray()
    elif weights is None:
        return nbest
    if weights is not None:
        sums = np.zeros((len(nbest), 1), np.float32)
        if nbest.is_sparse:
            vector = np.array([weights.get(name, 0.0) for name in nbest.names[n_dense:]])
            sums[:, 0] = nbest.features[:, n_dense:] @ vector
        names = [*names, SPARSE]
        columns = np.hstack([columns, sums])
    return with_features(nbest, columns, names)


def _word(weight: float) -> str:
    """Format a weight with six digits; mert-moses.pl accepts only negative exponents."""
    text = f"{weight:g}"
    return f"{weight:.0f}" if "e+" in text else text


def _tell(line: str) -> None:
    print(harmless(line), file=sys.stderr, flush=True)


PROGRAMS = {
    "kbmira": Program(make_kbmira_parser, run_kbmira),
    "mert": Program(make_mert_parser, run_mert),
    "pro": Program(make_pro_parser, run_pro),
}
