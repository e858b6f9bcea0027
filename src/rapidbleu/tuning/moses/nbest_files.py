"""Decoders' n-best lists, with lines ``id ||| hypothesis ||| features ||| score``."""

from __future__ import annotations

from collections.abc import Mapping

from rapidbleu._core.input.arrow import TextColumn
from rapidbleu._core.input.columns import Column
from rapidbleu._core.moses.files import NBestLines
from rapidbleu._core.scoring.extraction import check_nbest
from rapidbleu._lib.checks import check_flag, check_type
from rapidbleu._lib.loader import load, np
from rapidbleu.metrics import BLEU, SegmentScores
from rapidbleu.metrics.corpus import (
    check_references,
    compare_layouts,
    fit_prepared,
    sum_of_first,
)
from rapidbleu.metrics.interpolation import PreparedParts, WeightedSum
from rapidbleu.parallel import check_threads, extract_nbest
from rapidbleu.score import check_metric
from rapidbleu.streams.files import (
    file_name,
    files_teller,
    is_table,
    open_outputs,
    open_reader,
)
from rapidbleu.streams.tables import read_candidates
from rapidbleu.tuning.checks import check_weights, named_features
from rapidbleu.tuning.nbest import NBestList, numbered, spread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from rapidbleu._types import (
        Array,
        IntArray,
        Items,
        Layout,
        Path,
        Progress,
        ReferenceStreams,
        Vector,
    )
    from rapidbleu.metrics.metric import Metric
    from rapidbleu.score import RowScoring
    from rapidbleu.streams.files import FilesTeller

# Hypotheses read at a time: a megabyte of text, milliseconds of work. Fewer if their features
# exceed this number.
BATCH = 4096
BATCH_FEATURES = 1 << 22

MOST_ID = 1 << 40  # index of a segment that every reader accepts
ROWS = 1 << 16  # checked together


def read_nbest(
    paths: Path | Sequence[Path],
    references: ReferenceStreams | None = None,
    *,
    metric: Metric | WeightedSum | SegmentScores | None = None,
    layout: Layout = "stream",
    scores: Mapping[str, Items[float]] | None = None,
    texts: bool = True,
    complete: bool = True,
    threads: int = 1,
    progress: Progress | None = None,
) -> NBestList:
    """Read n-best lists and compute the statistics of their hypotheses.

    Parameters
    ----------
    paths : path or sequence of paths
        N-best lists, or tables (.jsonl, .parquet, .arrow) with columns ``id`` (the index of the
        segment, or text), ``hyp`` (a text, or a list of all texts of the segment) and ``features``
        (numbers by name), compressed by gzip, bzip2, xz or zstd if text. Several lists are merged
        by segment without duplicates; see `NBestList.merge`.
    references : sequence of streams, References or None
        As in `Metric.corpus_score`, indexed by the segment numbers in the files, from 0; None uses
        the metric's references.
    metric : metric, optional
        Default ``BLEU()``; use ``BLEU(tokenize="none")`` for tokenized text, ``SegmentScores()``
        for lists without references (0 without `scores`).
    layout : {"stream", "segment"}
        Order of the references.
    scores : dict of float arrays of shape (n,), optional
        One score per hypothesis, in the order of the files, by the name of the `SegmentScores`
        that is the metric or a part of a `WeightedSum`.
    texts : bool
        Keep the hypotheses as strings, in ``NBestList.hypotheses``.
    complete : bool
        Refuse references without hypotheses, whose segments are otherwise omitted.
    threads : int
        Number of threads; 0 uses all cores.
    progress : callable, optional
        Called with the number of bytes read, as stored on disk, and the total.

    Returns
    -------
    NBestList
        Segments and hypotheses in the order of the files; features are float32, float64 from
        tables. Features of lists are named by label, ``LM0_0`` for the first value of ``LM0=``;
        without labels ``_0``, ``_1``. Sparse features, whose labels contain ``_``, follow the dense
        ones, in a CSR matrix.

    Raises
    ------
    ValueError
        If a line is not a hypothesis, or has other features than the first one, a number that is
        not finite, or a segment without references; the message contains file and line.
    ImportError
        If SciPy is missing for sparse features, or a library for zstd.

    Notes
    -----
    Linear in the size of the files. Needs a few megabytes in addition to the result and, without
    `texts`, creates no Python object per hypothesis.

    Examples
    --------
    >>> import os, tempfile
    >>> from rapidbleu import BLEU
    >>> lines = ["0 ||| a b c d ||| LM= -4 W= 4 ||| -8", "0 ||| a b x ||| LM= -3 W= 3 ||| -6"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "nbest")
    ...     with open(path, "w") as file:
    ...         print(*lines, sep="\\n", file=file)
    ...     nbest = read_nbest(path, [["a b c d"]], metric=BLEU(tokenize="none"))
    >>> nbest.names, nbest.features.tolist(), nbest.hypotheses
    (('LM_0', 'W_0'), [[-4.0, 4.0], [-3.0, 3.0]], ['a b c d', 'a b x'])
    >>> round(nbest.evaluate([0, 1]), 1)
    100.0
    """
    if not isinstance(metric, SegmentScores):
        metric = check_metric(BLEU() if metric is None else metric, method="nbest_stats")
    check_flag("texts", texts)
    check_flag("complete", complete)
    check_type("scores", {} if scores is None else scores, Mapping)
    n_threads = check_threads(threads)
    files: list[Any] = list(paths) if isinstance(paths, (list, tuple)) else [paths]
    if not files:
        raise ValueError("paths: expected at least one file; got none")
    tell = files_teller(progress, files)
    maker = RowMaker(metric, references, layout, scores)
    lists = [read_one(path, maker, texts, n_threads, tell=tell)[0] for path in files]
    for name in scores or ():
        got = len(maker.scores[name])
        if got != maker.n:
            raise ValueError(f"scores[{name!r}]: expected {maker.n}, a hypothesis each; got {got}")
    nbest = lists[0] if len(lists) == 1 else lists[0].merge(*lists[1:])
    n = len(maker)
    if complete and n <= MOST_ID:
        missing = missing_segments(nbest.ids.tolist(), n)
        if missing:
            names = ", ".join(map(file_name, files))
            raise ValueError(
                f"{names}: expected hypotheses for each of {n} references; got none for {missing}"
            )
    if tell is not None:
        tell.finish()
    return nbest


