"""Base class of the metrics, with the operations that all of them share.

Most operations of `Metric` are functions of the modules next to this one. They rest on two
functions of each metric: a segment to a row of statistics, a row to a score.
"""

from __future__ import annotations

from rapidbleu._lib.checks import check_count
from rapidbleu._lib.lazy import np
from rapidbleu._lib.loader import load
from rapidbleu.metrics import corpus, explaining, nbest, pairs, row_tables
from rapidbleu.metrics.base import BaseMetric
from rapidbleu.metrics.options import option
from rapidbleu.references import References
from rapidbleu.running import RunningScore
from rapidbleu.score import ScoreT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu._types import (
        Hypotheses,
        IntArray,
        Layout,
        Path,
        Progress,
        ReferenceStreams,
        Segment,
        SegmentReferences,
        Texts,
    )
    from rapidbleu.metrics.pool import Pool


def _check_id(name: str, value: Any) -> int | None:
    return None if value is None else check_count(name, value, -(1 << 63), (1 << 64) - 1)


class Metric(BaseMetric[ScoreT]):
    """Base class of the metrics: immutable, so any number of threads may share one.

    Each metric documents its own options; most also accept these.

    Parameters
    ----------
    lowercase : bool
        Lowercase all text first.
    tokenize : str or callable, optional
        One of `TOKENIZERS`, or any function from str to a list of str; by default
        `TOKENIZER_DEFAULT` (13a, or none: split at white space) or the metric's own rule.
    pad, end : int, optional
        Ids to drop from segments of integer ids, hypotheses and references alike: each `pad`, and
        the first `end` with all that follows. Other segments then raise TypeError. Metrics of
        characters lack these two.

    Raises
    ------
    TypeError, ValueError
        If an option does not exist or does not accept the value.
    """

    pad: int | None = option(default=None, check=_check_id, kw_only=True)
    end: int | None = option(default=None, check=_check_id, kw_only=True)

    prepare = corpus.prepare

    def corpus_score(
        self, hypotheses: Hypotheses, references: ReferenceStreams | None = None,
        n_bootstrap: int = 1, *, layout: Layout = "stream", threads: int = 1,
        seed: int | None = 12345, progress: Progress | None = None,
    ) -> ScoreT:  # fmt: skip
        """Return the `Score` of a corpus.

        Parameters
        ----------
        hypotheses : sequence of segments
            A segment is a str, or a list of str tokens or of integer ids (equal modulo 2**64),
            which are used unchanged. Accepts lists, tuples, NumPy arrays, pandas and polars
            series, and Arrow columns. Ids may be integer arrays and tensors in CPU memory, with
            two dimensions for a batch. A single stream from `prepare` also works. Iterators, a
            `pathlib.Path` of a file of UTF-8 lines, compressed or not, and a `scan` of a table
            are streamed, in little memory.
        references : sequence of streams, References or None
            ``references[stream][segment]``: each stream contains a reference, or None, for each
            segment. With ``layout="segment"``, ``references[segment]`` are a segment's references.
            A stream, and references by segment, may be streamed like hypotheses. None uses the
            references of the constructor or of the scan.
        n_bootstrap : int
            If more than 1, add a 95% interval from this number of resamples, drawn as sacrebleu
            draws them (Koehn 2004, section 3).
        layout : {"stream", "segment"}
            The layout of the references.
        threads : int
            Number of threads; 0 uses all cores. The result does not depend on it.
        seed : int or None
            Seed for resampling; None draws new resamples on every call.
        progress : callable, optional
            Called with the number of segments done and the total, 0 if unknown.

        Raises
        ------
        TypeError, ValueError
            If an element is of the wrong type, numbers of segments differ, or a segment has no
            reference; the message names the position.
        """
        if not isinstance(self, Metric):
            corpus.refuse_class(self)
        if n_bootstrap != 1:
            score: ScoreT = corpus.score_resampled(
                self, hypotheses, references, n_bootstrap, layout, threads, seed, progress
            )
            return score
        return self._score_corpus(hypotheses, references, layout, threads, progress)

    def _score_corpus(
        self, hypotheses: Hypotheses, references: ReferenceStreams | None, layout: Layout,
        threads: int, progress: Progress | None,
    ) -> ScoreT:  # fmt: skip
        sums = corpus.sum_stats(self, hypotheses, references, layout, threads, progress)
        score: ScoreT = self._labeled(self._make_score(self._extractor.kernel.describe(sums)))
        return score

    def sentence_score(self, hypothesis: Segment, references: SegmentReferences) -> ScoreT:
        """Return the `Score` of one segment.

        Parameters
        ----------
        hypothesis : str, or list of str tokens or integer ids
        references : sequence of the same
            All references of the segment.
        """
        parts = self._extractor.extract_one(hypothesis, references, self._calls)
        if parts is None:  # something other than a str and a list of str
            if isinstance(references, str):
                raise TypeError("references: expected a sequence of references; got a single str")
            parts = self._kernel.describe(corpus.row_of(self, hypothesis, references))
        score: ScoreT = self._labeled(self._make_score(parts))
        return score

    segment_stats = corpus.segment_stats
    segment_scores = corpus.segment_scores
    segment_table = row_tables.segment_table

    def corpus_stats(
        self, hypotheses: Hypotheses, references: ReferenceStreams | None = None, *,
        layout: Layout = "stream", threads: int = 1, progress: Progress | None = None,
    ) -> IntArray:  # fmt: skip
        """Return the sum of `segment_stats`, an int64 array, without allocating its rows."""
        sums = corpus.sum_stats(self, hypotheses, references, layout, threads, progress)
        return np.array(sums, np.int64)

    def running(
        self, references: ReferenceStreams, hypotheses: Hypotheses | None = None, *,
        layout: Layout = "stream", threads: int = 1, progress: Progress | None = None,
    ) -> RunningScore:  # fmt: skip
        """Return a `RunningScore`: the score of a corpus whose hypotheses you change one by one.

        Parameters
        ----------
        hypotheses : sequence of segments, optional
            Initial hypotheses; empty ones by default.
        references, layout, threads, progress
            As in `corpus_score`.

        Examples
        --------
        >>> from rapidbleu import BLEU
        >>> bleu = BLEU(max_ngram_order=2)
        >>> running = bleu.running([["the cat sat", "it rained"]], ["a cat sat", "it rained"])
        >>> running.replace(0, "the cat sat")
        100.00000000000004
        """
        if not isinstance(references, References):
            references = self.prepare(references, layout=layout)
        if hypotheses is None:
            hypotheses = [references._empty_segment] * len(references)
        rows = self.segment_stats(hypotheses, references, threads=threads, progress=progress)
        return RunningScore(self, rows, references)

    explain = explaining.explain
    nbest_stats = nbest.nbest_stats
    nbest_scores = nbest.nbest_scores
    iter_nbest_stats = nbest.iter_nbest_stats
    pairwise = pairs.pairwise
    self_scores = pairs.self_scores
    mbr = pairs.mbr
    select = pairs.select

    def pool(self, texts: Texts = (), *, role: str = "references") -> Pool:
        """Return a `Pool`, a growing collection of texts that you search with this metric.

        Parameters
        ----------
        texts : sequence of segments
            Segments as in `corpus_score`.
        role : {"references", "hypotheses"}
            Role of the texts in the pool when another text is scored with them.

        Examples
        --------
        >>> from rapidbleu import CHRF
        >>> pool = CHRF().pool(["the cat sat", "it rained"])
        >>> pool.add("it is raining"), pool.scores("it rains").round(1)
        (2, array([ 5.8, 61.8, 25.1]))
        """
        made: Pool = load("rapidbleu.metrics.pool", "Pool")(self, texts, role)
        return made

    def load_pool(self, path: Path) -> Pool:
        """Read a file of `Pool.save`; ValueError if its texts were tokenized differently."""
        pool: Pool = load("rapidbleu.metrics.pool", "load_pool")(self, path)
        return pool

    stats_table = row_tables.stats_table
    save_stats = row_tables.save_stats
    map_stats = row_tables.map_stats
