"""Parallel execution: parts of a range, processed by threads without the GIL."""

from __future__ import annotations

from rapidbleu._core.scoring import extraction
from rapidbleu._lib.handing import is_ours
from rapidbleu._lib.loader import np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable
    from typing import Any

    from rapidbleu._core.input.columns import Column, ReferenceColumns
    from rapidbleu._core.scoring.extraction import Extractor
    from rapidbleu._core.text.tokenize import PreparedReferences
    from rapidbleu._types import Array, FloatArray, IntArray, Progress

# Minimum number of segments per thread: a tenth of a millisecond, more than a thread's start takes
PART = 256
# Factor by which the last parts are smaller, because early threads wait and are woken late
ENDS = 4
# Maximum number of hypotheses of n-best lists at a time, which limits the memory to narrow rows
SLICE = 1 << 16
# Maximum number of progress calls, plus one at the end
STEPS = 200
# Maximum number of threads per call, unless there are more cores; more would only take memory
MOST_THREADS = 64


def check_threads(threads: int) -> int:
    """Return a number of threads; 0 stands for all cores that this process may use.

    Numbers above 64 are limited to the number of cores, or to 64.

    >>> check_threads(2)
    2
    """
    if threads.__class__ is int and 0 < threads <= MOST_THREADS:
        return threads
    if isinstance(threads, bool) or not isinstance(threads, int):
        raise TypeError(f"threads: expected int; got {type(threads).__name__}")
    if threads < 0:
        raise ValueError(f"threads: expected 0 for all cores, or how many; got {threads}")
    if 0 < threads <= MOST_THREADS:
        return threads
    import os

    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    return cores if threads == 0 else min(threads, max(cores, MOST_THREADS))


def check_progress(progress: Callable[..., object] | None, where: str = "progress") -> None:
    """Refuse a progress callback that cannot be called; errors name it `where`."""
    if progress is not None and not callable(progress):
        raise TypeError(f"{where}: expected a callable; got {type(progress).__name__}")


