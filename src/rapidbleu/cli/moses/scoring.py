"""``rapidbleu extractor`` and ``rapidbleu evaluator``: scoring with Moses' options and files.

`extractor` writes features and statistics of n-best lists. Text files equal Moses' byte for byte,
including the order of hypotheses after duplicates are removed, with four intended differences:
hypotheses with different sparse features are not duplicates; missing, surplus or non-finite values
are errors; labels of old lists, ``lm: -38.9``, are labels like ``lm= -38.9``, while Moses reads
``lm:`` as a feature of value 0; and counts from a million on, which Moses rounds to six digits, are
exact. As in Moses, segments without hypotheses are missing in the files, because the decoder writes
no line if it cannot translate; a message lists them.

`evaluator` prints the score of translations or of first hypotheses: a fraction with four digits,
after the name of the file if there are several; with ``--bootstrap`` the mean of the samples and a
95 % interval.
"""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any, TextIO

from rapidbleu._core.input.lines import read_texts
from rapidbleu._lib.loader import np
from rapidbleu.cli.messages import CommandError, progress_callback, reading_bar, say
from rapidbleu.cli.moses import (
    LIST,
    UNSUPPORTED,
    Program,
    integer,
    integer_from,
    joined,
    make_metric,
    moses_parser,
    read_references,
    without_duplicates,
)
from rapidbleu.cli.options import MOST_REPEATS, Parser, add_options
from rapidbleu.streams.files import files_teller, open_reader
from rapidbleu.tuning.moses.nbest_files import RowMaker, missing_segments, read_one
from rapidbleu.tuning.moses.plain_text import PlainText, read_text
from rapidbleu.tuning.moses.score_files import read_pair, write_pair
from rapidbleu.tuning.moses.score_types import fraction

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rapidbleu._types import Array, Progress
    from rapidbleu.metrics.interpolation import WeightedSum
    from rapidbleu.metrics.metric import Metric
    from rapidbleu.tuning import NBestList

_ALPHA = 0.05
SAMPLES = 100  # scored at once


EXTRACTOR = (
    ("-r", "--reference", "FILE,...", "tokenized references", LIST),
    ("-n", "--nbest", "FILE,...", "n-best lists", LIST),
    ("-S", "--scfile", "FILE", "statistics to write", {"default": "statscore.data"}),
    ("-F", "--ffile", "FILE", "features to write", {"default": "features.data"}),
    ("-R", "--prev-scfile", "FILE,...", "previous statistics", LIST),
    ("-E", "--prev-ffile", "FILE,...", "previous features", LIST),
    ("-b", "--binary", "32-bit floats instead of text"),
    ("-d", "--allow-duplicates", "no removal of duplicates"),
    ("-v", "--verbose", "N", "no effect", {"type": integer, "default": 0}),
    *UNSUPPORTED,
)
EVALUATOR = (
    ("-R", "--reference", "FILE,...", "tokenized references", LIST),
    ("-C", "--candidate", "FILE,...", "translations, one per line", LIST),
    ("-n", "--nbest", "FILE,...", "n-best lists, scored by their first hypotheses", LIST),
    ("-c", "NAME:VALUE,...", "same as --scconfig", {"dest": "scconfig", "default": ""}),
    (
        "-b",
        "--bootstrap",
        "N",
        "mean score and interval of N samples of segments",
        {"type": integer_from(0, MOST_REPEATS), "default": 0},
    ),
    (
        "-r",
        "--rseed",
        "SEED",
        "seed of the samples (default: random)",
        {"type": integer_from(0)},
    ),
    *UNSUPPORTED,
)


def make_extractor_parser() -> Parser:
    parser = moses_parser("extractor", "Write features and statistics of n-best lists to files.")
    add_options(parser, EXTRACTOR)
    return parser


def extract(args: Namespace, out: TextIO) -> int:
    """Write features and statistics to files."""
    metric = make_metric(args.sctype, args.scconfig)
    if len(args.prev_scfile) != len(args.prev_ffile):
        raise CommandError(
            f"--prev-scfile: expected as many files as --prev-ffile, {len(args.prev_ffile)}; got "
            f"{len(args.prev_scfile)}"
        )
    if not args.nbest and not args.prev_ffile:
        raise CommandError("no n-best lists: name their files with -n/--nbest")
    with reading_bar(False) as bar:
        found, n_segments = _read(args, metric, bar)
    if isinstance(found, PlainText):
        _report_missing(args.nbest, found.ids, n_segments)
        found.write(args.ffile, args.scfile)
        return 0
    nbest, n_dense = joined(found)
    _report_missing(args.nbest, nbest.ids.tolist(), n_segments)
    if not args.allow_duplicates:
        nbest = without_duplicates(nbest, n_dense)
    write_pair(nbest, args.ffile, args.scfile, args.binary, n_dense=n_dense)
    return 0


