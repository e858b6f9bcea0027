"""N-best lists and samples: many hypotheses per segment, scored against prepared references.

Results come in input order. Each reference is tokenized once, and a hypothesis repeated within a
list is matched once; no result depends on that, on threads or on chunks.
"""

from __future__ import annotations

from rapidbleu._core.input.columns import Column
from rapidbleu._core.scoring.extraction import check_nbest, flatten
from rapidbleu._lib.checks import check_count
from rapidbleu._lib.loader import np
from rapidbleu.metrics.corpus import (
    check_references,
    compare_layouts,
    fit_prepared,
    sum_of_first,
)
from rapidbleu.parallel import SLICE, check_progress, check_threads, extract_nbest
from rapidbleu.stats import unmasked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, SupportsIndex

    from rapidbleu._core.scoring.extraction import Extractor
    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu._types import (
        Array,
        FloatArray,
        IntArray,
        Integers,
        Layout,
        NBestHypotheses,
        Progress,
        ReferenceStreams,
        RowType,
        Segment,
    )


def nbest_stats(
    metric: Any,
    hypotheses: NBestHypotheses,
    references: ReferenceStreams | None = None,
    *,
    offsets: Integers | None = None,
    segments: Integers | None = None,
    layout: Layout = "stream",
    dtype: RowType = "int64",
    threads: int = 1,
    progress: Progress | None = None,
) -> Array:
    """Return the sufficient statistics of each hypothesis of n-best lists.

    Parameters
    ----------
    hypotheses : sequence
        A list of hypotheses for each segment, which may be empty. With `offsets` or
        `segments`, the hypotheses themselves, in any form that `corpus_score` accepts.
    references, layout, threads
        As in `corpus_score`.
    offsets : int array of shape (n_segments + 1,), optional
        The hypotheses of segment i are ``[offsets[i], offsets[i + 1])``.
    segments : int array of shape (n,), optional
        The segment of each hypothesis, in any order, with repeats; runs of one are faster.
    dtype : {"int64", "int32"}
        int32 rows take half the memory.
    progress : callable, optional
        Called with the number of hypotheses done and the total.

    Returns
    -------
    int64 or int32 array of shape (n, n_stats)
        One row per hypothesis, in input order.

    Raises
    ------
    TypeError, ValueError
        As in `corpus_score`; also if numbers of segments or hypotheses do not match, a segment
        is out of range, or a count exceeds int32.

    Notes
    -----
    Runs without the GIL, in time linear in the text. Apart from the result it needs 24 bytes
    per hypothesis, a few 100 kB per thread, and for int32 the int64 rows of 65,536 hypotheses.

    Examples
    --------
    >>> from rapidbleu import BLEU
    >>> bleu = BLEU(max_ngram_order=2)
    >>> references = bleu.prepare([["the cat sat", "it rained"]])
    >>> bleu.nbest_stats([["the cat sat", "a cat sat", "the cat"], ["it rains"]], references)
    array([[3, 3, 3, 2, 3, 2],
           [3, 3, 2, 1, 3, 2],
           [2, 3, 2, 1, 2, 1],
           [2, 2, 1, 0, 2, 1]])
    """
    wanted = check_dtype(dtype)
    hyps, extractor, refs, numbers, n_threads = _check(
        metric, hypotheses, references, offsets, segments, layout, threads, progress
    )
    rows = np.empty((len(hyps), extractor.kernel.n_stats), wanted)
    extract_nbest(extractor, hyps, refs, numbers, n_threads, progress, rows=rows)
    return rows


def nbest_scores(
    metric: Any,
    hypotheses: NBestHypotheses,
    references: ReferenceStreams | None = None,
    *,
    offsets: Integers | None = None,
    segments: Integers | None = None,
    layout: Layout = "stream",
    threads: int = 1,
    progress: Progress | None = None,
) -> FloatArray:
    """Score each hypothesis of n-best lists as `sentence_score` does, to the last bit.

    Parameters and errors as in `nbest_stats`; returns a float64 array of shape (n,).

    Examples
    --------
    >>> from rapidbleu import BLEU
    >>> bleu = BLEU(effective_order=True)
    >>> samples = ["it rained", "it rains", "the cat sat", "it rained"]
    >>> bleu.nbest_scores(samples, [["the cat sat", "it rained"]], segments=[1, 1, 0, 1])
    array([100.,  50., 100., 100.])
    """
    hyps, extractor, refs, numbers, n_threads = _check(
        metric, hypotheses, references, offsets, segments, layout, threads, progress
    )
    metric._advise_segments()
    out = np.empty(len(hyps), np.float64)
    extract_nbest(extractor, hyps, refs, numbers, n_threads, progress, scores=out)
    return out


