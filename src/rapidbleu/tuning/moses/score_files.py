"""Moses' files of features and statistics, exchanged by its extractor and its optimizers."""

from __future__ import annotations

from itertools import pairwise, zip_longest
from typing import NamedTuple

from rapidbleu._core.moses.files import FeatureNames, StatsBlocks, format_rows
from rapidbleu._lib.checks import check_type
from rapidbleu._lib.loader import np
from rapidbleu.streams.files import files_teller, open_outputs, open_reader
from rapidbleu.tuning.moses.nbest_files import (
    ROWS,
    GrowingRows,
    check_segments,
    check_word,
    check_written,
    count_dense,
    gathered_list,
    with_sparse,
)
from rapidbleu.tuning.moses.score_types import Form, moses_bleu
from rapidbleu.tuning.nbest import NBestList

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterator, Sequence
    from typing import Any

    from rapidbleu._types import Array, Path, Progress
    from rapidbleu.score import RowScoring
    from rapidbleu.streams.files import FilesTeller

# Rows read at a time, independent of the header; fewer if they have more numbers than this.
PART = 1 << 14
PART_NUMBERS = 1 << 20
MOST_DENSE = 1 << 20  # features that readers accept
MOST_IN_TEXT = (1 << 31) - 1
MOST_IN_BINARY = 1 << 24  # the first integer whose successor is not a 32-bit float


def read_stats(
    feature_files: Path | Sequence[Path],
    score_files: Path | Sequence[Path],
    metric: RowScoring | None = None,
    progress: Progress | None = None,
) -> NBestList:
    """Read pairs of files of features and of statistics, in linear time.

    Needs a few megabytes beyond the result (100 bytes per hypothesis for BLEU and 15 features). The
    list has no texts; its `ids` are the segment numbers in the files.

    Parameters
    ----------
    feature_files, score_files : path or sequence of paths
        Files written by Moses' extractor or `write_stats`, text or binary, plain or compressed.
        Pairs are merged segment by segment, without duplicates; see `NBestList.merge`.
    metric : BLEU, PER, WER, CDER, TER or WeightedSum of them, optional
        Metric of the statistics; PER with ``aggregate="corpus"``. Default: Moses' unsmoothed BLEU.
    progress : callable, optional
        Called with the bytes read and the total, as stored on disk.

    Raises
    ------
    ValueError
        If a file is malformed, files disagree about segments, hypotheses or features, or the
        statistics do not fit the metric; the message has the file and line.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> from rapidbleu.tuning import NBestList
    >>> nbest = NBestList(np.float32([[-1.5], [-2]]), [[4, 4, 4, 3, 2, 1, 4, 3, 2, 1]] * 2, [0, 2])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = os.path.join(folder, "features"), os.path.join(folder, "scores")
    ...     write_stats(nbest, *files)
    ...     for name in files:
    ...         with open(name) as file:
    ...             print(*[line.rstrip() for line in file], sep="\\n")
    ...     again = read_stats(*files)
    FEATURES_TXT_BEGIN_0 0 2 1 F0
    -1.5
    -2
    FEATURES_TXT_END_0
    SCORES_TXT_BEGIN_0 0 2 9 BLEU
    4 4 3 3 2 2 1 1 4
    4 4 3 3 2 2 1 1 4
    SCORES_TXT_END_0
    >>> again.features.tolist(), again.stats.tolist() == nbest.stats.tolist()
    ([[-1.5], [-2.0]], True)
    """
    pairs = read_pairs(feature_files, score_files, metric, progress)
    lists = [nbest for nbest, _ in pairs]
    return lists[0] if len(lists) == 1 else lists[0].merge(*lists[1:])


def read_pairs(
    feature_files: Path | Sequence[Path],
    score_files: Path | Sequence[Path],
    metric: RowScoring | None = None,
    progress: Progress | None = None,
) -> list[tuple[NBestList, int]]:
    """Read pairs of files as `read_stats` does; return the lists, each with its `n_dense`."""
    metric = moses_bleu() if metric is None else metric
    Form(metric)  # raises for a metric without a form in statistics files
    features = _as_list(feature_files)
    scores = _as_list(score_files)
    if len(features) != len(scores) or not features:
        raise ValueError(
            f"score_files: expected as many as feature_files, {len(features)}, at least one; "
            f"got {len(scores)}"
        )
    tell = files_teller(progress, [*features, *scores])
    pairs = [read_pair(*pair, metric, tell) for pair in zip(features, scores, strict=True)]
    if tell is not None:
        tell.finish()
    return pairs


def _as_list(paths: Path | Sequence[Path]) -> list[Path]:
    if isinstance(paths, (list, tuple)):
        return list(paths)
    return [paths]  # type: ignore[list-item]


