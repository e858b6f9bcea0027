"""Many hypotheses for each segment: n-best lists and samples, all against references prepared once.

A row or a score for each hypothesis, in the order in which they came. References are tokenized
once, hypotheses a list has more than once are matched once, and no result depends on that, on
threads or on chunks.
"""

from rapidbleu._core.input.columns import Column, ReferenceColumns
from rapidbleu._core.scoring.extraction import check_nbest, flatten
from rapidbleu.parallel import SLICE, check_progress, check_threads, extract_nbest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, SupportsIndex

    import numpy as np

    from rapidbleu._core.scoring.extraction import Extractor
    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu.typing import (
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


class NBestScoring:
    """What metrics do with lists of hypotheses."""

    if TYPE_CHECKING:  # supplied by the metric
        _extractor: Extractor
        _fitted: Callable[..., tuple[Extractor, ReferenceColumns | PreparedReferences]]
        _check_references: Callable[
            [ReferenceStreams | None, Layout], ReferenceColumns | PreparedReferences
        ]
        _look_at_hypotheses: Callable[[Column, bool], None]
        _advise_segments: Callable[[], None]
        _compare_layouts: Callable[..., None]

    def nbest_stats(
        self,
        hypotheses: "NBestHypotheses",
        references: "ReferenceStreams | None" = None,
        *,
        offsets: "Integers | None" = None,
        segments: "Integers | None" = None,
        layout: "Layout" = "stream",
        dtype: "RowType" = "int64",
        threads: int = 1,
        progress: "Progress | None" = None,
    ) -> "Array":
        """Return the sufficient statistics of each hypothesis of n-best lists.

        Parameters
        ----------
        hypotheses : sequence
            A list of hypotheses for each segment. With `offsets` or `segments` the hypotheses
            themselves, in any form that `corpus_score` takes. A list may be empty.
        references : sequence of streams, References or None
            As in `corpus_score`.
        offsets : int array of shape (n_segments + 1,), optional
            The hypotheses of segment i are ``[offsets[i], offsets[i + 1])``.
        segments : int array of shape (n,), optional
            The segment of each hypothesis, in any order and as often as one likes; those of one
            segment in a row are faster.
        layout : {"stream", "segment"}
            Of the references.
        dtype : {"int64", "int32"}
            Of the result.
        threads : int
            Threads to use; 0 for all cores. The result is the same.
        progress : callable, optional
            Called with the hypotheses done and all of them.

        Returns
        -------
        int64 or int32 array of shape (n, n_stats)
            A row for each hypothesis, in their order.

        Raises
        ------
        TypeError
            If an element is of the wrong type; the message names its place.
        ValueError
            If numbers of segments or hypotheses do not fit, a segment is out of range, a segment
            has no reference, or a count does not fit into int32.

        Notes
        -----
        Runs without the GIL. Linear in the text; beyond the result it takes 24 bytes a hypothesis,
        some hundred kilobytes a thread, and for int32 the int64 rows of 65,536 hypotheses.

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
        import numpy as np

        from rapidbleu.metrics.contract.nbest_input import check_dtype

        wanted = check_dtype(dtype)
        hyps, extractor, refs, numbers, n_threads = self._check_nbest(
            hypotheses, references, offsets, segments, layout, threads, progress
        )
        rows = np.empty((len(hyps), extractor.kernel.n_stats), wanted)
        extract_nbest(extractor, hyps, refs, numbers, n_threads, progress, rows=rows)
        return rows

    def nbest_scores(
        self,
        hypotheses: "NBestHypotheses",
        references: "ReferenceStreams | None" = None,
        *,
        offsets: "Integers | None" = None,
        segments: "Integers | None" = None,
        layout: "Layout" = "stream",
        threads: int = 1,
        progress: "Progress | None" = None,
    ) -> "FloatArray":
        """Score each hypothesis of n-best lists as a corpus of its own.

        Parameters are those of `nbest_stats`.

        Returns
        -------
        float64 array of shape (n,)
            What `sentence_score` gives for each hypothesis, to the last bit.

        Examples
        --------
        >>> from rapidbleu import BLEU
        >>> bleu = BLEU(effective_order=True)
        >>> samples = ["it rained", "it rains", "the cat sat", "it rained"]
        >>> bleu.nbest_scores(samples, [["the cat sat", "it rained"]], segments=[1, 1, 0, 1])
        array([100.,  50., 100., 100.])
        """
        import numpy as np

        hyps, extractor, refs, numbers, n_threads = self._check_nbest(
            hypotheses, references, offsets, segments, layout, threads, progress
        )
        self._advise_segments()
        scores = np.empty(len(hyps), np.float64)
        extract_nbest(extractor, hyps, refs, numbers, n_threads, progress, scores=scores)
        return scores

    def iter_nbest_stats(
        self,
        pairs: "Iterable[tuple[SupportsIndex, Segment]]",
        references: "ReferenceStreams | None" = None,
        *,
        chunk: int = SLICE,
        layout: "Layout" = "stream",
        dtype: "RowType" = "int64",
        threads: int = 1,
        progress: "Callable[[int, None], object] | None" = None,
    ) -> "Iterator[tuple[Array, Array]]":
        """Return the sufficient statistics of a stream of hypotheses, chunk by chunk.

        Parameters
        ----------
        pairs : iterable of (segment, hypothesis)
            Read as far as the chunk that is asked for.
        references, layout, dtype, threads
            As in `nbest_stats`.
        chunk : int
            Hypotheses of a chunk, which are held at a time.
        progress : callable, optional
            Called as ``progress(done, None)`` after every chunk.

        Yields
        ------
        segments : int64 array of shape (m,)
        rows : int64 or int32 array of shape (m, n_stats)

        Raises
        ------
        TypeError, ValueError
            As in `nbest_stats`; places are counted from the beginning of the stream. Arguments are
            checked at once, pairs when their chunk is read.

        Examples
        --------
        >>> import numpy as np
        >>> from rapidbleu import BLEU
        >>> bleu = BLEU(max_ngram_order=2)
        >>> pairs = iter([(0, "the cat sat"), (1, "it rains"), (0, "a cat sat")])
        >>> chunks = list(bleu.iter_nbest_stats(pairs, [["the cat sat", "it rained"]], chunk=2))
        >>> np.concatenate([rows for _, rows in chunks])
        array([[3, 3, 3, 2, 3, 2],
               [2, 2, 1, 0, 2, 1],
               [3, 3, 2, 1, 3, 2]])
        """
        from rapidbleu.metrics.contract.nbest_input import check_chunk, check_dtype

        check_chunk(chunk)
        check_progress(progress)
        if not hasattr(pairs, "__iter__"):
            raise TypeError(
                f"pairs: expected an iterable of (segment, hypothesis), got {type(pairs).__name__}"
            )
        wanted = check_dtype(dtype)
        n_threads = check_threads(threads)
        extractor, refs = self._prepared(self._check_references(references, layout))
        return self._stream(pairs, extractor, refs, chunk, wanted, n_threads, progress)

    def _stream(
        self, pairs: "Iterable[tuple[SupportsIndex, Segment]]", extractor: "Extractor",
        refs: "PreparedReferences", chunk: int, dtype: "np.dtype[Any]", threads: int,
        progress: "Callable[[int, None], object] | None",
    ) -> "Iterator[tuple[Array, Array]]":  # fmt: skip
        import numpy as np

        from rapidbleu.metrics.contract.nbest_input import read_pairs

        stream = iter(pairs)
        done = 0
        while True:
            hyps, numbers = read_pairs(stream, done, chunk, len(refs))
            if not len(hyps):
                return
            check_nbest(extractor, hyps, refs)
            if not done:
                self._look_at_hypotheses(hyps, True)
            rows = np.empty((len(hyps), extractor.kernel.n_stats), dtype)
            extract_nbest(extractor, hyps, refs, numbers, threads, rows=rows, first=done)
            done += len(hyps)
            del hyps
            if progress is not None:
                progress(done, None)
            yield numbers, rows

    def _check_nbest(
        self,
        hypotheses: "NBestHypotheses",
        references: "ReferenceStreams | None",
        offsets: "Integers | None",
        segments: "Integers | None",
        layout: "Layout",
        threads: int,
        progress: "Progress | None",
    ) -> "tuple[Column, Extractor, PreparedReferences, Array, int]":
        """Return the input of an n-best call, all of it checked before references are prepared."""
        import numpy as np

        from rapidbleu.metrics.contract import nbest_input

        check_progress(progress)
        n_threads = check_threads(threads)
        if offsets is not None and segments is not None:
            raise ValueError("offsets, segments: expected one of them, got both")
        if segments is None and offsets is None:
            hyps, ends = flatten(hypotheses, "hypotheses")
            bounds: IntArray = np.array(ends, np.int64)
        else:
            hyps = Column(hypotheses, "hypotheses")
        refs = self._check_references(references, layout)
        n_segments = len(refs)
        if segments is not None:
            numbers = nbest_input.check_segments(segments, len(hyps), n_segments)
        else:
            if offsets is not None:
                bounds = nbest_input.check_offsets(offsets, len(hyps), n_segments)
            elif len(bounds) != n_segments + 1:
                raise ValueError(
                    f"references: expected {len(bounds) - 1} segments, as many as lists of "
                    f"hypotheses, got {n_segments}; references are [stream][segment] unless "
                    f"layout='segment'"
                )
            numbers = np.arange(n_segments, dtype=np.int64).repeat(np.diff(bounds).astype(np.intp))
        check_nbest(self._extractor, hyps, refs)
        self._look_at_hypotheses(hyps, True)
        summed = nbest_input.sum_first(hyps, numbers)
        self._compare_layouts(references, layout, refs, summed)
        return hyps, *self._prepared(refs), numbers, n_threads

    def _prepared(
        self, refs: "ReferenceColumns | PreparedReferences"
    ) -> "tuple[Extractor, PreparedReferences]":
        extractor, own = self._fitted(refs)
        return extractor, extractor.prepare(own) if isinstance(own, ReferenceColumns) else own
