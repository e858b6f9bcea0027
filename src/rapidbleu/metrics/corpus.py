"""Scoring of corpora: input is checked, tokenized and counted, and its rows are added up.

Input comes in parts: lists are one part, which is not copied; streamed input comes part by part.
All arguments are checked before any work.
"""

from __future__ import annotations

from rapidbleu._core.input.columns import Column, ReferenceColumns
from rapidbleu._core.scoring import extraction
from rapidbleu._lib.checks import check_layout
from rapidbleu._lib.handing import is_ours
from rapidbleu._lib.loader import load, np
from rapidbleu._lib.logs import logger
from rapidbleu.parallel import check_progress, check_threads, extract
from rapidbleu.references import References
from rapidbleu.score import RowScoring
from rapidbleu.streams.batches import is_stream, read_ahead, read_batches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeAlias

    from rapidbleu._core.scoring.extraction import Extractor
    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu._types import (
        FloatArray,
        Hypotheses,
        IntArray,
        Layout,
        Progress,
        ReferenceStreams,
        Segment,
        SegmentReferences,
    )
    from rapidbleu.streams.tables import Rows

    _AnyReferences: TypeAlias = ReferenceColumns | PreparedReferences
    _Part: TypeAlias = tuple[
        Column | PreparedReferences, Extractor, _AnyReferences, Progress | None, list[Rows]
    ]

# Up to this many streams of as many segments, and characters, trying both layouts takes no time.
SQUARE = 16
SQUARE_LENGTH = 1 << 17
# Types that are not streams; building a union on each call would take twice the time.
LISTS = (list, tuple)
PLAIN = (*LISTS, str, References)
FIRST = 256  # hypotheses of an n-best list used to compare layouts
LAYOUT_LOGGER = "rapidbleu.layout"  # silenced by the command line, whose files are streams


def sum_stats(
    metric: Any,
    hypotheses: Hypotheses,
    references: ReferenceStreams | None,
    layout: Layout,
    threads: int,
    progress: Progress | None,
) -> list[int]:
    n_threads = check_threads(threads)
    sums: list[int] = []
    for hyps, extractor, refs, part_progress, _ in parts_of(
        metric, hypotheses, references, layout, n_threads, progress
    ):
        part = extract(extractor, hyps, refs, n_threads, progress=part_progress)
        sums = [a + b for a, b in zip(sums, part, strict=True)] if sums else part
    return sums


def iter_stats(
    metric: Any,
    hypotheses: Hypotheses,
    references: ReferenceStreams | None,
    layout: Layout,
    threads: int,
    progress: Progress | None,
) -> Iterator[tuple[IntArray, int, list[Rows]]]:
    """Yield the rows, the number of references and the source tables of each part."""
    n_threads = check_threads(threads)
    for hyps, extractor, refs, part_progress, tables in parts_of(
        metric, hypotheses, references, layout, n_threads, progress
    ):
        rows = np.empty((len(hyps), extractor.kernel.n_stats), np.int64)
        extract(extractor, hyps, refs, n_threads, rows, progress=part_progress)
        yield rows, refs.num_refs, tables


def segment_stats(
    metric: Any,
    hypotheses: Hypotheses,
    references: ReferenceStreams | None = None,
    *,
    layout: Layout = "stream",
    threads: int = 1,
    progress: Progress | None = None,
) -> IntArray:
    """Return the sufficient statistics of each segment, an int64 array of shape (n, n_stats).

    Rows can be added, subtracted, merged and saved (``np.save``); `score` scores any sum of
    them. Parameters and errors as in `corpus_score`.
    """
    parts = iter_stats(metric, hypotheses, references, layout, threads, progress)
    blocks = [rows for rows, _, _ in parts]
    return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)


def segment_scores(
    metric: Any,
    hypotheses: Hypotheses,
    references: ReferenceStreams | None = None,
    *,
    layout: Layout = "stream",
    threads: int = 1,
    progress: Progress | None = None,
) -> FloatArray:
    """Return the `sentence_score` of each segment, to the last bit, as a float64 array.

    Parameters and errors as in `corpus_score`.
    """
    n_threads = check_threads(threads)
    parts = parts_of(metric, hypotheses, references, layout, n_threads, progress)
    metric._advise_segments()
    blocks = []
    for hyps, extractor, refs, part_progress, _ in parts:
        blocks.append(np.empty(len(hyps), np.float64))
        extract(extractor, hyps, refs, n_threads, None, blocks[-1], part_progress)
    return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)


def score_resampled(
    metric: Any,
    hypotheses: Hypotheses,
    references: ReferenceStreams | None,
    n: int,
    layout: Layout,
    threads: int,
    seed: int | None,
    progress: Progress | None,
) -> Any:
    """Return the score of a corpus with sacrebleu's interval from n resamples."""
    load("rapidbleu.significance.resamples")
    from rapidbleu._lib.checks import check_count, check_seed
    from rapidbleu.significance.resamples import resampled

    check_count("n_bootstrap", n, 1)
    check_seed(seed)
    n_threads = check_threads(threads)
    rows = metric.segment_stats(
        hypotheses, references, layout=layout, threads=n_threads, progress=progress
    )
    score, samples = resampled(metric, rows, n, seed, n_threads)
    score._take_samples(samples.tolist())
    metric._calls.remember(metric.num_refs, n, str(seed).lower())
    return score


