"""Resamples of a corpus and their scores under any metric.

All tests draw rows of statistics, add them up and score the sums. The work is cut into blocks with
known random numbers, so results do not depend on the number of threads.
"""

from __future__ import annotations

import os

from rapidbleu._core.input.columns import Column
from rapidbleu._core.resampling.resample import (
    PackedRows,
    Stream,
    add_weighted,
    resample,
    shuffle,
    text_keys,
)
from rapidbleu._lib.checks import check_count, check_level, check_seed, items_of, seed_or_fresh
from rapidbleu._lib.handing import is_ours
from rapidbleu._lib.loader import np
from rapidbleu._lib.logs import logger
from rapidbleu.parallel import check_progress, check_threads, in_parts, teller
from rapidbleu.score import check_metric
from rapidbleu.significance.result import ResampledScore
from rapidbleu.stats import MAX_COUNT, check_rows, rows_given, to_integers
from rapidbleu.table import as_column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from rapidbleu._core.metrics.kernel import Kernel
    from rapidbleu._types import (
        FloatArray,
        Hypotheses,
        IntArray,
        IntRows,
        Items,
        Layout,
        Progress,
        ReferenceStreams,
        RowTable,
    )
    from rapidbleu.score import RowScoring, Score, ScoreT

    _Part = tuple[Kernel, IntArray]
    _Tell = Callable[[int], Any] | None
    _Int32Array = np.ndarray[Any, np.dtype[np.int32]]
    _UInt32Array = np.ndarray[Any, np.dtype[np.uint32]]
    _Keys = np.ndarray[tuple[int], np.dtype[np.uint64]]

RESAMPLES = 128  # maximum per block
DRAWS = 1 << 22  # maximum per block of several resamples
TRIALS = 1024  # maximum per block; a multiple of 32
COINS = 1 << 28  # maximum per block of more than 64 trials
WEIGHTED = 128  # resamples per block of the Poisson bootstrap; a multiple of 4
FEW_CLUSTERS = 20  # below this, the spread is not known well


def seed_of_environment() -> tuple[str, int | None]:
    """Return the seed of ``SACREBLEU_SEED`` as in signatures, and as a number or None.

    Raises ValueError unless it is a nonnegative integer or ``none``.

    >>> seed_of_environment()
    ('12345', 12345)
    """
    text = os.environ.get("SACREBLEU_SEED", "12345").lower()
    if text == "none":
        return text, None
    try:
        seed = int(text)
    except ValueError as error:
        if not is_ours(error):
            raise
        seed = -1
    if seed < 0:
        raise ValueError(f"SACREBLEU_SEED: expected an integer from 0 on, or none; got {text!r}")
    return text, seed


