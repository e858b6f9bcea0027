"""``rapidbleu pro``: pairs of hypotheses for MegaM, with the flags of Moses' ``pro``.

Each pair is two lines, ``1 F0 0.5 F3 -1.2`` and its mirror image ``0 F0 -0.5 F3 1.2``; differences
below 0.00001 are left out. Sparse features go by their names.
"""

import sys
from collections.abc import Iterator
from itertools import pairwise
from typing import TextIO

from rapidbleu.cli.files import file_errors
from rapidbleu.cli.moses.learning import feature_labels, learner_parser, output
from rapidbleu.cli.moses.options import integer_from, parse
from rapidbleu.cli.options import Parser
from rapidbleu.cli.progress import progress_bar, progress_callback, reading_bar
from rapidbleu.tuning.moses.score_files import read_stats
from rapidbleu.tuning.search.pro import pair_differences, sample_pairs, sentence_scores

SMALLEST = 1e-5  # difference that is written
PAIRS = 4096  # made into text at a time


def run(argv: list[str], out: TextIO) -> int:
    """Run the command; return its exit status."""
    options = parse(make_parser(), argv)
    print(f"Initialising random seed to {options.random_seed}", file=sys.stderr)
    with file_errors(), reading_bar(False) as bar:
        nbest = read_stats(options.ffile, options.scfile, progress=bar)
    with progress_bar("pairs of", nbest.n_segments, False) as bar:
        scores = sentence_scores(nbest, smooth_length=options.smooth_brevity_penalty)
        pairs = sample_pairs(nbest, scores, seed=options.random_seed, progress=bar)
    labels = feature_labels(nbest)
    with (
        file_errors(),
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
    """Make the two lines of each pair.

    Examples
    --------
    >>> list(lines(["F0", "F1"], [0.5, -1.25, 1e-6], [0, 1, 0], [0, 2, 3]))
    ['1 F0 0.5 F1 -1.25\\n', '0 F0 -0.5 F1 1.25\\n', '1\\n', '0\\n']
    """
    for begin, end in pairwise(starts):
        kept = [
            (labels[column], value)
            for column, value in zip(columns[begin:end], values[begin:end], strict=True)
            if abs(value) >= SMALLEST
        ]
        yield " ".join(["1", *[f"{label} {value:g}" for label, value in kept]]) + "\n"
        yield " ".join(["0", *[f"{label} {-value:g}" for label, value in kept]]) + "\n"


def make_parser() -> Parser:
    """Return the parser of the command."""
    parser = learner_parser("pro", "Pairs of hypotheses for MegaM.")
    add = parser.add_argument
    add("--random-seed", "-r", type=integer_from(0), default=0, metavar="N",
        help="of the draws; 0 by default")  # fmt: skip
    add("--output-file", "-o", metavar="FILE", help="standard output by default")
    add("--smooth-brevity-penalty", "-b", action="store_true",
        help="add 1 to reference lengths as well as to n-grams (Nakov et al. 2012)")  # fmt: skip
    return parser
