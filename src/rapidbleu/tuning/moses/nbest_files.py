"""N-best lists as decoders write them: lines ``id ||| hypothesis ||| features ||| score``."""

from __future__ import annotations

from rapidbleu._core.input.arrow import TextColumn
from rapidbleu._core.moses.nbest_files import NBestLines
from rapidbleu._lib.checks import check_flag, check_type
from rapidbleu._lib.lazy import np
from rapidbleu.metrics import BLEU
from rapidbleu.metrics.corpus import check_references
from rapidbleu.metrics.interpolation import Interpolation, PreparedParts
from rapidbleu.references import References
from rapidbleu.scoring import check_metric
from rapidbleu.streams.files import file_name, files_teller, open_outputs, open_reader
from rapidbleu.tuning.checks import check_weights
from rapidbleu.tuning.moses.gathering import GrowingRows, gather, missing_segments, with_sparse
from rapidbleu.tuning.moses.names import (
    check_segments,
    check_utf8,
    check_word,
    check_written,
    count_dense,
    dense_labels,
)
from rapidbleu.tuning.nbest import NBestList, spread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from rapidbleu.metrics.metric import Metric
    from rapidbleu.streams.files import FilesTeller
    from rapidbleu.typing import Array, Layout, Path, Progress, ReferenceStreams, Vector

# Hypotheses that are read at a time: a megabyte of text, milliseconds of work.  Fewer if they have
# more features than these together.
BATCH = 4096
BATCH_FEATURES = 1 << 22