class Draws:
    """Segment indices and coins from one seed; None draws a new seed each time.

    They equal the draws of ``numpy.random.default_rng(seed)``, and thus of sacrebleu, but come from
    our own generator, a block at a time. NumPy guarantees its seeds and bit generators, so a seed
    yields the same resamples under every version of NumPy.

    >>> draws = Draws(12345, 3004)
    >>> draws.all_indices(1)[0, :4]
    array([2100,  682, 2369,  951], dtype=int32)
    """

    def __init__(self, seed: int | None, n_segments: int) -> None:
        self.n_segments = n_segments
        state: Any = np.random.PCG64(check_seed(seed)).state["state"]
        self.stream = Stream(state["state"], state["inc"])

    def place_after(self, trials: int) -> int:
        """Return the position of the stream after this many trials of coins for all segments."""
        return (trials * self.n_segments + 31) // 32

    def all_indices(self, n: int, trials: int = 0) -> _Int32Array:
        """Return the indices of n resamples, drawn after `trials` trials of coins."""
        indices = np.empty((n, self.n_segments), np.int32)
        self.stream.draw(self.n_segments, indices, self.place_after(trials))
        return indices

    def coins(self, first: int, n: int) -> _UInt32Array:
        """Return the coins of n trials from `first`, a multiple of 32, as bits; two extra words."""
        words = np.zeros((n * self.n_segments + 31) // 32 + 2, np.uint32)
        self.stream.copy(words, first // 32 * self.n_segments)
        return words


def resampled_scores(
    draws: Draws,
    parts: Sequence[_Part],
    n: int,
    *,
    after: int = 0,
    n_drawn: int = 0,
    threads: int = 1,
    tell: _Tell = None,
) -> list[FloatArray]:
    """Return the scores of n resamples of each part; all parts share the resamples.

    A part is a kernel and int64 rows of shape (n_segments, n_stats). `after` trials of coins were
    drawn before. A resample has `n_drawn` rows (default: n_segments). `tell` is called with the
    number of resamples done. Takes time linear in n times the rows, or the rows drawn if there are
    more, and 2 bytes per number.
    """
    packed = PackedRows([rows for _, rows in parts], draws.n_segments)
    scores = [np.empty(n, np.float64) for _ in parts]
    n_drawn = n_drawn or draws.n_segments
    if n_drawn > draws.n_segments:
        largest = max(int(rows.max()) for _, rows in parts)
        if largest > MAX_COUNT // n_drawn:
            raise ValueError(f"rows: expected sums of at most 2**60; got {n_drawn} times {largest}")
    size = max(1, min(RESAMPLES, DRAWS // n_drawn))
    n_blocks = -(-n // size)
    places = [draws.place_after(after)] + [0] * n_blocks
    for block in range(n_blocks) if threads > 1 else ():
        places[block + 1] = draws.stream.skip(draws.n_segments, size * n_drawn, places[block])

    def work(first: int, last: int, stop: list[BaseException]) -> None:
        m = last - first
        block = first // size
        totals = np.empty(m * packed.n_columns, np.int64)
        places[block + 1] = resample(packed, draws.stream, places[block], m, totals, stop, n_drawn)
        split = _split(totals, parts, m)
        for (kernel, _), own, rows in zip(parts, scores, split, strict=True):
            kernel.score_rows(rows, own[first:last])

    in_blocks(work, size, n, threads, tell)
    return scores


def extreme_trials(
    draws: Draws,
    parts: Sequence[_Part],
    pairs: Sequence[tuple[int, int]],
    differences: FloatArray,
    n: int,
    *,
    threads: int = 1,
    tell: _Tell = None,
) -> IntArray:
    """Count how many of n trials of shuffled systems differ by more than the systems themselves.

    `parts` are those of all systems for each metric, as in `resampled_scores`. `pairs` are indices
    of systems. `differences`, of shape (n_metrics, n_pairs) like the result, are nonnegative. All
    pairs and metrics share the coins of a trial. Takes time linear in n, in segments times systems,
    and in pairs.
    """
    n_systems = len(parts) // len(differences)
    packed = PackedRows([rows for _, rows in parts], draws.n_segments)
    sums = [rows.sum(axis=0) for _, rows in parts]
    size = max(64, min(TRIALS, COINS // draws.n_segments // 32 * 32))

    def work(first: int, last: int, stop: list[BaseException]) -> IntArray:
        counts = np.zeros(differences.shape, np.int64)
        m = last - first
        totals = np.empty(m * packed.n_columns, np.int64)
        shuffle(packed, draws.coins(first, m), m, totals, stop)
        heads = list(_split(totals, parts, m))
        tails = [total - own for total, own in zip(sums, heads, strict=True)]
        left = np.empty(m, np.float64)
        right = np.empty(m, np.float64)
        for k, start in enumerate(range(0, len(parts), n_systems)):
            kernel = parts[start][0]
            for j, pair in enumerate(pairs):
                a = start + pair[0]
                b = start + pair[1]
                kernel.score_rows(heads[a] + tails[b], left)
                kernel.score_rows(tails[a] + heads[b], right)
                counts[k, j] = np.count_nonzero(np.abs(left - right) > differences[k, j])
        return counts

    extreme: IntArray = np.sum(in_blocks(work, size, n, threads, tell), axis=0)
    return extreme


def _split(totals: IntArray, parts: Sequence[_Part], n: int) -> Any:
    begin = 0
    for _, rows in parts:
        end = begin + n * rows.shape[1]
        yield totals[begin:end].reshape(n, rows.shape[1])
        begin = end


def in_blocks(
    work: Callable[[int, int, list[BaseException]], Any],
    size: int,
    n: int,
    threads: int,
    tell: _Tell,
) -> list[Any]:
    """Return ``work(first, last, stop)`` for blocks of n items, in any order.

    See `in_parts` for `stop`; `tell` is called now and then with the number of items done.
    """
    results = []

    def blocks(begin: int, end: int, stop: list[BaseException]) -> None:
        for first in range(begin * size, min(end * size, n), size):
            results.append(work(first, min(first + size, n), stop))

    told = None if tell is None else lambda done: tell(min(done * size, n))
    in_parts(blocks, -(-n // size), threads, 1, told)
    return results


def cluster_numbers(clusters: Items[Any]) -> IntArray:
    """Number the clusters of segments in order of first appearance.

    Raises ValueError for a single cluster, and logs a warning for few.

    >>> cluster_numbers(["a", "b", "a", *map(str, range(20))])[:4]
    array([0, 1, 0, 2])
    """
    column = as_column(clusters, "clusters")
    labels: list[Any] = column if isinstance(column, list) else column.tolist()
    numbers = {label: i for i, label in enumerate(dict.fromkeys(labels))}
    if None in numbers:
        raise ValueError(f"clusters[{labels.index(None)}]: expected a label; got None")
    if any(isinstance(label, float) for label in labels[:1]):
        raise TypeError("clusters: expected texts or integers; got other numbers")
    if len(numbers) < 2:
        raise ValueError(f"clusters: expected at least two; got {len(numbers)}")
    if len(numbers) < FEW_CLUSTERS:
        logger().warning(
            "%d clusters: errors and p-values are rough, and mostly too small", len(numbers)
        )
    return np.fromiter((numbers[label] for label in labels), np.int64, len(labels))


def sum_clusters(rows: IntArray, numbers: IntArray | None) -> IntArray:
    """Return the sum of the rows of each cluster, or the rows themselves if `numbers` is None.

    >>> import numpy as np
    >>> sum_clusters(np.array([[1, 2], [3, 4], [5, 6]]), np.array([0, 1, 0]))
    array([[6, 8],
           [3, 4]])
    """
    if numbers is None:
        return rows
    if len(numbers) != len(rows):
        raise ValueError(f"clusters: expected {len(rows)}, one a segment; got {len(numbers)}")
    order = np.argsort(numbers, kind="stable")
    starts = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    sums: IntArray = np.add.reduceat(rows[order], starts, axis=0)
    return sums


def rows_of(
    metric: RowScoring,
    source: Hypotheses | IntArray | RowTable,
    references: ReferenceStreams | None,
    layout: Layout,
    threads: int,
) -> IntArray:
    """Return the rows of a system: hypotheses, an int array of shape (n, n_stats), or a StatsTable.

    Without references, a two-dimensional array is taken as rows; a StatsTable always is. Other
    parameters are as in `Metric.segment_stats`.
    """
    if are_rows(source) and (references is None or is_table(source)):
        rows: IntArray = check_rows(rows_given(source, metric, "rows"), metric._kernel)
        if not len(rows):
            raise ValueError("rows: expected at least one segment; got none")
        return rows
    make = getattr(metric, "segment_stats", None)
    if make is None:
        raise TypeError(
            f"hypotheses: {type(metric).__name__} reads no text, expected its rows of statistics, "
            f"an array of shape (n, {metric._kernel.n_stats}), and no references"
        )
    rows = make(source, references, layout=layout, threads=threads)
    return rows


def are_rows(source: object) -> bool:
    """Return whether an object is rows of statistics rather than texts."""
    return is_table(source) or (isinstance(source, np.ndarray) and source.ndim == 2)


def is_table(source: object) -> bool:
    """Return whether an object is a `StatsTable`."""
    return hasattr(source, "rows_for")


def resampled(
    metric: RowScoring[ScoreT],
    rows: IntArray,
    n: int,
    seed: int | None,
    threads: int,
    progress: Progress | None = None,
) -> tuple[ScoreT, FloatArray]:
    """Return the score of rows of statistics, and the scores of n resamples."""
    draws = Draws(seed, len(rows))
    parts = [(metric._kernel, rows)]
    [samples] = resampled_scores(draws, parts, n, threads=threads, tell=teller(progress, n))
    return metric.score(rows), samples


def bootstrap(
    hypotheses: Hypotheses | IntArray | RowTable,
    references: ReferenceStreams | None,
    metric: RowScoring,
    *,
    clusters: Items[Any] | None = None,
    n_resamples: int = 1000,
    seed: int | None = 12345,
    level: float = 0.95,
    layout: Layout = "stream",
    threads: int = 1,
    progress: Progress | None = None,
) -> ResampledScore:
    """Estimate a confidence interval of a score by resampling segments.

    Sums are exact, so a resample scores as in `metric.score` to the last bit. A draw takes 1 ns for
    up to 16 columns, and memory is 2 bytes per number. Ctrl-C stops the call.

    Parameters
    ----------
    hypotheses : sequence of segments, int array of shape (n_segments, n_stats), or StatsTable
        As in `Metric.corpus_score`; or, without references, the metric's rows of statistics.
    references : sequence of streams, References or None
        As in `Metric.corpus_score`.
    metric : metric
        Any metric, including `SegmentScores` and `WeightedSum`.
    clusters : sequence of str or int, of n_segments items, optional
        Cluster of each segment, such as its document or prompt. Segments of a cluster depend on
        each other, so clusters are drawn instead of segments: as many as there are, at least two.
        Below 20 clusters a warning is logged because intervals are too narrow.
    n_resamples : int
    seed : int or None
        Seed, with the same resamples as in sacrebleu. None draws one, which the result reports.
    level : float
        Share of the resampled scores inside the interval.
    layout : {"stream", "segment"}
        Layout of the references.
    threads : int
        Number of threads, 0 for all cores; does not change the result.
    progress : callable, optional
        Called with the resamples done and the total.

    References
    ----------
    Koehn 2004, Statistical Significance Tests for Machine Translation Evaluation, section 3.

    Examples
    --------
    >>> from rapidbleu import SegmentScores
    >>> comet = SegmentScores("COMET")
    >>> found = bootstrap(comet.stats([0.81, 0.75, 0.66, 0.92, 0.87, 0.79]), None, comet)
    >>> found
    COMET = 0.8000 (μ = 0.7995 ± 0.0708)
    >>> [round(end, 3) for end in found.interval]
    [0.73, 0.872]
    """
    check_progress(progress)
    check_metric(metric)
    check_count("n_resamples", n_resamples, 1)
    check_level(level)
    n_threads = check_threads(threads)
    seed = seed_or_fresh(seed)
    numbers = None if clusters is None else cluster_numbers(clusters)
    rows = rows_of(metric, hypotheses, references, layout, n_threads)
    whole = None if numbers is None else metric.score(rows)  # which checks their sums
    drawn = sum_clusters(rows, numbers)
    score, samples = resampled(metric, drawn, n_resamples, seed, n_threads, progress)
    return ResampledScore(score.name, (whole or score).score, samples, level, seed=seed)


def sum_resamples(
    rows: IntRows,
    ids: Items[Any],
    n_resamples: int = 1000,
    seed: int = 12345,
    *,
    threads: int = 1,
    progress: Progress | None = None,
) -> IntArray:
    """Sum the rows of a part of a corpus for each resample of the Poisson bootstrap.

    Parameters
    ----------
    rows : int array of shape (n_rows, n_stats)
        Rows of any metric, possibly none.
    ids : sequence of str or int, of n_rows items
        Segment ids, unique within the corpus.
    n_resamples : int
    seed : int
        From 0 to 2**64 - 1; the same for all parts.
    threads, progress
        As in `bootstrap`.

    Returns
    -------
    int64 array of shape (n, n_stats)
        Add the results of all parts to get the result of the corpus.

    Raises
    ------
    TypeError, ValueError
        Before any computation: invalid arguments, negative counts, or sums above 2**60.
    ValueError
        If a sum of a resample exceeds 2**60.

    Notes
    -----
    How often a resample draws a row is Poisson distributed with mean 1 and depends only on the
    seed, the id and the index of the resample. So sums are the same to the bit however rows are
    divided and ordered, in each process and on every machine, and systems with the same ids share
    resamples. Unlike in `bootstrap`, the number of rows drawn also varies, by its square root; for
    a ratio of sums, such as BLEU, that matters little in corpora of hundreds of segments. One
    resample in e**n of a corpus of n rows is empty, with sums of zero.

    An int is its own key; a str has the SipHash-2-4 of its UTF-8 as key, so 7 and "7" are different
    ids. Takes time linear in rows times resamples, and 2 bytes per number. Ctrl-C stops the call.

    References
    ----------
    Hanley & MacGibbon 2006, Creating non-parametric bootstrap samples using Poisson frequencies.
    Chamandy, Muralidharan, Najmi & Naidu 2012, Estimating uncertainty for massive data streams.

    Examples
    --------
    >>> rows = [[3, 5], [2, 4], [6, 6]]
    >>> sums = sum_resamples(rows, ["a", "b", "c"], 4)
    >>> parts = sum_resamples(rows[2:], ["c"], 4), sum_resamples(rows[:2], ["a", "b"], 4)
    >>> bool((sums == parts[0] + parts[1]).all())
    True
    """
    check_progress(progress)
    check_count("n_resamples", n_resamples, 1)
    check_count("seed", seed, 0, 2**64 - 1)
    n_threads = check_threads(threads)
    counts = to_integers(rows, "rows")
    if counts.ndim != 2:
        raise ValueError(f"rows: expected shape (n_rows, n_stats); got {counts.shape}")
    keys = id_keys(ids)
    if len(keys) != len(counts):
        raise ValueError(f"ids: expected {len(counts)} items, one for each row; got {len(keys)}")
    sums = np.zeros((n_resamples, counts.shape[1]), np.uint64)
    if not len(counts):
        return sums.view(np.int64)
    packed = PackedRows([counts], len(counts), True)

    def work(first: int, last: int, stop: list[BaseException]) -> None:
        add_weighted(packed, keys, seed, first, last - first, sums[first:last], stop)

    in_blocks(work, WEIGHTED, n_resamples, n_threads, teller(progress, n_resamples))
    if sums.size and sums.max() > MAX_COUNT:
        i, j = next(zip(*(sums > MAX_COUNT).nonzero(), strict=True))
        raise ValueError(f"rows: expected sums of at most 2**60; got {sums[i, j]} in resample {i}")
    return sums.view(np.int64)


def id_keys(ids: Items[Any]) -> _Keys:
    """Return the key of each id, 64 bits that are the same everywhere.

    >>> id_keys([7, -1])
    array([                   7, 18446744073709551615], dtype=uint64)
    >>> id_keys(["7"])
    array([8255655750251093705], dtype=uint64)
    """
    if not (isinstance(ids, np.ndarray) and ids.dtype.kind == "i"):
        ids = items_of(ids, "ids", "texts or integers")
        if ids and isinstance(ids[0], str):
            keys = np.empty(len(ids), np.uint64)
            text_keys(Column(ids, "ids"), keys)
            return keys
    column = np.zeros(0, np.int64) if len(ids) == 0 else as_column(ids, "ids")
    if isinstance(column, list) or column.dtype != np.int64:
        raise TypeError("ids: expected texts or integers; got other numbers")
    return column.view(np.uint64)


def scores_of(metric: RowScoring[Any], rows: IntArray) -> FloatArray:
    """Return the score of each row that the metric's kernel made, which needs no checks."""
    scores = np.empty(len(rows), np.float64)
    metric._kernel.score_rows(rows, scores)
    return scores


def score_of_sums(
    metric: RowScoring[Any], score: Score, sums: IntArray, level: float = 0.95
) -> ResampledScore:
    """Return the score of a corpus with an interval from the sums of its resamples.

    >>> from rapidbleu import BLEU
    >>> bleu = BLEU(max_ngram_order=1)
    >>> sums = sum_resamples([[2, 3, 2, 2], [3, 3, 1, 3]], range(2), 100)
    >>> score_of_sums(bleu, bleu.score([5, 6, 3, 5]), sums)
    BLEU = 49.12 (μ = 41.40 ± 30.33)
    """
    return ResampledScore(score.name, score.score, scores_of(metric, sums), check_level(level))
