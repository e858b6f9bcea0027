"""What every metric can do.

`Metric` names the operations and documents them; each one is a function of a module next to this
one, which takes the metric. They are written once against the two functions of the contract: a
segment to a row of statistics, and a row to a score.
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
    """Base of the metrics: its options never change, and any number of threads may use one.

    A metric documents the options that are its own; most have these two, too.

    Parameters
    ----------
    lowercase : bool
        Lowercase all text first.
    tokenize : str or callable, optional
        One of `TOKENIZERS`, or any function from str to a list of str; `TOKENIZER_DEFAULT`, which
        is 13a or none (words are separated by white space), or the metric's own rule by default.
    pad, end : int, optional
        Of segments that are integer ids, hypotheses and references alike, each `pad` is left out,
        and the first `end` with all that follows. Segments that are no ids are then a TypeError.
        Metrics of characters, which ids do not have, lack these two.

    Raises
    ------
    TypeError, ValueError
        If an option does not exist or has no such value.
    """

    pad: int | None = option(default=None, check=_check_id, kw_only=True)
    end: int | None = option(default=None, check=_check_id, kw_only=True)

    # Corpora and segments

    def prepare(self, references: ReferenceStreams, *, layout: Layout = "stream") -> References:
        """Tokenize references once, to score many systems against them.

        Parameters and errors are those of `corpus_score`.
        """
        return corpus.prepare(self, references, layout)

    def corpus_score(
        self, hypotheses: Hypotheses, references: ReferenceStreams | None = None,
        n_bootstrap: int = 1, *, layout: Layout = "stream", threads: int = 1,
        seed: int | None = 12345, progress: Progress | None = None,
    ) -> ScoreT:  # fmt: skip
        """Score a corpus.

        Parameters
        ----------
        hypotheses : sequence of segments
            A segment is a str; or a list of str tokens or of integer ids (equal modulo 2**64),
            which are taken as they are. Lists, tuples, NumPy arrays, pandas and polars series,
            Arrow columns. Ids may be arrays and tensors of integers in the memory of the CPU, a
            batch one of two dimensions. Or prepared by `prepare`, as one stream. An iterator, a
            `pathlib.Path` of a file of lines in UTF-8, compressed or not, and a `scan` of a table
            are streamed, in little memory.
        references : sequence of streams, References or None
            ``references[stream][segment]``: each stream has a reference, or None, for each
            segment. With ``layout="segment"``, ``references[segment]`` are a segment's references.
            A stream, and references by segment, may be streamed like hypotheses. None: the
            references given to the constructor, or those of a scan.
        n_bootstrap : int
            If more than 1, the score has a 95% interval from this number of resamples, which are
            the ones that sacrebleu draws: Koehn 2004, section 3.
        layout : {"stream", "segment"}
            The layout of the references.
        threads : int
            Threads to use; 0 for all cores. The result is the same.
        seed : int or None
            Seed for resampling; None draws new resamples on every call.
        progress : callable, optional
            Called with the segments done and all of them, 0 if their number is unknown.

        Returns
        -------
        Score

        Raises
        ------
        TypeError, ValueError
            If an element is of the wrong type, numbers of segments differ, or a segment has no
            reference; the message names the place.
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
        """Score one segment.

        Parameters
        ----------
        hypothesis : str, or list of str tokens or integer ids
        references : sequence of the same
            All references of the segment.

        Returns
        -------
        Score
        """
        parts = self._extractor.extract_one(hypothesis, references, self._calls)
        if parts is None:  # something else than a str and a list of str
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

        Rows add, subtract, merge and save (``np.save``); `score` scores any sum of them. Parameters
        and errors are those of `corpus_score`.
        """
        return corpus.segment_stats(self, hypotheses, references, layout, threads, progress)

    def corpus_stats(
        self, hypotheses: Hypotheses, references: ReferenceStreams | None = None, *,
        layout: Layout = "stream", threads: int = 1, progress: Progress | None = None,
    ) -> IntArray:  # fmt: skip
        """Return the sum of `segment_stats`, an int64 array, without the memory for its rows."""
        sums = corpus.sum_stats(self, hypotheses, references, layout, threads, progress)
        return np.array(sums, np.int64)

    def segment_scores(
        self, hypotheses: Hypotheses, references: ReferenceStreams | None = None, *,
        layout: Layout = "stream", threads: int = 1, progress: Progress | None = None,
    ) -> FloatArray:  # fmt: skip
        """Score each segment as `sentence_score` does, to the last bit; return a float64 array.

        Parameters and errors are those of `corpus_score`.
        """
        return corpus.segment_scores(self, hypotheses, references, layout, threads, progress)

    def segment_table(
        self, systems: Mapping[str, Hypotheses], references: ReferenceStreams | None = None, *,
        ids: Items[Any] | None = None, layout: Layout = "stream", threads: int = 1,
    ) -> Table:  # fmt: skip
        """Score the segments of a few systems, side by side.

        Parameters
        ----------
        systems : mapping of str to hypotheses
            Hypotheses as in `corpus_score`, by the name of the system.
        references, layout, threads
            As in `corpus_score`.
        ids : sequence of str or int, optional
            Names of the segments; their numbers from 0 on by default.

        Returns
        -------
        Table
            ``segment``, and a column for each system with its `segment_scores`.

        Raises
        ------
        TypeError, ValueError
            If there is no system, one is called ``segment``, or numbers of segments differ.

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
        """Return a running score: the score of a corpus while its hypotheses are being changed.

        Parameters
        ----------
        hypotheses : sequence of segments, optional
            The hypotheses to begin with; empty ones by default.
        references, layout, threads, progress
            As in `corpus_score`.

        Returns
        -------
        RunningScore

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
        """Return why a segment scores what it does: what matched where, and the formula.

        Parameters and errors are those of `sentence_score`.

        Returns
        -------
        Explanation
            An `NgramExplanation` of metrics that count n-grams, an `EditExplanation` of metrics
            with `align`. ``print`` writes it as text, a notebook shows HTML, `to_dict` gives data.
            Each n-gram or edit becomes an object.

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

    # N-best lists

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
            A list of hypotheses for each segment. With `offsets` or `segments` the hypotheses
            themselves, in any form that `corpus_score` takes. A list may be empty.
        references, layout, threads
            As in `corpus_score`.
        offsets : int array of shape (n_segments + 1,), optional
            The hypotheses of segment i are ``[offsets[i], offsets[i + 1])``.
        segments : int array of shape (n,), optional
            The segment of each hypothesis, in any order and as often as one likes; those of one
            segment in a row are faster.
        dtype : {"int64", "int32"}
            int32 rows take half the memory.
        progress : callable, optional
            Called with the hypotheses done and all of them.

        Returns
        -------
        int64 or int32 array of shape (n, n_stats)
            A row for each hypothesis, in their order.

        Raises
        ------
        TypeError, ValueError
            As `corpus_score`; and if numbers of segments or hypotheses do not fit, a segment is out
            of range, or a count does not fit into int32.

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
        return nbest.stats(
            self, hypotheses, references, offsets, segments, layout, dtype, threads, progress
        )

    def nbest_scores(
        self, hypotheses: NBestHypotheses, references: ReferenceStreams | None = None, *,
        offsets: Integers | None = None, segments: Integers | None = None,
        layout: Layout = "stream", threads: int = 1, progress: Progress | None = None,
    ) -> FloatArray:  # fmt: skip
        """Score each hypothesis of n-best lists as `sentence_score` does, to the last bit.

        Parameters and errors are those of `nbest_stats`; the result is a float64 array of shape
        (n,).

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
            The hypotheses of a chunk, which are in memory at the same time.
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
        >>> from rapidbleu import BLEU
        >>> bleu = BLEU(max_ngram_order=1)
        >>> pairs = iter([(0, "the cat sat"), (1, "it rains"), (0, "a cat sat")])
        >>> for segments, rows in bleu.iter_nbest_stats(pairs, [["a cat", "it rained"]], chunk=2):
        ...     print(segments.tolist(), rows.tolist())
        [0, 1] [[3, 2, 1, 3], [2, 2, 1, 2]]
        [0] [[3, 2, 2, 3]]
        """
        return nbest.iter_stats(self, pairs, references, chunk, layout, dtype, threads, progress)

    # All pairs

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
            Segments as in `corpus_score`. References that were prepared, with one for each
            segment, need not be tokenized again.
        references : sequence of n segments, or References, optional
            The hypotheses by default.
        groups : bool, optional
            Both are sequences of groups, lists of segments, each a problem of its own. Otherwise
            lists of str are tokens; unless it is False, tokens with white space inside are refused
            because they may be groups of texts.
        threads : int
            As in `corpus_score`.
        progress : callable, optional
            Called with the pairs done and all of them.

        Returns
        -------
        float64 array of shape (m, n), or a list of them, one for each group
            ``[i, j]`` is ``sentence_score(hypotheses[i], [references[j]]).score``, to the last bit.

        Raises
        ------
        TypeError, ValueError
            If a text or an argument is not what is expected, a group is empty, or the numbers of
            groups differ; the message names the place.

        Notes
        -----
        Each text is tokenized once, and the time is proportional to the n-grams that texts share.

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
        """Score every hypothesis against all others together, as its references.

        Parameters and errors are those of `pairwise`; at least two hypotheses are needed.

        Returns
        -------
        float64 array of shape (m,), or a list of them, one for each group
            With BLEU the mean is self-BLEU (Zhu et al. 2018, "Texygen"): the lower, the more
            diverse the set. Linear in the length of all texts for BLEU.

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

        The other parameters, and errors, are those of `pairwise`; `select` finds the best one.

        Parameters
        ----------
        weights : array_like of float, of shape (n,), optional
            Weights of the references, at least 0; their sum is divided by. Equal by default. With
            `groups`, one array for each group.

        Returns
        -------
        float64 array of shape (m,), or a list of them, one for each group
            The weighted mean of the hypothesis's row of `pairwise`, added up from the left. The
            memory does not grow with m * n.

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
        """Return which hypothesis has the best expected score: minimum Bayes risk decoding.

        Parameters and errors are those of `mbr`.

        Returns
        -------
        int, or int64 array of shape (n_groups,)
            The index of the hypothesis with the highest `mbr`, or the lowest of an error rate; the
            first one of a tie.

        Examples
        --------
        >>> from rapidbleu import TER
        >>> samples = ["a dog sat", "the cat sat", "the cat sits"]
        >>> samples[TER().select(samples)]
        'the cat sat'
        """
        each = pairs.select(self, hypotheses, references, weights, groups, threads, progress)
        return each if groups else int(each[0])

    # Pools

    def pool(self, texts: Texts = (), *, role: str = "references") -> Pool:
        """Return texts that grow in number, and are searched by this metric.

        Parameters
        ----------
        texts : sequence of segments
            Segments as in `corpus_score`.
        role : {"references", "hypotheses"}
            What the pool's texts are when another text is scored with them.

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
        """Read what `Pool.save` wrote; ValueError if its texts were read in another way."""
        pool: Pool = load("rapidbleu.metrics.pool", "load_pool")(self, path)
        return pool

    # Tables of rows

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
            A different one for each segment; by default the ids of a scan, or else the numbers of
            the segments.
        keep : mapping of str to sequence, optional
            More columns by name, of int, float or str, such as languages or domains; by default
            the columns that a scan keeps.
        shard : (int, int), optional
            If the segments are a part of a corpus, its number from 1 on, and the number of parts:
            `StatsTable.merge` refuses to go without one.
        first : int, optional
            The number of the first segment in the corpus, 0 by default: default ids begin with it.
        inputs : sequence of str
            Names of the files of the segments, for the manifest of a file.

        Returns
        -------
        StatsTable
            The rows of `segment_stats`, with a name for each column.

        Raises
        ------
        TypeError, ValueError
            As `corpus_score`; and if a column is too short or too long, an id comes twice, or two
            columns have one name.

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
        """Write statistics of segments to a file, with a manifest, and return the number of rows.

        Parameters are those of `stats_table` and `StatsTable.save`; a scan has the ids and columns.

        Raises
        ------
        TypeError, ValueError, OSError
            As `stats_table` and `StatsTable.save`; a file that was there before stays then.
            `StatsTable.load` checks that no id comes twice.

        Notes
        -----
        The file is what ``stats_table(...).save(path)`` writes, except for the sizes of batches,
        and for columns of integers whose first missing value is in a later batch, which have nulls
        there; loaded, both are floats with nan. Streamed input takes the memory of a few batches.

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
            Or anything else that `scan` takes.
        hyp, refs, id_column, keep
            Names of columns, as in `scan`. Columns that are kept may be of any Arrow type.
        threads : int
            As in `corpus_score`.

        Yields
        ------
        pyarrow.RecordBatch
            For each batch with rows one with as many: ``id``, if there is an `id_column`, the
            columns that are kept, and an int64 column for each statistic, as `StatsTable` has them.

        Raises
        ------
        TypeError, ValueError, ImportError
            If names of columns clash; where it is read, as `scan`; if the rows of parts would not
            add up, as in `NIST` and `CIDErD` without `information`; without pyarrow.

        Notes
        -----
        Nothing is kept from one batch to the next, so any engine can run it on any part of a table,
        and again. The bound method can be pickled.

        Examples
        --------
        >>> from rapidbleu import TER
        >>> batches = iter([{"hyp": ["it rains"], "ref": ["it rained"], "lang": ["en"]}])
        >>> for batch in TER().map_stats(batches, keep="lang"):  # doctest: +SKIP
        ...     print(batch.to_pylist())
        [{'lang': 'en', 'edits': 1, 'ref_length': 2, ...}]
        """
        return row_tables.map_stats(self, batches, hyp, refs, id_column, keep, threads)