def _read_table(path: Path, maker: RowMaker, texts: bool, threads: int) -> NBestList:
    """Read the list in a table, by `read_candidates`."""
    rows = list(read_candidates(path, True))
    if not rows:
        raise ValueError(f"{file_name(path)}: expected hypotheses; got none")
    places, segments, hypotheses, features = zip(*rows, strict=True)
    for where, segment in zip(places, segments, strict=True):
        if not 0 <= segment < len(maker):
            raise ValueError(f"{where}: expected a segment below {len(maker)}; got {segment}")
    values, names = named_features(features, places.__getitem__)
    numbers = np.array(segments, np.int64)
    stats = maker.rows([*hypotheses], numbers, threads)
    kept_texts = [*hypotheses] if texts else None
    return gathered_list(file_name(path), maker.metric, numbers, values, stats, names, kept_texts)


class RowMaker:
    """Computes rows of statistics from hypotheses, with references prepared once.

    Rows of several metrics are concatenated. References may be the result of `WeightedSum.prepare`.
    `SegmentScores` take the next rows of `given`, or 0 without it.
    """

    def __init__(
        self,
        metric: Metric | WeightedSum | SegmentScores,
        references: ReferenceStreams | PreparedParts | None,
        layout: Layout = "stream",
        scores: Mapping[str, Items[float]] | None = None,
    ) -> None:
        self.metric: Any = metric
        metrics = [*metric.metrics] if isinstance(metric, WeightedSum) else [metric]
        names = [part.name for part in metrics if isinstance(part, SegmentScores)]
        if scores is None:
            scores = {name: [] for name in names if metric is metrics[0]}  # zeros
        if sorted(scores) != sorted(names):
            raise ValueError(f"scores: expected {names}, named as the metric; got {[*scores]}")
        if references is not None and len(names) == len(metrics):
            raise ValueError("references: expected None, as no metric reads them; got some")
        self.scores = {name: SegmentScores().stats(values) for name, values in scores.items()}
        self.n = 0  # hypotheses until now
        self.dtype = "int64" if names else "int32"
        self.layout = layout
        of_metrics: list[Any] = [references] * len(metrics)
        if isinstance(references, PreparedParts):
            of_metrics = list(references.parts)
        # Each metric, its references as the caller passed them and as read, the scorer of
        # hypotheses, and prepared references.
        self.parts: list[tuple[Any, Any, Any, Any, Any]] = []
        for part, refs in zip(metrics, of_metrics, strict=True):
            if isinstance(part, SegmentScores):
                self.parts.append((part, None, None, None, None))
                continue
            read = check_references(part, refs, layout)
            passed = getattr(part, "references", None) if refs is None else refs
            self.parts.append((part, passed, read, *fit_prepared(part, read)))

    def __len__(self) -> int:
        """Return the number of segments with references, the maximum if none are needed."""
        return min([len(refs) for *_, refs in self.parts if refs is not None], default=MOST_ID + 1)

    def rows(self, texts: TextColumn | list[str], segments: IntArray, threads: int) -> Array:
        """Return the rows of the next hypotheses, of the given segments, as int32."""
        hyps = Column(texts, "hypotheses")
        blocks = []
        for metric, passed, read, extractor, refs in self.parts:
            if extractor is None:
                values = self.scores[metric.name][self.n : self.n + len(hyps)]
                blocks.append(np.pad(values, ((0, len(hyps) - len(values)), (0, 0))))
                continue
            if self.n == 0:
                check_nbest(metric._extractor, hyps, read)
                compare_layouts(metric, passed, self.layout, read, sum_of_first(hyps, segments))
            metric._look_at_hypotheses(hyps, True)
            rows = np.empty((len(hyps), extractor.kernel.n_stats), np.int32)
            extract_nbest(extractor, hyps, refs, segments, threads, rows=rows)
            blocks.append(rows)
        self.n += len(hyps)
        return blocks[0] if len(blocks) == 1 else np.hstack(blocks)