def iter_nbest_stats(
    metric: Any,
    pairs: Iterable[tuple[SupportsIndex, Segment]],
    references: ReferenceStreams | None = None,
    *,
    chunk: int = SLICE,
    layout: Layout = "stream",
    dtype: RowType = "int64",
    threads: int = 1,
    progress: Callable[[int, None], object] | None = None,
) -> Iterator[tuple[Array, Array]]:
    """Return the sufficient statistics of a stream of hypotheses, chunk by chunk.

    Parameters
    ----------
    pairs : iterable of (segment, hypothesis)
        Read only as far as the current chunk.
    references, layout, dtype, threads
        As in `nbest_stats`.
    chunk : int
        Hypotheses per chunk; one chunk is in memory at a time.
    progress : callable, optional
        Called as ``progress(done, None)`` after every chunk.

    Yields
    ------
    segments : int64 array of shape (m,)
    rows : int64 or int32 array of shape (m, n_stats)

    Raises
    ------
    TypeError, ValueError
        As in `nbest_stats`; positions count from the start of the stream. Arguments are
        checked at once, pairs when their chunk is read.

    Examples
    --------
    >>> from rapidbleu import BLEU
    >>> bleu = BLEU(max_ngram_order=1)
    >>> pairs = iter([(0, "the cat sat"), (1, "it rains"), (0, "a cat sat")])
    >>> for segments, rows in bleu.iter_nbest_stats(pairs, [["a cat", "it rained"]], chunk=2):
    ...     print(segments.tolist(), rows.tolist())
    [0, 1] [[3, 2, 1, 3], [2, 2, 1, 2]]
    [0] [[3, 2, 2, 3]]
    """
    check_count("chunk", chunk, 1)
    check_progress(progress)
    if not hasattr(pairs, "__iter__"):
        raise TypeError(
            f"pairs: expected an iterable of (segment, hypothesis); got {type(pairs).__name__}"
        )
    wanted = check_dtype(dtype)
    n_threads = check_threads(threads)
    extractor, refs = fit_prepared(metric, check_references(metric, references, layout))
    return _iter_chunks(metric, iter(pairs), extractor, refs, chunk, wanted, n_threads, progress)


def _iter_chunks(
    metric: Any,
    pairs: Iterator[tuple[SupportsIndex, Segment]],
    extractor: Extractor,
    refs: PreparedReferences,
    chunk: int,
    dtype: np.dtype[Any],
    threads: int,
    progress: Callable[[int, None], object] | None,
) -> Iterator[tuple[Array, Array]]:
    done = 0
    while True:
        hyps, numbers = read_pairs(pairs, done, chunk, len(refs))
        if not len(hyps):
            return
        check_nbest(extractor, hyps, refs)
        if not done:
            metric._look_at_hypotheses(hyps, True)
        rows = np.empty((len(hyps), extractor.kernel.n_stats), dtype)
        extract_nbest(extractor, hyps, refs, numbers, threads, rows=rows, first=done)
        done += len(hyps)
        del hyps
        if progress is not None:
            progress(done, None)
        yield numbers, rows


def _check(
    metric: Any,
    hypotheses: NBestHypotheses,
    references: ReferenceStreams | None,
    offsets: Integers | None,
    segments: Integers | None,
    layout: Layout,
    threads: int,
    progress: Progress | None,
) -> tuple[Column, Extractor, PreparedReferences, Array, int]:
    """Return the input of an n-best call, checked before references are prepared."""
    check_progress(progress)
    n_threads = check_threads(threads)
    if offsets is not None and segments is not None:
        raise ValueError("offsets, segments: expected one of them; got both")
    if segments is None and offsets is None:
        hyps, ends = flatten(hypotheses, "hypotheses")
        bounds: IntArray = np.array(ends, np.int64)
    else:
        texts: Any = hypotheses
        hyps = texts if isinstance(texts, Column) else Column(texts, "hypotheses")
    refs = check_references(metric, references, layout)
    n_segments = len(refs)
    if segments is not None:
        numbers = check_segments(segments, len(hyps), n_segments)
    else:
        if offsets is not None:
            bounds = check_offsets(offsets, len(hyps), n_segments)
        elif len(bounds) != n_segments + 1:
            raise ValueError(
                f"references: expected {len(bounds) - 1} segments, as many as lists of "
                f"hypotheses; got {n_segments}; references are [stream][segment] unless "
                f"layout='segment'"
            )
        numbers = np.arange(n_segments, dtype=np.int64).repeat(np.diff(bounds).astype(np.intp))
    check_nbest(metric._extractor, hyps, refs)
    metric._look_at_hypotheses(hyps, True)
    given = metric.references if references is None else references
    compare_layouts(metric, given, layout, refs, sum_of_first(hyps, numbers))
    return hyps, *fit_prepared(metric, refs), numbers, n_threads


