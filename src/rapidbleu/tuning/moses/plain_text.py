"""The usual way from an n-best list to its files: segment by segment, and without NumPy.

Moses starts its extractor once for each list. NumPy alone takes a third as long to load as a list
of 100,000 hypotheses takes to read and write, so arrays are Python's here; all work is compiled and
takes any of them. As soon as a segment ends its rows become text, which takes half as much memory
again as they would, and their place, still in the cache, is free for those of the next one.

Where there is a second core, a thread decompresses the file and takes its lines apart, while the
other one computes statistics and writes text.

What is not usual makes the list one for `read_one` and `write_pair`: sparse features, and segments
whose hypotheses are in several places of the file.
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


class PlainText:
    """What is in the files of features and of statistics; the keys of `ids` are the segments."""

    def __init__(self) -> None:
        self.ids: dict[int, None] = {}
        self.features: list[bytes] = []
        self.scores: list[bytes] = []

    def write(self, features_file: Path, scores_file: Path) -> None:
        """Write the files; both are replaced when both are written."""
        with open_outputs(features_file, scores_file) as (features, scores):
            features.writelines(self.features)
            scores.writelines(self.scores)


def read_text(
    path: Path, maker: RowMaker, unique: bool, tell: FilesTeller | None = None
) -> PlainText | None:
    """Read a list as the text of its files; None if it is one for `read_one`.

    `unique` leaves out duplicates as Moses does. For errors see `read_one` and `write_pair`.
    """
    metric = maker.metric
    if not isinstance(metric, Metric) or Form(metric).places is None:
        return None  # lines of statistics are computed
    if not os.path.isfile(path):
        return None  # it could not be read once more
    with open_reader(path, tell) as reader:
        lines = NBestLines(reader, len(maker), False)
        features = lines.read_names()
        if features is None:
            raise ValueError(f"{reader.name}: expected hypotheses; got none")
        if not features.names:
            return None
        rows, text = _Rows(maker, features.names, unique), PlainText()
        batches = _batches(lines, rows.width)
        with closing(read_ahead(batches) if check_threads(0) > 1 else batches) as ahead:
            for batch in ahead:
                if not rows.add(*batch) or features.sparse_names or not rows.move(text):
                    return None
        return text if rows.move(text, at_end=True) else None


def _batches(lines: NBestLines, width: int) -> Generator[_Batch]:
    """Yield the segments, features and texts of some hypotheses."""
    room = max(1, min(BATCH, BATCH_FEATURES // width))
    segments, features = array("q", [0]) * room, array("f", [0]) * (room * width)
    while n := lines.read(segments, features, column := TextColumn()):
        yield segments[:n], features[: n * width], column


class _Rows:
    """Rows of hypotheses from which the last segment may go on, and room for more."""

    def __init__(self, maker: RowMaker, names: tuple[str, ...], unique: bool) -> None:
        check_features(names, len(names))
        _, _, _, self.extractor, self.references = maker.parts[0]
        self.kernel, self.form, self.unique = maker.metric._kernel, Form(maker.metric), unique
        self.names, self.width, self.n_stats = dense_names(names), len(names), self.kernel.n_stats
        self.segments, self.features, self.stats = array("q"), array("f"), array("q")

    def add(self, segments: array[int], features: array[float], column: TextColumn) -> bool:
        """Add hypotheses behind those that are there; False if a text cannot have their counts."""
        shape = len(segments), self.n_stats
        stats, hyps = array("q", [0]) * (shape[0] * shape[1]), Column(column, "hypotheses")
        extract_nbest(self.extractor, hyps, self.references, segments, 0, shape[0], stats)
        counted = memoryview(stats).cast("B").cast("q", shape)
        self.segments += segments
        self.features += features
        self.stats += stats
        return bool(self.kernel.check_rows(counted, "stats") <= MOST_IN_TEXT)

    def move(self, text: PlainText, at_end: bool = False) -> bool:
        """Move complete segments to a text; False if one of them is there already."""
        if not at_end and self.segments[0] == self.segments[-1]:
            return True  # at once, so that a long segment is not gone through again and again
        n, width, n_stats = len(self.segments), self.width, self.n_stats
        ids, offsets = find_runs(self.segments)
        n_segments = len(ids) if at_end else len(ids) - 1
        if self.unique:
            order, counts = array("q", [0]) * n, array("q", [0]) * n_segments
            unique_rows(self.features, self.stats, offsets[: n_segments + 1], order, counts)
        else:
            order = array("q", range(n))
            counts = array("q", map(int.__sub__, offsets[1 : n_segments + 1], offsets))
        for segment, begin, count in zip(ids, offsets, counts, strict=False):
            if segment in text.ids:
                return False
            text.ids[segment] = None
            own = memoryview(order)[begin : begin + count]
            text.features += block(
                "FEATURES_TXT", f"{segment} {count} {width} {self.names}",
                format_rows(self.features, width, own),
            )  # fmt: skip
            text.scores += block(
                "SCORES_TXT", f"{segment} {count} {self.form.n_columns} {self.form.name}",
                format_rows(self.stats, n_stats, own, self.form.places),
            )  # fmt: skip
        done = offsets[n_segments]
        self.segments = self.segments[done:]
        self.features = self.features[done * width :]
        self.stats = self.stats[done * n_stats :]
        return True