def read_one(
    path: Path,
    maker: RowMaker,
    texts: bool = False,
    threads: int = 1,
    checks_text: bool = True,
    tell: FilesTeller | None = None,
) -> tuple[NBestList, int]:
    """Read one list; return it and the number of dense features; see `read_nbest`.

    Text that is not UTF-8 is refused unless `checks_text` is False; compiled tokenizers accept it.
    """
    if is_table(path):
        nbest = _read_table(path, maker, texts, threads)
        return nbest, len(nbest.names)
    with open_reader(path, tell) as reader:
        lines = NBestLines(reader, len(maker), checks_text)
        names = lines.read_names()
        if names is None:
            raise ValueError(f"{reader.name}: expected hypotheses; got none")
        n_dense = len(names.names)
        all_segments = GrowingRows(None, np.int64)
        all_features = GrowingRows(n_dense, np.float32)
        all_stats = GrowingRows(maker.metric._kernel.n_stats, maker.dtype)
        hypotheses: list[str] | None = [] if texts else None
        batch = max(1, min(BATCH, BATCH_FEATURES // max(1, n_dense)))
        numbers = np.empty(batch, np.int64)
        values = np.empty((batch, n_dense), np.float32)
        while True:
            column = TextColumn()
            n = lines.read(numbers, values, column)
            if not n:
                break
            all_segments.append(numbers[:n])
            all_features.append(values[:n])
            all_stats.append(maker.rows(column, numbers[:n], threads))
            if hypotheses is not None:
                hypotheses += column.to_list()
        assert lines.features is not None
    features, names_of_all = with_sparse(
        all_features.take(), names.names, names.sparse_names, lines.features.sparse(), reader.name
    )
    nbest = gathered_list(
        reader.name,
        maker.metric,
        all_segments.take(),
        features,
        all_stats.take(),
        names_of_all,
        hypotheses,
        trusted=n_dense > 0 and not names.sparse_names,
    )
    return nbest, n_dense


def gathered_list(
    where: str,
    metric: RowScoring,
    segments: IntArray,
    features: Any,
    stats: Array,
    names: tuple[str, ...],
    hypotheses: list[str] | None = None,
    trusted: bool = False,
) -> NBestList:
    """Return a list of rows, each with its segment, in order of the segments' first rows.

    `trusted` features are dense and need no check. Errors name the file, `where`.
    """
    ids, offsets, order = gather(segments)
    if order is not None:
        features = features[order]
        stats = stats[order]
        if hypotheses is not None:
            hypotheses = [hypotheses[i] for i in order]
    if trusted:
        return NBestList._made(features, stats, offsets, metric, names, ids, hypotheses)
    try:
        return NBestList(
            features, stats, offsets, metric=metric, names=names, hypotheses=hypotheses, ids=ids
        )
    except ValueError as error:  # no features, or a sparse one with the name of a dense one
        raise ValueError(f"{where}: {error}") from None


class GrowingRows:
    """Growing array of rows, or of numbers if `n_columns` is None.

    >>> rows = GrowingRows(2, "int64")
    >>> rows.append([[1, 2], [3, 4]])
    >>> rows.take()
    array([[1, 2],
           [3, 4]])
    """

    def __init__(self, n_columns: int | None, dtype: Any) -> None:
        self.width = () if n_columns is None else (n_columns,)
        self.rows: Array = np.empty((0, *self.width), dtype)
        self.n = 0

    def more(self, n: int) -> Array:
        """Return the next `n` rows, to be filled before the next call."""
        needed = self.n + n
        if needed > len(self.rows):
            # No view of the rows exists, so they may move.
            self.rows.resize((max(needed, len(self.rows) * 3 // 2), *self.width), refcheck=False)
        self.n = needed
        return self.rows[needed - n : needed]

    def append(self, rows: Items[Any]) -> None:
        """Append copies of rows."""
        self.more(len(rows))[:] = rows

    def take(self) -> Array:
        """Return the rows, and free their unused memory."""
        self.rows.resize((self.n, *self.width), refcheck=False)
        return self.rows


def gather(segments: IntArray) -> tuple[IntArray, IntArray, IntArray | None]:
    """Return the segments, offsets, and the order that makes each segment's hypotheses adjacent.

    The order is None if they are adjacent already.

    >>> import numpy as np
    >>> gather(np.array([5, 5, 2]))
    (array([5, 2]), array([0, 2, 3]), None)
    >>> gather(np.array([5, 2, 5]))
    (array([5, 2]), array([0, 2, 3]), array([0, 2, 1]))
    """
    ids, ranks = numbered(segments)
    offsets = np.append(0, np.cumsum(np.bincount(ranks)))
    order = None if (np.diff(ranks) >= 0).all() else np.argsort(ranks, kind="stable")
    return ids, offsets, order


def missing_segments(ids: Iterable[int], n_segments: int) -> str:
    """Return text about the segments without hypotheses: the first ten, and how many more.

    >>> missing_segments([3, 0], 5), missing_segments([1, 0], 2)
    ('segments 1, 2, 4', '')
    """
    present = set(ids)
    missing = [segment for segment in range(n_segments) if segment not in present]
    if not missing:
        return ""
    named = ", ".join(map(str, missing[:10]))
    if len(missing) > 10:
        named += f" and {len(missing) - 10} more"
    return f"segment{'s' * (len(missing) > 1)} {named}"


def with_sparse(
    dense: Array, names: tuple[str, ...], sparse_names: list[str], triples: Any, where: str
) -> tuple[Any, tuple[str, ...]]:
    """Return dense features followed by sparse ones as a CSR matrix, and all names.

    Without sparse features, return the dense ones unchanged. `triples` are the rows, columns and
    values of sparse features; `where` names the file in errors.
    """
    if not sparse_names:
        return dense, names
    try:
        load("scipy.sparse")
        from scipy.sparse import csr_matrix, hstack
    except ImportError:
        raise ImportError(f"{where}: sparse features need SciPy (pip install scipy)") from None
    rows, columns, values = (np.frombuffer(part, part.typecode) for part in triples)
    cells, counts = np.unique(rows * len(sparse_names) + columns, return_counts=True)
    if len(cells) < len(rows):
        row, column = divmod(int(cells[counts > 1][0]), len(sparse_names))
        raise ValueError(
            f"{where}: hypothesis {row + 1} has feature {sparse_names[column]} more than once"
        )
    shape = (len(dense), len(sparse_names))
    right = csr_matrix((values, (rows, columns)), shape=shape)
    return hstack([csr_matrix(dense), right], format="csr"), (*names, *sparse_names)


def write_nbest(nbest: NBestList, path: Path, *, weights: Vector | None = None) -> None:
    """Write an n-best list with its hypotheses.

    Parameters
    ----------
    nbest : NBestList
        List with hypotheses.
    path : path
        Compressed if it ends in .gz, .bz2, .xz or .zst.
    weights : float array of shape (n_features,), optional
        Weights for the fourth field, the weighted sum of the features.

    Raises
    ------
    ValueError
        Before the file is changed: if the list has no hypotheses, one of them cannot be stored in
        this format, a name or feature would be read differently, a feature exceeds 32-bit floats,
        or a segment number is negative.

    Notes
    -----
    Reading restores 32-bit features exactly. Names ``LM0_0``, ``LM0_1`` share the label ``LM0=``,
    and must be in the order of their numbers; any other name becomes a label of its own, and is
    read with the suffix ``_0``. Spaces at the ends of a hypothesis are lost.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> nbest = NBestList.from_lists([["a b"]], [[-1.5]], [["a b"]], names=["LM"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_nbest(nbest, f"{folder}/nbest")
    ...     Path(f"{folder}/nbest").read_text()
    '0 ||| a b ||| LM= -1.5\\n'
    """
    check_type("nbest", nbest, NBestList)
    lines = nbest_lines(nbest, weights)
    with open_outputs(path) as (file,):
        file.writelines(lines)


def nbest_lines(nbest: NBestList, weights: Vector | None) -> Iterator[bytes]:
    """Return the lines of a list that can be written; see `write_nbest`."""
    if nbest.hypotheses is None:
        raise ValueError("nbest: expected a list with hypotheses; got one without")
    for i, text in enumerate(nbest.hypotheses):
        if "|||" in text or "\n" in text:
            raise ValueError(f"hypotheses[{i}]: expected text without '|||' and line feeds")
        check_utf8(text, f"hypotheses[{i}]")
    check_segments(nbest.ids)
    n_dense = count_dense(nbest)
    check_written(nbest.features, n_dense)
    labels = _labels(nbest.names[:n_dense])
    for i, name in enumerate(nbest.names[n_dense:], n_dense):
        check_word(name, f"names[{i}]")
        if "_" not in name or _is_unfit(name):
            raise ValueError(f"names[{i}]: expected a sparse feature's name with '_'; got {name!r}")
    scores: Any = None
    if weights is not None:
        vector = check_weights(weights, nbest.names)
        scores = nbest.features.astype(np.float64) @ vector
    return _lines(nbest, labels, n_dense, scores)


def _lines(nbest: NBestList, labels: list[str], n_dense: int, scores: Any) -> Iterator[bytes]:
    segments = spread(nbest.ids, nbest.offsets).tolist()
    for i, (segment, text) in enumerate(zip(segments, nbest.hypotheses or (), strict=True)):
        row: Any = nbest.features[i]
        sparse = ""
        if nbest.is_sparse:
            pairs = zip(row.indices.tolist(), row.data, strict=True)
            sparse = "".join(f" {nbest.names[j]}= {v!s}" for j, v in pairs if j >= n_dense)
            row = row[:, :n_dense].toarray()[0]
        values = "".join(f"{label} {value!s}" for label, value in zip(labels, row, strict=True))
        score = "" if scores is None else f" ||| {scores[i]:g}"
        yield f"{segment} ||| {text} |||{values}{sparse}{score}\n".encode()


def _is_unfit(name: str) -> bool:
    return name[-1] in "=:" or "|||" in name


def _labels(names: tuple[str, ...]) -> list[str]:
    """Return the text before each value: a label where a new one begins.

    >>> _labels(("LM0_0", "LM0_1", "length"))
    [' LM0=', '', ' length=']
    """
    labels: list[str] = []
    last = ""  # text before values without a label
    for i, label in enumerate(dense_labels(names)):
        if label:
            check_word(label, f"names[{i}]")
            if _is_unfit(label):
                raise ValueError(f"names[{i}]: expected a name of a label; got {names[i]!r}")
        labels.append("" if label == last else f" {label}=")
        last = label
    return labels


# Readers split lines at white space, so a name must be read as one word, and as the same one.


def check_word(name: str, where: str) -> None:
    """Refuse a name that is not read as one word of UTF-8.

    >>> check_word("LM0_0", "names[0]")
    >>> check_word("a\\u3000b", "names[1]")
    Traceback (most recent call last):
    ...
    ValueError: names[1]: expected a name without white space; got 'a\\u3000b'
    """
    if name.split() != [name] or min(name) <= " ":
        raise ValueError(f"{where}: expected a name without white space; got {name!r}")
    check_utf8(name, where)


def check_utf8(text: str, where: str) -> None:
    """Refuse text with lone surrogates, which UTF-8 cannot encode."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{where}: expected text for UTF-8; got {text[error.start]!r} at {error.start}"
        ) from None


def split_name(name: str) -> tuple[str, str]:
    """Return the label and the number of a name; "" for the number if the feature is not dense.

    >>> split_name("LM0_1"), split_name("length"), split_name("pair_a_b"), split_name("_3")
    (('LM0', '1'), ('length', '0'), ('pair_a_b', ''), ('', '3'))
    """
    label, mark, number = name.rpartition("_")
    if not mark:
        return name, "0"
    if "_" in label or not number.isdecimal():
        return name, ""
    return label, number


def dense_labels(names: Sequence[str]) -> list[str]:
    """Return the labels of dense features.

    Because files contain labels without numbers, features of one label must be in numerical order.

    >>> dense_labels(["LM0_0", "LM0_1", "length"])
    ['LM0', 'LM0', 'length']
    """
    labels = []
    counts = dict[str, int]()
    for i, name in enumerate(names):
        label, number = split_name(name)
        if not number or not name:
            raise ValueError(
                f"names[{i}]: expected a name without '_' and white space, or one and a number, "
                f"such as LM or LM_0; got {name!r}"
            )
        n = counts.get(label, 0)
        if number != str(n):
            raise ValueError(
                f"names[{i}]: expected {label}_{n} as the next feature with this label; "
                f"got {name!r}"
            )
        counts[label] = n + 1
        labels.append(label)
    return labels


def check_segments(ids: IntArray) -> None:
    """Refuse segment numbers that some reader refuses, and an empty list."""
    if not len(ids):
        raise ValueError("nbest: expected segments; got none")
    wrong = (ids < 0) | (ids > MOST_ID)
    if wrong.any():
        i = int(wrong.argmax())
        raise ValueError(f"ids[{i}]: expected 0 to {MOST_ID}; got {ids[i]}")


def check_written(features: Any, n_dense: int) -> None:
    """Refuse features that exceed 32-bit floats, and a file without any features.

    Sparse features are a CSR matrix.
    """
    is_sparse = hasattr(features, "indptr")
    if is_sparse and not n_dense and not features.nnz:
        raise ValueError("features: expected a dense one or a value of a sparse one; got none")
    values = features.data if is_sparse else features
    for begin in range(0, len(values) if values.dtype != np.float32 else 0, ROWS):
        several = values[begin : begin + ROWS]
        with np.errstate(over="ignore"):
            wrong = ~np.isfinite(several.astype(np.float32))
        if wrong.any():
            first, *rest = (int(k) for k in np.argwhere(wrong)[0])
            row = begin + first
            got = several[(first, *rest)]
            if is_sparse:
                rest = [int(features.indices[row])]
                row = int(np.searchsorted(features.indptr, row, "right")) - 1
            raise ValueError(
                f"features[{row}][{rest[0]}]: expected a number of 32 bits; got {got:g}"
            )


def count_dense(nbest: NBestList) -> int:
    """Return the number of dense features: those before the first sparse name."""
    if not nbest.is_sparse:
        return len(nbest.names)
    sparse = (i for i, name in enumerate(nbest.names) if not split_name(name)[1])
    return next(sparse, len(nbest.names))