def check_dtype(dtype: RowType) -> np.dtype[Any]:
    """Return the type of rows, int64 or int32.

    >>> check_dtype("int32")
    dtype('int32')
    """
    try:
        wanted: np.dtype[Any] = np.dtype(dtype)
    except TypeError:
        wanted = np.dtype(object)
    if wanted not in (np.dtype(np.int64), np.dtype(np.int32)):
        raise ValueError(f"dtype: expected int64 or int32; got {dtype!r}")
    return wanted


def check_offsets(offsets: Integers, n: int, n_segments: int | None) -> IntArray:
    """Return a copy of the offsets, for `n_segments` segments or, if None, any number above 0.

    >>> check_offsets([0, 2, 2, 5], 5, 3)
    array([0, 2, 2, 5])
    """
    array = _integers(offsets, "offsets")
    if n_segments is None:
        n_segments = max(1, len(array) - 1)
    if len(array) != n_segments + 1:
        raise ValueError(
            f"offsets: expected {n_segments + 1} items, one more than segments of references; "
            f"got {len(array)}"
        )
    if array[0] != 0:
        raise ValueError(f"offsets[0]: expected 0; got {array[0]}")
    down = np.flatnonzero(array[1:] < array[:-1])
    if len(down):
        i = int(down[0]) + 1
        raise ValueError(f"offsets[{i}]: expected at least {array[i - 1]}; got {array[i]}")
    if array[-1] != n:
        raise ValueError(
            f"offsets[{n_segments}]: expected {n}, the number of hypotheses; got {array[-1]}"
        )
    return array.astype(np.int64)


def offsets_of(lists: NBestHypotheses) -> list[int]:
    """Return the offsets of nested lists.

    >>> offsets_of([["a b", "a c"], [], ["d"]])
    [0, 2, 2, 3]
    """
    nested: Any = lists
    offsets = [0]
    for several in nested:
        offsets.append(offsets[-1] + len(several))
    return offsets


def check_filled(offsets: list[int] | IntArray, nested: bool = False) -> None:
    """Refuse a segment without hypotheses, given by offsets or as `nested` lists.

    >>> check_filled([0, 2, 2, 3])
    Traceback (most recent call last):
    ...
    ValueError: offsets[2]: expected at least one hypothesis of segment 1; got none
    """
    for i in np.flatnonzero(np.diff(offsets) == 0)[:1].tolist():
        where = f"hypotheses[{i}]" if nested else f"offsets[{i + 1}]"
        raise ValueError(f"{where}: expected at least one hypothesis of segment {i}; got none")


def check_segments(
    segments: Integers, n: int, n_segments: int, place: Callable[[int], str] = "segments[{}]".format
) -> IntArray:
    """Return a copy of the segment of each hypothesis.

    >>> check_segments([1, 1, 0], 3, 2)
    array([1, 1, 0])
    """
    array = _integers(segments, "segments")
    if len(array) != n:
        raise ValueError(f"segments: expected {n} items, as many as hypotheses; got {len(array)}")
    wrong = np.flatnonzero((array < 0) | (array >= n_segments))
    if len(wrong):
        i = int(wrong[0])
        raise ValueError(
            f"{place(i)}: expected a segment below {n_segments}, the number of segments of "
            f"references, and not below 0; got {array[i]}"
        )
    return array.astype(np.int64)


def _integers(source: Integers, where: str) -> Array:
    unmasked(source, where)
    try:
        array = np.asarray(source)
    except ValueError:  # rows of different lengths
        array = np.empty((0, 0))
    if array.ndim != 1:
        raise ValueError(f"{where}: expected an array of one dimension; got {array.ndim}")
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"{where}: expected integers; got {array.dtype}")
    return array


def read_pairs(
    stream: Iterator[Any], done: int, chunk: int, n_segments: int
) -> tuple[Column, IntArray]:
    """Return the next hypotheses of a stream, with their segments; empty at its end.

    >>> stream = iter([(1, "it rained"), (0, "the cat sat"), (1, "it rains")])
    >>> hyps, segments = read_pairs(stream, 0, 2, 2)
    >>> len(hyps), segments
    (2, array([1, 0]))
    >>> hyps, segments = read_pairs(stream, 2, 2, 2)
    >>> len(hyps), segments
    (1, array([1]))
    """
    from itertools import islice

    numbers: list[Any] = []
    hyps: list[Any] = []
    for pair in islice(stream, chunk):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            got = f"{len(pair)} items" if isinstance(pair, tuple | list) else type(pair).__name__
            raise TypeError(f"pairs[{done + len(hyps)}]: expected (segment, hypothesis); got {got}")
        number = pair[0]
        if not hasattr(number, "__index__") or isinstance(number, bool):
            raise TypeError(
                f"pairs[{done + len(hyps)}][0]: expected int; got {type(number).__name__}"
            )
        numbers.append(number)
        hyps.append(pair[1])
    column = Column(tuple(hyps), "pairs", place=lambda i: f"pairs[{done + i}][1]")
    return column, check_segments(numbers, len(hyps), n_segments, lambda i: f"pairs[{done + i}][0]")