def read_nbest(
    paths: Path | Sequence[Path],
    references: ReferenceStreams | None = None,
    *,
    metric: Metric | Interpolation | None = None,
    layout: Layout = "stream",
    texts: bool = True,
    complete: bool = True,
    threads: int = 1,
    progress: Progress | None = None,
) -> NBestList:
    """Read n-best lists and compute the statistics of their hypotheses.

    Parameters
    ----------
    paths : path or sequence of paths
        Files, plain or compressed by gzip, bzip2, xz or zstd. Several lists are merged segment by
        segment, and what they have in common is kept once; see `NBestList.merge`.
    references : sequence of streams, References or None
        As in `Metric.corpus_score`; the numbers of segments in the files count from 0 in them.
        None: those of the metric.
    metric : metric, optional
        ``BLEU()`` by default. For text that is tokenized already: ``BLEU(tokenize="none")``.
    layout : {"stream", "segment"}
        Of the references.
    texts : bool
        Keep the hypotheses as strings, in ``NBestList.hypotheses``.
    complete : bool
        Refuse references without a hypothesis. Otherwise those segments are not there.
    threads : int, optional
        0 for all cores; the metric's by default.
    progress : callable, optional
        Called with the bytes read and all of them, of files as they are on the disk.

    Returns
    -------
    NBestList
        Segments and hypotheses as they come in the files, with float32 features. Features are
        named by their labels, ``LM0_0`` for the first value of ``LM0=``; without labels ``_0``,
        ``_1``. Sparse ones, whose labels contain ``_``, stand behind the dense ones, in a CSR
        matrix.

    Raises
    ------
    ValueError
        If a line is no hypothesis, has other features than the first one, a number that is not
        finite or a segment that has no reference; the message has the file and the line.
    ImportError
        If there are sparse features and no SciPy, or zstd and no library for it.

    Notes
    -----
    Linear in the size of the files. Beyond the result it takes some megabytes, and without `texts`
    no Python object is made for a hypothesis.

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
    metric = check_metric(BLEU() if metric is None else metric, method="nbest_stats")
    check_flag("texts", texts)
    check_flag("complete", complete)
    several: list[Any] = list(paths) if isinstance(paths, (list, tuple)) else [paths]
    if not several:
        raise ValueError("paths: expected at least one file, got none")
    tell = files_teller(progress, several)
    prepared = prepare(metric, references, layout)
    lists = [read_one(path, prepared, metric, texts, threads, tell=tell)[0] for path in several]
    nbest = lists[0] if len(lists) == 1 else lists[0].merge(*lists[1:])
    if complete and (missing := missing_segments(nbest.ids.tolist(), len(prepared))):
        names = ", ".join(map(file_name, several))
        raise ValueError(
            f"{names}: expected hypotheses for each of {len(prepared)} references, got none for "
            f"{missing}"
        )
    if tell is not None:
        tell.finish()
    return nbest


def prepare(
    metric: Metric | Interpolation,
    references: ReferenceStreams | PreparedParts | None,
    layout: Layout = "stream",
) -> References | PreparedParts:
    """Return references as the metric prepares them; None stands for its own."""
    if isinstance(references, PreparedParts):
        return references
    if isinstance(metric, Interpolation):
        if references is None:
            raise ValueError("references: expected references, got None")
        return metric.prepare(references, layout=layout)
    if references is None and metric.references is not None:
        return metric.references
    if isinstance(references, References):
        check_references(metric, references, layout)
        return references
    if references is None:
        raise ValueError(
            "references: expected references, got None, and the metric was made without any"
        )
    return metric.prepare(references, layout=layout)


def read_one(
    path: Path,
    references: Any,
    metric: Metric | Interpolation,
    texts: bool = False,
    threads: int = 1,
    checks_text: bool = True,
    tell: FilesTeller | None = None,
) -> tuple[NBestList, int]:
    """Read one list; see `read_nbest`.

    Parameters
    ----------
    references : References or PreparedParts
    checks_text : bool
        Refuse text that is not UTF-8; compiled tokenizers need not.
    tell : FilesTeller, optional

    Returns
    -------
    NBestList
    int
        How many of its features are dense.
    """
    with open_reader(path, tell) as reader:
        lines = NBestLines(reader, len(references), checks_text)
        names = lines.read_names()
        if names is None:
            raise ValueError(f"{reader.name}: expected hypotheses, got none")
        segments, stats = GrowingRows(None, np.int64), GrowingRows(metric._kernel.n_stats, np.int32)
        features = GrowingRows(len(names.names), np.float32)
        hypotheses: list[str] | None = [] if texts else None
        batch = max(1, min(BATCH, BATCH_FEATURES // max(1, len(names.names))))
        numbers = np.empty(batch, np.int64)
        values = np.empty((batch, len(names.names)), np.float32)
        while n := lines.read(numbers, values, column := TextColumn()):
            rows = metric.nbest_stats(
                column, references, segments=numbers[:n], dtype="int32", threads=threads
            )
            segments.append(numbers[:n])
            features.append(values[:n])
            stats.append(rows)
            if hypotheses is not None:
                hypotheses += column.to_list()
    arrays = segments.take(), features.take(), stats.take()
    return _assemble(lines, *arrays, hypotheses, metric), len(names.names)


def _assemble(
    lines: NBestLines,
    segments: Array,
    features: Any,
    stats: Array,
    hypotheses: list[str] | None,
    metric: Metric | Interpolation,
) -> NBestList:
    assert lines.features is not None
    own, triples = lines.features.names, lines.features.sparse()
    features, names = with_sparse(features, own.names, own.sparse_names, triples, lines.reader.name)
    ids, offsets, order = gather(segments)
    if order is not None:
        features, stats = features[order], stats[order]
        if hypotheses is not None:
            hypotheses = [hypotheses[i] for i in order]
    if own.names and not own.sparse_names:
        return NBestList._made(features, stats, offsets, metric, names, ids, hypotheses)
    try:
        return NBestList(
            features, stats, offsets, metric=metric, names=names, hypotheses=hypotheses, ids=ids
        )
    except ValueError as error:  # no features, or a sparse one with the name of a dense one
        raise ValueError(f"{lines.reader.name}: {error}") from None


def write_nbest(nbest: NBestList, path: Path, *, weights: Vector | None = None) -> None:
    """Write an n-best list with its hypotheses.

    Parameters
    ----------
    nbest : NBestList
        With hypotheses.
    path : path
        Compressed if it ends in .gz, .bz2, .xz or .zst.
    weights : float array of shape (n_features,), optional
        Makes the fourth field, the sum of the features with these weights.

    Raises
    ------
    ValueError
        Before the file is touched: if the list has no hypotheses, one of them cannot stand in such
        a file, a name or a feature would be read as another, a feature is beyond 32-bit floats, or
        the number of a segment is negative.

    Notes
    -----
    32-bit features are written so that they are read back as they are. Names ``LM0_0``, ``LM0_1``
    share the label ``LM0=``, and must come in the order of their numbers; any other name is a label
    of its own, and is read back with ``_0`` behind it. Spaces at the ends of a hypothesis are not
    read back.
    """
    lines = lines_of(nbest, weights)
    with open_outputs(path) as (file,):
        file.writelines(lines)


def lines_of(nbest: NBestList, weights: Vector | None = None) -> Iterator[bytes]:
    """Return an iterator over the lines of a list; everything is checked before the first one.

    Parameters
    ----------
    nbest : NBestList
    weights : float array of shape (n_features,), optional
    """
    check_type("nbest", nbest, NBestList)
    if nbest.hypotheses is None:
        raise ValueError("nbest: expected a list with hypotheses, got one without")
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
            raise ValueError(f"names[{i}]: expected a sparse feature's name with '_', got {name!r}")
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
    """Return what stands before each value: its label where a new one begins.

    Examples
    --------
    >>> _labels(("LM0_0", "LM0_1", "length"))
    [' LM0=', '', ' length=']
    """
    labels: list[str] = []
    last = ""  # what values have that stand before all labels
    for i, label in enumerate(dense_labels(names)):
        if label:
            check_word(label, f"names[{i}]")
            if _is_unfit(label):
                raise ValueError(f"names[{i}]: expected a name of a label, got {names[i]!r}")
        labels.append("" if label == last else f" {label}=")
        last = label
    return labels