def row_of(metric: Any, hypothesis: Segment, references: SegmentReferences) -> list[int]:
    hyps = Column([hypothesis], "hypothesis", place=lambda _: "hypothesis")
    extractor, refs = fit(metric, check_references(metric, [references], "segment"))
    return extractor.extract(hyps, refs, 0, 1)


def parts_of(
    metric: Any,
    hypotheses: Hypotheses,
    references: ReferenceStreams | None,
    layout: Layout,
    threads: int,
    progress: Progress | None,
) -> Iterable[_Part]:
    """Return the checked parts: hypotheses, extractor, references, progress, source tables."""
    if not isinstance(metric, RowScoring):
        refuse_class(metric)
    if progress is not None:
        check_progress(progress)
    if not _are_streamed(hypotheses, references, layout):
        return ((*_check(metric, hypotheses, references, layout), progress, []),)
    check_layout(layout)
    given = metric.references if references is None else references
    if not metric._reads_all and not isinstance(given, References):
        return _read_parts(metric, hypotheses, references, layout, threads, progress)
    gathered = load("rapidbleu.streams.batches", "gathered")
    *whole, tables = gathered(hypotheses, references, layout)
    return ((*_check(metric, *whole), progress, tables),)


def refuse_class(given: object) -> None:
    """Refuse a call on the class of a metric, whose first argument is not a metric.

    >>> from rapidbleu import BLEU
    >>> BLEU.corpus_score(["a"], [["a"]])
    Traceback (most recent call last):
    ...
    TypeError: self: expected a metric, as in BLEU().corpus_score(...); got list; call an object
    """
    raise TypeError(
        f"self: expected a metric, as in BLEU().corpus_score(...); got {type(given).__name__}; "
        "call an object"
    )


def _are_streamed(hypotheses: Any, references: Any, layout: Layout) -> bool:
    """Return whether any input of a call is streamed.

    >>> _are_streamed(iter(["a"]), [["a"]], "stream"), _are_streamed(["a"], [["a"]], "stream")
    (True, False)
    """
    if isinstance(references, LISTS):
        if layout == "stream":
            for stream in references:
                if not isinstance(stream, PLAIN) and is_stream(stream):
                    return True
    elif not isinstance(references, PLAIN) and is_stream(references):
        return True
    return not isinstance(hypotheses, PLAIN) and is_stream(hypotheses)


def _check(
    metric: Any, hypotheses: Any, references: Any, layout: Any
) -> tuple[Column | PreparedReferences, Extractor, _AnyReferences]:
    """Return the checked input of a corpus call, and the extractor that scores it."""
    if isinstance(hypotheses, References):
        hyps: Column | PreparedReferences = prepared_texts(metric, hypotheses, "hypotheses")
    else:
        hyps = Column(hypotheses, "hypotheses")
    if not len(hyps):
        raise ValueError("hypotheses: expected at least one segment; got none")
    refs = check_references(metric, references, layout)
    metric._extractor.check(hyps, refs)
    if isinstance(hyps, Column):
        metric._look_at_hypotheses(hyps)
    given = metric.references if references is None else references
    if given._by_segment if given.__class__ is References else len(refs) <= SQUARE:
        compare_layouts(
            metric,
            given,
            layout,
            refs,
            lambda extractor, refs: extractor.extract(hyps, refs, 0, len(hyps)),
        )
    if metric._reads_all:
        return hyps, *fit(metric, refs)
    return hyps, metric._extractor, refs


def _read_parts(
    metric: Any,
    hypotheses: Any,
    references: Any,
    layout: Layout,
    threads: int,
    progress: Progress | None,
) -> Iterator[_Part]:
    if hasattr(hypotheses, "batches"):
        batches = hypotheses.batches(references)
    else:
        batches = read_batches(hypotheses, references, layout)
    extractor = metric._extractor
    done = 0
    numbers = set()
    for hyps, refs, rows in read_ahead(batches) if threads > 1 else batches:
        extractor.check(hyps, refs)
        metric._look_at_hypotheses(hyps, once=done > 0)
        yield hyps, extractor, refs, _told(progress, done), [] if rows is None else [rows]
        numbers.add(refs.num_refs)
        done += len(hyps)
    if done:
        metric._calls.remember_number(numbers.pop() if len(numbers) == 1 else -1)


def _told(progress: Progress | None, before: int) -> Progress | None:
    """Return the progress callback for a part of a stream, whose length is unknown."""
    if progress is None:
        return None
    return lambda done, _: progress(before + done, 0)


