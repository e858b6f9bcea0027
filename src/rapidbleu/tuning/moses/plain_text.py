"""Fast path from an n-best list to its files: segment by segment, and without NumPy.

Moses starts its extractor once per list. Loading NumPy takes a third of the time that a list of
100,000 hypotheses takes to read and write, so arrays are Python's here; all work is compiled and
accepts either. When a segment ends, its rows become text, which takes half as much memory again,
and their memory, still in the cache, is free for the next segment. With a second core, a thread
decompresses and splits the lines while the main thread computes statistics and writes text.

Lists with sparse features, or segments spread over the file, go to `read_one` and `write_pair`.
"""

from __future__ import annotations

import os
from array import array
from contextlib import closing

from rapidbleu._core.input.arrow import TextColumn
from rapidbleu._core.input.columns import Column
from rapidbleu._core.moses.files import NBestLines, find_runs, format_rows, unique_rows
from rapidbleu._core.scoring.extraction import extract_nbest
from rapidbleu.metrics.metric import Metric
from rapidbleu.parallel import check_threads
from rapidbleu.streams.batches import read_ahead
from rapidbleu.streams.files import open_outputs, open_reader
from rapidbleu.tuning.moses.nbest_files import BATCH, BATCH_FEATURES, RowMaker
from rapidbleu.tuning.moses.score_files import MOST_IN_TEXT, block, check_features, dense_names
from rapidbleu.tuning.moses.score_types import Form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

    from rapidbleu._types import Path
    from rapidbleu.streams.files import FilesTeller

    _Batch = tuple[array[int], array[float], TextColumn]


def read_text(
    path: Path, maker: RowMaker, unique: bool, tell: FilesTeller | None = None
) -> PlainText | None:
    """Read a list as the text of its files; return None if `read_one` has to read it.

    `unique` drops duplicates as Moses does. See `read_one` and `write_pair` for errors.
    """
    metric = maker.metric
    if not isinstance(metric, Metric) or Form(metric).places is None:
        return None  # statistics in the file differ from ours
    if not os.path.isfile(path):
        return None  # cannot be read twice
    with open_reader(path, tell) as reader:
        lines = NBestLines(reader, len(maker), False)
        features = lines.read_names()
        if features is None:
            raise ValueError(f"{reader.name}: expected hypotheses; got none")
        if not features.names:
            return None
        text = PlainText(maker, features.names, unique)
        batches = _batches(lines, text.width)
        with closing(read_ahead(batches) if check_threads(0) > 1 else batches) as ahead:
            for batch in ahead:
                if not text.add(*batch) or features.sparse_names or not text.move():
                    return None
        return text if text.move(at_end=True) else None


def _batches(lines: NBestLines, width: int) -> Generator[_Batch]:
    room = max(1, min(BATCH, BATCH_FEATURES // width))
    segments = array("q", [0]) * room
    features = array("f", [0]) * (room * width)
    while True:
        column = TextColumn()
        n = lines.read(segments, features, column)
        if not n:
            return
        yield segments[:n], features[: n * width], column


class PlainText:
    """Contents of the files of features and of statistics, and rows that are no text yet.

    The keys of `ids` are the segments that are text. The last segment of the rows may be
    incomplete.
    """

    def __init__(self, maker: RowMaker, names: tuple[str, ...], unique: bool) -> None:
        check_features(names, len(names))
        *_, self.extractor, self.references = maker.parts[0]
        self.kernel = maker.metric._kernel
        self.form = Form(maker.metric)
        self.unique = unique
        self.names = dense_names(names)
        self.width = len(names)
        self.segments = array("q")
        self.features = array("f")
        self.stats = array("q")
        self.ids: dict[int, None] = {}
        self.feature_lines: list[bytes] = []
        self.score_lines: list[bytes] = []

    def add(self, segments: array[int], features: array[float], column: TextColumn) -> bool:
        """Append hypotheses; return False if a text file cannot store their counts."""
        shape = len(segments), self.kernel.n_stats
        stats = array("q", [0]) * (shape[0] * shape[1])
        hyps = Column(column, "hypotheses")
        extract_nbest(self.extractor, hyps, self.references, segments, 0, shape[0], stats)
        counted = memoryview(stats).cast("B").cast("q", shape)
        self.segments += segments
        self.features += features
        self.stats += stats
        return bool(self.kernel.check_rows(counted, "stats") <= MOST_IN_TEXT)

    def move(self, at_end: bool = False) -> bool:
        """Make complete segments text; return False if one of them already is."""
        if not at_end and self.segments[0] == self.segments[-1]:
            return True  # early, so a long segment is not scanned repeatedly
        n = len(self.segments)
        width = self.width
        n_stats = self.kernel.n_stats
        ids, offsets = find_runs(self.segments)
        n_segments = len(ids) if at_end else len(ids) - 1
        if self.unique:
            order = array("q", [0]) * n
            counts = array("q", [0]) * n_segments
            unique_rows(self.features, self.stats, offsets[: n_segments + 1], order, counts)
        else:
            order = array("q", range(n))
            counts = array("q", map(int.__sub__, offsets[1 : n_segments + 1], offsets))
        for segment, begin, count in zip(ids, offsets, counts, strict=False):
            if segment in self.ids:
                return False
            self.ids[segment] = None
            rows = memoryview(order)[begin : begin + count]
            self.feature_lines += block(
                "FEATURES_TXT",
                f"{segment} {count} {width} {self.names}",
                format_rows(self.features, width, rows),
            )
            self.score_lines += block(
                "SCORES_TXT",
                f"{segment} {count} {self.form.n_columns} {self.form.name}",
                format_rows(self.stats, n_stats, rows, self.form.places),
            )
        done = offsets[n_segments]
        self.segments = self.segments[done:]
        self.features = self.features[done * width :]
        self.stats = self.stats[done * n_stats :]
        return True

    def write(self, features_file: Path, scores_file: Path) -> None:
        """Write the files, replacing both after both are written."""
        with open_outputs(features_file, scores_file) as (features, scores):
            features.writelines(self.feature_lines)
            scores.writelines(self.score_lines)