def _read(
    args: Namespace, metric: Metric[Any] | WeightedSum, bar: Progress | None
) -> tuple[PlainText | list[tuple[NBestList, int]], int]:
    """Return the content of the files, and the number of segments with references if needed."""
    tell = files_teller(bar, [*args.prev_ffile, *args.prev_scfile, *args.nbest])
    pairs = zip(args.prev_ffile, args.prev_scfile, strict=True)
    lists = [read_pair(*pair, metric, tell) for pair in pairs]
    if not args.nbest:
        return lists, 0
    maker = RowMaker(metric, read_references(metric, args.reference))
    if not lists and len(args.nbest) == 1 and not args.binary:
        text = read_text(args.nbest[0], maker, not args.allow_duplicates, tell)
        if text is not None:
            return text, len(maker)
    for path in args.nbest:
        lists.append(read_one(path, maker, checks_text=False, tell=tell))
    return lists, len(maker)


def _report_missing(paths: list[str], ids: Iterable[int], n_segments: int) -> None:
    if missing := missing_segments(ids, n_segments):
        say(
            f"{', '.join(paths)}: no hypotheses for {missing} of {n_segments}; "
            "the files go without them"
        )


def make_evaluator_parser() -> Parser:
    parser = moses_parser("evaluator", "Score translations.")
    add_options(parser, EVALUATOR)
    return parser


def evaluate(args: Namespace, out: TextIO) -> int:
    metric = make_metric(args.sctype, args.scconfig)
    if bool(args.candidate) == bool(args.nbest):
        raise CommandError("expected files of either -C/--candidate or -n/--nbest")
    lines = []
    references = read_references(metric, args.reference)
    read = _read_candidate if args.candidate else _read_first
    paths = args.candidate or args.nbest
    for path in paths:
        with reading_bar(False) as bar:
            rows = read(path, metric, references, files_teller(bar, [path]))
        name = f"{path}\t" if len(paths) > 1 else ""
        lines.append(name + _report(rows, metric, args.bootstrap, args.rseed))
    print(*lines, sep="\n", file=out)
    return 0


def _read_candidate(path: str, metric: Any, references: Any, tell: Any) -> Any:
    """Return the rows of translations."""
    with open_reader(path, tell) as reader:
        texts = read_texts(reader, False)
    if len(texts) != len(references):
        raise CommandError(
            f"{path}: expected {len(references)} lines, as many as references; got {len(texts)}"
        )
    return metric.segment_stats(texts, references)


def _read_first(path: str, metric: Any, references: Any, tell: Any) -> Any:
    """Return the rows of the first hypotheses in an n-best list."""
    nbest, _ = read_one(path, RowMaker(metric, references), checks_text=False, tell=tell)
    if missing := missing_segments(nbest.ids.tolist(), len(references)):
        raise CommandError(
            f"{path}: expected hypotheses for each of {len(references)} references; got none for "
            f"{missing}"
        )
    return nbest.stats[nbest.offsets[:-1]].astype("int64")


def _report(rows: Array, metric: Any, n_samples: int, seed: int | None) -> str:
    if n_samples < 1:
        return f"{fraction(metric, metric.score(rows).score):.4f}"
    rng = np.random.default_rng(seed)
    scores = np.empty(n_samples)
    with progress_callback("samples", False) as bar:
        for begin in range(0, n_samples, SAMPLES):
            part = scores[begin : begin + SAMPLES]
            draws = (rng.integers(len(rows), size=len(rows)) for _ in range(len(part)))
            part[:] = metric.score_rows(np.array([rows[drawn].sum(0) for drawn in draws]))
            if bar is not None:
                bar(begin + len(part), n_samples)
    scores[:] = [fraction(metric, score) for score in scores.tolist()]
    scores.sort()
    low, high = (scores[int(n_samples * part)] for part in (_ALPHA / 2, 1 - _ALPHA / 2))
    return f"{scores.mean():.4f}\t[{low:.4f},{high:.4f}]"


PROGRAMS = {
    "extractor": Program(make_extractor_parser, extract),
    "evaluator": Program(make_evaluator_parser, evaluate),
}