class _Blocks(NamedTuple):
    """The segments of a file, each with its number of rows and the line of its block."""

    name: str
    segments: list[tuple[int, int, int]]

    def describe(self, block: tuple[int, int, int] | None) -> tuple[str, str]:
        """Return text about a block, and where it is; None is one after the last."""
        if block is None:
            return "no more segments", f"{self.name}, end of the file"
        segment, n, line = block
        return f"segment {segment} with {n} rows", f"{self.name}, line {line}"


def read_pair(
    features_file: Path, scores_file: Path, metric: RowScoring, tell: FilesTeller | None = None
) -> tuple[NBestList, int]:
    """Read a file of features and its file of statistics; return the list and `n_dense`."""
    features, names, n_dense, blocks = _read_features(features_file, tell)
    stats, score_blocks = _read_scores(scores_file, metric, tell)
    for first, second in zip_longest(blocks.segments, score_blocks.segments):
        if first is None or second is None or first[:2] != second[:2]:
            expected, there = blocks.describe(first)
            got, here = score_blocks.describe(second)
            raise ValueError(f"{here}: expected {expected} as in {there}; got {got}")
    if not len(stats):
        raise ValueError(f"{blocks.name}: expected hypotheses; got none")
    segments, counts, _ = zip(*blocks.segments, strict=True)
    rows = np.repeat(segments, counts)
    return gathered_list(blocks.name, metric, rows, features, stats, names), n_dense


def _read_features(
    path: Path, tell: FilesTeller | None
) -> tuple[Any, tuple[str, ...], int, _Blocks]:
    """Return the features of a file, all names, the number of dense features, and the blocks."""
    rows = GrowingRows(0, np.float32)
    names = FeatureNames(())
    known = list[str]()
    with open_reader(path, tell) as reader:
        block = StatsBlocks(reader, "FEATURES")
        blocks = _Blocks(reader.name, [])
        while block.next_block():
            if not blocks.segments:
                rows = GrowingRows(block.n_columns, np.float32)
                names, known = FeatureNames(block.names), block.names
                _check_names(block, block.n_columns, known)
            elif block.names is not known or block.n_columns != len(known):
                _check_names(block, len(names.names), known)
            for n in _parts(block):
                block.read_features(names, n, rows.more(n))
            blocks.segments.append((block.segment, block.n_rows, block.line))
    dense = rows.take()
    n_dense = len(names.names)
    if block.features is None:
        return dense, names.names, n_dense, blocks
    triples = block.features.sparse()
    features, all_names = with_sparse(dense, names.names, names.sparse_names, triples, reader.name)
    return features, all_names, n_dense, blocks


def _check_names(block: StatsBlocks, n: int, names: list[str]) -> None:
    """Raise ValueError unless the features of a block are the `n` with these names."""
    where = f"{block.reader.name}, line {block.line}"
    if len(block.names) != block.n_columns:
        raise ValueError(f"{where}: expected {block.n_columns} names; got {len(block.names)}")
    for i, (name, first) in enumerate(zip(block.names, names, strict=False), 1):
        if name != first:
            raise ValueError(
                f"{where}: expected feature {i} to be {first} as in the first segment; got {name}"
            )
    if block.n_columns != n:
        raise ValueError(
            f"{where}: expected {n} features as in the first segment; got {block.n_columns}"
        )


def _read_scores(path: Path, metric: RowScoring, tell: FilesTeller | None) -> tuple[Array, _Blocks]:
    form = Form(metric)
    rows = GrowingRows(form.n_stats, np.int32)
    counts = GrowingRows(form.n_columns, np.int32)
    with open_reader(path, tell) as reader:
        block = StatsBlocks(reader, "SCORES")
        blocks = _Blocks(reader.name, [])
        while block.next_block():
            if block.n_columns != form.n_columns or block.names != [form.name]:
                raise ValueError(
                    f"{reader.name}, line {block.line}: expected {form.n_columns} statistics of "
                    f"{form.name}; got "
                    f"{block.n_columns} of {' '.join(block.names) or 'no metric'}"
                )
            for n in _parts(block):
                if counts.n + n > PART:
                    rows.append(form.rows(counts.take()))
                    counts.n = 0
                block.read_counts(n, counts.more(n))
            blocks.segments.append((block.segment, block.n_rows, block.line))
        rows.append(form.rows(counts.take()))
    return rows.take(), blocks