def prepared_texts(metric: Any, source: References, where: str) -> PreparedReferences:
    """Return the compiled form of prepared texts, one per segment; errors name `where`."""
    if where == "hypotheses" and metric._extractor.of_hypotheses() is not metric._extractor:
        raise ValueError(
            f"{where}: expected text, as {metric._preparation} reads references in another way; "
            f"got {source!r}"
        )
    texts = source._prepared_by(metric.tokenizer, metric.lowercase, metric._preparation, where)
    if texts.num_refs != 1:
        raise ValueError(f"{where}: expected one text for each segment; got {source!r}")
    return texts


def check_references(
    metric: Any, references: ReferenceStreams | None, layout: Layout
) -> _AnyReferences:
    """Return the references of a call or of the metric; the thread remembers their number."""
    check_layout(layout)
    references = metric.references if references is None else references
    if references is None:
        without = ", and the metric was made without any" if "references" in metric.OPTIONS else ""
        raise ValueError(f"references: expected references; got None{without}")
    checked = (
        references._prepared_by(metric.tokenizer, metric.lowercase, metric._preparation)
        if isinstance(references, References)
        else ReferenceColumns(references, layout)
    )
    metric._calls.remember_number(checked.num_refs)
    return checked


def prepare(metric: Any, references: ReferenceStreams, *, layout: Layout = "stream") -> References:
    """Tokenize references once, for many systems; parameters as in `corpus_score`."""
    made = prepare_columns(metric, ReferenceColumns(references, check_layout(layout)))
    other = read_by_segment(references, layout)  # if both layouts are possible
    if isinstance(other, ReferenceColumns):
        made._by_segment = metric._extractor.prepare(other)
    return made


def prepare_columns(metric: Any, columns: ReferenceColumns) -> References:
    prepared = metric._extractor.prepare(columns)
    return References(prepared, metric.tokenizer, metric.lowercase, metric._preparation)


def fit(metric: Any, refs: _AnyReferences) -> tuple[Extractor, _AnyReferences]:
    """Return the extractor for hypotheses with these references, and the references."""
    if metric._reads_all:
        keep = not isinstance(refs, ReferenceColumns)
        refs = refs if keep else metric._extractor.prepare(refs)
        return metric._extractor.with_kernel(metric._kernel_for(refs, keep)), refs
    return metric._extractor, refs


def fit_prepared(metric: Any, refs: _AnyReferences) -> tuple[Extractor, PreparedReferences]:
    """Return the extractor for hypotheses with these references, and the references prepared."""
    extractor, fitted = fit(metric, refs)
    if isinstance(fitted, ReferenceColumns):
        fitted = extractor.prepare(fitted)
    return extractor, fitted


def compare_layouts(
    metric: Any,
    references: Any,
    layout: Layout,
    read: _AnyReferences,
    sum_stats: Callable[[Extractor, Any], list[int]],
) -> None:
    """Warn if references that fit both layouts score higher in the other one."""
    other = read_by_segment(references, layout)
    if other is None or len(other) != len(read):
        return
    as_given, turned = (
        metric._make_score(extractor.kernel.describe(sum_stats(extractor, refs))).score
        for extractor, refs in (fit(metric, read), fit(metric, other))
    )
    if as_given != turned and isinstance(references, References):
        references._by_segment = None  # one comparison is enough
    if metric._gain(turned) > metric._gain(as_given):
        n = len(other)
        logger(LAYOUT_LOGGER).warning(
            "references: %d streams of %d segments give %s %.2f, layout='segment' gives %.2f: "
            "use it if each list has the references of one segment",
            n,
            n,
            type(metric).__name__,
            as_given,
            turned,
        )


def sum_of_first(
    hyps: Column, segments: IntArray
) -> Callable[[Extractor, ReferenceColumns | PreparedReferences], list[int]]:
    """Return a function that sums the rows of the first hypotheses for given references."""

    def summed(extractor: Extractor, refs: ReferenceColumns | PreparedReferences) -> list[int]:
        if isinstance(refs, ReferenceColumns):
            refs = extractor.prepare(refs)
        rows = np.empty((min(len(hyps), FIRST), extractor.kernel.n_stats), np.int64)
        extraction.extract_nbest(extractor, hyps, refs, segments, 0, len(rows), rows)
        sums: list[int] = rows.sum(axis=0).tolist()
        return sums

    return summed


def read_by_segment(references: Any, layout: Layout) -> _AnyReferences | None:
    """Return references in the other layout, if streams are few and as many as segments."""
    if isinstance(references, References):
        return references._by_segment
    if (
        layout != "stream"
        or not isinstance(references, list | tuple)
        or not 2 <= len(references) <= SQUARE
        or any(
            not isinstance(stream, list | tuple) or len(stream) != len(references)
            for stream in references
        )
        or sum(len(text) for stream in references for text in stream if text is not None)
        > SQUARE_LENGTH
    ):
        return None
    try:
        return ReferenceColumns(references, "segment")
    except ValueError as error:  # a segment would have none
        if not is_ours(error):
            raise
        return None
