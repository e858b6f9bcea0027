"""Scores of bootstrap resamples, and of shuffled pairs of systems, by any metric.

Both take rows of statistics only. The work is cut into blocks whose random numbers are known
beforehand, so the result does not depend on the number of threads.
"""

from __future__ import annotations

from rapidbleu._core.resampling.resample import PackedRows, resample, shuffle
from rapidbleu._lib.lazy import np
from rapidbleu.parallel import in_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from rapidbleu._core.metrics.kernel import Kernel
    from rapidbleu.significance.draws import Draws
    from rapidbleu.typing import FloatArray, IntArray

    _Part = tuple[Kernel, IntArray]
    _Progress = Callable[[int, int], Any]

RESAMPLES = 64  # of a block, at most
TRIALS = 1024  # of a block, at most; a multiple of 32
DRAWS = 1 << 22  # of a block of several resamples, at most
COINS = 1 << 28  # of a block of more trials than 64, at most


def resampled_scores(
    draws: Draws,
    parts: Sequence[_Part],
    n: int,
    *,
    after: int = 0,
    threads: int = 1,
    tell: Callable[[int], Any] | None = None,
) -> list[FloatArray]:
    """Return the scores of n resamples of each part; all parts have the same resamples.

    Parameters
    ----------
    draws : Draws
    parts : sequence of (Kernel, int64 array of shape (n_segments, n_stats))
    n : int
        Resamples.
    after : int
        Trials of coins that were drawn before.
    threads : int
    tell : callable, optional
        Called with the number of resamples done.

    Returns
    -------
    list of float64 arrays of shape (n,)

    Notes
    -----
    Linear in n and in the number of segments; memory for the rows only, 2 bytes a number.
    """
    packed = PackedRows([rows for _, rows in parts], draws.n_segments)
    scores = [np.empty(n, np.float64) for _ in parts]
    size = max(1, min(RESAMPLES, DRAWS // draws.n_segments))
    places = [0] * (-(-n // size) + 1)
    given = None
    if draws.stream is None:
        given = draws.all_indices(n, after)
    else:
        places[0] = draws.place_after(after)
        for block in range(len(places) - 1) if threads > 1 else ():
            n_draws = size * draws.n_segments
            places[block + 1] = draws.stream.skip(draws.n_segments, n_draws, places[block])

    def work(begin: int, end: int, stop: list[BaseException]) -> None:
        for block in range(begin, end):
            first = block * size
            last = min(first + size, n)
            totals = np.empty((last - first) * packed.n_columns, np.int64)
            source = draws.stream if given is None else given[first:last]
            place = resample(packed, source, places[block], last - first, totals, stop)
            places[block + 1] = place
            for (kernel, _), own, rows in zip(
                parts, scores, _split(totals, parts, last - first), strict=True
            ):
                kernel.score_rows(rows, own[first:last])

    _run(work, size, n, threads, tell)
    return scores


def extreme_trials(
    draws: Draws,
    metrics: Sequence[Sequence[_Part]],
    pairs: Sequence[tuple[int, int]],
    differences: FloatArray,
    n: int,
    *,
    threads: int = 1,
    tell: Callable[[int], Any] | None = None,
) -> IntArray:
    """Return in how many trials shuffled systems differ by more than the systems themselves.

    Parameters
    ----------
    draws : Draws
    metrics : sequence of sequences of (Kernel, int64 array of shape (n_segments, n_stats))
        For each metric, the rows of each system.
    pairs : sequence of (int, int)
        Numbers of systems.
    differences : float64 array of shape (n_metrics, n_pairs)
        Not negative.
    n : int
        Trials; each has the same coins for all pairs and metrics.
    threads, tell
        As in `resampled_scores`.

    Returns
    -------
    int64 array of shape (n_metrics, n_pairs)

    Notes
    -----
    Linear in n, in the number of segments times that of systems, and in the number of pairs.
    """
    parts = [part for systems in metrics for part in systems]
    packed = PackedRows([rows for _, rows in parts], draws.n_segments)
    sums = [rows.sum(axis=0) for _, rows in parts]
    size = max(64, min(TRIALS, COINS // draws.n_segments // 32 * 32))

    def work(begin: int, end: int, stop: list[BaseException]) -> IntArray:
        found = np.zeros((len(metrics), len(pairs)), np.int64)
        for block in range(begin, end):
            first = block * size
            m = min(size, n - first)
            totals = np.empty(m * packed.n_columns, np.int64)
            shuffle(packed, draws.coins(n, first, m), m, totals, stop)
            heads = list(_split(totals, parts, m))
            tails = [total - own for total, own in zip(sums, heads, strict=True)]
            one, other = np.empty(m, np.float64), np.empty(m, np.float64)
            for k, systems in enumerate(metrics):
                kernel, start = systems[0][0], k * len(systems)
                for j, pair in enumerate(pairs):
                    a, b = start + pair[0], start + pair[1]
                    kernel.score_rows(heads[a] + tails[b], one)
                    kernel.score_rows(tails[a] + heads[b], other)
                    found[k, j] += np.count_nonzero(np.abs(one - other) > differences[k, j])
        return found

    extreme: IntArray = np.sum(_run(work, size, n, threads, tell), axis=0)
    return extreme


def _split(totals: IntArray, parts: Sequence[_Part], n: int) -> Any:
    """Yield the totals of each part, [n, n_stats]."""
    begin = 0
    for _, rows in parts:
        end = begin + n * rows.shape[1]
        yield totals[begin:end].reshape(n, rows.shape[1])
        begin = end


def _run(
    work: Callable[[int, int, list[BaseException]], Any],
    size: int,
    n: int,
    threads: int,
    tell: Callable[[int], Any] | None,
) -> list[Any]:
    """Return what `work` returns for blocks of n items, and tell now and then how many are done."""
    told = None if tell is None else lambda blocks: tell(min(blocks * size, n))
    return in_parts(work, -(-n // size), threads, 1, told)