def _parts(block: StatsBlocks) -> Iterator[int]:
    """Yield how many rows to read next; at least once, to read the end of the block."""
    most = max(1, min(PART, PART_NUMBERS // max(1, block.n_columns)))
    yield min(block.n_left, most)
    while block.n_left:
        yield min(block.n_left, most)


def write_stats(
    nbest: NBestList, features_file: Path, scores_file: Path, binary: bool = False
) -> None:
    """Write features and statistics as Moses' extractor does.

    Parameters
    ----------
    nbest : NBestList
        With a metric that `read_stats` supports.
    features_file, scores_file : path
        Compressed if the name ends in .gz, .bz2, .xz or .zst.
    binary : bool
        Write native 32-bit floats. Text has six significant digits of features, all of counts.

    Raises
    ------
    ValueError
        Before any file is touched: for an unsupported metric, sparse features in a binary file, or
        values that cannot be read back, such as names with white space, negative segment numbers,
        features beyond 32-bit floats or, in a binary file, counts above 2**24.

    Examples
    --------
    >>> import tempfile
    >>> from rapidbleu import BLEU
    >>> nbest = NBestList.from_lists([["a b"]], [[-1.5]], [["a b"]], names=["LM"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_stats(nbest, f"{folder}/features", f"{folder}/scores")
    ...     read_stats(f"{folder}/features", f"{folder}/scores", BLEU()).features
    array([[-1.5]], dtype=float32)
    """
    check_type("nbest", nbest, NBestList)
    write_pair(nbest, features_file, scores_file, binary, n_dense=count_dense(nbest))


def write_pair(
    nbest: NBestList,
    features_file: Path,
    scores_file: Path,
    binary: bool,
    *,
    n_dense: int,
) -> None:
    """Write a file of features and one of statistics, replacing both after both are written.

    Features from `n_dense` on are sparse. Values that cannot be read back raise ValueError first.
    """
    if nbest.is_sparse and binary:
        raise ValueError("binary: expected False for sparse features; got True")
    check_features(nbest.names, n_dense)
    check_segments(nbest.ids)
    check_written(nbest.features, n_dense)
    form = Form(nbest.metric)
    _check_counts(nbest.stats, form, MOST_IN_BINARY if binary else MOST_IN_TEXT)
    names = dense_names(nbest.names[:n_dense])
    spans = pairwise(nbest.offsets.tolist())
    ending = "BIN" if binary else "TXT"
    with open_outputs(features_file, scores_file) as (features, scores):
        for segment, (begin, end) in zip(nbest.ids.tolist(), spans, strict=True):
            stats = nbest.stats[begin:end]
            if nbest.is_sparse:
                values = _sparse_text(nbest.features[begin:end], nbest.names, n_dense)
            else:
                values = _numbers(nbest.features[begin:end], binary)
            if form.places is not None and not binary:
                counts = _numbers(stats, False, form.places)
            else:
                counts = _numbers(form.columns(stats), binary)
            header = f"{segment} {end - begin} {n_dense} {names}"
            features.writelines(block(f"FEATURES_{ending}", header, values))
            header = f"{segment} {end - begin} {form.n_columns} {form.name}"
            scores.writelines(block(f"SCORES_{ending}", header, counts))


def block(kind: str, header: str, rows: bytes) -> tuple[bytes, bytes, bytes]:
    """Return the lines of a segment: header, rows and end."""
    return f"{kind}_BEGIN_0 {header}\n".encode(), rows, f"{kind}_END_0\n".encode()


def check_features(names: Sequence[str], n_dense: int) -> None:
    """Raise for names that are not words, and for more dense features than readers accept."""
    if n_dense > MOST_DENSE:
        raise ValueError(f"features: expected at most {MOST_DENSE} dense ones; got {n_dense}")
    for i, name in enumerate(names):
        check_word(name, f"names[{i}]")


def dense_names(names: Sequence[str]) -> str:
    """Return feature names as in the header of a segment."""
    return "".join(f"{name} " for name in names)


def _check_counts(stats: Array, form: Form, most: int) -> None:
    for begin in range(0, len(stats), ROWS):
        rows = stats[begin : begin + ROWS]
        may_exceed = rows.max() > most or form.places is None  # else the columns are our values
        if may_exceed and (columns := form.columns(rows)).max() > most:
            i, j = (int(k) for k in np.argwhere(columns > most)[0])
            raise ValueError(
                f"stats[{begin + i}]: expected at most {most} in such a file; got {columns[i, j]}"
            )
        wrong = form.check(rows)
        if wrong is not None:
            raise ValueError(f"stats[{begin + wrong[0]}][{wrong[1]}]: {wrong[2]}")


def _numbers(rows: Array, binary: bool, columns: array[int] | None = None) -> bytes:
    if binary:
        return rows.astype(np.float32).tobytes()
    if not rows.shape[1]:
        return b"\n" * len(rows)
    return format_rows(np.ascontiguousarray(rows), rows.shape[1], None, columns)


def _sparse_text(matrix: Any, names: Sequence[str], n_dense: int) -> bytes:
    dense = _numbers(matrix[:, :n_dense].toarray(), False).split(b"\n")
    lines = []
    for i, (begin, end) in enumerate(pairwise(matrix.indptr.tolist())):
        columns = matrix.indices[begin:end].tolist()
        values = matrix.data[begin:end].tolist()
        pairs = sorted(zip(columns, values, strict=True))
        sparse = "".join(f"{names[j]}={value:g} " for j, value in pairs if j >= n_dense)
        lines.append(dense[i] + sparse.encode() + b"\n")
    return b"".join(lines)