def in_parts(
    work: Callable[[int, int, list[BaseException]], Any],
    n: int,
    threads: int,
    least: int,
    tell: Callable[[int], Any] | None = None,
) -> list[Any]:
    """Return ``work(begin, end, stop)`` for parts that cover ``range(n)``, in undefined order.

    One thread runs per `least` items, up to `threads`. Parts shrink towards the end, so that all
    threads end together. The calling thread works too: it receives Ctrl-C, and stops the remaining
    ones by filling `stop`. If several parts fail, the error of the first one is raised.

    The calling thread calls `tell` with the number of finished items, at most `STEPS` times, and
    finally with `n`; parts are small then.
    """
    n_workers = min(threads, n // least)
    most = n
    smallest = max(1, least // ENDS)
    if tell is not None:
        most = smallest = max(1, -(-n // STEPS))
    if n_workers < 2:
        results: list[Any] = []
        for begin in range(0, n, most) if n else (0,):
            end = min(begin + most, n)
            results.append(work(begin, end, []))
            if tell is not None and n:
                tell(end)
        return results
    # `threading.Thread` would wait until each thread runs, for the time of 100 segments.
    from _thread import allocate_lock, start_new_thread

    try:
        lock = allocate_lock()
    except RuntimeError as error:  # out of memory
        if not is_ours(error):
            raise
        return in_parts(work, n, 1, least, tell)
    results = []
    stop: list[BaseException] = []  # ends all work at once; `failed` lets earlier parts finish
    # The position of each worker and its error, allocated now because memory may run out later
    positions = [0] * n_workers
    errors: list[BaseException | None] = [None] * n_workers
    failed = False
    begun = 0
    told = 0
    done = [0] * n_workers

    def take() -> tuple[int, int]:
        nonlocal begun
        with lock:
            begin = begun
            begun = begin + min(most, max(smallest, (n - begin) // n_workers))
            if n - begun < smallest:
                begun = n
            return begin, begun

    def worker(i: int) -> None:
        nonlocal failed, told
        try:
            while not failed:
                begin, end = take()
                if begin == end:
                    break
                positions[i] = begin
                results.append(work(begin, end, stop))
                done[i] += end - begin
                if tell is not None and i == 0:
                    told = sum(done)
                    tell(told)
        except BaseException as error:
            errors[i] = error
            failed = True
            if not isinstance(error, Exception):
                stop.append(error)

    def helper(i: int, busy: Any) -> None:
        with busy:
            worker(i)

    def wait() -> None:
        for busy in locks:  # a thread that has not started yet will find nothing to do
            with busy:
                pass

    locks: list[Any] = []
    try:
        for i in range(1, n_workers):
            try:
                locks.append(allocate_lock())
                start_new_thread(helper, (i, locks[-1]))
            except RuntimeError as error:  # no more threads: the running ones do all work
                if not is_ours(error):
                    raise
                break
        worker(0)
        wait()
    except BaseException as error:  # Ctrl-C outside of the work
        failed = True
        stop.append(error)
        wait()
    if stop:
        raise stop[0]
    if failed:
        try:
            raise min(
                (position, i, error)
                for i, (position, error) in enumerate(zip(positions, errors, strict=True))
                if error is not None
            )[2]
        finally:
            errors.clear()  # their tracebacks refer to this list
    if tell is not None and told < n:
        tell(n)
    return results


def teller(
    progress: Progress | None, n: int, size: int = 1, before: int = 0
) -> Callable[[int], Any] | None:
    """Return a callback for finished blocks of `size` that reports progress in n items.

    >>> teller(print, 10, 3, before=2)(1)
    5 10
    """
    if progress is None:
        return None
    return lambda blocks: progress(min(before + blocks * size, n), n)


class Teller:
    """Counts finished items of all threads, and reports them in the thread that created it."""

    def __init__(self, progress: Progress, n: int) -> None:
        from _thread import allocate_lock, get_ident

        self._progress = progress
        self._n = n
        self._lock = allocate_lock()
        self._get_ident = get_ident
        self._thread = get_ident()
        self._done = 0
        self._told = 0

    def __call__(self, items: int) -> None:
        with self._lock:
            self._done += items
        done = self._done
        is_due = done < self._n and (done - self._told) * STEPS >= self._n
        if is_due and self._get_ident() == self._thread:
            self._told = done
            self._progress(done, self._n)

    def finish(self) -> None:
        """Report that all items are finished."""
        if self._n:
            self._progress(self._n, self._n)


def part_of(tell: Progress | None, i: int, k: int) -> Progress | None:
    """Return a progress callback for part i of k equal parts that reports progress in all.

    >>> part_of(print, 1, 3)(4, 10)
    14 30
    """
    if tell is None:
        return None
    return lambda done, n: tell(i * n + done, k * n)


def extract(
    extractor: Extractor,
    hyps: Column | PreparedReferences,
    refs: ReferenceColumns | PreparedReferences,
    threads: int,
    rows: Array | array[int] | None = None,
    scores: FloatArray | None = None,
    progress: Progress | None = None,
) -> list[int]:
    """Return the summed statistics of a corpus; fill `rows` and `scores` of its segments, if given.

    The result does not depend on `threads`, because sums of integers do not depend on their order.
    """

    def work(begin: int, end: int, stop: list[BaseException]) -> list[int]:
        return extractor.extract(hyps, refs, begin, end, rows, scores, stop)

    n = len(hyps)
    sums = in_parts(work, n, threads, PART, progress and teller(progress, n))
    return sums[0] if len(sums) == 1 else [sum(column) for column in zip(*sums, strict=True)]


def extract_nbest(
    extractor: Extractor,
    hyps: Column,
    refs: PreparedReferences,
    segments: IntArray,
    threads: int,
    progress: Progress | None = None,
    rows: Array | None = None,
    scores: FloatArray | None = None,
    first: int = 0,
) -> None:
    """Fill `rows`, int64 or int32, or `scores` of hypotheses, each against its own segment.

    The result does not depend on `threads`. `first` is the index of the first row in errors.
    """
    n = len(hyps)
    narrow = rows is not None and rows.dtype == np.int32

    def work(begin: int, end: int, stop: list[BaseException]) -> None:
        for start in range(begin, end, SLICE):
            last = min(start + SLICE, end)
            out: Any = None if rows is None else rows[start:last]
            if narrow:
                out = np.empty(out.shape, np.int64)
            part = None if scores is None else scores[start:last]
            extraction.extract_nbest(extractor, hyps, refs, segments, start, last, out, part, stop)
            if rows is not None and narrow and not stop:
                rows[start:last] = narrowed(out, first + start)

    in_parts(work, n, threads, PART, teller(progress, n))


def narrowed(rows: Array, first: int = 0) -> Array:
    """Return int64 rows as int32; `first` is the index of the first row in errors.

    >>> import numpy as np
    >>> narrowed(np.array([[2, 2, 1, 0]]))
    array([[2, 2, 1, 0]], dtype=int32)
    """
    most = 2**31 - 1
    if rows.size and rows.max() > most:
        i, j = next(zip(*(rows > most).nonzero(), strict=True))
        raise ValueError(
            f"rows[{first + i}][{j}]: expected at most {most} for int32; got {rows[i, j]}"
        )
    return rows.astype("int32")
