"""``rapidbleu extractor``: features and statistics of n-best lists, with Moses' options and files.

Text files are those of Moses byte for byte, the order of hypotheses after duplicates were removed
included. Three differences are meant: hypotheses with other sparse features are no duplicates,
values that are missing, surplus or not finite are errors, and labels of old lists, ``lm: -38.9``,
are labels like ``lm= -38.9``, while Moses takes ``lm:`` for a feature with the value 0.

Moses' decoder writes no line for a segment that it cannot translate. Such segments are not in the
files, as with Moses; a message names them.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TextIO

from rapidbleu.cli.messages import CommandError, say
from rapidbleu.cli.moses_options import (
    comma_list,
    file_errors,
    integer,
    make_metric,
    moses_parser,
    parse,
    read_references,
)
from rapidbleu.tuning.moses import read_one
from rapidbleu.tuning.segments import gather, missing_segments, spread
from rapidbleu.tuning.stats_reading import read_pair
from rapidbleu.tuning.stats_writing import write_pair

if TYPE_CHECKING:
    import numpy as np

    from rapidbleu.cli.options import Parser
    from rapidbleu.tuning import NBestList

    _Int64Array = np.ndarray[Any, np.dtype[np.int64]]


def make_parser() -> "Parser":
    """Return the parser of the command."""
    parser = moses_parser("extractor", "Features and statistics of n-best lists, as files.")
    add = parser.add_argument
    add("-r", "--reference", type=comma_list, default=[], metavar="FILE,...",
        help="tokenized references")  # fmt: skip
    add("-n", "--nbest", type=comma_list, default=[], metavar="FILE,...", help="n-best lists")
    add("-S", "--scfile", default="statscore.data", metavar="FILE", help="statistics to write")
    add("-F", "--ffile", default="features.data", metavar="FILE", help="features to write")
    add("-R", "--prev-scfile", type=comma_list, default=[], metavar="FILE,...",
        help="statistics to begin with")  # fmt: skip
    add("-E", "--prev-ffile", type=comma_list, default=[], metavar="FILE,...",
        help="features to begin with")  # fmt: skip
    add("-b", "--binary", action="store_true", help="write 32-bit floats instead of text")
    add("-d", "--allow-duplicates", action="store_true", help="keep duplicates")
    add("-v", "--verbose", type=integer, default=0, metavar="N", help="has no effect")
    add("-f", "--factors", default="", help="not supported")
    add("-l", "--filter", default="", help="not supported")
    return parser


def run(argv: Sequence[str], out: TextIO) -> int:
    """Run the command."""
    args = parse(make_parser(), argv)
    for option in ("factors", "filter"):
        if getattr(args, option):
            raise CommandError(f"--{option}: not supported; prepare the files beforehand")
    metric = make_metric(args.sctype, args.scconfig)
    if len(args.prev_scfile) != len(args.prev_ffile):
        raise CommandError(
            f"--prev-scfile: expected as many files as --prev-ffile, {len(args.prev_ffile)}, got "
            f"{len(args.prev_scfile)}"
        )
    if not args.nbest and not args.prev_ffile:
        raise CommandError("no n-best lists: name their files with -n/--nbest")
    with file_errors():
        pairs = zip(args.prev_ffile, args.prev_scfile, strict=True)
        lists = [read_pair(*pair, metric) for pair in pairs]
        if args.nbest:
            references = read_references(metric, args.reference)
            lists += [read_one(path, references, metric, checks_text=False) for path in args.nbest]
        nbest, n_dense = lists[0] if len(lists) == 1 else _joined(lists)
        if args.nbest and (missing := missing_segments(nbest.ids, len(references))):
            say(
                f"{', '.join(args.nbest)}: no hypotheses for {missing} of {len(references)}; "
                "the files go without them"
            )
        rows = None if args.allow_duplicates else unique_rows(nbest, n_dense)
        write_pair(nbest, args.ffile, args.scfile, args.binary, rows, n_dense=n_dense)
    return 0


def _joined(lists: "list[tuple[NBestList, int]]") -> "tuple[NBestList, int]":
    """Return all hypotheses of several lists, those of each segment in the order of the lists."""
    import numpy as np

    from rapidbleu.tuning import NBestList
    first, n_dense = lists[0]
    for i, (other, n) in enumerate(lists[1:], 1):
        if other.names[:n] != first.names[:n_dense]:
            raise CommandError(
                f"list {i + 1}: expected the features of the first list, "
                f"{' '.join(first.names[:n_dense])}, got {' '.join(other.names[:n])}"
            )
    segments = np.concatenate([spread(one.ids, one.offsets) for one, _ in lists])
    stats = np.concatenate([one.stats for one, _ in lists])
    ids, offsets, order = gather(segments)
    names = first.names[:n_dense]
    if any(one.is_sparse for one, _ in lists):
        sparse = dict.fromkeys(name for one, n in lists for name in one.names[n:])
        names += tuple(sparse)
        features: Any = _stacked(lists, {name: n_dense + i for i, name in enumerate(sparse)})
    else:
        features = np.concatenate([one.features for one, _ in lists])
    if order is not None:
        features, stats = features[order], stats[order]
    nbest = NBestList(features, stats, offsets, metric=first.metric, names=names, ids=ids)
    return nbest, n_dense


def _stacked(lists: "list[tuple[NBestList, int]]", places: dict[str, int]) -> Any:
    """Return the features of lists of which some are sparse, with sparse ones at their places."""
    import numpy as np
    from scipy.sparse import csr_matrix, vstack

    parts = []
    for one, n in lists:
        own = csr_matrix(one.features)
        columns = np.array([*range(n), *(places[name] for name in one.names[n:])], np.int64)
        shape = (own.shape[0], n + len(places))
        parts.append(csr_matrix((own.data, columns[own.indices], own.indptr), shape=shape))
    return vstack(parts, format="csr")


def unique_rows(nbest: "NBestList", n_dense: int) -> "list[_Int64Array]":
    """Return which rows of each segment are left, and in which order, as Moses removes duplicates.

    A duplicate is replaced by the last hypothesis of its segment: A A B C becomes A C B.
    """
    import numpy as np

    from rapidbleu._core.moses_order import unique_rows as find_unique

    dense, tags = nbest.features, None
    if nbest.is_sparse:
        matrix = nbest.features.sorted_indices()
        dense = matrix[:, :n_dense].toarray()
        known: dict[bytes, int] = {}
        spans = [slice(*pair) for pair in zip(matrix.indptr, matrix.indptr[1:], strict=False)]
        keys = (matrix.indices[own].tobytes() + matrix.data[own].tobytes() for own in spans)
        tags = np.array([known.setdefault(key, len(known)) for key in keys], np.int64)
    order = np.empty(len(nbest), np.int64)
    counts = np.empty(nbest.n_segments, np.int64)
    offsets = np.ascontiguousarray(nbest.offsets, np.int64)
    find_unique(np.ascontiguousarray(dense), nbest.stats, offsets, order, counts, tags)
    starts = offsets[:-1].tolist()
    return [order[begin : begin + n] for begin, n in zip(starts, counts.tolist(), strict=True)]
