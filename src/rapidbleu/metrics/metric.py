"""Base class of the metrics, with the operations that all of them share.

`Metric` names and documents the operations; functions of the modules next to this one implement
them. They rest on two functions of each metric: a segment to a row of statistics, a row to a score.
"""

from __future__ import annotations

from rapidbleu._lib.checks import check_count
from rapidbleu._lib.lazy import np
from rapidbleu._lib.loader import load
from rapidbleu.metrics import corpus, explaining, nbest, pairs, row_tables
from rapidbleu.metrics.base import BaseMetric
from rapidbleu.metrics.options import option
from rapidbleu.parallel import SLICE
from rapidbleu.references import References
from rapidbleu.running import RunningScore
from rapidbleu.score import ScoreT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any, Literal, SupportsIndex, overload

    from rapidbleu._types import (
        Array,
        FloatArray,
        Groups,
        Hypotheses,
        IntArray,
        Integers,
        Items,
        Layout,
        NBestHypotheses,
        Numbers,
        PairTexts,
        Path,
        Progress,
        ReferenceStreams,
        RowType,
        Segment,
        SegmentReferences,
        Tables,
        Texts,
    )
    from rapidbleu.explanation.explanations import Explanation
    from rapidbleu.metrics.pool import Pool
    from rapidbleu.rows.stats_table import StatsTable
    from rapidbleu.table import Table


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

    def prepare(self, references: ReferenceStreams, *, layout: Layout = "stream") -> References:
        """Tokenize references once, for many systems; parameters as in `corpus_score`."""
        return corpus.prepare(self, references, layout)

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

    def segment_stats(
        self, hypotheses: Hypotheses, references: ReferenceStreams | None = None, *,
        layout: Layout = "stream", threads: int = 1, progress: Progress | None = None,
    ) -> IntArray:  # fmt: skip
        """Return the sufficient statistics of each segment, an int64 array of shape (n, n_stats).

        Rows can be added, subtracted, merged and saved (``np.save``); `score` scores any sum of
        them. Parameters and errors as in `corpus_score`.
        """
        return corpus.segment_stats(self, hypotheses, references, layout, threads, progress)

    def corpus_stats(
        self, hypotheses: Hypotheses, references: ReferenceStreams | None = None, *,
        layout: Layout = "stream", threads: int = 1, progress: Progress | None = None,
    ) -> IntArray:  # fmt: skip
        """Return the sum of `segment_stats`, an int64 array, without allocating its rows."""
        sums = corpus.sum_stats(self, hypotheses, references, layout, threads, progress)
        return np.array(sums, np.int64)

    def segment_scores(
        self, hypotheses: Hypotheses, references: ReferenceStreams | None = None, *,
        layout: Layout = "stream", threads: int = 1, progress: Progress | None = None,
    ) -> FloatArray:  # fmt: skip
        """Return the `sentence_score` of each segment, to the last bit, as a float64 array.

        Parameters and errors as in `corpus_score`.
        """
        return corpus.segment_scores(self, hypotheses, references, layout, threads, progress)

    def segment_table(
        self, systems: Mapping[str, Hypotheses], references: ReferenceStreams | None = None, *,
        ids: Items[Any] | None = None, layout: Layout = "stream", threads: int = 1,
    ) -> Table:  # fmt: skip
        """Score the segments of several systems, in one column per system.

        Parameters
        ----------
        systems : mapping of str to hypotheses
            Hypotheses as in `corpus_score`, by system name.
        references, layout, threads
            As in `corpus_score`.
        ids : sequence of str or int, optional
            Names of the segments; by default their indices.

        Returns
        -------
        Table
            A column ``segment``, and one for each system with its `segment_scores`.

        Raises
        ------
        TypeError, ValueError
            If there is no system, one is named ``segment``, or numbers of segments differ.

        Examples
        --------
        >>> from rapidbleu import CHRF
        >>> systems = {"A": ["the cat sat", "it rains"], "B": ["a cat sat", "it rained"]}
        >>> CHRF().segment_table(systems, [["the cat sat", "it rained"]], ids=["s1", "s2"])
        segment       A       B
        s1       100.00   53.61
        s2        61.77  100.00
        """
        return row_tables.segment_table(self, systems, references, ids, layout, threads)

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

    def explain(self, hypothesis: Segment, references: SegmentReferences) -> Explanation:
        """Explain the score of a segment: what matched where, and the formula.

        Parameters and errors as in `sentence_score`.

        Returns
        -------
        Explanation
            An `NgramExplanation` for metrics that count n-grams, an `EditExplanation` for metrics
            with `align`. ``print`` shows text, a notebook HTML; `to_dict` returns data. Each
            n-gram or edit becomes an object.

        Examples
        --------
        >>> from rapidbleu import CHRF
        >>> explanation = CHRF(char_order=2).explain("the the", ["the cat"])
        >>> [(own.order, own.matches, own.total) for own in explanation.orders]
        [(1, 4, 6), (2, 2, 5)]
        >>> explanation.formula[0]
        'character 1-grams: P = 100 * 4 / 6 = 66.67, R = 100 * 4 / 6 = 66.67'
        """
        return explaining.explain(self, hypothesis, references)

    def nbest_stats(
        self, hypotheses: NBestHypotheses, references: ReferenceStreams | None = None, *,
        offsets: Integers | None = None, segments: Integers | None = None,
        layout: Layout = "stream", dtype: RowType = "int64", threads: int = 1,
        progress: Progress | None = None,
    ) -> Array:  # fmt: skip
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
        return nbest.stats(
            self, hypotheses, references, offsets, segments, layout, dtype, threads, progress
        )

    def nbest_scores(
        self, hypotheses: NBestHypotheses, references: ReferenceStreams | None = None, *,
        offsets: Integers | None = None, segments: Integers | None = None,
        layout: Layout = "stream", threads: int = 1, progress: Progress | None = None,
    ) -> FloatArray:  # fmt: skip
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
        return nbest.scores(
            self, hypotheses, references, offsets, segments, layout, threads, progress
        )

    def iter_nbest_stats(
        self, pairs: Iterable[tuple[SupportsIndex, Segment]],
        references: ReferenceStreams | None = None, *, chunk: int = SLICE,
        layout: Layout = "stream", dtype: RowType = "int64", threads: int = 1,
        progress: Callable[[int, None], object] | None = None,
    ) -> Iterator[tuple[Array, Array]]:  # fmt: skip
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
        return nbest.iter_stats(self, pairs, references, chunk, layout, dtype, threads, progress)

    if TYPE_CHECKING:

        @overload
        def pairwise(
            self, hypotheses: PairTexts, references: PairTexts | None = None, *,
            groups: Literal[False] | None = None, threads: int = 1,
            progress: Progress | None = None,
        ) -> FloatArray: ...  # fmt: skip

        @overload
        def pairwise(
            self, hypotheses: Groups, references: Groups | None = None, *, groups: Literal[True],
            threads: int = 1, progress: Progress | None = None,
        ) -> list[FloatArray]: ...  # fmt: skip

    def pairwise(
        self, hypotheses: PairTexts | Groups, references: PairTexts | Groups | None = None, *,
        groups: bool | None = None, threads: int = 1, progress: Progress | None = None,
    ) -> FloatArray | list[FloatArray]:  # fmt: skip
        """Score every hypothesis against every reference.

        Parameters
        ----------
        hypotheses : sequence of m segments, or References
            Segments as in `corpus_score`. Prepared references, one per segment, are used directly.
        references : sequence of n segments, or References, optional
            The hypotheses by default.
        groups : bool, optional
            Treat both as sequences of groups, lists of segments, each scored on its own. Otherwise
            lists of str are tokens; unless this is False, tokens that contain white space are
            refused because they may be groups of texts.
        threads : int
            As in `corpus_score`.
        progress : callable, optional
            Called with the number of pairs done and the total.

        Returns
        -------
        float64 array of shape (m, n), or a list of them, one for each group
            ``[i, j]`` is ``sentence_score(hypotheses[i], [references[j]]).score``, to the last bit.

        Raises
        ------
        TypeError, ValueError
            If a text or an argument is invalid, a group is empty, or the numbers of groups differ;
            the message names the position.

        Notes
        -----
        Each text is tokenized once; time is proportional to the n-grams that texts share.

        Examples
        --------
        >>> from rapidbleu import BLEU
        >>> bleu = BLEU(effective_order=True)
        >>> bleu.pairwise(["a b c", "a b d"], ["a b c", "a c", "d"]).round(1)
        array([[100. ,  34.7,   0. ],
               [ 55. ,  27.5,  27.5]])
        """
        matrices = pairs.matrices(self, hypotheses, references, groups, threads, progress)
        return matrices if groups else matrices[0]

    if TYPE_CHECKING:

        @overload
        def self_scores(
            self, hypotheses: PairTexts, *, groups: Literal[False] | None = None,
            threads: int = 1, progress: Progress | None = None,
        ) -> FloatArray: ...  # fmt: skip

        @overload
        def self_scores(
            self, hypotheses: Groups, *, groups: Literal[True], threads: int = 1,
            progress: Progress | None = None,
        ) -> list[FloatArray]: ...  # fmt: skip

    def self_scores(
        self, hypotheses: PairTexts | Groups, *, groups: bool | None = None,
        threads: int = 1, progress: Progress | None = None,
    ) -> FloatArray | list[FloatArray]:  # fmt: skip
        """Score every hypothesis with all other hypotheses as its references.

        Parameters and errors as in `pairwise`; at least two hypotheses are needed.

        Returns
        -------
        float64 array of shape (m,), or a list of them, one for each group
            With BLEU the mean is self-BLEU (Zhu et al. 2018, "Texygen"): the lower, the more
            diverse the set. For BLEU, time is linear in the total length.

        Examples
        --------
        >>> from rapidbleu import BLEU
        >>> bleu = BLEU(max_ngram_order=2)
        >>> bleu.self_scores(["the cat sat", "the cat sits", "a dog sat"]).round(2)
        array([70.71, 57.74, 28.87])
        """
        each = pairs.self_scores(self, hypotheses, groups, threads, progress)
        return each if groups else each[0]

    if TYPE_CHECKING:

        @overload
        def mbr(
            self, hypotheses: PairTexts, references: PairTexts | None = None,
            weights: Numbers | None = None, *, groups: Literal[False] | None = None,
            threads: int = 1, progress: Progress | None = None,
        ) -> FloatArray: ...  # fmt: skip

        @overload
        def mbr(
            self, hypotheses: Groups, references: Groups | None = None,
            weights: Numbers | None = None, *, groups: Literal[True],
            threads: int = 1, progress: Progress | None = None,
        ) -> list[FloatArray]: ...  # fmt: skip

    def mbr(
        self, hypotheses: PairTexts | Groups, references: PairTexts | Groups | None = None,
        weights: Numbers | None = None, *, groups: bool | None = None,
        threads: int = 1, progress: Progress | None = None,
    ) -> FloatArray | list[FloatArray]:  # fmt: skip
        """Return the expected score of every hypothesis, for minimum Bayes risk decoding.

        Other parameters and errors as in `pairwise`; `select` finds the best hypothesis.

        Parameters
        ----------
        weights : array_like of float, of shape (n,), optional
            Weights of the references, at least 0, divided by their sum. Equal by default. With
            `groups`, one array per group.

        Returns
        -------
        float64 array of shape (m,), or a list of them, one for each group
            The weighted mean of the hypothesis's row of `pairwise`, added up from the left.
            Memory does not grow with m * n.

        References
        ----------
        Kumar and Byrne 2004, "Minimum Bayes-Risk Decoding for Statistical Machine Translation".

        Examples
        --------
        >>> from rapidbleu import BLEU
        >>> bleu = BLEU(effective_order=True)
        >>> bleu.mbr(["the cat sat", "the cat sits", "a dog sat"]).round(1)
        array([60.8, 51.7, 42.5])
        """
        each = pairs.utilities(self, hypotheses, references, weights, groups, threads, progress)
        return each if groups else each[0]

    if TYPE_CHECKING:

        @overload
        def select(
            self, hypotheses: PairTexts, references: PairTexts | None = None,
            weights: Numbers | None = None, *, groups: Literal[False] | None = None,
            threads: int = 1, progress: Progress | None = None,
        ) -> int: ...  # fmt: skip

        @overload
        def select(
            self, hypotheses: Groups, references: Groups | None = None,
            weights: Numbers | None = None, *, groups: Literal[True],
            threads: int = 1, progress: Progress | None = None,
        ) -> IntArray: ...  # fmt: skip

    def select(
        self, hypotheses: PairTexts | Groups, references: PairTexts | Groups | None = None,
        weights: Numbers | None = None, *, groups: bool | None = None,
        threads: int = 1, progress: Progress | None = None,
    ) -> int | IntArray:  # fmt: skip
        """Return the index of the hypothesis with the best expected score (minimum Bayes risk).

        Parameters and errors as in `mbr`.

        Returns
        -------
        int, or int64 array of shape (n_groups,)
            The index of the highest `mbr`, or of the lowest for an error rate; the first in a tie.

        Examples
        --------
        >>> from rapidbleu import TER
        >>> samples = ["a dog sat", "the cat sat", "the cat sits"]
        >>> samples[TER().select(samples)]
        'the cat sat'
        """
        each = pairs.select(self, hypotheses, references, weights, groups, threads, progress)
        return each if groups else int(each[0])

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

    def stats_table(
        self, hypotheses: Hypotheses, references: ReferenceStreams | None = None, *,
        ids: Items[Any] | None = None, keep: Mapping[str, Any] | None = None,
        shard: tuple[int, int] | None = None, first: int | None = None, inputs: Iterable[str] = (),
        layout: Layout = "stream", threads: int = 1, progress: Progress | None = None,
    ) -> StatsTable:  # fmt: skip
        """Return the sufficient statistics of segments as a table, with ids and other columns.

        Parameters
        ----------
        hypotheses, references, layout, threads, progress
            As in `corpus_score`.
        ids : sequence of str or int, optional
            Unique ids of the segments; by default the ids of a scan, or else the indices.
        keep : mapping of str to sequence, optional
            More columns by name, of int, float or str, such as languages or domains; by default
            the columns that a scan keeps.
        shard : (int, int), optional
            If the segments are part of a corpus, the number of the part, from 1, and the number of
            parts; `StatsTable.merge` then detects missing parts.
        first : int, optional
            Index of the first segment in the corpus (default: 0), where default ids start.
        inputs : sequence of str
            Names of the input files, recorded in the manifest of a file.

        Returns
        -------
        StatsTable
            The rows of `segment_stats`, with named columns.

        Raises
        ------
        TypeError, ValueError
            As in `corpus_score`; also if the length of a column differs, or an id or name repeats.

        Examples
        --------
        >>> from rapidbleu import TER
        >>> hypotheses, references = ["it rains", "the cat sat"], [["it rained", "a cat sat"]]
        >>> table = TER().stats_table(hypotheses, references, keep={"domain": ["weather", "pets"]})
        >>> table.score(by="domain")
        {'weather': TER = 50.00, 'pets': TER = 33.33}
        >>> table.save("stats.parquet")  # doctest: +SKIP
        """
        about = {"ids": ids, "keep": keep, "shard": shard, "first": first, "inputs": inputs}
        return row_tables.stats_table(
            self, hypotheses, references, about, layout, threads, progress
        )

    def save_stats(
        self, path: Path, hypotheses: Hypotheses, references: ReferenceStreams | None = None, *,
        shard: tuple[int, int] | None = None, first: int | None = None, inputs: Iterable[str] = (),
        layout: Layout = "stream", threads: int = 1, progress: Progress | None = None,
    ) -> int:  # fmt: skip
        """Write the statistics of segments to a file with a manifest; return the number of rows.

        Parameters as in `stats_table` and `StatsTable.save`; a scan provides ids and columns.

        Raises
        ------
        TypeError, ValueError, OSError
            As in `stats_table` and `StatsTable.save`; an existing file then stays unchanged.
            `StatsTable.load` checks that ids are unique.

        Notes
        -----
        The file is what ``stats_table(...).save(path)`` writes, except for the sizes of batches and
        for integer columns whose first missing value is in a later batch: these contain nulls
        there, but load as floats with nan either way. Only a few streamed batches are in memory.

        Examples
        --------
        >>> from rapidbleu import CHRF, scan
        >>> table = scan("test.parquet", id_column="segment", keep="domain")
        >>> CHRF().save_stats("stats.npz", table)  # doctest: +SKIP
        3004
        """
        about = {"ids": None, "keep": None, "shard": shard, "first": first, "inputs": inputs}
        return row_tables.save_stats(
            self, path, hypotheses, references, about, layout, threads, progress
        )

    def map_stats(
        self, batches: Tables, hyp: str = "hyp", refs: str | Items[str] = "ref",
        id_column: str | None = None, keep: str | Items[str] = (), *, threads: int = 1,
    ) -> Iterator[Any]:  # fmt: skip
        """Turn batches of segments into batches of statistics, for distributed engines.

        Parameters
        ----------
        batches : iterator of pyarrow.RecordBatch
            Or anything else that `scan` accepts.
        hyp, refs, id_column, keep
            Names of columns, as in `scan`. Columns in `keep` may be of any Arrow type.
        threads : int
            As in `corpus_score`.

        Yields
        ------
        pyarrow.RecordBatch
            One per nonempty batch, with as many rows: ``id`` if there is an `id_column`, the
            columns of `keep`, and an int64 column for each statistic, named as in `StatsTable`.

        Raises
        ------
        TypeError, ValueError, ImportError
            If names of columns clash; on reading, as in `scan`; if rows of parts would not add up,
            as in `NIST` and `CIDErD` without `information`; without pyarrow.

        Notes
        -----
        No state passes from batch to batch, so an engine can run it on any part of a table, and
        repeat it. The bound method can be pickled.

        Examples
        --------
        >>> from rapidbleu import TER
        >>> batches = iter([{"hyp": ["it rains"], "ref": ["it rained"], "lang": ["en"]}])
        >>> for batch in TER().map_stats(batches, keep="lang"):  # doctest: +SKIP
        ...     print(batch.to_pylist())
        [{'lang': 'en', 'edits': 1, 'ref_length': 2, ...}]
        """
        return row_tables.map_stats(self, batches, hyp, refs, id_column, keep, threads)
