"""What a metric says of a corpus: its score, and the rows and scores of its segments."""

from rapidbleu.metrics.contract.resampling import ResampledScoring
from rapidbleu.parallel import check_progress, check_threads, extract
from rapidbleu.scoring import ScoreT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rapidbleu.metrics.contract.parts import _Part
    from rapidbleu.streams.rows import Rows
    from rapidbleu.typing import (
        FloatArray,
        Hypotheses,
        IntArray,
        Layout,
        Progress,
        ReferenceStreams,
    )


class CorpusScoring(ResampledScoring[ScoreT]):
    """What a metric of text does with a corpus."""

    if TYPE_CHECKING:  # supplied by the metric
        _parts: Callable[
            [Hypotheses, ReferenceStreams | None, Layout, int, Progress | None], Iterable[_Part]
        ]

    def corpus_score(
        self,
        hypotheses: "Hypotheses",
        references: "ReferenceStreams | None" = None,
        n_bootstrap: int = 1,
        *,
        layout: "Layout" = "stream",
        threads: int = 1,
        seed: "int | None" = 12345,
        progress: "Progress | None" = None,
    ) -> ScoreT:
        """Score a corpus.

        Parameters
        ----------
        hypotheses : sequence of segments
            A segment is a str; or a list of str tokens or of integer ids (equal modulo 2**64),
            which are taken as they are. Lists, tuples, NumPy arrays, pandas and polars series,
            Arrow columns. Or prepared by `prepare`, as one stream. An iterator, a `pathlib.Path` of
            a file of lines in UTF-8, compressed or not, and a `scan` of a table are read as they
            are needed, in little memory.
        references : sequence of streams, References or None
            ``references[stream][segment]``: each stream has a reference, or None, for each
            segment. With ``layout="segment"``, ``references[segment]`` are a segment's references.
            A stream, and references by segment, may be read as they are needed like hypotheses.
            None: those given to the constructor, or those of a scan.
        n_bootstrap : int
            If more than 1, the score has a 95% interval from so many resamples, which are those of
            sacrebleu: Koehn 2004, section 3.
        layout : {"stream", "segment"}
        threads : int
            Threads to use; 0 for all cores. The result is the same.
        seed : int or None
            Of the resamples; None: others each time.
        progress : callable, optional
            Called with the segments done and all of them, 0 if it is not known how many.

        Returns
        -------
        Score

        Raises
        ------
        TypeError, ValueError
            If an element is of the wrong type, numbers of segments differ, or a segment has no
            reference; the message names the place.
        """
        if n_bootstrap != 1:
            return self._score_resampled(
                hypotheses, references, n_bootstrap, layout, threads, seed, progress
            )
        score = self._score_corpus(hypotheses, references, layout, threads, progress)
        self._calls.remember(self.num_refs)  # and no resamples
        return score

    def _score_corpus(
        self, hypotheses: "Hypotheses", references: "ReferenceStreams | None", layout: "Layout",
        threads: int, progress: "Progress | None" = None,
    ) -> ScoreT:  # fmt: skip
        stats = self._sum_stats(hypotheses, references, layout, threads, progress)
        return self._make_score(self._kernel.describe(stats))

    def _sum_stats(
        self, hypotheses: "Hypotheses", references: "ReferenceStreams | None", layout: "Layout",
        threads: int, progress: "Progress | None" = None,
    ) -> list[int]:  # fmt: skip
        check_progress(progress)
        n_threads = check_threads(threads)
        sums: list[int] = []
        for hyps, extractor, refs, told, _ in self._parts(
            hypotheses, references, layout, n_threads, progress
        ):
            own = extract(extractor, hyps, refs, n_threads, progress=told)
            sums = [a + b for a, b in zip(sums, own, strict=True)] if sums else own
        return sums

    def segment_stats(
        self,
        hypotheses: "Hypotheses",
        references: "ReferenceStreams | None" = None,
        *,
        layout: "Layout" = "stream",
        threads: int = 1,
        progress: "Progress | None" = None,
    ) -> "IntArray":
        """Return the sufficient statistics of each segment.

        Parameters are those of `corpus_score`.

        Returns
        -------
        int64 array of shape (n, n_stats)
            Rows add, subtract, merge and save (``np.save``); `score` scores any sum of them.
        """
        import numpy as np

        parts = self._stat_parts(hypotheses, references, layout, threads, progress)
        blocks = [rows for rows, _, _ in parts]
        return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)

    def _stat_parts(
        self, hypotheses: "Hypotheses", references: "ReferenceStreams | None", layout: "Layout",
        threads: int, progress: "Progress | None",
    ) -> "Iterator[tuple[IntArray, int, list[Rows]]]":  # fmt: skip
        """Yield rows of a part, the number of references, and the tables that it was in."""
        import numpy as np

        check_progress(progress)
        n_threads = check_threads(threads)
        for hyps, extractor, refs, told, tables in self._parts(
            hypotheses, references, layout, n_threads, progress
        ):
            rows = np.empty((len(hyps), self._kernel.n_stats), np.int64)
            extract(extractor, hyps, refs, n_threads, rows, progress=told)
            yield rows, refs.num_refs, tables

    def corpus_stats(
        self,
        hypotheses: "Hypotheses",
        references: "ReferenceStreams | None" = None,
        *,
        layout: "Layout" = "stream",
        threads: int = 1,
        progress: "Progress | None" = None,
    ) -> "IntArray":
        """Return the sum of `segment_stats`, without the memory for its rows.

        Returns
        -------
        int64 array of shape (n_stats,)
        """
        import numpy as np

        return np.array(
            self._sum_stats(hypotheses, references, layout, threads, progress), np.int64
        )

    def segment_scores(
        self,
        hypotheses: "Hypotheses",
        references: "ReferenceStreams | None" = None,
        *,
        layout: "Layout" = "stream",
        threads: int = 1,
        progress: "Progress | None" = None,
    ) -> "FloatArray":
        """Score each segment as a corpus of its own; parameters are those of `corpus_score`.

        Returns
        -------
        float64 array of shape (n,)
            What `sentence_score` gives for each segment, to the last bit.
        """
        import numpy as np

        check_progress(progress)
        n_threads = check_threads(threads)
        parts = self._parts(hypotheses, references, layout, n_threads, progress)
        self._advise_segments()
        blocks = []
        for hyps, extractor, refs, told, _ in parts:
            blocks.append(np.empty(len(hyps), np.float64))
            extract(extractor, hyps, refs, n_threads, None, blocks[-1], told)
        return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
