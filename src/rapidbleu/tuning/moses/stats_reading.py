"""One pair of Moses' files, read into an n-best list."""

from rapidbleu._core.moses.nbest_files import FeatureNames
from rapidbleu._core.moses.score_files import StatsBlocks
from rapidbleu.streams.files import open_reader
from rapidbleu.tuning.lists.growing import GrowingRows
from rapidbleu.tuning.lists.nbest import NBestList
from rapidbleu.tuning.lists.segments import gather, with_sparse
from rapidbleu.tuning.moses.score_types import Form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from rapidbleu._core.moses.score_files import StatsBlocks
    from rapidbleu.scoring import RowScoring
    from rapidbleu.streams.files import FilesTeller
    from rapidbleu.typing import Array, Path

# Rows that are read at a time, whatever a header says there will be; fewer, if they have more
# numbers than these together.
PART = 1 << 14
PART_NUMBERS = 1 << 20


class _Blocks:
    """What the blocks of a file say of its segments."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.segments: list[int] = []
        self.counts: list[int] = []
        self.lines: list[int] = []

    def add(self, block: "StatsBlocks") -> None:
        self.segments.append(block.segment)
        self.counts.append(block.n_rows)
        self.lines.append(block.line)

    def place(self, i: int) -> str:
        """Return where block `i` is."""
        if i < len(self.lines):
            return f"{self.name}, line {self.lines[i]}"
        return f"{self.name}, end of the file"

    def what(self, i: int) -> str:
        """Return what block `i` is."""
        if i < len(self.lines):
            return f"segment {self.segments[i]} with {self.counts[i]} rows"
        return "no more segments"


def read_pair(
    features_file: "Path",
    scores_file: "Path",
    metric: "RowScoring",
    tell: "FilesTeller | None" = None,
) -> "tuple[NBestList, int]":
    """Read a file of features and one of statistics that belong together.

    Parameters
    ----------
    features_file, scores_file : path
    metric : RowScoring
    tell : FilesTeller, optional

    Returns
    -------
    NBestList
    int
        How many of its features are dense.
    """
    import numpy as np

    features, names, n_dense, feature_blocks = _read_features(features_file, tell)
    stats, score_blocks = _read_scores(scores_file, metric, tell)
    for i in range(max(len(feature_blocks.lines), len(score_blocks.lines))):
        expected, got = feature_blocks.what(i), score_blocks.what(i)
        if expected != got:
            raise ValueError(
                f"{score_blocks.place(i)}: expected {expected} as in {feature_blocks.place(i)}, "
                f"got {got}"
            )
    if not len(stats):
        raise ValueError(f"{feature_blocks.name}: expected hypotheses, got none")
    segments = np.repeat(feature_blocks.segments, feature_blocks.counts)
    ids, offsets, order = gather(segments)
    if order is not None:
        features, stats = features[order], stats[order]
    try:
        nbest = NBestList(features, stats, offsets, metric=metric, names=names, ids=ids)
    except ValueError as error:
        raise ValueError(f"{feature_blocks.name}: {error}") from None
    return nbest, n_dense


def _read_features(
    path: "Path", tell: "FilesTeller | None"
) -> "tuple[Any, tuple[str, ...], int, _Blocks]":
    import numpy as np

    rows = GrowingRows(0, np.float32)
    names, known = FeatureNames(()), list[str]()
    with open_reader(path, tell) as reader:
        block, blocks = StatsBlocks(reader, "FEATURES"), _Blocks(reader.name)
        while block.next_block():
            if not blocks.lines:
                rows = GrowingRows(block.n_columns, np.float32)
                names, known = FeatureNames(block.names), block.names
                _check_names(block, block.n_columns, known)
            elif block.names is not known or block.n_columns != len(known):
                _check_names(block, len(names.names), known)
            for n in _parts(block):
                block.read_features(names, n, rows.more(n))
            blocks.add(block)
    dense, n_dense = rows.take(), len(names.names)
    if block.features is None:
        return dense, names.names, n_dense, blocks
    triples = block.features.sparse()
    features, own = with_sparse(dense, names.names, names.sparse_names, triples, reader.name)
    return features, own, n_dense, blocks


def _check_names(block: "StatsBlocks", n: int, names: "list[str]") -> None:
    """Refuse a block whose features are not the `n` with these names."""
    where = f"{block.reader.name}, line {block.line}"
    if len(block.names) != block.n_columns:
        raise ValueError(f"{where}: expected {block.n_columns} names, got {len(block.names)}")
    for i, (name, first) in enumerate(zip(block.names, names, strict=False), 1):
        if name != first:
            raise ValueError(
                f"{where}: expected feature {i} to be {first} as in the first segment, got {name}"
            )
    if block.n_columns != n:
        raise ValueError(
            f"{where}: expected {n} features as in the first segment, got {block.n_columns}"
        )


def _read_scores(
    path: "Path", metric: "RowScoring", tell: "FilesTeller | None"
) -> "tuple[Array, _Blocks]":
    import numpy as np

    form = Form(metric)
    rows = GrowingRows(form.n_stats, np.int32)
    with open_reader(path, tell) as reader:
        block, blocks = StatsBlocks(reader, "SCORES"), _Blocks(reader.name)
        while block.next_block():
            if block.n_columns != form.n_columns or block.names != [form.name]:
                raise ValueError(
                    f"{reader.name}, line {block.line}: expected {form.n_columns} statistics of "
                    f"{form.name}, got "
                    f"{block.n_columns} of {' '.join(block.names) or 'no metric'}"
                )
            for n in _parts(block):
                part = np.empty((n, form.n_columns), np.int32)
                block.read_counts(n, part)
                rows.append(form.rows(part).astype(np.int32))
            blocks.add(block)
    return rows.take(), blocks


def _parts(block: "StatsBlocks") -> "Iterator[int]":
    """Yield how many rows to read next until the block is read; once at least, for its end."""
    most = max(1, min(PART, PART_NUMBERS // max(1, block.n_columns)))
    yield min(block.n_left, most)
    while block.n_left:
        yield min(block.n_left, most)
