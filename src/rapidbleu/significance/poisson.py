"""The Poisson bootstrap: resamples of a corpus whose parts are in different places."""

from __future__ import annotations

from rapidbleu._core.input.columns import Column
from rapidbleu._core.resampling.resample import PackedRows, add_weighted, text_keys
from rapidbleu._lib.checks import check_count, check_level
from rapidbleu._lib.lazy import np
from rapidbleu.parallel import check_progress, check_threads, in_parts, teller
from rapidbleu.sequences import items_of
from rapidbleu.significance.result import ResampledScore
from rapidbleu.stats import MAX_COUNT, to_integers
from rapidbleu.table import as_column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rapidbleu.score import Score
    from rapidbleu.scoring import RowScoring
    from rapidbleu.typing import IntArray, IntRows, Items, Progress

    _Keys = np.ndarray[tuple[int], np.dtype[np.uint64]]

RESAMPLES = 128  # of a block; a multiple of 4


def poisson_sums(
    rows: IntRows,
    ids: Items[Any],
    n: int = 1000,
    seed: int = 12345,
    *,
    threads: int = 1,
    progress: Progress | None = None,
) -> IntArray:
    """Add up rows of a part of a corpus for each resample of the Poisson bootstrap.

    Parameters
    ----------
    rows : int array of shape (n_rows, n_stats)
        Of any metric. There may be none.
    ids : sequence of str or int, of n_rows items
        Of the segments; each row of the corpus needs an id of its own.
    n : int
        Resamples.
    seed : int
        From 0 to 2**64 - 1; the same for all parts.
    threads : int
        0: all cores. The result is the same.
    progress : callable, optional
        Called with the resamples done and all of them.

    Returns
    -------
    int64 array of shape (n, n_stats)
        Those of the parts of a corpus, added up, are those of the corpus.

    Raises
    ------
    TypeError, ValueError
        Before anything is computed, if an argument is wrong, a count is below zero, or the sum of
        a column is over 2**60.
    ValueError
        If a sum of a resample is over 2**60.

    Notes
    -----
    How often a resample draws a row is a number of the Poisson distribution with mean 1, which
    depends on the seed, the id and the number of the resample alone. So the sums are the same to
    the bit however rows are divided and ordered, in each process and on every machine, and systems
    whose ids are the same have the same resamples. Other resamples, of sacrebleu for instance
    (`bootstrap`), draw as many rows as the corpus has; here their number varies, too, by its square
    root. For a ratio of sums, such as BLEU, that matters little in corpora of hundreds of segments.

    The number of rows that are drawn together is not known, so a resample may have none: its sums
    are zeros. In a corpus of n rows that is one resample in e**n.

    An int is a key by itself; a str has one by SipHash-2-4 of its UTF-8, so 7 and "7" are two ids.
    Time is linear in rows times resamples; memory is 2 bytes a number. Ctrl-C ends it.

    References
    ----------
    Hanley & MacGibbon 2006, Creating non-parametric bootstrap samples using Poisson frequencies.
    Chamandy, Muralidharan, Najmi & Naidu 2012, Estimating uncertainty for massive data streams.

    Examples
    --------
    >>> rows = [[3, 5], [2, 4], [6, 6]]
    >>> sums = poisson_sums(rows, ["a", "b", "c"], 4)
    >>> parts = poisson_sums(rows[2:], ["c"], 4), poisson_sums(rows[:2], ["a", "b"], 4)
    >>> bool((sums == parts[0] + parts[1]).all())
    True
    """
    check_progress(progress)
    check_count("n", n, 1)
    check_count("seed", seed, 0, 2**64 - 1)
    n_threads = check_threads(threads)
    counts = to_integers(rows, "rows")
    if counts.ndim != 2:
        raise ValueError(f"rows: expected shape (n_rows, n_stats), got {counts.shape}")
    keys = id_keys(ids)
    if len(keys) != len(counts):
        raise ValueError(f"ids: expected {len(counts)} items, one for each row, got {len(keys)}")
    sums = np.zeros((n, counts.shape[1]), np.uint64)
    if not len(counts):
        return sums.view(np.int64)
    packed = PackedRows([counts], len(counts), True)

    def work(begin: int, end: int, stop: list[BaseException]) -> None:
        for block in range(begin, end):
            first = block * RESAMPLES
            own = sums[first : first + RESAMPLES]
            add_weighted(packed, keys, seed, first, len(own), own, stop)

    in_parts(work, -(-n // RESAMPLES), n_threads, 1, teller(progress, n, RESAMPLES))
    if sums.size and sums.max() > MAX_COUNT:
        i, j = next(zip(*(sums > MAX_COUNT).nonzero(), strict=True))
        raise ValueError(f"rows: expected sums of at most 2**60, got {sums[i, j]} in resample {i}")
    return sums.view(np.int64)


def id_keys(ids: Items[Any]) -> _Keys:
    """Return the key of each id, 64 bits that are the same everywhere.

    Examples
    --------
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
        raise TypeError("ids: expected texts or integers, got other numbers")
    return column.view(np.uint64)


def score_of_sums(
    metric: RowScoring[Any], score: Score, sums: IntArray, level: float = 0.95
) -> ResampledScore:
    """Return the score of a corpus with the interval of the sums of its resamples.

    Examples
    --------
    >>> from rapidbleu import BLEU
    >>> bleu = BLEU(max_ngram_order=1)
    >>> sums = poisson_sums([[2, 3, 2, 2], [3, 3, 1, 3]], range(2), 100)
    >>> score_of_sums(bleu, bleu.score([5, 6, 3, 5]), sums)
    BLEU = 49.12 (μ = 41.40 ± 30.33)
    """
    samples = np.empty(len(sums))
    metric._kernel.score_rows(sums, samples)
    return ResampledScore(score.name, score.score, samples, check_level(level))
